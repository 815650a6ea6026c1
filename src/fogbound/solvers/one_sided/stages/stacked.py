"""One stage of a one-sided game with all that may follow in a few arrays: an oracle asks every action at once.

Successors of all actions are stacked, padded to the largest target. What a stage leads to never changes and is laid out
once; the bounds of the targets change now and then, and only what did is laid out again.

What covering all that follows an action takes: a part of a linear program that gets more points as they come.
"""

from __future__ import annotations

import numpy as np

from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.linear_programs.highs import SparseVectors, sparse_vectors
from fogbound.solvers.one_sided.stages.dense import StageGame, SuccessorBounds

MOST_FORGOTTEN = 2  # points in a program for each one of the bounds: better ones made the others superfluous


class CoverBlock:
    """One action: a line for its value, one for each state to be covered.

    Corners cover whatever points do not, so that they are slacks: W >= (reward + need corner) y + (price - offer
    corner) weight + corner surplus, and need y - offer weight + surplus >= 0 is what corners cover. Then to begin with
    corners alone is to begin with all slacks, and no step is lost on getting there. Columns are W, then y; surplus and
    weights are added.
    """

    def __init__(self, action: int, reward: Floats, reached: list[Floats], after: list[SuccessorBounds]) -> None:
        """An action with `reward` [replies] and, for each successor, how [states, replies] its states are reached."""
        self.action = action
        self._here = [np.flatnonzero(matrix.any(axis=1)) for matrix in reached]
        self._first = np.cumsum([0, *(len(here) for here in self._here)])
        parts = [matrix[here] for matrix, here in zip(reached, self._here, strict=True)]
        self.need = np.concatenate([np.zeros((0, len(reward))), *parts])  # [states to be covered, replies]
        self.corner = self._corner(after)  # [states to be covered]
        self.price, self.offer = np.zeros(0), np.zeros((0, len(self.need)))  # [points], [points, states to be covered]
        self.columns = np.zeros(0, np.int64)  # [points] where the program has their weights
        self._looked_at: list[set[bytes]] = [set() for _ in after]  # points of each successor that were looked at
        self._after: list[SuccessorBounds | None] = [None] * len(after)  # where they were
        above = np.zeros((1 + len(self.need), 1 + len(reward)))
        above[0, 0], above[0, 1:], above[1:, 1:] = 1.0, -reward - self.corner @ self.need, self.need
        beside = np.hstack([-self.corner[:, None], np.eye(len(self.corner))])
        self.row_lines, self.surplus_lines = sparse_vectors(above), sparse_vectors(beside)

    def _corner(self, after: list[SuccessorBounds]) -> Floats:
        return np.concatenate([np.zeros(0), *(now.values[here] for now, here in zip(after, self._here, strict=True))])

    def holds(self, after: list[SuccessorBounds]) -> bool:
        """Whether its lines still serve: corners are what they were, and most of the points are still there."""
        points = sum(len(now.values) for now in after)
        return len(self.price) <= MOST_FORGOTTEN * points and bool((self._corner(after) == self.corner).all())

    def learn(self, after: list[SuccessorBounds], first_column: int) -> SparseVectors:
        """The lines of points that were not there before, which become columns from `first_column` on."""
        prices, offers = [np.zeros(0)], [np.zeros((0, len(self.need)))]
        for place, now in enumerate(after):
            if self._after[place] is now:
                continue
            here, size = self._here[place], now.beliefs.shape[1]
            seen, own = self._looked_at[place], slice(self._first[place], self._first[place + 1])
            keys = [row.tobytes() for row in np.column_stack([now.beliefs[size:], now.values[size:]])]
            new = [number for number, key in enumerate(keys) if key not in seen]
            seen.update(keys)
            value, cover = now.values[size:][new], now.beliefs[size:][new][:, here]
            cheap = value < cover @ self.corner[own]  # the others cost no less than the corners do
            offer = np.zeros((int(cheap.sum()), len(self.need)))
            offer[:, own] = cover[cheap]
            prices.append(value[cheap])
            offers.append(offer)
        price, offer = np.concatenate(prices), np.concatenate(offers)
        self._after = list(after)
        self.price, self.offer = np.concatenate([self.price, price]), np.concatenate([self.offer, offer])
        self.columns = np.concatenate([self.columns, np.arange(first_column, first_column + len(price))])
        return sparse_vectors(np.column_stack([offer @ self.corner - price, -offer]))

    def cost(self, y: Floats, primal: Floats) -> float:
        """What covering really costs with some weights of points: corners cover whatever they leave uncovered."""
        weight = np.maximum(primal[self.columns], 0.0)
        missing = np.maximum(self.need @ y - weight @ self.offer, 0.0)
        return float(weight @ self.price + missing @ self.corner)


TINY = 1e-300  # a state that a point does not need must not limit its weight: 0 times infinity would


