"""A table met by one opponent's nodes: all pairs of a state and a node that can occur, whatever I do.

The compiled version of `forms.induced` for two players, one of whom plays as nodes say. Nodes and pairs are numbered
once and for all: what is added later leads to what is there, never the other way round, so nothing is built twice.

Two is what speed needs here: a pair is two numbers, one hash and one look-up of arrows an outcome, and a joint move one
digit beside mine. Level k answers one opponent at a time; with more players `forms.induced` pairs a state with a memory
of each, for which these loops would carry a row of nodes a point and a product over what all of them may do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fogbound.compiled.kernel import kernel

WAITS, UNIFORM, MIXED = -1, -2, -3  # what a node may have instead of one action
POINTS, ROWS, OUTS, EXPANDED = range(4)  # of `count`
DONE, ROOM, WRONG = 0, 1, 2


class TableArrays(NamedTuple):
    """The table with two players' views: mine and the other's."""

    row: np.ndarray  # [S+1]
    out: np.ndarray  # [R+1]
    next: np.ndarray  # [O]
    prob: np.ndarray  # [O]
    reward: np.ndarray  # [O] to me
    legal_size: np.ndarray  # [M]
    legal_actions: np.ndarray  # [M, K]
    my_legal: np.ndarray  # [S]
    my_observation: np.ndarray  # [O]
    other_legal: np.ndarray  # [S]
    other_observation: np.ndarray  # [O]
    other_observations: int
    me_first: bool  # whether my move is the slower digit of a joint one


class FSCNodes(NamedTuple):
    """The other's nodes: what each does, and where it goes after an own action (or none) and an observation."""

    label: np.ndarray  # [N] an action, or WAITS, UNIFORM, MIXED
    choice: np.ndarray  # [N+1] of a mixed node
    choice_action: np.ndarray
    choice_prob: np.ndarray
    arrow: np.ndarray  # [N+1]
    arrow_key: np.ndarray  # (action + 1) * observations + observation, rising within a node
    arrow_to: np.ndarray


class InducedArrays(NamedTuple):
    """P points (state, node), their rows (my moves) and outcomes; slots of a hash table of points."""

    state: np.ndarray  # [P]
    node: np.ndarray  # [P]
    row: np.ndarray  # [P+1]
    action: np.ndarray  # [R] my action's label, WAITS when I am not asked
    reward: np.ndarray  # [R]
    out: np.ndarray  # [R+1]
    next: np.ndarray  # [O]
    obs: np.ndarray  # [O] mine
    prob: np.ndarray  # [O]
    slot: np.ndarray  # [power of two] a point, or -1


@kernel
def next_node(nodes, node, key):
    """The node after a key; 0, which plays uniformly for ever, where there is no arrow."""
    low, high = nodes.arrow[node], nodes.arrow[node + 1]
    while low < high:
        middle = (low + high) // 2
        if nodes.arrow_key[middle] < key:
            low = middle + 1
        else:
            high = middle
    if low < nodes.arrow[node + 1] and nodes.arrow_key[low] == key:
        return nodes.arrow_to[low]
    return 0


@kernel
def slot_of(state, node, slots):
    """Where a point is first looked for."""
    mixed = (np.uint64(state) * np.uint64(0x9E3779B97F4A7C15)) ^ (np.uint64(node) * np.uint64(0xC2B2AE3D27D4EB4F))
    return np.int64((mixed ^ (mixed >> np.uint64(31))) & np.uint64(slots - 1))


@kernel
def rehash_points(pairs, points):
    """Fill an empty hash table again."""
    mask = len(pairs.slot) - 1
    for point in range(points):
        at = slot_of(pairs.state[point], pairs.node[point], len(pairs.slot))
        while pairs.slot[at] >= 0:
            at = (at + 1) & mask
        pairs.slot[at] = point


@kernel
def find_point(pairs, count, state, node):
    """The number of a point, which is added where it is new."""
    mask = len(pairs.slot) - 1
    at = slot_of(state, node, len(pairs.slot))
    while pairs.slot[at] >= 0:
        point = pairs.slot[at]
        if pairs.state[point] == state and pairs.node[point] == node:
            return point
        at = (at + 1) & mask
    point = count[POINTS]
    pairs.state[point], pairs.node[point] = state, node
    pairs.slot[at] = point
    count[POINTS] += 1
    return point


