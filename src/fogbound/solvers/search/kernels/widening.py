"""The tree of searches on compiled simulators, and what they share: choice, widening, observations, leaves, backup.

A node is a decision after an observation; node 0 is the root. The children of an action lie side by side, and are
moved where there is twice the room when they become too many. Particles of a node lie in blocks, each twice as large as
the one before, which are never moved: n of them take less than 2 n + 2 cells. A search spends its time waiting for
memory: numbers of nodes and cells are words of 32 bits, what is read together is one row of a matrix, and a node that
was met only once has no statistics of actions yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp, log, sqrt

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.draws import below, mixed, uniform, weighted_place
from fogbound.compiled.kernel import ZERO, kernel

DEPTH, INFORMED, ROLLS, PARTICLES, WEIGHED = range(5)  # of `RowWay.choices`
EXPLORATION, SPREAD, DISCOUNT, K_ACTION, ALPHA_ACTION, K_OBSERVATION, ALPHA_OBSERVATION = range(7)  # of `numbers`
NODES, CELLS, HELD, CALLS, LISTED, DECISIONS = range(6)  # of `RowTree.used`
BEGIN, SIZE, EDGE, DECISION, OVER, BLOCK, FILLED = range(7)  # of a row of `RowTree.node`
NODE_WIDTH = 8  # half a line of memory
VISITS, OPENED, ACTIONS = range(3)  # of a row of `RowTree.counts`; ACTIONS: where N(ha), Q(ha) N(ha) begin, in pairs
CHILDREN, TIMES, FIRST, ROOM = range(4)  # of a row of `RowTree.edge`
CHILD, DRAWN = range(2)  # of a row of `RowTree.child`
PAID, STATE = range(2)  # of a row of `RowTree.cell`; STATE: where it begins
LOW, HIGH, SUM, SQUARES = range(4)  # of `RowWalk.returns`
KIND, ACTION = range(2)  # of `RowWalk.fault`
NO_FAULT, NO_NUMBER, IMPOSSIBLE = range(3)  # kinds: a reward that is no number, an observation of density 0
FIRST_BLOCK = 2
EDGE_KEY, PLACE_KEY = np.int64(-7703477296131190221), np.int64(5871781006564002453)
BITS = 9007199254740992.0  # 2**53


@dataclass(frozen=True, eq=False)
class RowWay(Bundle):
    """How to search: what the parameters of planners come to."""

    choices: np.ndarray  # [5]
    numbers: np.ndarray  # [7]
    allowed: np.ndarray  # [visits] k N^alpha of observations, as far as it was computed beforehand
    width: np.ndarray  # [tried] the root of 1 / tried
    growth: np.ndarray  # [visits] the root of log visits


@dataclass(frozen=True, eq=False)
class RowRoot(Bundle):
    """The belief at the root."""

    rows: np.ndarray  # [particle, width]
    upto: np.ndarray  # [particle] probabilities added up


@dataclass(frozen=True, eq=False)
class RowTree(Bundle):
    """Nodes, the particles of their beliefs in cells, and a hash table of observations."""

    used: np.ndarray  # [6] nodes, cells, particles in these, steps asked for, rows of `child`, decisions
    slots: np.ndarray  # [slots] a power of two: nodes by the key of what was seen, -1 = free
    node: np.ndarray  # [node, 8] newest block of particles, how many in all, its edge, its decision (-1: none yet),
    # 1 = over, the size of the newest block, how many are in it
    counts: np.ndarray  # [decision, 2 + 2 actions] N(h), opened actions; N(ha) and N(ha) Q(ha) of each action
    edge: np.ndarray  # [decision * actions, 4] children, M(hao) added up, where they are listed, room there
    child: np.ndarray  # [place, 2] the child, M(hao)
    order: np.ndarray  # [decision, action] in which actions open; one row where all are open
    seen: np.ndarray  # [node, seen] the observation
    paid: np.ndarray  # [node] mean reward of the step that led here (beliefs of m particles)
    back: np.ndarray  # [cell] of a block's first cell: the block before
    upto: np.ndarray  # [cell] weights of a node's particles added up
    cell: np.ndarray  # [cell, 1 + width] reward, state


@dataclass(frozen=True, eq=False)
class RowWalk(Bundle):
    """Room for one simulation, and what came of all of them."""

    random: np.ndarray  # [1]
    before: np.ndarray  # [width]
    state: np.ndarray  # [width]
    seen: np.ndarray  # [seen]
    rewards: np.ndarray  # [1]
    decision: np.ndarray  # [step] of the path
    place: np.ndarray  # [step]
    paid: np.ndarray  # [step]
    returns: np.ndarray  # [4]
    fault: np.ndarray  # [2] what is wrong with the simulator, and after which action
    particles: np.ndarray  # [m, width] of a belief that steps
    stepped: np.ndarray  # [m, width]
    shown: np.ndarray  # [m, seen]
    weights: np.ndarray  # [m]


@kernel
def row_fits(tree, particles):
    """Whether one more simulation fits, which adds a node and no more than these particles."""
    nodes = tree.used[NODES] + 1
    cells = 2 * (tree.used[HELD] + particles) + FIRST_BLOCK * nodes
    return nodes < len(tree.node) and 2 * nodes <= len(tree.slots) and cells <= len(tree.back)


@kernel
def add_history(tree, edge):
    """A new node, of which nothing is known."""
    node = tree.used[NODES]
    tree.used[NODES] = node + 1
    row = tree.node[node]
    row[BEGIN] = -1
    row[SIZE] = 0
    row[EDGE] = edge
    row[DECISION] = -1
    row[OVER] = 0
    row[BLOCK] = 0
    row[FILLED] = 0
    return node


@kernel
def decision_of_node(tree, walk, node):
    """The decision at a node; made where the node was only valued so far."""
    known = np.int64(tree.node[node, DECISION])
    if known >= 0:
        return known
    fresh, actions = tree.used[DECISIONS], len(tree.order[0])
    tree.used[DECISIONS] = fresh + 1
    tree.node[node, DECISION] = fresh
    counts = tree.counts[fresh]
    for place in range(len(counts)):
        counts[place] = 0.0
    counts[OPENED] = actions
    for place in range(actions):
        edge = tree.edge[fresh * actions + place]
        for k in range(len(edge)):
            edge[k] = 0
    if len(tree.order) > 1:
        _shuffle(tree.order[fresh], walk.random)
        counts[OPENED] = 0.0
    return fresh


@kernel
def _shuffle(order, random):
    """The actions in a drawn order (Fisher and Yates)."""
    for place in range(len(order)):
        other = below(random, place + 1)
        order[place] = order[other]
        order[other] = place


@kernel
def add_observation(tree, number):
    """A new node below an edge."""
    child, edge = add_history(tree, number), tree.edge[number]
    if edge[CHILDREN] == edge[ROOM]:
        first = tree.used[LISTED]
        for k in range(edge[CHILDREN]):
            tree.child[first + k, CHILD] = tree.child[edge[FIRST] + k, CHILD]
            tree.child[first + k, DRAWN] = tree.child[edge[FIRST] + k, DRAWN]
        edge[FIRST] = first
        edge[ROOM] = max(2 * edge[ROOM], FIRST_BLOCK)
        tree.used[LISTED] += edge[ROOM]
    tree.child[edge[FIRST] + edge[CHILDREN], CHILD] = child
    tree.child[edge[FIRST] + edge[CHILDREN], DRAWN] = 0
    edge[CHILDREN] += 1
    return child


@kernel
def draw_child(tree, walk, number):
    """The place among the children of an edge, by how often each was drawn, M(hao)."""
    edge = tree.edge[number]
    left, place = uniform(walk.random) * edge[TIMES], edge[FIRST]
    last = place + edge[CHILDREN] - 1
    left -= tree.child[place, DRAWN]
    while left >= 0.0 and place < last:
        place += 1
        left -= tree.child[place, DRAWN]
    return place


@kernel
def draw_root_state(root, walk):
    """Draw a state from the belief at the root."""
    copy_numbers(root.rows[weighted_place(root.upto, uniform(walk.random) * root.upto[len(root.upto) - 1])], walk.state)


@kernel
def copy_numbers(row, to):
    """Copy a row."""
    for place in range(len(to)):
        to[place] = row[place]


@kernel
def step_state(step, rules, tree, walk, place):
    """One step of `walk.state`: whether the episode is over. What is no number is noted."""
    tree.used[CALLS] += 1
    over = step(rules, walk.state, place, walk.random, walk.rewards, walk.seen)
    if not abs(walk.rewards[0]) < np.inf:
        walk.fault[KIND] = NO_NUMBER
        walk.fault[ACTION] = place
    return over


@kernel
def scale_of(walk, way):
    """UCB1's constant: exploration * spread, which is given or that of the returns so far."""
    spread = way.numbers[SPREAD]
    if spread <= 0.0:
        spread = walk.returns[HIGH] - walk.returns[LOW]
    if not 0.0 < spread < np.inf:
        spread = 1.0
    return way.numbers[EXPLORATION] * spread


