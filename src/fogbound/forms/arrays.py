"""What the arrays of forms are made with: their types, and runs of unequal length laid one after the other.

Runs of unequal length are stored as the rows of a sparse matrix are: run r stands at first[r] to first[r + 1] of one
long column. The functions here make such a layout, gather from it and search in it, without a loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.signedinteger[Any]]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]


def offsets(count: NDArray[Any]) -> Longs:
    """[runs + 1] where runs of so many cells begin, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(count, dtype=np.int64)])


def starts(run: Ints, runs: int) -> Longs:
    """[runs + 1] where each run begins, by a sorted column that says which run each cell is of."""
    return np.searchsorted(run, np.arange(runs + 1))


def runs_of(first: Ints, cell: Ints) -> Longs:
    """The run that each cell lies in."""
    return np.searchsorted(first, cell, side="right") - 1


def run_of(first: Ints, cell: int) -> int:
    """The run that one cell lies in."""
    return int(np.searchsorted(first, cell, side="right")) - 1


def ranges(first: Ints, count: Ints) -> Longs:
    """The numbers from each of `first` on, `count` of them, one run after the other."""
    end = np.cumsum(count, dtype=np.int64)
    return np.repeat(first - (end - count), count) + np.arange(end[-1] if len(end) else 0)


def owned_ranges(first: Ints, count: Ints) -> tuple[Longs, Longs]:
    """The numbers of `ranges`, and which run each is of."""
    return ranges(first, count), np.repeat(np.arange(len(count)), count)


def positions(keys: Ints, wanted: Ints) -> Longs:
    """Where each wanted key stands among sorted keys; -1 where it does not."""
    if not len(keys):
        return np.full(len(wanted), -1)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, at, -1)


def summed(group: Ints, weights: NDArray[Any], groups: int = 0) -> Floats:
    """[groups] the sum of the weights of each group; of as many as occur, unless told."""
    return np.asarray(np.bincount(group, weights, groups), np.float64)


def largest_total(reward: Floats, discount: float) -> float:
    """The most that rewards can come to, in absolute value; without a discount that of one step, since all may end."""
    return float(np.abs(reward).max(initial=0.0)) / (1 - discount if discount < 1 else 1.0)


class KeyIndex:
    """Where each of some different keys stands in its array, in whatever order they are there."""

    def __init__(self, keys: Ints) -> None:
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]

    def find(self, wanted: Ints) -> Longs:
        """The place of each wanted key; -1 where there is none."""
        return np.append(self._order, -1)[positions(self._keys, wanted)]


def heads(*columns: Ints) -> NDArray[np.bool_]:
    """Which lines differ from the one before: where runs of equal lines begin."""
    fresh = np.ones(len(columns[0]), bool)
    fresh[1:] = False
    for column in columns:
        fresh[1:] |= column[1:] != column[:-1]
    return fresh


def last_of_each(key: Ints, rank: Ints) -> Longs:
    """For each different key, in order, the line that has it with the highest rank."""
    order = np.lexsort((rank, key))
    return order[np.roll(heads(key[order]), -1)]  # a line is the last where another run begins after it
