"""The hunts of document 002, and what its algorithms find in them with some of the cops' actions.

Its maps are described but not printed, so ours (`games.scotland_yard_maps`) are of the same making and size: counts
agree, values need not. An action is what the document counts as one: where the cops stand, and where they go.

What document 002 ran, each piece once: claims, tables and figures ask here for the same runs.

How much of document 002 is run: enough to see what it saw, or as much as it ran itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import islice
from typing import Any

import numpy as np

import fogbound as fb
from fogbound import forms
from fogbound.forms.arrays import Ints
from fogbound.forms.one_sided.form import OneSided
from fogbound.solvers.one_sided.action_subsets import Mask, enlarged
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.heuristic_search import TrialSearch, approach

WIDTHS = (10, 6, 1)  # of the gap at the start: those whose times the document gives


@dataclass(frozen=True)
class Run:
    """The bounds found with some of the cops' actions, and the processor time that this took."""

    portion: int
    lower: float
    upper: float
    start: float  # seconds for the first bounds
    seconds: float  # in all
    trials: int
    moves: int = 0  # actions that were there
    below: tuple[float | None, ...] = (None,) * len(WIDTHS)  # seconds until the gap was that small


Chain = tuple[Run, ...]  # one game after the other, with ever more actions


@dataclass(frozen=True, eq=False)
class Hunt:
    """A game on one of the three maps; `seconds` is what it took to make its table and its form."""

    number: int
    form: OneSided = field(repr=False)
    seconds: float

    @cached_property
    def moves(self) -> tuple[Ints, Ints]:
        """[J] which of the document's actions one of the form is, and [actions] in which of its partitions that is."""
        names: dict[Any, int] = {}
        stands: dict[Any, int] = {}
        cops = [self.form.states[s][0] for s in self.form.state_start[:-1].tolist()]
        pairs = zip(self.form.part_of_action.tolist(), self.form.action_label.tolist())
        which = [names.setdefault((cops[p], action), len(names)) for p, action in pairs]
        return np.array(which), np.array([stands.setdefault(stand, len(stands)) for stand, _ in names])

    @property
    def everything(self) -> Mask:
        return np.ones(len(self.form.action_label), bool)

    def count(self, mask: Mask) -> int:
        """How many of the document's actions a subset of the form's has."""
        return len(np.unique(self.moves[0][mask]))

    def subsets(self, rng: np.random.Generator, portions: Iterable[float]) -> list[Mask]:
        """Nested random subsets of the actions, so many per cent each; wherever the cops stand one is left to them."""
        move, stand = self.moves
        order = rng.permutation(len(stand))
        leaders = np.unique(stand[order], return_index=True)[1]
        rank = np.empty(len(order))
        rank[order] = np.arange(len(order))
        rank[order[leaders]] = -1
        place = np.argsort(np.argsort(rank, kind="stable"))
        return [(place < max(len(leaders), round(len(order) * share / 100)))[move] for share in portions]

    def mixed(self, bounds: OneSidedBounds) -> Mask:
        """The actions that the double oracle ever mixed, and one wherever the cops stand and it mixed none."""
        move, stand = self.moves
        chosen = np.zeros(len(stand), bool)
        chosen[move[bounds.touched]] = True
        places, firsts = np.unique(stand, return_index=True)
        chosen[firsts[~np.isin(places, stand[chosen])]] = True
        return chosen[move]

    def solved(self, masks: Iterable[tuple[int, Mask]], gap: float, trials: int) -> Iterator[Run]:
        """Algorithm 6: one game after the other, each going on from the vectors of the one before it."""
        arrays: dict[str, Any] = {}
        for portion, mask in masks:
            bounds, run = self.solve(portion, mask, gap, trials, arrays)
            arrays = dict(bounds.arrays)
            yield run

    def solve(
        self, portion: int, mask: Mask, gap: float, trials: int, arrays: dict[str, Any] | None = None
    ) -> tuple[OneSidedBounds, Run]:
        """The game with the actions of `mask`, from the vectors in `arrays` if there are any."""
        began = time.process_time()
        bounds = enlarged(self.form, mask, {} if arrays is None else arrays)
        start = time.process_time() - began
        trail = [(time.process_time() - began, *interval) for interval in islice(approach(bounds, gap), trials + 1)]
        below = tuple(next((spent for spent, low, high in trail if high - low <= width), None) for width in WIDTHS)
        seconds, lower, upper = trail[-1]
        return bounds, Run(portion, lower, upper, start, seconds, len(trail) - 1, self.count(mask), below)


@cache
def make_hunt(number: int) -> Hunt:
    """The hunt on map 12, 18 or 24, with all kernels loaded before any clock runs."""
    small = forms.one_sided(fb.game("pursuit(rows=2, columns=2, pursuers=1)"))
    TrialSearch(OneSidedBounds(small)).explore(1.0)
    began = time.process_time()
    form = forms.one_sided(fb.game(f"scotland-yard(map={number})"))
    return Hunt(number, form, time.process_time() - began)


def runs_at(chains: Iterable[Chain], portion: int) -> list[Run]:
    """Of every chain, what was found with this portion of the actions."""
    return [run for chain in chains for run in chain if run.portion == portion]


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
            self._hunts[number] = make_hunt(number)
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