class StackedStage:
    """The steps of a partition, and the bounds of whatever follows them."""

    def __init__(self, steps: StageGame) -> None:
        self.steps = steps
        self.first = np.searchsorted(steps.action, np.arange(len(steps.actions) + 1))  # [actions + 1] successors
        self.targets, self.action = steps.target, steps.action
        self.sizes = [matrix.shape[1] for matrix in steps.step]
        self._successors = np.arange(len(self.sizes))
        self.wide = max(self.sizes, default=0)
        self.matrix = np.zeros((len(self.sizes), len(steps.owner), self.wide))
        for place, matrix in enumerate(steps.step):
            self.matrix[place, :, : self.sizes[place]] = matrix
        self._flat = np.ascontiguousarray(self.matrix.transpose(1, 0, 2).reshape(len(steps.owner), -1))
        self.after: list[SuccessorBounds] = []
        self.most = (1, 1)  # vectors and points of any target
        self._lay_out(1, 1)

    def follow(self, after: dict[int, SuccessorBounds]) -> None:
        """Take over the bounds of the targets as they are now."""
        now = [after[q] for q in self.targets]
        before = dict(enumerate(self.after))
        changed = [place for place, bounds in enumerate(now) if before.get(place) is not bounds]
        if not changed:
            return
        self.most = max(len(bounds.vectors) for bounds in now), max(len(bounds.gaps) for bounds in now)
        if self.most[0] > self._vectors.shape[1] or self.most[1] > self._gaps.shape[1]:
            self._lay_out(2 * self.most[0], 2 * self.most[1])
            changed = list(range(len(now)))
        for place in changed:
            self._put(place, now[place])
        self.after = now

    def _lay_out(self, vectors: int, points: int) -> None:
        """Room for so many; what is not filled has value 0 below and takes nothing off above."""
        many, wide = len(self.targets), self.wide
        self._vectors = np.zeros((many, vectors, wide))
        self._corner = np.zeros((many, wide))
        self._gaps = np.zeros((many, points))
        self._turned = np.zeros((many, wide, points))

    def _put(self, place: int, bounds: SuccessorBounds) -> None:
        size = self.sizes[place]
        inner, gaps = bounds.beliefs[size:], bounds.gaps
        for padded in (self._vectors, self._gaps, self._turned):
            padded[place] = 0.0
        self._vectors[place, : len(bounds.vectors), :size] = bounds.vectors
        self._corner[place, :size] = bounds.values[:size]
        self._gaps[place, : len(gaps)] = gaps
        self._turned[place, :, : len(gaps)] = np.inf
        np.divide(1.0, inner.T, out=self._turned[place, :size, : len(gaps)], where=inner.T > 0)

    def successor_beliefs(self, y: Floats) -> Floats:
        """[successors, states] what the blind player is left with after each observation, not normalised."""
        beliefs: Floats = (y @ self._flat).reshape(len(self.targets), self.wide)
        return beliefs

    def lower(self, y: Floats) -> tuple[Floats, Longs]:
        """([actions] their values by the best vector after each observation, [successors] which vector that is)."""
        values = (self._vectors[:, : self.most[0]] @ self.successor_beliefs(y)[:, :, None])[:, :, 0]
        chosen = values.argmax(axis=1)
        return self._summed(y, values[self._successors, chosen]), chosen

    def column(self, action: int, chosen: Longs) -> Floats:
        """[replies] the value of an action when a chosen vector follows each of its successors."""
        own = self.own(action)
        after = self._vectors[np.arange(own.start, own.stop), chosen[own]]
        column: Floats = self.steps.reward[action] + (self.matrix[own] @ after[:, :, None])[:, :, 0].sum(axis=0)
        return column

    def own(self, action: int) -> slice:
        """The successors of an action."""
        return slice(int(self.first[action]), int(self.first[action + 1]))

    def block(self, action: int) -> CoverBlock:
        """What covering all that follows an action takes; it knows no points yet."""
        own = self.own(action)
        reached = [self.matrix[place, :, : self.sizes[place]].T for place in range(own.start, own.stop)]
        return CoverBlock(action, self.steps.reward[action], reached, self.after[own])

    def sawtooth(self, y: Floats) -> Floats:
        """[actions] no more than this: after an observation the corners, and the one point that takes most off them."""
        tau = self.successor_beliefs(y)
        held = ((tau + TINY)[:, :, None] * self._turned[:, :, : self.most[1]]).min(axis=1, initial=np.inf)
        off = (self._gaps[:, : self.most[1]] * held).min(axis=1, initial=0.0)
        return self._summed(y, (self._corner * tau).sum(axis=1) + off)

    def _summed(self, y: Floats, after: Floats) -> Floats:
        values: Floats = self.steps.reward @ y + np.bincount(self.action, after, len(self.steps.actions))
        return values
