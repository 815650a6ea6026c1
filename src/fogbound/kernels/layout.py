"""A table of two players in the order of a one-sided form: slot by slot, what is seen, then row by row.

Within a slot (what the blind player does in one of its partitions) a walk over the members meets rows in order, so
that one stable counting sort by what is seen does it, in time linear in the outcomes and with no copy of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit


class Tabled(NamedTuple):
    """The table, S states, R rows and O outcomes, and what the blind player sees of it."""

    row: np.ndarray  # [S+1]
    out: np.ndarray  # [R+1]
    next: np.ndarray  # [O]
    event: np.ndarray  # [O]
    prob: np.ndarray  # [O]
    obs: np.ndarray  # [O]
    pay: np.ndarray  # [events] the blind player's
    blind: int


class Placed(NamedTuple):
    """The members of a one-sided form: states of the table, sorted by partition."""

    first: np.ndarray  # [P+1]
    row: np.ndarray  # [N+1]
    slot: np.ndarray  # [P+1]
    state: np.ndarray  # [N] the table's state
    place: np.ndarray  # [S] the member to which steps lead, -1 = none
    pay: np.ndarray  # [J+1] where a slot's rewards begin


@njit(cache=True)
def joint_row(table, placed, member, move, moves, reply):
    """The table's row in which the blind player takes its `move`-th action of `moves`, the other its `reply`-th."""
    low = table.row[placed.state[member]]
    if table.blind == 0:
        return low + move * (placed.row[member + 1] - placed.row[member]) + reply
    return low + reply * moves + move


@njit(cache=True)
def grown(column):
    """The column with as much room again behind it."""
    larger = np.empty(2 * len(column), np.int64)
    for k in range(len(column)):
        larger[k] = column[k]
    return larger


@njit(cache=True)
def find_branches(table, placed, sights):
    """(slot * sights + observation, entries) of every branch, slots in order, observations as they come up."""
    key, count = np.empty(1024, np.int64), np.empty(1024, np.int64)
    used, at = 0, np.full(sights, -1)  # the newest branch with an observation
    for p in range(len(placed.first) - 1):
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
                        if at[seen] < begun:
                            if used == len(key):
                                key, count = grown(key), grown(count)
                            key[used], count[used] = (placed.slot[p] + move) * sights + seen, 0
                            at[seen] = used
                            used += 1
                        count[at[seen]] += 1
    return key[:used], count[:used]


@njit(cache=True)
def lay_out(table, placed, branch, obs, entry, sights, source, to, prob, reward):
    """Fill source, to and prob [entries], sorted by row and next state in each branch, and reward [cells].

    Returns how many entries are like the one before in all but probability.
    """
    alike, low, end = 0, np.empty(sights, np.int64), np.empty(sights, np.int64)  # of a branch, by what is seen
    for p in range(len(placed.first) - 1):
        moves, base = placed.slot[p + 1] - placed.slot[p], placed.row[placed.first[p]]
        for move in range(moves):
            slot = placed.slot[p] + move
            for b in range(branch[slot], branch[slot + 1]):
                low[obs[b]] = end[obs[b]] = entry[b]
            for m in range(placed.first[p], placed.first[p + 1]):
                for k in range(placed.row[m], placed.row[m + 1]):
                    r = joint_row(table, placed, m, move, moves, k - placed.row[m])
                    paid = 0.0
                    for o in range(table.out[r], table.out[r + 1]):
                        paid += table.prob[o] * table.pay[table.event[o]]
                        t, seen = placed.place[table.next[o]], table.obs[o]
                        if t >= 0:
                            alike += insert(source, to, prob, low[seen], end[seen], k, t, table.prob[o])
                            end[seen] += 1
                    reward[placed.pay[slot] + k - base] = paid
    return alike


@njit(cache=True)
def insert(source, to, prob, low, at, row, state, p):
    """Put an entry behind those of its branch, from `low`, with no larger state; 1 if the one before is alike."""
    while at > low and source[at - 1] == row and to[at - 1] > state:
        source[at], to[at], prob[at] = source[at - 1], to[at - 1], prob[at - 1]
        at -= 1
    source[at], to[at], prob[at] = row, state, p
    return 1 if at > low and source[at - 1] == row and to[at - 1] == state else 0
