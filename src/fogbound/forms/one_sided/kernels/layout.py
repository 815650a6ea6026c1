"""A table of two players in the order of a one-sided form: slot by slot, what is seen, then row by row.

Within a slot (what the blind player does in one of its partitions) a walk over the members meets rows in order, so
that one stable counting sort by what is seen does it, in time linear in the outcomes and with no copy of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import kernel

FULL = -1


@dataclass(frozen=True, eq=False)
class OneSidedTableArrays(Bundle):
    """The table, S states, R rows and O outcomes, and what the blind player sees of it."""

    row: np.ndarray  # [S+1]
    out: np.ndarray  # [R+1]
    next: np.ndarray  # [O]
    event: np.ndarray  # [O]
    prob: np.ndarray  # [O]
    obs: np.ndarray  # [O]
    pay: np.ndarray  # [events] the blind player's
    player: np.ndarray  # [1] the blind player's


@dataclass(frozen=True, eq=False)
class FormLayout(Bundle):
    """The members of a one-sided form: states of the table, sorted by partition."""

    first: np.ndarray  # [P+1]
    row: np.ndarray  # [N+1]
    slot: np.ndarray  # [P+1]
    state: np.ndarray  # [N] the table's state
    place: np.ndarray  # [S] the member to which steps lead, -1 = none
    pay: np.ndarray  # [J+1] where a slot's rewards begin


@dataclass(frozen=True, eq=False)
class BranchCounts(Bundle):
    """Branches as they come up."""

    key: np.ndarray  # [room] slot * observations + observation
    count: np.ndarray  # [room] entries
    newest: np.ndarray  # [sights] the newest branch with an observation, -1 = none


@dataclass(frozen=True, eq=False)
class BranchEntries(Bundle):
    """Branches in order, and their entries."""

    branch: np.ndarray  # [J+1]
    obs: np.ndarray  # [B]
    entry: np.ndarray  # [B+1]
    source: np.ndarray  # [E] row
    to: np.ndarray  # [E] member
    prob: np.ndarray  # [E]
    reward: np.ndarray  # [cells]
    low: np.ndarray  # [sights] where the entries of the slot's branch with an observation begin
    end: np.ndarray  # [sights] and end by now


@kernel
def joint_row(table, placed, member, move, moves, reply):
    """The table's row in which the blind player takes its `move`-th action of `moves`, the other its `reply`-th."""
    low = table.row[placed.state[member]]
    if table.player[0] == 0:
        return low + move * (placed.row[member + 1] - placed.row[member]) + reply
    return low + reply * moves + move


@kernel
def find_branches(table, placed, found, partitions, observations, room):
    """Note every branch, slots in order, observations as they come up. How many; FULL where room is short."""
    key, count, newest, used = found.key, found.count, found.newest, 0
    for p in range(partitions):
        moves = placed.slot[p + 1] - placed.slot[p]
        for move in range(moves):
            begun = used
            for m in range(placed.first[p], placed.first[p + 1]):
                for reply in range(placed.row[m + 1] - placed.row[m]):
                    r = joint_row(table, placed, m, move, moves, reply)
                    for o in range(table.out[r], table.out[r + 1]):
                        if placed.place[table.next[o]] < 0:
                            continue
                        seen = table.obs[o]
                        if newest[seen] < begun:
                            if used == room:
                                return FULL
                            key[used], count[used] = (placed.slot[p] + move) * observations + seen, 0
                            newest[seen] = used
                            used += 1
                        count[newest[seen]] += 1
    return used


@kernel
def lay_out(table, placed, filled, partitions):
    """Fill source, to and prob, sorted by row and next state in each branch, and reward.

    Returns how many entries are like the one before in all but probability.
    """
    low, end, obs, entry, alike = filled.low, filled.end, filled.obs, filled.entry, 0
    for p in range(partitions):
        moves, base = placed.slot[p + 1] - placed.slot[p], placed.row[placed.first[p]]
        for move in range(moves):
            slot = placed.slot[p] + move
            for b in range(filled.branch[slot], filled.branch[slot + 1]):
                low[obs[b]] = end[obs[b]] = entry[b]
            for m in range(placed.first[p], placed.first[p + 1]):
                for k in range(placed.row[m], placed.row[m + 1]):
                    r = joint_row(table, placed, m, move, moves, k - placed.row[m])
                    paid = 0.0
                    for o in range(table.out[r], table.out[r + 1]):
                        paid += table.prob[o] * table.pay[table.event[o]]
                        t, seen = placed.place[table.next[o]], table.obs[o]
                        if t >= 0:
                            alike += insert(filled, low[seen], end[seen], k, t, table.prob[o])
                            end[seen] += 1
                    filled.reward[placed.pay[slot] + k - base] = paid
    return alike


@kernel
def insert(filled, low, at, row, state, p):
    """Put an entry behind those of its branch, from `low`, with no larger state; 1 if the one before is alike."""
    source, to, prob = filled.source, filled.to, filled.prob
    while at > low and source[at - 1] == row and to[at - 1] > state:
        source[at], to[at], prob[at] = source[at - 1], to[at - 1], prob[at - 1]
        at -= 1
    source[at], to[at], prob[at] = row, state, p
    return 1 if at > low and source[at - 1] == row and to[at - 1] == state else 0
