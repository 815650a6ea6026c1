"""What document 002 ran, each piece once: claims, tables and figures ask here for the same runs.

How much of document 002 is run: enough to see what it saw, or as much as it ran itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from fogbound_papers.d002.hunts import Chain, Hunt, Run, hunt

SEQUENCES = {30: (30, 44, 64, 100), 60: (60, 80, 100)}  # the document's P 1 and P 2, by where they begin


@dataclass(frozen=True, eq=False)
class StudyLimits:
    """Limits by map. They are counted in trials, not hours, so that bounds do not hang on the machine."""

    gaps: Mapping[int, float]  # at which a game counts as solved
    trials: Mapping[int, int]  # at most, a game
    draws: Mapping[int, int]  # of ISG, which the document averages ("several times")
    subsets: Mapping[int, tuple[int, int]]  # of HISG: its n, beginning with 30 % and with 60 %
    subset_trials: Mapping[int, int]  # in place of its time limit t
    repeats: Mapping[int, int]  # of the original algorithm: the fastest counts, since others use the machine too
    open_gap: float = 0.1  # for the question left open: what is lost is known no closer than this
    open_draws: int = 3  # random subsets of either size

    def subsets_from(self, number: int, first: int) -> int:
        """How many random subsets HISG tries on a map, beginning with so many per cent."""
        return self.subsets[number][list(SEQUENCES).index(first)]


QUICK = StudyLimits(
    gaps={12: 5.0, 18: 1.0, 24: 1.0},
    trials={12: 60, 18: 150, 24: 150},
    draws={12: 3, 18: 3, 24: 1},
    subsets={12: (6, 4), 18: (5, 3), 24: (2, 2)},
    subset_trials={12: 15, 18: 40, 24: 60},
    repeats={12: 1, 18: 3, 24: 1},
    open_draws=2,
)
FULL = StudyLimits(
    gaps={12: 2.0, 18: 1.0, 24: 1.0},
    trials={12: 200, 18: 1_000, 24: 1_000},
    draws={12: 5, 18: 10, 24: 5},
    subsets={12: (100, 30), 18: (50, 30), 24: (12, 8)},
    subset_trials={12: 25, 18: 40, 24: 60},
    repeats={12: 1, 18: 5, 24: 3},
    open_gap=0.05,
    open_draws=10,
)


Watch = Callable[[str], None]


def unwatched(_: str) -> None:
    """Nobody wants to know what is being done."""


@dataclass(frozen=True)
class TriedSubset:
    """What a random subset of the first portion promised after a few trials."""

    seed: int
    lower: float
    upper: float
    seconds: float


class Study:
    """The runs on the three maps, made when they are first asked for; `watch` hears which one begins."""

    def __init__(self, effort: StudyLimits = QUICK, watch: Watch = unwatched) -> None:
        self.effort, self.watch = effort, watch
        self._hunts: dict[int, Hunt] = {}
        self._plain: dict[int, Run] = {}
        self._chains: dict[tuple[int, int, int], tuple[Iterator[Run], list[Run]]] = {}
        self._tried: dict[tuple[int, int], list[TriedSubset]] = {}

    def hunt(self, number: int) -> Hunt:
        if number not in self._hunts:
            self.watch(f"making #{number}")
            self._hunts[number] = hunt(number)
        return self._hunts[number]

    def plain(self, number: int) -> Run:
        """The original algorithm: all actions from the beginning."""
        if number not in self._plain:
            own, limits = self.hunt(number), (self.effort.gaps[number], self.effort.trials[number])
            runs, repeats = [], self.effort.repeats[number]
            for turn in range(repeats):
                self.watch(f"#{number}: PG-HSVI, run {turn + 1} of {repeats}")
                runs.append(own.solve(100, own.everything, *limits)[1])
            self._plain[number] = min(runs, key=lambda run: run.seconds)
        return self._plain[number]

    def drawn(self, number: int, first: int, until: int = 100) -> list[Chain]:
        """Algorithm 6, ISG: from random subsets of `first` per cent on, up to `until` per cent."""
        draws = self.effort.draws[number]
        return [self._chain(number, first, seed, until, f"draw {seed + 1} of {draws}") for seed in range(draws)]

    def tried(self, number: int, first: int) -> list[TriedSubset]:
        """The first part of Algorithm 7: a short look at each of many random subsets of `first` per cent."""
        if (number, first) not in self._tried:
            own, count = self.hunt(number), self.effort.subsets_from(number, first)
            tried = []
            for seed in range(count):
                self.watch(f"#{number}: HISG from {first} %, subset {seed + 1} of {count}")
                mask = own.subsets(np.random.default_rng(seed), (first,))[0]
                run = own.solve(first, mask, self.effort.gaps[number], self.effort.subset_trials[number])[1]
                tried.append(TriedSubset(seed, run.lower, run.upper, run.seconds))
            self._tried[number, first] = tried
        return self._tried[number, first]

    def grown(self, number: int, first: int, until: int = 100) -> Chain:
        """Algorithm 7, HISG: ISG from the subset that promised most."""
        best = max(self.tried(number, first), key=lambda subset: subset.lower)
        return self._chain(number, first, best.seed, until, "the best subset")

    def _chain(self, number: int, first: int, seed: int, until: int, words: str) -> Chain:
        """A random beginning is the same wherever it is asked for, so that ISG and HISG share what they can."""
        key = number, first, seed
        if key not in self._chains:
            own, portions = self.hunt(number), SEQUENCES[first]
            masks = zip(portions, own.subsets(np.random.default_rng(seed), portions))
            limits = self.effort.gaps[number], self.effort.trials[number]
            self._chains[key] = own.solved(masks, *limits), []
        coming, runs = self._chains[key]
        for portion in SEQUENCES[first][len(runs) :]:
            if portion <= until:
                self.watch(f"#{number}: ISG from {first} %, {words}, now with {portion} %")
                runs.append(next(coming))
        return tuple(run for run in runs if run.portion <= until)