@kernel
def write_outcomes(play, nodes, pairs, count, point, table_row, chance, acted):
    """One joint move: its outcomes, each with the other's node after it. Returns my expected reward."""
    node, paid = pairs.node[point], 0.0
    began = pairs.out[count[ROWS]]
    for o in range(play.out[table_row], play.out[table_row + 1]):
        p, state = chance * play.prob[o], play.next[o]
        after = 0
        if play.other_legal[state] != -2:
            after = next_node(nodes, node, (acted + 1) * play.other_observations + play.other_observation[o])
        target, seen = find_point(pairs, count, state, after), play.my_observation[o]
        paid += p * play.reward[o]
        for e in range(began, count[OUTS] + 1):
            if e == count[OUTS]:
                pairs.next[e], pairs.obs[e], pairs.prob[e] = target, seen, p
                count[OUTS] += 1
            elif pairs.next[e] == target and pairs.obs[e] == seen:
                pairs.prob[e] += p
                break
    return paid


@kernel
def write_row(play, nodes, pairs, count, point, move):
    """The row of my `move` (0 when I only wait) against all that the node may do. False: it plays what it cannot."""
    state, node = pairs.state[point], pairs.node[point]
    mine, yours = play.my_legal[state], play.other_legal[state]
    base, paid = play.row[state], 0.0
    if yours < 0:
        paid = write_outcomes(play, nodes, pairs, count, point, base + move, 1.0, np.int32(WAITS))
    else:
        size, label = play.legal_size[yours], nodes.label[node]
        first, many = nodes.choice[node], nodes.choice[node + 1] - nodes.choice[node]
        total = 0.0
        for m in range(size):
            action, chance = play.legal_actions[yours, m], 0.0
            if label == MIXED:
                for k in range(first, first + many):
                    if nodes.choice_action[k] == action:
                        chance = nodes.choice_prob[k]
            elif label < 0:
                chance = 1.0 / size
            elif label == action:
                chance = 1.0
            if chance > 0:
                place = m
                if mine >= 0:
                    place = move * size + m if play.me_first else m * play.legal_size[mine] + move
                paid += write_outcomes(play, nodes, pairs, count, point, base + place, chance, action)
                total += chance
        if abs(total - 1.0) > 1e-9:
            return False
    row = count[ROWS]
    pairs.action[row] = WAITS if mine < 0 else play.legal_actions[mine, move]
    pairs.reward[row] = paid
    count[ROWS] += 1
    pairs.out[row + 1] = count[OUTS]
    return True


@kernel
def find_starts(play, pairs, count, begin, outcomes, points):
    """points[o] for the first `outcomes` of the table, when the other begins as `begin` says. False: no room."""
    if 2 * (count[POINTS] + outcomes) > len(pairs.slot) or count[POINTS] + outcomes >= len(pairs.state):
        return False
    for o in range(outcomes):
        state = play.next[o]
        node = 0 if play.other_legal[state] == -2 else begin[play.other_observation[o]]
        points[o] = find_point(pairs, count, state, node)
    return True


@kernel
def explore(play, nodes, pairs, count):
    """Expand points until there is none left; ROOM when the arrays are too small, WRONG at a move that is not legal."""
    while count[EXPANDED] < count[POINTS]:
        point = count[EXPANDED]
        state = pairs.state[point]
        most = play.out[play.row[state + 1]] - play.out[play.row[state]]
        crowded = 2 * (count[POINTS] + most) > len(pairs.slot) or count[POINTS] + most >= len(pairs.state)
        crowded = crowded or count[OUTS] + most > len(pairs.next) or count[ROWS] + most > len(pairs.action)
        if crowded or count[ROWS] + most >= len(pairs.out) or point + 1 >= len(pairs.row):
            return ROOM
        mine = play.my_legal[state]
        if mine != -2:
            for move in range(1 if mine < 0 else play.legal_size[mine]):
                if not write_row(play, nodes, pairs, count, point, move):
                    return WRONG
        count[EXPANDED] += 1
        pairs.row[count[EXPANDED]] = count[ROWS]
    return DONE
