"""What document 002 ran, each piece once: claims, tables and figures ask here for the same runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from fogbound.reproduce.d002_effort import QUICK, SEQUENCES, Effort
from fogbound.reproduce.d002_hunts import Chain, Hunt, Run, hunt

Watch = Callable[[str], None]


def unwatched(_: str) -> None:
    """Nobody wants to know what is being done."""


@dataclass(frozen=True)
class Trial:
    """What a random subset of the first portion promised after a few walks."""

    seed: int
    lower: float
    upper: float
    seconds: float


class Study:
    """The runs on the three maps, made when they are first asked for; `watch` is told which one begins."""

    def __init__(self, effort: Effort = QUICK, watch: Watch = unwatched) -> None:
        self.effort, self.watch = effort, watch
        self._hunts: dict[int, Hunt] = {}
        self._plain: dict[int, Run] = {}
        self._chains: dict[tuple[int, int, int], tuple[Iterator[Run], list[Run]]] = {}
        self._trials: dict[tuple[int, int], list[Trial]] = {}

    def hunt(self, number: int) -> Hunt:
        if number not in self._hunts:
            self.watch(f"making #{number}")
            self._hunts[number] = hunt(number)
        return self._hunts[number]

    def plain(self, number: int) -> Run:
        """The original algorithm: all actions from the beginning."""
        if number not in self._plain:
            own, limits = self.hunt(number), (self.effort.gaps[number], self.effort.walks[number])
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

    def trials(self, number: int, first: int) -> list[Trial]:
        """The first part of Algorithm 7: a short look at each of many random subsets of `first` per cent."""
        if (number, first) not in self._trials:
            own, count = self.hunt(number), self.effort.trials_from(number, first)
            found = []
            for seed in range(count):
                self.watch(f"#{number}: HISG from {first} %, trial {seed + 1} of {count}")
                mask = own.subsets(np.random.default_rng(seed), (first,))[0]
                run = own.solve(first, mask, self.effort.gaps[number], self.effort.trial_walks[number])[1]
                found.append(Trial(seed, run.lower, run.upper, run.seconds))
            self._trials[number, first] = found
        return self._trials[number, first]

    def grown(self, number: int, first: int, until: int = 100) -> Chain:
        """Algorithm 7, HISG: ISG from the subset whose trial promised most."""
        best = max(self.trials(number, first), key=lambda trial: trial.lower)
        return self._chain(number, first, best.seed, until, "the best subset")

    def _chain(self, number: int, first: int, seed: int, until: int, words: str) -> Chain:
        """A random beginning is the same wherever it is asked for, so that ISG and HISG share what they can."""
        key = number, first, seed
        if key not in self._chains:
            own, portions = self.hunt(number), SEQUENCES[first]
            masks = zip(portions, own.subsets(np.random.default_rng(seed), portions))
            limits = self.effort.gaps[number], self.effort.walks[number]
            self._chains[key] = own.solved(masks, *limits), []
        coming, found = self._chains[key]
        for portion in SEQUENCES[first][len(found) :]:
            if portion <= until:
                self.watch(f"#{number}: ISG from {first} %, {words}, now with {portion} %")
                found.append(next(coming))
        return tuple(run for run in found if run.portion <= until)
