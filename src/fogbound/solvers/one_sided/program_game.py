"""One stage of a one-sided game as dense arrays: what linear programs are written from.

Kept apart from the compiled stages on purpose: whatever these arrays and HiGHS find was found without the kernels.
Values are shifted and scaled as in `Shifted`, so that covering a belief is enough for the upper bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.table import Floats
from fogbound.solvers.one_sided.bounded import Bounded

Longs = NDArray[np.int64]


class Way(NamedTuple):
    """What may follow a slot: the observation's target partition, and what follows it there."""

    matrix: Floats  # [rows, states of the target] discounted probabilities
    vectors: Floats  # [n, states of the target]
    beliefs: Floats  # [m, states of the target] of points, corners first
    values: Floats  # [m] of points


@dataclass(frozen=True, eq=False)
class StageGame:
    """A partition's rows against its slots, with the bounds of whatever follows."""

    owner: Longs  # [rows] the state, counted within the partition
    slots: Longs  # [slots] that the mask allows, counted within the partition
    reward: Floats  # [slots, rows]
    ways: list[list[Way]]  # of each slot

    def even(self, belief: Floats) -> Floats:
        """[rows] the seeing player mixes evenly in every state."""
        y: Floats = (belief / np.bincount(self.owner))[self.owner]
        return y

    def balanced(self, y: Floats, belief: Floats) -> Floats:
        """A solver's y with the rounding taken out: rows of a state sum to its belief exactly enough to trust it."""
        kept = np.maximum(y, 0.0)
        total = np.bincount(self.owner, kept, len(belief))
        share = np.divide(belief, total, out=np.zeros_like(belief), where=total > 0)
        found: Floats = np.where(total[self.owner] > 0, kept * share[self.owner], self.even(belief))
        return found

    def guarantee(self, column: Floats) -> Floats:
        """[states] the least row of each state: what a mixture with this column is sure of."""
        least = np.full(int(self.owner[-1]) + 1, np.inf)
        np.minimum.at(least, self.owner, column)
        return least


def stage_game(bounded: Bounded, partition: int) -> StageGame:
    """The stage of a partition, with the bounds as they are now."""
    game = bounded.game
    low, high = int(game.row[game.first[partition]]), int(game.row[game.first[partition + 1]])
    states = np.arange(game.first[partition], game.first[partition + 1])
    owner = np.repeat(np.arange(len(states)), np.diff(game.row)[states])
    every = np.arange(game.slot[partition], game.slot[partition + 1])
    slots = every[bounded.mask[every]]
    reward = np.array([game.reward[game.pay[j] : game.pay[j] + high - low] for j in slots])
    targets = {int(q): _after(bounded, int(q)) for j in slots for q in game.target[game.branch[j] : game.branch[j + 1]]}
    ways = [
        [
            Way(_matrix(bounded, branch, low, high), *targets[int(game.target[branch])])
            for branch in range(game.branch[j], game.branch[j + 1])
        ]
        for j in slots
    ]
    return StageGame(owner, slots - every[0], reward, ways)


def _matrix(bounded: Bounded, branch: int, low: int, high: int) -> Floats:
    game, target = bounded.game, bounded.game.target[branch]
    own = slice(game.entry[branch], game.entry[branch + 1])
    matrix = np.zeros((high - low, int(game.first[target + 1] - game.first[target])))
    np.add.at(matrix, (game.source[own] - low, game.to[own] - game.first[target]), game.prob[own])
    return matrix


def _after(bounded: Bounded, partition: int) -> tuple[Floats, Floats, Floats]:
    """The vectors and points of a partition, shifted and scaled again."""
    game, scaled = bounded.game, bounded.scaled
    least = scaled.least[game.first[partition] : game.first[partition + 1]]
    beliefs, values = bounded.points(partition)
    return (bounded.vectors(partition) - least) / scaled.scale, beliefs, (values - beliefs @ least) / scaled.scale
