"""The one-sided form, compiled: its layout, its legal actions, what is observed of a step.

Within an action of the blind player in one of its partitions a pass over the members meets replies in order, so
that one stable counting sort by what is seen does it, in time linear in the outcomes and with no copy of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import ZERO, kernel

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


@kernel
def legal_actions_clash(legal_sets, player):
    """True where one block, action and observation lead to two lists of legal actions."""
    row, out, wide, tall = legal_sets.row, legal_sets.out, legal_sets.wide, legal_sets.tall
    block, state, stamp, begin, members = legal_sets.block, legal_sets.state, ZERO, 0, len(legal_sets.block)
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


@dataclass(frozen=True, eq=False)
class StepInformation(Bundle):
    """A table of two players; what the blind one and the other see of its outcomes; for each observation the last
    step.
    """

    row: np.ndarray
    out: np.ndarray
    next: np.ndarray
    actor_set: np.ndarray
    wide: np.ndarray  # [S] the blind player's actions
    tall: np.ndarray  # [S] the other's
    mine: np.ndarray
    theirs: np.ndarray
    last: np.ndarray  # [observations] the (state, action) after which it came
    to: np.ndarray  # [observations] where that led
    did: np.ndarray  # [observations] what the blind player did
    saw: np.ndarray  # [observations] and saw


@kernel
def unobserved(steps, player):
    """(whether the state, whether what the blind player does and sees) stays open to the other after some step.

    The other knows the state before, its own action and its observation of the step; only steps with which play goes
    on (somebody acts) count. Row 0 is the start, where nobody has done anything.
    """
    row, out, next_, mine, theirs = steps.row, steps.out, steps.next, steps.mine, steps.theirs
    last, to, did, saw = steps.last, steps.to, steps.did, steps.saw
    group, states, doings = 0, False, False
    for s in range(-1, len(row) - 1):
        moves, replies = (steps.wide[s], steps.tall[s]) if s >= 0 else (1, 1)
        if s >= 0 and row[s] == row[s + 1]:
            continue
        for reply in range(replies):
            group += 1
            for move in range(moves):
                r = 0 if s < 0 else row[s] + (move * replies + reply if player == 0 else reply * moves + move)
                for o in range(out[r], out[r + 1]):
                    seen = theirs[o]
                    if steps.actor_set[next_[o]] == 0:
                        continue
                    if last[seen] != group:
                        last[seen], to[seen], did[seen], saw[seen] = group, next_[o], move, mine[o]
                    states |= to[seen] != next_[o]
                    doings |= did[seen] != move or saw[seen] != mine[o]
    return states, doings
