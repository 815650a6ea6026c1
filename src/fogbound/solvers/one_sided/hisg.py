"""HISG: ISG from the best of many random subsets of the blind player's actions.

Document 002, Algorithm 7 (the heuristic variant of ISG). Which subset is best shows in the first walks, in the lower
bound: a subset's upper bound may be high only because it was looked at briefly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fogbound.core.cancel import cancelling, check
from fogbound.core.errors import SpecError, Stopped
from fogbound.core.policy import Strategy
from fogbound.driver.clock import Clock
from fogbound.driver.protocol import Context, Evidence, Progress
from fogbound.forms.arrays import Floats
from fogbound.forms.one_sided.form import OneSided
from fogbound.solvers.one_sided.isg import ISG, PortionLog

if TYPE_CHECKING:
    from fogbound.solvers.one_sided.bounds import OneSidedBounds


@dataclass(frozen=True)
class HISG(ISG):
    """ISG whose first actions are the best of `runs` random subsets, by what the blind player is then guaranteed.

    Assumes what PG-HSVI does. `details["trials"]` tells how far the subsets lay apart. The trials are
    independent of each other: an engine may make them side by side, with the same result.
    """

    name = "hisg"

    runs: int = 50  # random subsets of the first portion
    trial: int = 20  # most walks in each of them; 0 = as many as it takes
    trial_seconds: float = 0.0  # most in each of them (then the result hangs on the machine); 0 = no limit

    def __post_init__(self) -> None:
        super().__post_init__()
        for field, least in {"runs": 1, "trial": 0, "trial_seconds": 0}.items():
            if not getattr(self, field) >= least:
                raise SpecError(f"{self.name}: {field} is {getattr(self, field)!r}, expected at least {least}")

    def run(self, form: OneSided, context: Context) -> Iterator[Progress]:
        from fogbound.solvers.one_sided.action_subsets import random_order

        yield from self._trials(form, context)
        lower = context.arrays["trials"]
        if len(lower) < self.runs:
            return
        if "order" not in context.arrays:
            seed = int(context.arrays["seeds"][np.argmax(lower)])
            context.arrays["order"] = random_order(form, np.random.default_rng(seed))
        for progress in super().run(form, context):
            yield replace(progress, details={**progress.details, "trials": _told(lower)})

    def _trials(self, form: OneSided, context: Context) -> Iterator[Progress]:
        """Look at one subset after the other; what the best of them guarantees is guaranteed in the game.

        One trial is made whatever the time, so that there is an answer; the others may be cut off.
        """
        if "seeds" not in context.arrays:
            context.arrays["seeds"], context.arrays["trials"] = context.rng.integers(2**62, size=self.runs), np.zeros(0)
        seeds, lower = context.arrays["seeds"], context.arrays["trials"]
        left, shared = seeds[len(lower) :].tolist(), (form, self, context.clock)
        with closing(context.engine.map(_trial, left, shared)) as trials:
            for number in range(len(left)):
                try:
                    with cancelling(*([context] if number else [])):
                        found = next(trials)
                except Stopped:
                    if not number:
                        raise
                    return
                context.arrays["trials"] = lower = np.append(lower, found)
                yield self._so_far(shared, lower, int(seeds[np.argmax(lower)]))
                if context.stopping():
                    return

    def _so_far(self, shared: TrialSetting, lower: Floats, seed: int) -> Progress:
        """The best trial as an answer; who wants more of it than its bound tries it again."""

        def profile() -> dict[int, Strategy]:
            from fogbound.solvers.one_sided.play.profile import profile

            return profile(_tried(shared, seed))

        def evidence() -> Evidence:
            from fogbound.solvers.one_sided.evidence.proof import bounds_evidence

            return bounds_evidence(_tried(shared, seed))

        best = float(lower.max())
        return Progress(best, best, math.inf, profile, {"trials": _told(lower)}, evidence=evidence)

    def _worth_telling(self, log: PortionLog) -> bool:
        """Not before the best subset is where its trial was, and that has been told."""
        return log.latest > 0 or self.tried(log.walks, log.spent)

    def tried(self, walks: int, seconds: float) -> bool:
        """Whether a trial of so many walks, or so long, is over."""
        return 0 < self.trial <= walks or 0 < self.trial_seconds <= seconds


TrialSetting = tuple[OneSided, HISG, Clock]  # what all trials have in common


def _told(lower: Floats) -> dict[str, Any]:
    return {
        "runs": len(lower),
        "least": float(lower.min()),
        "mean": float(lower.mean()),
        "best": float(lower.max()),
    }


def _trial(shared: TrialSetting, seed: int) -> float:
    """What the blind player is guaranteed with a random subset of the first portion's size, after a look."""
    return _tried(shared, seed).bounds()[0]


def _tried(shared: TrialSetting, seed: int) -> OneSidedBounds:
    from fogbound.solvers.one_sided.action_subsets import front, random_order
    from fogbound.solvers.one_sided.bounds import OneSidedBounds
    from fogbound.solvers.one_sided.heuristic_search import approach

    form, solver, clock = shared
    known = OneSidedBounds(form, front(form, random_order(form, np.random.default_rng(seed)), solver.portions[0]))
    began = clock.processor()
    for walks, _ in enumerate(approach(known, solver.aim, solver.share)):
        check()
        if solver.tried(walks, clock.processor() - began):
            break
    return known
