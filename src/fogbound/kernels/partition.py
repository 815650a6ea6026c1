"""What one player always knows: the states that some history of its own can confuse, united."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.kernels.blocks import FULL, Blocks, Steps, find_blocks, label_blocks

Numbers = NDArray[np.signedinteger[Any]]


def confusable(
    row: Numbers, move: Numbers, out: Numbers, next_: Numbers, obs: Numbers, moves: int, sights: int
) -> Numbers:
    """[S + outcomes of row 0] a number that members of one set share; -1 where no step leads.

    Row 0 is the start; `move` [R] is what the player itself does in a row, from -1 to below `moves`, so rows that
    differ only in what others do share it. The start's outcomes are members of their own after the S states:
    what only the start confuses is then not confused for ever.
    """
    states = len(row) - 1
    steps, size = Steps(row, move, out, next_, obs), states + int(out[1])
    ring, places = 2 * size + 2, 1 << max(10, (len(next_) // 2).bit_length())
    while True:
        parent, sizes, after = np.full(size, -1), np.ones(size, np.int64), np.arange(size)
        todo, waiting = np.empty(ring, np.int64), np.zeros(size, np.bool_)
        blocks = Blocks(parent, sizes, after, todo, waiting, np.full(places, -1), np.empty(places, np.int64))
        if find_blocks(steps, blocks, states, moves + 1, sights, ring, places) != FULL:
            label_blocks(blocks, size)
            return todo[:size]
        places *= 4
