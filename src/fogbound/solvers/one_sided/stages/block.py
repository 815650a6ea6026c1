"""What covering all that follows an action takes: a part of a linear program that gets more points as they come."""

from __future__ import annotations

import numpy as np

from fogbound.forms.table import Floats
from fogbound.solvers.lp_growing import Lines, lines
from fogbound.solvers.one_sided.stages.game import After

MOST_FORGOTTEN = 2  # points in a program for each one that is known: better ones made the others superfluous


class Block:
    """One slot: a line for its worth, one for each state to be covered.

    Corners cover whatever points do not, so that they are slacks: W >= (reward + need corner) y + (price - offer
    corner) weight + corner surplus, and need y - offer weight + surplus >= 0 is what corners cover. Then to begin with
    corners alone is to begin with all slacks, and no step is lost on getting there. Columns are W, then y; surplus and
    weights are added.
    """

    def __init__(self, slot: int, reward: Floats, reached: list[Floats], after: list[After]) -> None:
        """A slot with `reward` [rows] and, for each branch, how [states, rows] its target's states are reached."""
        self.slot = slot
        self._here = [np.flatnonzero(matrix.any(axis=1)) for matrix in reached]
        self._first = np.cumsum([0, *(len(here) for here in self._here)])
        parts = [matrix[here] for matrix, here in zip(reached, self._here, strict=True)]
        self.need = np.concatenate([np.zeros((0, len(reward))), *parts])  # [states to be covered, rows]
        self.corner = self._corner(after)  # [states to be covered]
        self.price, self.offer = np.zeros(0), np.zeros((0, len(self.need)))  # [points], [points, states to be covered]
        self.columns = np.zeros(0, np.int64)  # [points] where the program has their weights
        self._known: list[set[bytes]] = [set() for _ in after]  # points of each branch that were looked at
        self._after: list[After | None] = [None] * len(after)  # where they were
        above = np.zeros((1 + len(self.need), 1 + len(reward)))
        above[0, 0], above[0, 1:], above[1:, 1:] = 1.0, -reward - self.corner @ self.need, self.need
        beside = np.hstack([-self.corner[:, None], np.eye(len(self.corner))])
        self.row_lines, self.surplus_lines = lines(above), lines(beside)

    def _corner(self, after: list[After]) -> Floats:
        return np.concatenate([np.zeros(0), *(now.values[here] for now, here in zip(after, self._here, strict=True))])

    def holds(self, after: list[After]) -> bool:
        """Whether its lines still serve: corners are what they were, and most of the points are still known."""
        known = sum(len(now.values) for now in after)
        return len(self.price) <= MOST_FORGOTTEN * known and bool((self._corner(after) == self.corner).all())

    def learn(self, after: list[After], first_column: int) -> Lines:
        """The lines of points that were not there before, which become columns from `first_column` on."""
        prices, offers = [np.zeros(0)], [np.zeros((0, len(self.need)))]
        for place, now in enumerate(after):
            if self._after[place] is now:
                continue
            here, size = self._here[place], now.beliefs.shape[1]
            seen, own = self._known[place], slice(self._first[place], self._first[place + 1])
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
        return lines(np.column_stack([offer @ self.corner - price, -offer]))

    def cost(self, y: Floats, primal: Floats) -> float:
        """What covering really costs with some weights of points: corners pay for whatever they leave uncovered."""
        weight = np.maximum(primal[self.columns], 0.0)
        missing = np.maximum(self.need @ y - weight @ self.offer, 0.0)
        return float(weight @ self.price + missing @ self.corner)
