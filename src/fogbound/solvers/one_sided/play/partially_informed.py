"""The partially informed (blind) player: it remembers what it promised itself, and plays so that the promise is kept.

To play by belief alone would not do: a belief supposes that the other plays its own best strategy, and one who does
not could take the player where the next plan guarantees less than this one counted on. So what is carried from step
to step is a promise to every state that is possible, and the belief is not needed at all. Horak, Bosansky, Kovarik
and Kiekintveld (2023) keep the value so; Burch, Johanson and Bowling (2014) do the like when they solve subgames.

A promise (continuation value) is what the blind player will have from each state that is possible, whatever the other
does. Vectors of the lower bound and mixtures of them can be promised: a linear program finds how a step mixes actions
and promises such mixtures again after each. States in which play cannot be any more are promised nothing, which leaves
more for the others; what can be had beyond the promise goes to the possible states evenly.
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
from fogbound.forms.one_sided.form import WAIT, OneSided
from fogbound.policies.stored import VECTORS, StoredBounds
from fogbound.solvers.linear_programs.highs import maximise
from fogbound.solvers.one_sided.kernels.model import GameArrays
from fogbound.solvers.one_sided.play.lookup import action_index, damaged_bounds, finite_column, numbers_below, the_one
from fogbound.solvers.one_sided.shaping import ShapedGame, largest_value, shaped_game


@dataclass(frozen=True, eq=False)
class KnownVectors:
    """Stored vectors on their game.

    In a partition without any, there is one that promises the least that could ever happen: whatever is done keeps it,
    so play goes on wherever it gets to. For the same reason no vector promises less.
    """

    stored: StoredBounds = field(repr=False)
    form: OneSided = field(repr=False)
    game: GameArrays = field(repr=False)  # for kernels, whose units promises are in
    by_part: tuple[Floats, ...] = field(repr=False)  # [P] of [n, states], in the kernels' units

    @classmethod
    def on(cls, stored: StoredBounds, form: OneSided, scaled: ShapedGame | None = None) -> KnownVectors:
        """PolicyError where they do not fit the game, or are damaged."""
        sizes = _vector_sizes(stored, form)
        scaled = scaled or shaped_game(form)
        rows: list[list[Floats]] = [[] for _ in range(len(form.state_start) - 1)]
        at, most = 0, largest_value(form)
        for part, size in zip(stored.arrays["node_part"].tolist(), sizes, strict=True):
            promised = stored.arrays["node_value"][at : at + size] - scaled.least[form.states_of(part)]
            rows[part].append(np.clip(promised / scaled.scale, 0.0, most))
            at += size
        wide = np.diff(form.state_start).tolist()
        by_part = tuple(np.array(own or [np.zeros(size)]) for own, size in zip(rows, wide))
        return cls(stored, form, scaled.game, by_part)


ContinuationValue = tuple[float, ...]  # for each state of a partition, in the kernels' units, which are at least 0
IMPOSSIBLE = -1.0
GRAIN = 2.0**-34  # promises are rounded down to multiples: nearly equal ones are one, and each can be kept


def continuation_value(values: Floats, possible: NDArray[np.bool_]) -> ContinuationValue:
    """A vector as a promise to the possible states."""
    rounded = np.floor(np.maximum(values, 0.0) / GRAIN) * GRAIN
    return tuple(np.where(possible, rounded, IMPOSSIBLE).tolist())


def possible_after(known: KnownVectors, partition: int, given: ContinuationValue, successor: int) -> NDArray[np.bool_]:
    """[states of the target] whether the successor may lead there from a possible state."""
    game = known.game
    first, base = game.state_start[partition], game.reply_start[game.state_start[partition]]
    owner = np.repeat(np.arange(len(given)), np.diff(game.reply_start[first : game.state_start[partition + 1] + 1]))
    transitions = slice(game.transition_start[successor], game.transition_start[successor + 1])
    open_reply = (np.array(given) >= 0)[owner][game.source[transitions] - base]
    q = game.target[successor]
    possible = np.zeros(game.state_start[q + 1] - game.state_start[q], bool)
    possible[game.to[transitions][open_reply] - game.state_start[q]] = True
    return possible


UNLIKELY = 1e-9
ROUNDING = 1e-7  # what may be missing of a promise
BROKEN = (1e3, 1e5, 1e7)  # prices of what is missing of a promise, beside 1 for what is kept beyond it: the least is
# kindest to the solver, but breaking one state's promise a little may bring a lot in others


@dataclass(frozen=True, eq=False)
class StageStrategy:
    """How often each action is played, and what is promised after each observation."""

    shares: dict[int, float]
    after: dict[int, ContinuationValue]


class PromiseProgram:
    """Keep a promise for one step.

    max sum of v(s), v(s) at least the promise and at most what every reply of s leaves the mixture.

    A vector is the guarantee of a mixture up to rounding, so a promise may be out of reach by as much: what is missing
    is allowed, at a price.
    """

    def __init__(self, known: KnownVectors, partition: int, given: ContinuationValue) -> None:
        self.known, self.partition, self.given = known, partition, given
        game, promised = known.game, np.array(given)
        first, self.base = int(game.state_start[partition]), int(game.reply_start[game.state_start[partition]])
        owner = np.repeat(np.arange(len(given)), np.diff(game.reply_start[first : game.state_start[partition + 1] + 1]))
        self.replies = np.flatnonzero(promised[owner] >= 0)
        self.states, self.owner = np.unique(owner[self.replies], return_inverse=True)
        self.least = promised[self.states]
        self.actions = list(known.form.actions_of(partition))
        self.vectors: dict[int, Floats] = {}  # of each successor that may be taken
        self.possible: dict[int, NDArray[np.bool_]] = {}

    def _followed(self, successor: int) -> Floats:
        """[replies, vectors] the value of what follows with each known vector of its target."""
        game = self.known.game
        q, vectors = int(game.target[successor]), self.vectors[successor]
        transitions = slice(game.transition_start[successor], game.transition_start[successor + 1])
        values = np.zeros((int(game.reply_start[game.state_start[self.partition + 1]]) - self.base, len(vectors)))
        led = game.prob[transitions, None] * vectors.T[game.to[transitions] - game.state_start[q]]
        np.add.at(values, game.source[transitions] - self.base, led)
        followed: Floats = values[self.replies]
        return followed

    def solve(self) -> StageStrategy:
        game = self.known.game
        owners: list[int] = []
        rewards = [game.reward[game.reward_start[a] + self.replies] for a in self.actions]
        blocks = [np.array(rewards).T]
        for place, index in enumerate(self.actions):
            for successor in range(game.successor_start[index], game.successor_start[index + 1]):
                possible = possible_after(self.known, self.partition, self.given, successor)
                if possible.any():
                    self.possible[successor] = possible
                    self.vectors[successor] = self.known.by_part[int(game.target[successor])]
                    blocks.append(self._followed(successor))
                    owners.append(place)
        matrix, sizes = np.hstack(blocks), [block.shape[1] for block in blocks[1:]]
        optimum = self._optimum(matrix, owners, sizes)
        return self._read(optimum, owners, sizes)

    def _optimum(self, matrix: Floats, owners: list[int], sizes: list[int]) -> Floats:
        many, states, tall = len(self.actions), len(self.states), len(self.replies)
        balance = np.zeros((len(owners) + 1, matrix.shape[1]))
        balance[0, :many] = 1.0
        balance[1 + np.arange(len(owners)), owners] = -1.0
        balance[1 + np.repeat(np.arange(len(owners)), sizes), many + np.arange(sum(sizes))] = 1.0
        values = np.zeros((tall, states))
        values[np.arange(tall), self.owner] = -1.0
        had, sums, each = sparse.csr_matrix(matrix), sparse.csr_matrix(balance), sparse.identity(states)
        whole = sparse.bmat([[had, values, None], [sums, None, None], [None, each, each]], "csr")
        fixed = np.concatenate([[1.0], np.zeros(len(owners))])
        low = np.concatenate([np.zeros(tall), fixed, self.least])
        high = np.concatenate([np.full(tall, np.inf), fixed, np.full(states, np.inf)])
        for price in BROKEN:
            cost = np.concatenate([np.zeros(matrix.shape[1]), np.ones(states), np.full(states, -price)])
            optimum = maximise(cost, np.zeros(len(cost)), np.full(len(cost), np.inf), whole, low, high).primal
            if optimum[-states:].max() <= ROUNDING:
                return optimum
        raise PolicyError(f"a promise cannot be kept: in some state {optimum[-states:].max():.3g} of it is missing")

    def _read(self, optimum: Floats, owners: list[int], sizes: list[int]) -> StageStrategy:
        """The mixture without what rounding left in it, and the promises: mixtures of vectors again, exactly."""
        shares = np.where(optimum < UNLIKELY, 0.0, optimum)[: len(self.actions)]
        shares /= shares.sum()
        after: dict[int, ContinuationValue] = {}
        begin = len(self.actions)
        for (successor, vectors), place, size in zip(self.vectors.items(), owners, sizes):
            weights = np.maximum(optimum[begin : begin + size], 0.0)
            begin += size
            if shares[place] > 0:
                after[successor] = continuation_value(weights @ vectors / weights.sum(), self.possible[successor])
        return StageStrategy({a: float(p) for a, p in zip(self.actions, shares) if p > 0}, after)


MOST_KEPT = 50_000  # stages remembered before all are forgotten: they can be found again

# A partition and what was promised there.
Continuation = tuple[int, ContinuationValue]
# What may be the case after what was seen: a continuation if it is asked to move, and one if it is not.
Memory = tuple[Continuation, ...]


@dataclass(frozen=True, eq=False)
class PartiallyInformedPolicy:
    """Keeps the promise of the best vector of the lower bound. Empty memory: play was over."""

    known: KnownVectors = field(repr=False)
    stages: dict[Continuation, StageStrategy] = field(default_factory=dict, repr=False)

    thinks: ClassVar[bool] = True

    def stored(self) -> StoredBounds:
        """As a file holds it."""
        return self.known.stored

    def begin(self, observation: Observation) -> Memory:
        return tuple(self._first(p) for p, first in self.known.form.opening.items() if first == observation)

    def _first(self, partition: int) -> Continuation:
        form = self.known.form
        start = form.start[form.states_of(partition)]
        vectors = self.known.by_part[partition]
        return partition, continuation_value(vectors[int((vectors @ start).argmax())], start > 0)

    def update(self, memory: Memory, action: Hashable | None, observation: Observation) -> Memory:
        if not memory:
            return ()
        form, continuation = self.known.form, self._continuation(memory, action is not None)
        index = action_index(form, continuation[0], action)
        ways = form.successors_of(index)
        taken = [b for b in ways if form.observations[form.obs[b]] == observation]
        return tuple(after for b in taken if (after := self._after(continuation, b)) is not None)

    def act(self, memory: Memory, actions: Sequence[Hashable]) -> Dist[Hashable]:  # noqa: ARG002
        form = self.known.form
        shares = self._stage(self._continuation(memory, asked=True)).shares
        return Dist.weighted([(form.actions[0][form.action_label[index]], p) for index, p in shares.items()])

    def _continuation(self, memory: Memory, asked: bool) -> Continuation:
        form = self.known.form
        waits = [int(form.action_label[form.action_start[partition]]) == WAIT for partition, _ in memory]
        return the_one(form, form.player, memory, waits, asked)

    def _stage(self, continuation: Continuation) -> StageStrategy:
        strategy = self.stages.get(continuation)
        if strategy is None:
            if len(self.stages) >= MOST_KEPT:
                self.stages.clear()
            strategy = self.stages[continuation] = PromiseProgram(self.known, *continuation).solve()
        return strategy

    def _after(self, continuation: Continuation, successor: int) -> Continuation | None:
        """The continuation after an observation; None where it cannot be taken.

        After an action that it would not have played nothing was promised: then the vector that is best on average.
        """
        target = int(self.known.form.target[successor])
        promised = self._stage(continuation).after.get(successor)
        if promised is None:
            possible = possible_after(self.known, *continuation, successor)
            if not possible.any():
                return None
            vectors = self.known.by_part[target]
            promised = continuation_value(vectors[int((vectors @ possible.astype(np.float64)).argmax())], possible)
        return target, promised


def _vector_sizes(stored: StoredBounds, form: OneSided) -> list[int]:
    """The sizes of the vectors; PolicyError where they are not those of a game like this one."""
    part, value = (stored.arrays[name] for name in VECTORS)
    fits = finite_column(part, "i") and finite_column(value, "f") and numbers_below(part, len(form.state_start) - 1)
    sizes = np.diff(form.state_start)[part] if fits else np.zeros(0, np.int64)
    if not fits or int(sizes.sum()) != len(value):
        raise damaged_bounds(form)
    return [int(size) for size in sizes]
