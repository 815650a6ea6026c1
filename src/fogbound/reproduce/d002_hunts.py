"""The hunts of document 002, and what its three algorithms find in them.

Its maps are described but not printed, so ours (`games.scotland_yard_maps`) are of the same making and size: counts
agree, values need not. An action is what the document counts as one: where the cops stand, and where they go.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import islice
from typing import Any

import numpy as np

from fogbound import forms, games
from fogbound.forms.one_sided import OneSided
from fogbound.forms.table import Ints
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.subsets import Mask, approach, enlarged

PORTIONS = (30, 44, 60, 64, 80, 100)  # per cent: both sequences of the document at once
GAPS = {12: 5.0, 18: 1.0, 24: 1.0}
WALKS = {12: 25, 18: 150, 24: 150}  # at most: map 12 is small and closes slowly
REPEATS = 3  # of what is timed: the least counts, since others use the machine too
OTHER_MAP = "the document does not print its map: not comparable"


@dataclass(frozen=True)
class Run:
    """The bounds found with some of the cops' actions, and the processor time that this took."""

    portion: int
    lower: float
    upper: float
    start: float  # seconds for the first bounds
    seconds: float  # in all
    walks: int


@dataclass(frozen=True, eq=False)
class Hunt:
    """A game on one of the three maps; `seconds` is what it took to make its table and its form."""

    number: int
    form: OneSided = field(repr=False)
    seconds: float

    @cached_property
    def moves(self) -> tuple[Ints, Ints]:
        """[J] which of the document's actions a slot is, and [actions] in which of its partitions that is."""
        names: dict[Any, int] = {}
        stands: dict[Any, int] = {}
        cops = [self.form.states[s][0] for s in self.form.first[:-1].tolist()]
        slots = zip(self.form.part_of_slot.tolist(), self.form.action.tolist())
        which = [names.setdefault((cops[p], action), len(names)) for p, action in slots]
        return np.array(which), np.array([stands.setdefault(stand, len(stands)) for stand, _ in names])

    def subsets(self, rng: np.random.Generator, portions: Iterable[int] = PORTIONS) -> list[Mask]:
        """Nested random subsets of the actions, so many per cent each; wherever the cops stand one is left to them."""
        move, stand = self.moves
        order = rng.permutation(len(stand))
        leaders = np.unique(stand[order], return_index=True)[1]
        rank = np.empty(len(order))
        rank[order] = np.arange(len(order))
        rank[order[leaders]] = -1
        place = np.argsort(np.argsort(rank, kind="stable"))
        return [(place < max(len(leaders), round(len(order) * share / 100)))[move] for share in portions]

    def solved(self, masks: Sequence[tuple[int, Mask]]) -> list[Run]:
        """Algorithm 6: one game after the other, each going on from the vectors of the one before it."""
        found, arrays = [], dict[str, Any]()
        for portion, mask in masks:
            began = time.process_time()
            known = enlarged(self.form, mask, arrays)
            start = time.process_time() - began
            *before, (lower, upper) = islice(approach(known, GAPS[self.number]), WALKS[self.number] + 1)
            found.append(Run(portion, lower, upper, start, time.process_time() - began, len(before)))
            arrays = dict(known.arrays)
        return found

    @cached_property
    def plain(self) -> Run:
        """The original algorithm: all actions from the beginning."""
        everything = np.ones(len(self.form.action), bool)
        return min((self.solved([(100, everything)])[0] for _ in range(REPEATS)), key=lambda run: run.seconds)

    def start_seconds(self, mask: Mask) -> float:
        """What the first bounds take with these actions."""
        return min(_seconds(lambda: Bounded(self.form, mask)) for _ in range(REPEATS))


@cache
def hunt(number: int) -> Hunt:
    """The hunt on map 12, 18 or 24, with all kernels loaded before any clock runs."""
    small = forms.one_sided(games.make("pursuit(rows=2, columns=2, pursuers=1)"))
    Bounded(small).explore(1.0)
    began = time.process_time()
    form = forms.one_sided(games.make(f"scotland-yard(map={number})"))
    return Hunt(number, form, time.process_time() - began)


@cache
def chains(number: int, draws: int, portions: tuple[int, ...] = PORTIONS) -> list[list[Run]]:
    """ISG through these portions from so many random beginnings."""
    own = hunt(number)
    drawn = [own.subsets(np.random.default_rng(seed), portions) for seed in range(draws)]
    return [own.solved(list(zip(portions, masks))) for masks in drawn]


def at(runs: Iterable[list[Run]], portion: int) -> list[Run]:
    """Of every chain, what was found with this portion of the actions."""
    return [run for chain in runs for run in chain if run.portion == portion]


def best(runs: list[list[Run]]) -> list[Run]:
    """Algorithm 7: the chain whose first subset promises most."""
    return max(runs, key=lambda chain: chain[0].lower)


def _seconds(job: Callable[[], object]) -> float:
    began = time.process_time()
    job()
    return time.process_time() - began


def verdict(holds: bool) -> str:
    return "reproduced" if holds else "refuted"


def between(lower: float, upper: float) -> str:
    return f"{lower:.2f} to {upper:.2f}"