@kernel
def select_action(tree, walk, way, decision):
    """ACTIONPROGWIDEN: open one more action where widening allows it, then UCB1, those never tried first."""
    counts, actions, ordered = tree.counts[decision], len(tree.order[0]), len(tree.order) > 1
    visits = int(counts[VISITS])
    if counts[OPENED] < actions and counts[OPENED] <= way.numbers[K_ACTION] * visits ** way.numbers[ALPHA_ACTION]:
        counts[OPENED] += 1.0
    growth = way.growth[visits] if visits < len(way.growth) else sqrt(log(float(visits)))
    scale, best, favourite = scale_of(walk, way) * growth, -np.inf, ZERO
    for k in range(int(counts[OPENED])):
        place = np.int64(tree.order[decision, k]) if ordered else k
        tried = int(counts[ACTIONS + 2 * place])
        if tried == 0:
            return place
        width = way.width[tried] if tried < len(way.width) else sqrt(1.0 / tried)
        upper = counts[ACTIONS + 2 * place + 1] / tried + scale * width
        if upper > best:
            best, favourite = upper, place
    return favourite


@kernel
def tries(tree, decision, place):
    """N(ha)."""
    return int(tree.counts[decision, ACTIONS + 2 * place])


@kernel
def may_widen(way, visits, children):
    """Whether an action of this many visits may have one more observation: children <= k visits^alpha."""
    if visits < len(way.allowed):
        return children <= way.allowed[visits]
    return children <= way.numbers[K_OBSERVATION] * visits ** way.numbers[ALPHA_OBSERVATION]


