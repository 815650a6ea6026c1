"""HISG: ISG from the best of many random subsets of the blind player's actions.

Document 002, Algorithm 7 (the heuristic variant of ISG). Which subset is best shows in the first trials, in the lower
bound: a subset's upper bound may be high only because it was looked at briefly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from fogbound.core.cancel import cancelling, check
from fogbound.core.errors import SpecError, Stopped
from fogbound.core.policy import Strategy
from fogbound.driver.clock import Clock
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Evidence, Progress
from fogbound.forms.arrays import Floats
from fogbound.forms.one_sided.form import OneSided
from fogbound.solvers.one_sided.isg import ISG, PortionLog

if TYPE_CHECKING:
    from fogbound.solvers.one_sided.bounds import OneSidedBounds

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

    compiling: ClassVar[float] = 12

    def __post_init__(self) -> None:
        super().__post_init__()
        for field, least in {"runs": 1, "subset_trials": 0, "subset_seconds": 0}.items():
            if not getattr(self, field) >= least:
                raise SpecError(f"{self.name}: {field} is {getattr(self, field)!r}, expected at least {least}")

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

        def profile() -> dict[int, Strategy]:
            from fogbound.solvers.one_sided.play.profile import profile

            return profile(_looked_at(shared, seed))

        def evidence() -> Evidence:
            from fogbound.solvers.one_sided.evidence.proof import bounds_evidence

            return bounds_evidence(_looked_at(shared, seed))

        best = float(lower.max())
        return Progress(best, best, math.inf, profile, {"subsets": _summary(lower)}, evidence=evidence)

    def _reportable(self, log: PortionLog) -> bool:
        """Not before the best subset is where the first look at it was, and that has been reported."""
        return log.latest > 0 or self.seen_enough(log.trials, log.spent)

    def seen_enough(self, trials: int, seconds: float) -> bool:
        """Whether a look at a subset of so many trials, or so long, is over."""
        return 0 < self.subset_trials <= trials or 0 < self.subset_seconds <= seconds


SubsetSetting = tuple[OneSided, HISG, Clock]  # what looks at all subsets have in common


def _summary(lower: Floats) -> dict[str, Any]:
    return {
        "runs": len(lower),
        "least": float(lower.min()),
        "mean": float(lower.mean()),
        "best": float(lower.max()),
    }


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
