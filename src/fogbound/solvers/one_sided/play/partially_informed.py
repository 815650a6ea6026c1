"""The partially informed (blind) player: a step that keeps a promise mixes actions, and promises again after each.

A linear program finds how, with mixtures of vectors as the next promises. What can be kept beyond the promise goes to
the possible states evenly.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError
from fogbound.core.game import Observation
from fogbound.forms.arrays import Floats
from fogbound.forms.one_sided.form import WAIT
from fogbound.policies.stored_bounds import StoredBounds
from fogbound.solvers.linear_programs.highs import maximise
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.play.lookup import slot_of, the_one

# Promises: what the blind player will be paid from each state that is possible, whatever the other does.
#
# Vectors of the lower bound and mixtures of them are promises that can be kept for a step, by promising such mixtures
# again. States in which play cannot be any more are promised nothing, which leaves more for the others.


ContinuationValue = tuple[float, ...]  # for each state of a partition, in the kernels' units, which are at least 0
IMPOSSIBLE = -1.0
GRAIN = 2.0**-34  # promises are rounded down to multiples: nearly equal ones are one, and each can be kept


def continuation_value(values: Floats, possible: NDArray[np.bool_]) -> ContinuationValue:
    """A vector as a promise to the possible states."""
    rounded = np.floor(np.maximum(values, 0.0) / GRAIN) * GRAIN
    return tuple(np.where(possible, rounded, IMPOSSIBLE).tolist())


def kept_vectors(known: OneSidedBounds, partition: int) -> Floats:
    """[n, states] the vectors of a partition in the kernels' units."""
    own = slice(int(known.form.first[partition]), int(known.form.first[partition + 1]))
    found: Floats = (known.vectors(partition) - known.scaled.least[own]) / known.scaled.scale
    return np.maximum(found, 0.0)


def reached(known: OneSidedBounds, partition: int, given: ContinuationValue, branch: int) -> NDArray[np.bool_]:
    """[states of the target] whether the branch may lead there from a possible state."""
    game = known.game
    first, base = game.first[partition], game.row[game.first[partition]]
    owner = np.repeat(np.arange(len(given)), np.diff(game.row[first : game.first[partition + 1] + 1]))
    entries = slice(game.entry[branch], game.entry[branch + 1])
    open_row = (np.array(given) >= 0)[owner][game.source[entries] - base]
    q = game.target[branch]
    found = np.zeros(game.first[q + 1] - game.first[q], bool)
    found[game.to[entries][open_row] - game.first[q]] = True
    return found


UNLIKELY = 1e-9
ROUNDING = 1e-7  # what may be missing of a promise
BROKEN = (1e3, 1e5, 1e7)  # prices of what is missing of a promise, beside 1 for what is kept beyond it: the least is
# kindest to the solver, but breaking one state's promise a little may pay a lot in others


@dataclass(frozen=True, eq=False)
class StageStrategy:
    """How often each slot is played, and what is promised after each branch."""

    shares: dict[int, float]
    after: dict[int, ContinuationValue]


def continuation_stage(known: OneSidedBounds, partition: int, given: ContinuationValue) -> StageStrategy:
    """Keep a promise for one step."""
    program = _Program(known, partition, given)
    return program.solve()


class _Program:
    """max sum of v(s), v(s) at least the promise and at most what every row of s is paid by the mixture.

    A vector is the guarantee of a mixture up to rounding, so a promise may be out of reach by as much: what is missing
    is allowed, at a price.
    """

    def __init__(self, known: OneSidedBounds, partition: int, given: ContinuationValue) -> None:
        self.known, self.partition, self.given = known, partition, given
        game, promised = known.game, np.array(given)
        first, self.base = int(game.first[partition]), int(game.row[game.first[partition]])
        owner = np.repeat(np.arange(len(given)), np.diff(game.row[first : game.first[partition + 1] + 1]))
        self.rows = np.flatnonzero(promised[owner] >= 0)
        self.states, self.owner = np.unique(owner[self.rows], return_inverse=True)
        self.least = promised[self.states]
        self.slots = [a for a in range(game.slot[partition], game.slot[partition + 1]) if known.mask[a]]
        self.vectors: dict[int, Floats] = {}  # of each branch that may be taken
        self.possible: dict[int, NDArray[np.bool_]] = {}

    def _followed(self, branch: int) -> Floats:
        """[rows, vectors] what follows a branch is worth with each known vector of its target."""
        game = self.known.game
        q, entries = int(game.target[branch]), slice(game.entry[branch], game.entry[branch + 1])
        vectors = self.vectors[branch]
        worth = np.zeros((int(game.row[game.first[self.partition + 1]]) - self.base, len(vectors)))
        led = game.prob[entries, None] * vectors.T[game.to[entries] - game.first[q]]
        np.add.at(worth, game.source[entries] - self.base, led)
        found: Floats = worth[self.rows]
        return found

    def solve(self) -> StageStrategy:
        game = self.known.game
        owners: list[int] = []
        pays = [game.reward[game.pay[a] + self.rows] for a in self.slots]
        blocks = [np.array(pays).T]
        for place, slot in enumerate(self.slots):
            for branch in range(game.branch[slot], game.branch[slot + 1]):
                possible = reached(self.known, self.partition, self.given, branch)
                if possible.any():
                    self.possible[branch] = possible
                    self.vectors[branch] = kept_vectors(self.known, int(game.target[branch]))
                    blocks.append(self._followed(branch))
                    owners.append(place)
        matrix, sizes = np.hstack(blocks), [block.shape[1] for block in blocks[1:]]
        found = self._optimum(matrix, owners, sizes)
        return self._read(found, owners, sizes)

    def _optimum(self, matrix: Floats, owners: list[int], sizes: list[int]) -> Floats:
        actions, states, tall = len(self.slots), len(self.states), len(self.rows)
        balance = np.zeros((len(owners) + 1, matrix.shape[1]))
        balance[0, :actions] = 1.0
        balance[1 + np.arange(len(owners)), owners] = -1.0
        balance[1 + np.repeat(np.arange(len(owners)), sizes), actions + np.arange(sum(sizes))] = 1.0
        values = np.zeros((tall, states))
        values[np.arange(tall), self.owner] = -1.0
        had, sums, each = sparse.csr_matrix(matrix), sparse.csr_matrix(balance), sparse.identity(states)
        whole = sparse.bmat([[had, values, None], [sums, None, None], [None, each, each]], "csr")
        fixed = np.concatenate([[1.0], np.zeros(len(owners))])
        low = np.concatenate([np.zeros(tall), fixed, self.least])
        high = np.concatenate([np.full(tall, np.inf), fixed, np.full(states, np.inf)])
        for price in BROKEN:
            cost = np.concatenate([np.zeros(matrix.shape[1]), np.ones(states), np.full(states, -price)])
            found = maximise(cost, np.zeros(len(cost)), np.full(len(cost), np.inf), whole, low, high).primal
            if found[-states:].max() <= ROUNDING:
                return found
        raise PolicyError(f"a promise cannot be kept: in some state {found[-states:].max():.3g} of it is missing")

    def _read(self, found: Floats, owners: list[int], sizes: list[int]) -> StageStrategy:
        """The mixture without what rounding left in it, and the promises: mixtures of vectors again, exactly."""
        shares = np.where(found < UNLIKELY, 0.0, found)[: len(self.slots)]
        shares /= shares.sum()
        after: dict[int, ContinuationValue] = {}
        begin = len(self.slots)
        for (branch, vectors), place, size in zip(self.vectors.items(), owners, sizes):
            weights = np.maximum(found[begin : begin + size], 0.0)
            begin += size
            if shares[place] > 0:
                after[branch] = continuation_value(weights @ vectors / weights.sum(), self.possible[branch])
        return StageStrategy({a: float(p) for a, p in zip(self.slots, shares) if p > 0}, after)