@kernel
def observation_key(edge, seen):
    """A word for an observation below an edge."""
    key = edge * EDGE_KEY
    for k in range(len(seen)):
        mantissa, exponent = frexp(seen[k])
        key = mixed(key + np.int64(mantissa * BITS) + exponent * PLACE_KEY)
    return key


@kernel
def observed_child(tree, walk, edge):
    """The child of what was seen after an edge; made where there is none."""
    mask, key = len(tree.slots) - 1, observation_key(edge, walk.seen)
    slot = key & mask
    child = np.int64(tree.slots[slot])
    while child >= 0:
        if tree.node[child, EDGE] == edge and _equal(tree.seen[child], walk.seen):
            return child
        slot = (slot + 1) & mask
        child = np.int64(tree.slots[slot])
    child = add_observation(tree, edge)
    copy_numbers(walk.seen, tree.seen[child])
    tree.slots[slot] = child
    return child


@kernel
def _equal(one, two):
    for place in range(len(one)):
        if one[place] != two[place]:
            return False
    return True


@kernel
def refile_rows(tree):
    """Fill a hash table that was made anew."""
    mask = len(tree.slots) - 1
    for node in range(1, tree.used[NODES]):
        slot = observation_key(np.int64(tree.node[node, EDGE]), tree.seen[node]) & mask
        while tree.slots[slot] >= 0:
            slot = (slot + 1) & mask
        tree.slots[slot] = node


