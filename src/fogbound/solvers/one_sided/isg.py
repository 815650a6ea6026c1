"""ISG: a one-sided game solved with ever more of the blind player's actions, each time from the vectors of the last.

Document 002, Algorithm 6 (incremental strategy generation for PG-HSVI). Until all actions are there, only the lower
bound says something about the game itself.

HISG (Algorithm 7, the heuristic variant) begins with the best of many random subsets of the blind player's actions.
Which subset is best shows in the first trials, in the lower bound: a subset's upper bound may be high only because it
was looked at briefly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, MutableMapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from fogbound.core.cancel import cancelling, check
from fogbound.core.errors import Stopped
from fogbound.driver.clock import Clock
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Solver
from fogbound.forms.arrays import Floats
from fogbound.forms.one_sided.form import OneSided
from fogbound.solvers.one_sided.pg_hsvi import require_settings

if TYPE_CHECKING:
    from fogbound.solvers.one_sided.bounds import OneSidedBounds

NEVER = -1.0  # instead of a time: files hold finite numbers only


@dataclass(frozen=True)
class ISG(Solver[OneSided]):
    """The value of a one-sided game for its blind player, through games in which it has only some of its actions.

    Assumes what PG-HSVI does. `details["portions"]` says what each portion took: processor seconds until the first
    bounds were there, and from the same beginning until they were less than each of `widths` apart.

    Parameters
    ----------
    portions : tuple of float
        Per cent of the blind player's actions, rising; the last one is 100.
    epsilon : float
        The gap that ends a portion, in units of the reward; the last one goes on to that of the stop rules.
    stage_tolerance : float
        How exactly stage games are solved, as a share of the gap that a trial aims at.
    trials : int
        Most in each portion but the last; 0 = as many as it takes.
    most_seconds : float
        Most in each portion but the last; 0 = no limit. With one the result hangs on the machine.
    widths : tuple of float
        Gaps whose times are noted.

    Raises
    ------
    SpecError
        For a parameter out of its range.

    Examples
    --------
    >>> import fogbound as fb
    >>> solution = fb.solve("pursuit(columns=3)", "isg(portions=[50, 100], epsilon=2)")
    >>> [entry["portion"] for entry in solution.details["portions"]]
    [50, 100]
    """

    name = "isg"

    portions: tuple[float, ...] = (30, 44, 64, 100)
    epsilon: float = 0.01
    stage_tolerance: float = 0.01
    trials: int = 0
    most_seconds: float = 0.0
    widths: tuple[float, ...] = (10, 6, 1)

    form: ClassVar[type[OneSided]] = OneSided
    finds: ClassVar[str] = "guarantee"

    def __post_init__(self) -> None:
        rising = all(low < high for low, high in zip((0, *self.portions), self.portions, strict=False))
        require_settings(
            self,
            portions=(rising and self.portions[-1:] == (100,), "rising percentages from above 0 to 100"),
            epsilon=(self.epsilon > 0, "a number above 0"),
            stage_tolerance=(0 < self.stage_tolerance < 1, "a share between 0 and 1"),
            trials=(self.trials >= 0, "a number of trials, or 0 for no limit"),
            most_seconds=(self.most_seconds >= 0, "a number of seconds, or 0 for no limit"),
            widths=(all(width > 0 for width in self.widths), "numbers above 0"),
        )

    def remembers(self, form: OneSided, kept: Kept) -> None:
        from fogbound.solvers.one_sided.action_subsets import declare_order
        from fogbound.solvers.one_sided.checkpoint import declare_bounds

        declare_order(form, kept)
        PortionLog.declare(kept, self.portions, self.widths)
        declare_bounds(form, kept)

    def run(self, form: OneSided, context: Context) -> Iterator[Progress]:
        from fogbound.solvers.one_sided.action_subsets import enlarged, front, random_order
        from fogbound.solvers.one_sided.bounds import OneSidedBounds

        if "order" not in context.arrays:
            context.arrays["order"] = random_order(form, context.rng)
        log = PortionLog(context.arrays, self.portions, self.widths)
        for number in range(max(log.latest, 0), len(self.portions)):
            mask = front(form, context.arrays["order"], self.portions[number])
            if number == log.latest:
                bounds = OneSidedBounds(form, mask, context.arrays)
            else:
                began = context.clock.processor()
                bounds = enlarged(form, mask, context.arrays)
                log.begin(number, int(mask.sum()), context.clock.processor() - began)
            yield from self._close(bounds, log, context)
            if context.stopping():
                return

    def _close(self, bounds: OneSidedBounds, log: PortionLog, context: Context) -> Iterator[Progress]:
        """Trials in one portion until its gap or its limit is met."""
        from fogbound.solvers.one_sided.evidence.proof import bounds_progress
        from fogbound.solvers.one_sided.heuristic_search import approach, numerical_limit

        aim = context.aim(self.epsilon) if log.last else self.epsilon
        began, trials = context.clock.processor(), bounds.trials
        for lower, upper in approach(bounds, aim, self.stage_tolerance):
            log.note(lower, upper, context.clock.processor() - began, tried=bounds.trials > trials)
            trials = bounds.trials
            ends = numerical_limit(bounds, lower, upper, aim)
            ended = upper - lower <= aim or bool(ends) or self._enough(log)
            if ended or self._reportable(log):
                details = {"portion": self.portions[log.latest], "portions": log.table()}
                yield bounds_progress(bounds, lower, upper if log.last else math.inf, details, ends)
                if ended or context.stopping():
                    return
            began = context.clock.processor()

    def _reportable(self, _log: PortionLog) -> bool:
        """Whether bounds so early are of use to anybody; until they are, nobody is asked whether to stop."""
        return True

    def _enough(self, log: PortionLog) -> bool:
        """Whether a limit of a portion is met; the last one has none."""
        return not log.last and (0 < self.trials <= log.trials or 0 < self.most_seconds <= log.spent)


class PortionLog:
    """What each portion took and found so far, kept in one array so that a resumed run goes on with it."""

    actions, start, spent_at, trials_at, lower, upper, widths_at = range(7)  # columns; from the last on, one a width

    def __init__(
        self, arrays: MutableMapping[str, Any], portions: tuple[float, ...], widths: tuple[float, ...]
    ) -> None:
        self.portions, self.widths = portions, widths
        if "portions" not in arrays:
            arrays["portions"] = np.full((len(portions), self.widths_at + len(widths)), NEVER)
        self.rows = arrays["portions"]

    @classmethod
    def declare(cls, kept: Kept, portions: tuple[float, ...], widths: tuple[float, ...]) -> None:
        """Declare what a checkpoint says of portions: at least one was begun, and none before those ahead of it."""
        rows = kept.reals("portions", (len(portions), cls.widths_at + len(widths)))
        begun = rows[:, cls.actions] >= 0
        kept.require("portions", begun[:1] & (np.diff(begun.astype(np.int64)) <= 0).all(), "portions begun in order")
        kept.require("portions", rows[begun, cls.trials_at] >= 0, "trials that were made")

    @property
    def latest(self) -> int:
        """The portion that was begun last; -1 = none was."""
        return int((self.rows[:, self.actions] >= 0).sum()) - 1

    @property
    def last(self) -> bool:
        """Whether all actions are there, so that upper bounds are those of the game."""
        return self.latest == len(self.portions) - 1

    @property
    def trials(self) -> int:
        return int(self.rows[self.latest, self.trials_at])

    @property
    def spent(self) -> float:
        return float(self.rows[self.latest, self.spent_at])

    def begin(self, number: int, actions: int, seconds: float) -> None:
        """The next portion has its first bounds."""
        self.rows[number, : self.lower] = actions, seconds, seconds, 0

    def note(self, lower: float, upper: float, seconds: float, tried: bool) -> None:
        """Bounds of the current portion, timed from the end of the entries before it."""
        row = self.rows[self.latest]
        row[self.spent_at] += seconds
        row[self.trials_at] += tried
        row[self.lower : self.widths_at] = lower, upper
        times = row[self.widths_at :]
        times[(times == NEVER) & (upper - lower < np.array(self.widths))] = row[self.spent_at]

    def table(self) -> list[dict[str, Any]]:
        """One entry a portion begun; a width that was not reached has no time."""
        entries = []
        for portion, row in zip(self.portions[: self.latest + 1], self.rows.tolist(), strict=False):
            times = zip(self.widths, row[self.widths_at :], strict=True)
            entries.append(
                {
                    "portion": portion,
                    "actions": int(row[self.actions]),
                    "trials": int(row[self.trials_at]),
                    "start": row[self.start],
                    "seconds": row[self.spent_at],
                    "lower": row[self.lower],
                    "upper": row[self.upper],  # of the game with these actions alone
                    "below": {f"{width:g}": None if spent == NEVER else spent for width, spent in times},
                }
            )
        return entries


SEEDS = 2**62  # a subset's is below this


@dataclass(frozen=True)
class HISG(ISG):
    """ISG whose first actions are the best of `runs` random subsets, by what the blind player is then guaranteed.

    Assumes what PG-HSVI does. `details["subsets"]` says how far the subsets lay apart. The subsets are
    independent of each other: an engine may look at them side by side, with the same result.

    Parameters
    ----------
    portions, epsilon, stage_tolerance, trials, most_seconds, widths
        As in `ISG`.
    runs : int
        Random subsets of the first portion's size, at least 1.
    subset_trials : int
        Most in each of them; 0 = as many as it takes.
    subset_seconds : float
        Most in each of them; 0 = no limit. With one the result hangs on the machine.

    Raises
    ------
    SpecError
        For a parameter out of its range.

    Examples
    --------
    >>> import fogbound as fb
    >>> solution = fb.solve("pursuit(columns=3)", "hisg(runs=3, subset_trials=5, epsilon=2)")
    >>> solution.details["subsets"]["runs"]
    3
    """

    name = "hisg"

    runs: int = 50
    subset_trials: int = 20
    subset_seconds: float = 0.0

    parallel: ClassVar[bool] = True
    compiling: ClassVar[float] = 12

    def __post_init__(self) -> None:
        super().__post_init__()
        require_settings(
            self,
            runs=(self.runs >= 1, "at least 1"),
            subset_trials=(self.subset_trials >= 0, "at least 0"),
            subset_seconds=(self.subset_seconds >= 0, "at least 0"),
        )

    def remembers(self, form: OneSided, kept: Kept) -> None:
        kept.integers("seeds", (self.runs,), high=SEEDS - 1)
        looked = len(kept.reals("subset_bounds", (None,)))
        kept.require("subset_bounds", 1 <= looked <= self.runs, f"at most {self.runs} bounds")
        if "order" in kept:
            kept.require("subset_bounds", looked == self.runs, "one bound a subset before the first portion")
            super().remembers(form, kept)

    def run(self, form: OneSided, context: Context) -> Iterator[Progress]:
        from fogbound.solvers.one_sided.action_subsets import random_order

        yield from self._subsets(form, context)
        lower = context.arrays["subset_bounds"]
        if len(lower) < self.runs:
            return
        if "order" not in context.arrays:
            seed = int(context.arrays["seeds"][np.argmax(lower)])
            context.arrays["order"] = random_order(form, np.random.default_rng(seed))
        for progress in super().run(form, context):
            yield replace(progress, details={**progress.details, "subsets": _summary(lower)})

    def _subsets(self, form: OneSided, context: Context) -> Iterator[Progress]:
        """Look at one subset after the other; what the best of them guarantees is guaranteed in the game.

        One subset is looked at whatever the time, so that there is an answer; the others may be cut off.
        """
        if "seeds" not in context.arrays:
            context.arrays["seeds"] = context.rng.integers(SEEDS, size=self.runs)
            context.arrays["subset_bounds"] = np.zeros(0)
        seeds, lower = context.arrays["seeds"], context.arrays["subset_bounds"]
        left, shared = seeds[len(lower) :].tolist(), (form, self, context.clock)
        if len(lower) and "order" not in context.arrays:  # resumed
            yield self._so_far(shared, lower, int(seeds[np.argmax(lower)]))
        with closing(context.engine.map(_guarantee, left, shared)) as looks:
            for number in range(len(left)):
                try:
                    with cancelling(*([context] if number else [])):
                        guarantee = next(looks)
                except Stopped:
                    if not number:
                        raise
                    return
                context.arrays["subset_bounds"] = lower = np.append(lower, guarantee)
                yield self._so_far(shared, lower, int(seeds[np.argmax(lower)]))
                if context.stopping():
                    return

    def _so_far(self, shared: SubsetSetting, lower: Floats, seed: int) -> Progress:
        """The best subset as an answer; who wants more of it than its bound looks at it again."""
        from fogbound.solvers.one_sided.evidence.proof import bounds_evidence
        from fogbound.solvers.one_sided.play.profile import profile

        best, details = float(lower.max()), {"subsets": _summary(lower)}
        told = (best, best, math.inf, lambda: profile(_looked_at(shared, seed)), details)
        return Progress(*told, evidence=lambda: bounds_evidence(_looked_at(shared, seed)))

    def _reportable(self, log: PortionLog) -> bool:
        """Not before the best subset is where the first look at it was, and that has been reported."""
        return log.latest > 0 or self.seen_enough(log.trials, log.spent)

    def seen_enough(self, trials: int, seconds: float) -> bool:
        """Whether a look at a subset of so many trials, or so long, is over."""
        return 0 < self.subset_trials <= trials or 0 < self.subset_seconds <= seconds


SubsetSetting = tuple[OneSided, HISG, Clock]  # what looks at all subsets have in common


def _summary(lower: Floats) -> dict[str, Any]:
    found = {"least": float(lower.min()), "mean": float(lower.mean()), "best": float(lower.max())}
    return {"runs": len(lower), **found}


def _guarantee(shared: SubsetSetting, seed: int) -> float:
    """What the blind player is guaranteed with a random subset of the first portion's size, after a look."""
    return _looked_at(shared, seed).interval()[0]


def _looked_at(shared: SubsetSetting, seed: int) -> OneSidedBounds:
    from fogbound.solvers.one_sided.action_subsets import front, random_order
    from fogbound.solvers.one_sided.bounds import OneSidedBounds
    from fogbound.solvers.one_sided.heuristic_search import approach

    form, solver, clock = shared
    bounds = OneSidedBounds(form, front(form, random_order(form, np.random.default_rng(seed)), solver.portions[0]))
    began = clock.processor()
    for trials, _ in enumerate(approach(bounds, solver.epsilon, solver.stage_tolerance)):
        check()
        if solver.seen_enough(trials, clock.processor() - began):
            break
    return bounds
