"""Whether what one player knows, does and sees ever leaves open which menu it is offered next."""

from __future__ import annotations

import numpy as np
from numba import njit

from fogbound.kernels.inner import ZERO


@njit(cache=True)
def menus_clash(row, out, next_, event, seen, menu, wide, tall, blind, block, state, sights):
    """True where one block, action and sight lead to two menus (numbers from 0; below 0: not asked).

    seen [events] (below `sights`) and menu, wide [states] are the player's, tall the other's; block [members] in
    order, and the state of each member. Row 0 is the start, of which nothing was known before.
    """
    stamp, last, offered = ZERO, np.full(sights, -1), np.empty(sights, np.int64)
    for o in range(out[0], out[1]):
        if _other(seen[event[o]], menu[next_[o]], stamp, last, offered):
            return True
    begin = 0
    while begin < len(block):
        end, most = begin, 0
        while end < len(block) and block[end] == block[begin]:
            most = max(most, wide[state[end]])
            end += 1
        for move in range(most):
            stamp += 1
            for m in range(begin, end):
                s = state[m]
                if move >= wide[s] or row[s] == row[s + 1]:
                    continue
                for reply in range(tall[s]):
                    r = row[s] + (move * tall[s] + reply if blind == 0 else reply * wide[s] + move)
                    for o in range(out[r], out[r + 1]):
                        if _other(seen[event[o]], menu[next_[o]], stamp, last, offered):
                            return True
        begin = end
    return False


@njit(cache=True)
def _other(sight, menu, stamp, last, offered):
    """Whether a sight came with another menu since the stamp changed; notes the menu where it is the first."""
    if menu < 0:
        return False
    if last[sight] != stamp:
        last[sight], offered[sight] = stamp, menu
    return offered[sight] != menu
