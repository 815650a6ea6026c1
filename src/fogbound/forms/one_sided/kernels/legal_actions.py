"""Whether what one player knows, does and sees ever leaves open which legal actions it has next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import ZERO, kernel
from fogbound.forms.arrays import Longs


@dataclass(frozen=True, eq=False)
class OfferedActions(Bundle):
    """A table of two players; what one sees, is offered and does in it; members of its blocks; for each observation
    the last.

    Row 0 is the start, of which nothing was known before.
    """

    row: np.ndarray
    out: np.ndarray
    next: np.ndarray
    event: np.ndarray
    seen: np.ndarray  # [events]
    legal: np.ndarray  # [S] numbers from 0; below 0: not asked
    wide: np.ndarray  # [S] the player's actions
    tall: np.ndarray  # [S] the other's
    block: np.ndarray  # [members] in order
    state: np.ndarray  # [members]
    last: np.ndarray  # [observations] when it came
    offered: np.ndarray  # [observations] the legal actions that came with it


def legal_actions_clash(
    row: Longs,
    out: Longs,
    next_: Longs,
    event: Longs,
    seen: Longs,
    legal: Longs,
    wide: Longs,
    tall: Longs,
    player: int,
    block: Longs,
    state: Longs,
    observations: int,
) -> bool:
    """True where one block, action and observation lead to two lists of legal actions; see `OfferedActions`.

    Observations are below `observations`.
    """
    last, offered = np.full(observations, -1, np.int64), np.zeros(observations, np.int64)
    legal_sets = OfferedActions(row, out, next_, event, seen, legal, wide, tall, block, state, last, offered)
    return bool(find_clash(legal_sets, len(block), player))


@kernel
def find_clash(legal_sets, members, player):
    """See `legal_actions_clash`."""
    row, out, wide, tall, block, state = (
        legal_sets.row,
        legal_sets.out,
        legal_sets.wide,
        legal_sets.tall,
        legal_sets.block,
        legal_sets.state,
    )
    stamp, begin = ZERO, 0
    if _clash(legal_sets, out[0], out[1], stamp):
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
                    r = row[s] + (move * tall[s] + reply if player == 0 else reply * wide[s] + move)
                    if _clash(legal_sets, out[r], out[r + 1], stamp):
                        return True
        begin = end
    return False


@kernel
def _clash(legal_sets, low, high, stamp):
    """Whether an observation of these outcomes came with other legal actions since the stamp changed; notes the first
    one's.
    """
    last, offered = legal_sets.last, legal_sets.offered
    for o in range(low, high):
        observation, legal = legal_sets.seen[legal_sets.event[o]], legal_sets.legal[legal_sets.next[o]]
        if legal >= 0:
            if last[observation] != stamp:
                last[observation], offered[observation] = stamp, legal
            if offered[observation] != legal:
                return True
    return False
