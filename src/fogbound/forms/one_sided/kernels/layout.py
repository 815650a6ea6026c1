"""A table of two players in the order of a one-sided form: action by action, what is seen, then reply by reply.

Within an action of the blind player in one of its partitions a pass over the members meets replies in order, so
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
    reward: np.ndarray  # [events] the blind player's
    player: np.ndarray  # [1] the blind player's


@dataclass(frozen=True, eq=False)
class FormLayout(Bundle):
    """The members of a one-sided form: states of the table, sorted by partition."""

    state_start: np.ndarray  # [P+1]
    reply_start: np.ndarray  # [N+1]
    action_start: np.ndarray  # [P+1]
    state: np.ndarray  # [N] the table's state
    place: np.ndarray  # [S] the member to which steps lead, -1 = none
    reward_start: np.ndarray  # [J+1] where an action's rewards begin


@dataclass(frozen=True, eq=False)
class SuccessorCounts(Bundle):
    """Successors as they come up."""

    key: np.ndarray  # [room] action * observations + observation
    count: np.ndarray  # [room] transitions
    newest: np.ndarray  # [observations] the newest successor with an observation, -1 = none


@dataclass(frozen=True, eq=False)
class SuccessorTransitions(Bundle):
    """Successors in order, and their transitions."""

    successor_start: np.ndarray  # [J+1]
    obs: np.ndarray  # [B]
    transition_start: np.ndarray  # [B+1]
    source: np.ndarray  # [E] reply
    to: np.ndarray  # [E] member
    prob: np.ndarray  # [E]
    reward: np.ndarray  # [cells]
    low: np.ndarray  # [observations] where the transitions of the action's successor with an observation begin
    end: np.ndarray  # [observations] and end by now


@kernel
def joint_row(table, placed, member, move, moves, reply):
    """The table's row in which the blind player takes its `move`-th action of `moves`, the other its `reply`-th."""
    low = table.row[placed.state[member]]
    if table.player[0] == 0:
        return low + move * (placed.reply_start[member + 1] - placed.reply_start[member]) + reply
    return low + reply * moves + move


@kernel
def find_successors(table, placed, counts, partitions, observations, room):
    """Note every successor, actions in order, observations as they come up. How many; FULL where room is short."""
    key, count, newest, used = counts.key, counts.count, counts.newest, 0
    for p in range(partitions):
        moves = placed.action_start[p + 1] - placed.action_start[p]
        for move in range(moves):
            begun = used
            for m in range(placed.state_start[p], placed.state_start[p + 1]):
                for reply in range(placed.reply_start[m + 1] - placed.reply_start[m]):
                    r = joint_row(table, placed, m, move, moves, reply)
                    for o in range(table.out[r], table.out[r + 1]):
                        if placed.place[table.next[o]] < 0:
                            continue
                        seen = table.obs[o]
                        if newest[seen] < begun:
                            if used == room:
                                return FULL
                            key[used], count[used] = (placed.action_start[p] + move) * observations + seen, 0
                            newest[seen] = used
                            used += 1
                        count[newest[seen]] += 1
    return used


@kernel
def lay_out(table, placed, filled, partitions):
    """Fill source, to and prob, sorted by reply and next state in each successor, and reward.

    Returns how many transitions are like the one before in all but probability.
    """
    low, end, obs, transition_start, alike = filled.low, filled.end, filled.obs, filled.transition_start, 0
    for p in range(partitions):
        moves, base = placed.action_start[p + 1] - placed.action_start[p], placed.reply_start[placed.state_start[p]]
        for move in range(moves):
            action = placed.action_start[p] + move
            for b in range(filled.successor_start[action], filled.successor_start[action + 1]):
                low[obs[b]] = end[obs[b]] = transition_start[b]
            for m in range(placed.state_start[p], placed.state_start[p + 1]):
                for k in range(placed.reply_start[m], placed.reply_start[m + 1]):
                    r = joint_row(table, placed, m, move, moves, k - placed.reply_start[m])
                    reward = 0.0
                    for o in range(table.out[r], table.out[r + 1]):
                        reward += table.prob[o] * table.reward[table.event[o]]
                        t, seen = placed.place[table.next[o]], table.obs[o]
                        if t >= 0:
                            alike += insert(filled, low[seen], end[seen], k, t, table.prob[o])
                            end[seen] += 1
                    filled.reward[placed.reward_start[action] + k - base] = reward
    return alike


@kernel
def insert(filled, low, at, reply, state, p):
    """Put a transition behind its successor's, from `low`, with no larger state; 1 if the one before is alike."""
    source, to, prob = filled.source, filled.to, filled.prob
    while at > low and source[at - 1] == reply and to[at - 1] > state:
        source[at], to[at], prob[at] = source[at - 1], to[at - 1], prob[at - 1]
        at -= 1
    source[at], to[at], prob[at] = reply, state, p
    return 1 if at > low and source[at - 1] == reply and to[at - 1] == state else 0
