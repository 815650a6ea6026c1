"""Whether what one of two players sees of a step tells it all that happened."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def untold(row, out, next_, crew, wide, tall, blind, mine, theirs, sights):
    """(whether the state, whether what the blind player does and sees) stays open to the other after some step.

    The other knows the state before, its own action and its sight of the step (`theirs`, below `sights`); only steps
    with which play goes on (crew not 0) count. Row 0 is the start, where nobody has done anything.
    """
    group, last = 0, np.zeros(sights, np.int64)  # the last (state, action) after which a sight came
    to, did, saw = np.empty(sights, np.int64), np.empty(sights, np.int64), np.empty(sights, np.int64)
    states, doings = False, False
    for s in range(-1, len(row) - 1):
        moves, replies = (wide[s], tall[s]) if s >= 0 else (1, 1)
        if s >= 0 and row[s] == row[s + 1]:
            continue
        for reply in range(replies):
            group += 1
            for move in range(moves):
                r = 0 if s < 0 else row[s] + (move * replies + reply if blind == 0 else reply * moves + move)
                for o in range(out[r], out[r + 1]):
                    seen = theirs[o]
                    if crew[next_[o]] == 0:
                        continue
                    if last[seen] != group:
                        last[seen], to[seen], did[seen], saw[seen] = group, next_[o], move, mine[o]
                    states |= to[seen] != next_[o]
                    doings |= did[seen] != move or saw[seen] != mine[o]
    return states, doings
