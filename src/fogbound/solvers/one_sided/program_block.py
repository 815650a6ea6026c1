"""What covering all that follows an action takes: a part of a linear program that is written once and used often."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.forms.table import Floats
from fogbound.solvers.lp_growing import Lines, lines
from fogbound.solvers.one_sided.program_game import After


@dataclass(frozen=True, eq=False)
class Block:
    """One slot against some rows: a line for its worth, one for each state to be covered.

    Corners cover whatever points do not, so that they are slacks: W >= (reward + need corner) y + (price - offer
    corner) weight + corner surplus, and need y - offer weight + surplus >= 0 is what corners cover. Then to begin with
    corners alone is to begin with all slacks, and no step is lost on getting there. Columns are W, then y; surplus and
    weights are added.
    """

    slot: int
    after: list[After]  # what was known about the targets
    need: Floats  # [states to be covered, rows] how they are reached
    corner: Floats  # [states to be covered]
    price: Floats  # [points]
    offer: Floats  # [points, states to be covered]
    row_lines: Lines
    column_lines: Lines

    @property
    def columns(self) -> int:
        """That are added."""
        return len(self.corner) + len(self.price)

    def cost(self, y: Floats, added: Floats) -> float:
        """What covering really costs with some weights of points: corners pay for whatever they leave uncovered."""
        weight = np.maximum(added[len(self.corner) :], 0.0)
        missing = np.maximum(self.need @ y - weight @ self.offer, 0.0)
        return float(weight @ self.price + missing @ self.corner)


def block(slot: int, reward: Floats, reached: list[Floats], after: list[After]) -> Block:
    """A slot with `reward` [rows] and, for each branch, how [states, rows] its target's states are reached."""
    needs, corners, prices, offers = [np.zeros((0, len(reward)))], [np.zeros(0)], [np.zeros(0)], []
    for matrix, known in zip(reached, after, strict=True):
        here, size = np.flatnonzero(matrix.any(axis=1)), len(matrix)
        value, cover = known.values[size:], known.beliefs[size:, here]
        cheap = value < cover @ known.values[here]  # the others cost no less than the corners do
        needs.append(matrix[here])
        corners.append(known.values[here])
        prices.append(value[cheap])
        offers.append(cover[cheap])
    need, corner, price = np.concatenate(needs), np.concatenate(corners), np.concatenate(prices)
    offer, row, column = np.zeros((len(price), len(need))), 0, 0
    for part in offers:
        offer[row : row + part.shape[0], column : column + part.shape[1]] = part
        row, column = row + part.shape[0], column + part.shape[1]
    above = np.zeros((1 + len(need), 1 + len(reward)))
    above[0, 0], above[0, 1:], above[1:, 1:] = 1.0, -reward - corner @ need, need
    beside = np.zeros((len(corner) + len(price), 1 + len(need)))
    beside[: len(corner), 0], beside[: len(corner), 1:] = -corner, np.eye(len(corner))
    beside[len(corner) :, 0], beside[len(corner) :, 1:] = offer @ corner - price, -offer
    return Block(slot, after, need, corner, price, offer, lines(above), lines(beside))