# The blind player: it remembers what it promised itself, and plays so that the promise is kept.
#
# To play by belief alone would not do: a belief supposes that the other plays its own best strategy, and one who does
# not could take the player where the next plan guarantees less than this one counted on. So what is carried from step
# to step is a promise to every state that is possible, and the belief is not needed at all. Horak, Bosansky, Kovarik
# and Kiekintveld (2023) keep the value so; Burch, Johanson and Bowling (2014) do the like when they solve subgames.


MOST_KEPT = 50_000  # stages remembered before all are forgotten: they can be found again

# A partition and what was promised there.
Pledge = tuple[int, ContinuationValue]
# What may be the case after what was seen: a pledge if it is asked to move, and one if it is not.
Memory = tuple[Pledge, ...]


@dataclass(frozen=True, eq=False)
class PartiallyInformedPolicy:
    """Keeps the promise of the best vector of the lower bound. Empty memory: play was over."""

    known: OneSidedBounds = field(repr=False)
    stages: dict[Pledge, StageStrategy] = field(default_factory=dict, repr=False)

    thinks: ClassVar[bool] = True

    def stored(self) -> StoredBounds:
        """As a file holds it."""
        return self.known.stored(blind=True)

    def begin(self, seen: Observation) -> Memory:
        return tuple(self._first(p) for p, first in self.known.form.opening.items() if first == seen)

    def _first(self, partition: int) -> Pledge:
        form = self.known.form
        start = form.start[form.first[partition] : form.first[partition + 1]]
        vectors = kept_vectors(self.known, partition)
        return partition, continuation_value(vectors[int((vectors @ start).argmax())], start > 0)

    def update(self, memory: Memory, action: Hashable | None, seen: Observation) -> Memory:
        if not memory:
            return ()
        form, pledge = self.known.form, self._pledge(memory, action is not None)
        slot = slot_of(form, pledge[0], action)
        ways = range(form.branch[slot], form.branch[slot + 1])
        taken = [b for b in ways if form.observations[form.obs[b]] == seen]
        return tuple(after for b in taken if (after := self._after(pledge, b)) is not None)

    def act(self, memory: Memory, actions: Sequence[Hashable]) -> Dist[Hashable]:  # noqa: ARG002
        form = self.known.form
        shares = self._stage(self._pledge(memory, asked=True)).shares
        return Dist.weighted([(form.actions[0][form.action[slot]], p) for slot, p in shares.items()])

    def _pledge(self, memory: Memory, asked: bool) -> Pledge:
        form = self.known.form
        waits = [int(form.action[form.slot[partition]]) == WAIT for partition, _ in memory]
        return the_one(form, form.blind, memory, waits, asked)

    def _stage(self, pledge: Pledge) -> StageStrategy:
        found = self.stages.get(pledge)
        if found is None:
            if len(self.stages) >= MOST_KEPT:
                self.stages.clear()
            found = self.stages[pledge] = continuation_stage(self.known, *pledge)
        return found

    def _after(self, pledge: Pledge, branch: int) -> Pledge | None:
        """The pledge after a branch; None where it cannot be taken.

        After an action that it would not have played nothing was promised: then the vector that is best on average.
        """
        target = int(self.known.form.target[branch])
        promised = self._stage(pledge).after.get(branch)
        if promised is None:
            possible = reached(self.known, *pledge, branch)
            if not possible.any():
                return None
            vectors = kept_vectors(self.known, target)
            promised = continuation_value(vectors[int((vectors @ possible.astype(np.float64)).argmax())], possible)
        return target, promised