@kernel
def append_particle(tree, walk, node, weight):
    """Add the state to the particles of a node."""
    row = tree.node[node]
    filled, begin, before = np.int64(row[FILLED]), np.int64(row[BEGIN]), 0.0
    if filled > 0:
        before = tree.upto[begin + filled - 1]
    if filled == row[BLOCK]:  # the newest block is full, or there is none
        begin, filled = tree.used[CELLS], ZERO
        tree.back[begin] = row[BEGIN]
        row[BEGIN] = begin
        row[BLOCK] = max(2 * row[BLOCK], FIRST_BLOCK)
        tree.used[CELLS] += row[BLOCK]
    cell = tree.cell[begin + filled]
    tree.upto[begin + filled] = before + weight
    row[FILLED] = filled + 1
    cell[PAID] = walk.rewards[0]
    for place in range(len(walk.state)):
        cell[STATE + place] = walk.state[place]
    row[SIZE] += 1
    tree.used[HELD] += 1


@kernel
def draw_particle(tree, walk, node):
    """Draw a particle of a node by its weight, as the state; its reward."""
    row = tree.node[node]
    filled, room, begin = np.int64(row[FILLED]), np.int64(row[BLOCK]), np.int64(row[BEGIN])
    point = uniform(walk.random) * tree.upto[begin + filled - 1]
    while room > FIRST_BLOCK and point < tree.upto[tree.back[begin] + room // 2 - 1]:
        begin = np.int64(tree.back[begin])
        room //= 2
        filled = room
    low, high = begin, begin + filled - 1
    while low < high:
        middle = (low + high) // 2
        if tree.upto[middle] > point:
            high = middle
        else:
            low = middle + 1
    cell = tree.cell[low]
    for place in range(len(walk.state)):
        walk.state[place] = cell[STATE + place]
    return cell[PAID]


@kernel
def value_of_leaf(step, value, rollout, rules, tree, walk, way, moves):
    """What a new node is worth: the model's estimate, or what its rollout policy brings."""
    left = way.choices[DEPTH] - moves
    if left <= 0:
        return 0.0
    if way.choices[INFORMED]:
        return value(rules, walk.state)
    total, scale, actions = 0.0, 1.0, len(tree.order[0])
    for _ in range(left):
        place = rollout(rules, walk.state, walk.random) if way.choices[ROLLS] else below(walk.random, actions)
        over = step_state(step, rules, tree, walk, place)
        total += scale * walk.rewards[0]
        scale *= way.numbers[DISCOUNT]
        if over:
            break
    return total


@kernel
def note_step(walk, moves, decision, place, reward):
    """Write a step of the path down, for the backup."""
    walk.decision[moves] = decision
    walk.place[moves] = place
    walk.paid[moves] = reward


@kernel
def back_up_return(tree, walk, way, moves, value):
    """Tell every action of the path what came of it, the last first."""
    for back in range(moves):
        move = moves - 1 - back
        counts, place = tree.counts[walk.decision[move]], ACTIONS + 2 * walk.place[move]
        value = walk.paid[move] + way.numbers[DISCOUNT] * value
        counts[VISITS] += 1.0
        counts[place] += 1.0
        counts[place + 1] += value
    walk.returns[LOW] = min(walk.returns[LOW], value)
    walk.returns[HIGH] = max(walk.returns[HIGH], value)
    walk.returns[SUM] += value
    walk.returns[SQUARES] += value * value
