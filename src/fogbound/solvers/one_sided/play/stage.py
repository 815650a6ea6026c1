"""One step of the blind player that keeps a promise: a mixture of actions, and what each promises afterwards.

A linear program finds how, with mixtures of vectors as the next promises. What can be kept beyond the promise goes to
the possible states evenly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fogbound.core.errors import PolicyError
from fogbound.forms.table import Floats
from fogbound.solvers.lp import maximise
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.play.promise import Promise, kept_vectors, promise, reached

UNLIKELY = 1e-9
ROUNDING = 1e-7  # what may be missing of a promise
BROKEN = (1e3, 1e5, 1e7)  # prices of what is missing of a promise, beside 1 for what is kept beyond it: the least is
# kindest to the solver, but breaking one state's promise a little may pay a lot in others


@dataclass(frozen=True, eq=False)
class Stage:
    """How often each slot is played, and what is promised after each branch."""

    shares: dict[int, float]
    after: dict[int, Promise]


def stage(known: Bounded, partition: int, given: Promise) -> Stage:
    """Keep a promise for one step."""
    program = _Program(known, partition, given)
    return program.solve()


class _Program:
    """max sum of v(s), v(s) at least the promise and at most what every row of s is paid by the mixture.

    A vector is the guarantee of a mixture up to rounding, so a promise may be out of reach by as much: what is missing
    is allowed, at a price.
    """

    def __init__(self, known: Bounded, partition: int, given: Promise) -> None:
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

    def solve(self) -> Stage:
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

    def _read(self, found: Floats, owners: list[int], sizes: list[int]) -> Stage:
        """The mixture without what rounding left in it, and the promises: mixtures of vectors again, exactly."""
        shares = np.where(found < UNLIKELY, 0.0, found)[: len(self.slots)]
        shares /= shares.sum()
        after: dict[int, Promise] = {}
        begin = len(self.slots)
        for (branch, vectors), place, size in zip(self.vectors.items(), owners, sizes):
            weights = np.maximum(found[begin : begin + size], 0.0)
            begin += size
            if shares[place] > 0:
                after[branch] = promise(weights @ vectors / weights.sum(), self.possible[branch])
        return Stage({a: float(p) for a, p in zip(self.slots, shares) if p > 0}, after)
