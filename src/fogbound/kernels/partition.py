"""What one player always knows: the states that some history of its own can confuse, united."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.kernels.blocks import FULL, find_blocks, label_blocks

Numbers = NDArray[np.signedinteger[Any]]


def confusable(
    row: Numbers, move: Numbers, out: Numbers, next_: Numbers, obs: Numbers, moves: int, sights: int
) -> Numbers:
    """[S + outcomes of row 0] a number that members of one set share; -1 where no step leads.

    Row 0 is the start; `move` [R] is what the player itself does in a row, from -1 to below `moves`, so rows that
    differ only in what others do share it. The start's outcomes are members of their own after the S states:
    what only the start confuses is then not confused for ever.
    """
    size, places = len(row) - 1 + int(out[1]), 1 << max(10, (len(next_) // 2).bit_length())
    while True:
        parent, sizes = np.full(size, -1), np.ones(size, np.int64)
        after, todo = np.arange(size), np.empty(2 * size + 2, np.int64)
        keys, first = np.full(places, -1), np.empty(places, np.int64)
        work = (parent, sizes, after, todo, np.zeros(size, np.bool_), keys, first)
        if find_blocks(row, move, out, next_, obs, moves + 1, sights, *work) != FULL:
            break
        places *= 4
    label = np.empty(size, np.int64)
    label_blocks(parent, label)
    return label
