"""HISG: ISG from the best of many random subsets of the blind player's actions.

Document 002, Algorithm 7 (the heuristic variant of ISG). Which subset is best shows in the first walks, in the lower
bound: a subset's upper bound may be high only because it was looked at briefly.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.forms.one_sided import OneSided
from fogbound.parallel import ordered_map
from fogbound.progress import Desk, Progress
from fogbound.solvers.isg import ISG, PortionLog

ROUND = 8  # trials that each of several workers is given between two looks at the clock


@dataclass(frozen=True)
class HISG(ISG):
    """ISG whose first actions are the best of `runs` random subsets, by what the blind player is then guaranteed.

    Assumes what PG-HSVI does. `details["trials"]` tells how far the subsets lay apart. The result is the same
    whatever the number of workers.
    """

    name = "hisg"

    runs: int = 50  # random subsets of the first portion
    trial: int = 20  # most walks in each of them; 0 = as many as it takes
    trial_seconds: float = 0.0  # most in each of them (then the result hangs on the machine); 0 = no limit
    workers: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        for field, least in {"runs": 1, "trial": 0, "trial_seconds": 0, "workers": 1}.items():
            if not getattr(self, field) >= least:
                raise SpecError(f"{self.name}: {field} is {getattr(self, field)!r}, expected at least {least}")

    def run(self, form: OneSided, desk: Desk) -> Iterator[Progress]:
        from fogbound.solvers.one_sided.subsets import random_order

        if "order" not in desk.arrays:
            seeds = desk.rng.integers(2**62, size=self.runs).tolist()
            lower = self._trials(form, seeds, desk)
            desk.arrays["trials"] = np.array(lower)
            desk.arrays["order"] = random_order(form, np.random.default_rng(seeds[int(np.argmax(lower))]))
        lower = desk.arrays["trials"].tolist()
        trials = {"runs": len(lower), "least": min(lower), "mean": float(np.mean(lower)), "best": max(lower)}
        for progress in super().run(form, desk):
            yield replace(progress, details={**progress.details, "trials": trials})

    def _worth_telling(self, log: PortionLog) -> bool:
        """Not before the best subset is where its trial was: this is known to be had."""
        return log.latest > 0 or self._tried(log.walks, log.spent)

    def _tried(self, walks: int, seconds: float) -> bool:
        return 0 < self.trial <= walks or 0 < self.trial_seconds <= seconds

    def _trials(self, form: OneSided, seeds: list[int], desk: Desk) -> list[float]:
        """What each subset guarantees after some walks; fewer of them when time is up, but never none."""
        found: list[float] = []
        size = 1 if self.workers == 1 else ROUND * self.workers
        while len(found) < len(seeds) and not (found and desk.stopping()):
            found += ordered_map(_trial, (form, self), seeds[len(found) : len(found) + size], self.workers)
        return found


def _trial(shared: tuple[OneSided, HISG], seed: int) -> float:
    """The lower bound of the game with a random subset of the first portion's size."""
    from fogbound.solvers.one_sided.approach import approach
    from fogbound.solvers.one_sided.bounded import Bounded
    from fogbound.solvers.one_sided.subsets import front, random_order

    form, solver = shared
    known = Bounded(form, front(form, random_order(form, np.random.default_rng(seed)), solver.portions[0]))
    began = time.process_time()
    for walks, _ in enumerate(approach(known, solver.aim, solver.share)):
        if solver._tried(walks, time.process_time() - began):
            break
    return known.bounds()[0]
