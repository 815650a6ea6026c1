"""The hunts of document 002, and what its algorithms find in them with some of the cops' actions.

Its maps are described but not printed, so ours (`games.scotland_yard_maps`) are of the same making and size: counts
agree, values need not. An action is what the document counts as one: where the cops stand, and where they go.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
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
def hunt(number: int) -> Hunt:
    """The hunt on map 12, 18 or 24, with all kernels loaded before any clock runs."""
    small = forms.one_sided(fb.game("pursuit(rows=2, columns=2, pursuers=1)"))
    TrialSearch(OneSidedBounds(small)).explore(1.0)
    began = time.process_time()
    form = forms.one_sided(fb.game(f"scotland-yard(map={number})"))
    return Hunt(number, form, time.process_time() - began)


def at(chains: Iterable[Chain], portion: int) -> list[Run]:
    """Of every chain, what was found with this portion of the actions."""
    return [run for chain in chains for run in chain if run.portion == portion]
