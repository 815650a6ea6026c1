"""Whether what one player knows, does and sees ever leaves open which menu it is offered next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.kernels.bundle import Bundle
from fogbound.kernels.kernel import ZERO, kernel

Numbers = NDArray[np.signedinteger[Any]]


@dataclass(frozen=True, eq=False)
class Menus(Bundle):
    """A table of two players; what one sees, is offered and does in it; members of its blocks; for each sight the last.

    Row 0 is the start, of which nothing was known before.
    """

    row: np.ndarray
    out: np.ndarray
    next: np.ndarray
    event: np.ndarray
    seen: np.ndarray  # [events]
    menu: np.ndarray  # [S] numbers from 0; below 0: not asked
    wide: np.ndarray  # [S] the player's actions
    tall: np.ndarray  # [S] the other's
    block: np.ndarray  # [members] in order
    state: np.ndarray  # [members]
    last: np.ndarray  # [sights] when it came
    offered: np.ndarray  # [sights] the menu that came with it


def menus_clash(
    row: Numbers,
    out: Numbers,
    next_: Numbers,
    event: Numbers,
    seen: Numbers,
    menu: Numbers,
    wide: Numbers,
    tall: Numbers,
    blind: int,
    block: Numbers,
    state: Numbers,
    sights: int,
) -> bool:
    """True where one block, action and sight lead to two menus; see `Menus`. Sights are below `sights`."""
    last, offered = np.full(sights, -1, np.int64), np.zeros(sights, np.int64)
    menus = Menus(row, out, next_, event, seen, menu, wide, tall, block, state, last, offered)
    return bool(find_clash(menus, len(block), blind))


@kernel
def find_clash(menus, members, blind):
    """See `menus_clash`."""
    row, out, wide, tall, block, state = menus.row, menus.out, menus.wide, menus.tall, menus.block, menus.state
    stamp, begin = ZERO, 0
    if _clash(menus, out[0], out[1], stamp):
        return True
    while begin < members:
        end, most = begin, 0
        while end < members and block[end] == block[begin]:
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
                    if _clash(menus, out[r], out[r + 1], stamp):
                        return True
        begin = end
    return False


@kernel
def _clash(menus, low, high, stamp):
    """Whether a sight of these outcomes came with another menu since the stamp changed; notes the first one's."""
    last, offered = menus.last, menus.offered
    for o in range(low, high):
        sight, menu = menus.seen[menus.event[o]], menus.menu[menus.next[o]]
        if menu >= 0:
            if last[sight] != stamp:
                last[sight], offered[sight] = stamp, menu
            if offered[sight] != menu:
                return True
    return False
