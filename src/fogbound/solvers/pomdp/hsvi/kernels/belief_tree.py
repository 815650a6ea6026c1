"""What a search knows, as named arrays: the tree of beliefs T_R, the vectors below them and the points above.

Nodes of the tree, their actions and children, vectors and points are numbered in the order in which they come into
being; -1 is none of them. Each array is declared with what it has an entry for and what its entries may be, so that
growth (`solvers.growing_pools`) and checkpoints (`hsvi.search`) follow from it: `begins` leads to a run in a pool.
A backup takes what it needs from the end of the pools, and the search stops when `room` for one is not left.

The tree grows by tau(b, a, o), Bayes' rule, and has one node for each belief, however it is reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import NONE, kernel
from fogbound.driver.checkpoint_schema import Entries, Schema
from fogbound.solvers.pomdp.kernels import BlockModel, block_size

ROOT = 0  # the first node of every tree
BUCKETS = 1 << 12  # of the table of beliefs
NEARLY = 1 + 1e-9  # what probabilities may sum to
LEAST_RANGE = 1e-300  # of values

# Search.used: how much of each pool is taken.
POOLS = ("nodes", "actions", "weights", "children", "vectors", "values", "successors", "points", "supports")
NODES, ACTIONS, WEIGHTS, CHILDREN, VECTORS, VALUES, SUCCESSORS, POINTS, SUPPORTS = range(len(POOLS))

# Search.count: what has been done so far, and when some of it was done last.
TRIALS, BACKUPS, WORK, LIMIT_WORK, LIFTS, LIFTED_AT, HULL_AT, IDLE, FINENESS, REFINED = range(10)
COUNTERS = 10


@dataclass(frozen=True, eq=False)
class BeliefTree(Bundle):
    """The beliefs that the search has met (T_R of SARSOP), each once: in fact a graph."""

    block: Annotated[np.ndarray, Entries("nodes", into="blocks")]
    belief: Annotated[np.ndarray, Entries("nodes", begins="weights")]  # a weight for each state of its block
    support: Annotated[np.ndarray, Entries("nodes", bits=True)]  # 64 bits for the states that are possible
    V_lower: Annotated[np.ndarray, Entries("nodes", float)]
    V_upper: Annotated[np.ndarray, Entries("nodes", float)]
    best: Annotated[np.ndarray, Entries("nodes", into="vectors")]  # the vector that is highest here
    seen_vector: Annotated[np.ndarray, Entries("nodes", none=True)]  # the newest vector, ...
    seen_lift: Annotated[np.ndarray, Entries("nodes", none=True)]  # ... the last lift of vectors, ...
    seen_point: Annotated[np.ndarray, Entries("nodes", none=True)]  # ... the newest point ...
    seen_corners: Annotated[np.ndarray, Entries("nodes", none=True)]  # ... and the version of the corners that it knows
    next: Annotated[np.ndarray, Entries("nodes", older=True)]  # the next node in its bucket of the table
    action: Annotated[np.ndarray, Entries("nodes", begins="actions")]  # one for each choice of its block
    Q_upper: Annotated[np.ndarray, Entries("actions", float)]
    looked: Annotated[np.ndarray, Entries("actions")]  # the backup in which it was last looked at
    # one an outcome; -1: not expanded yet
    children: Annotated[np.ndarray, Entries("actions", begins="children", none=True)]
    reward_lower: Annotated[np.ndarray, Entries("actions", float)]  # with the states left out of beliefs, at least ...
    reward_upper: Annotated[np.ndarray, Entries("actions", float)]  # ... and at most
    # discount x the chance that play goes on
    goes_on: Annotated[np.ndarray, Entries("actions", float, low=0.0, high=NEARLY)]
    # its node; -1: the observation cannot come
    child: Annotated[np.ndarray, Entries("children", into="nodes", none=True)]
    child_weight: Annotated[np.ndarray, Entries("children", float, low=0.0, high=NEARLY)]  # discount x its probability
    weight: Annotated[np.ndarray, Entries("weights", float, low=0.0, high=NEARLY)]  # of beliefs
    # the newest node of each bucket of the table
    bucket: Annotated[np.ndarray, Entries(BUCKETS, into="nodes", none=True)]


@dataclass(frozen=True, eq=False)
class VectorSet(Bundle):
    """The lower bound: alpha vectors (Gamma), in lists by block, newest first; each with the backup that made it."""

    newest: Annotated[np.ndarray, Entries("blocks", into="vectors")]
    count: Annotated[np.ndarray, Entries("blocks")]
    # highest on average: for what no belief speaks of
    default: Annotated[np.ndarray, Entries("blocks", into="vectors")]
    alpha: Annotated[np.ndarray, Entries("vectors", begins="values")]  # a value for each state of its block
    choice: Annotated[np.ndarray, Entries("vectors", into="choices")]
    older: Annotated[np.ndarray, Entries("vectors", older=True)]  # the next of its block's list
    # by one nowhere below it; -1: it is listed
    replaced: Annotated[np.ndarray, Entries("vectors", into="vectors", none=True)]
    successors: Annotated[np.ndarray, Entries("vectors", begins="successors")]  # one an outcome of its choice
    value: Annotated[np.ndarray, Entries("values", float)]
    successor: Annotated[np.ndarray, Entries("successors", into="vectors")]  # the vector that goes on


@dataclass(frozen=True, eq=False)
class PointSet(Bundle):
    """The upper bound: (belief, value) points (Upsilon), in lists by block, newest first; and the corners."""

    corner: Annotated[np.ndarray, Entries("states", float)]  # no more than this when the state is known
    version: Annotated[np.ndarray, Entries("blocks")]  # how often its corners have fallen
    newest: Annotated[np.ndarray, Entries("blocks", into="points", none=True)]
    count: Annotated[np.ndarray, Entries("blocks")]
    pruned: Annotated[np.ndarray, Entries("blocks")]  # how many there were after the last pruning
    value: Annotated[np.ndarray, Entries("points", float)]
    excess: Annotated[np.ndarray, Entries("points", float)]  # value less what the corners say: below 0
    older: Annotated[np.ndarray, Entries("points", older=True)]  # the next of its block's list
    mask: Annotated[np.ndarray, Entries("points", bits=True)]  # 64 bits for the states that are possible
    support: Annotated[np.ndarray, Entries("points", begins="supports", extra=1)]  # states and weights, largest first
    state: Annotated[np.ndarray, Entries("supports", into="widest")]  # local
    weight: Annotated[np.ndarray, Entries("supports", float, low=0.0, high=NEARLY)]


@dataclass(frozen=True, eq=False)
class Search(Bundle):
    """All that the search works with: what Python hands to kernels."""

    model: BlockModel
    informed: Annotated[np.ndarray, Entries("rows", float)]  # the fast informed bound
    tree: BeliefTree
    vectors: VectorSet
    points: PointSet
    used: np.ndarray  # [POOLS]
    room: np.ndarray  # [POOLS] what one backup may take
    capacity: np.ndarray  # [POOLS]
    count: Annotated[np.ndarray, Entries(COUNTERS)]
    # how far apart the value of two states can be
    value_range: Annotated[np.ndarray, Entries(1, float, low=LEAST_RANGE)]
    met: Annotated[np.ndarray, Entries(1, float, low=0.0)]  # the gap at which bounds have met


BUNDLES: dict[str, type[Bundle]] = {"tree": BeliefTree, "vectors": VectorSet, "points": PointSet}
SCHEMA = Schema.of({"": Search, **BUNDLES})


@kernel
def has_room(search):
    """Whether every pool has room for one more backup."""
    for pool in range(len(POOLS)):
        if search.used[pool] + search.room[pool] > search.capacity[pool]:
            return False
    return True


SAME = 1e-11  # beliefs no further apart than this, relative to each weight, are one
FAINT, RARE = 1e-2, 1e-6  # states that matter less than this share of what is noted down are left out of a belief
_A, _B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


@kernel(fastmath={"reassoc"})
def weighted_sum(x, a, y, b, n):
    """Sum of products. Reassociated, so that it uses the whole width of the machine; nothing else is."""
    total = 0.0
    for i in range(n):
        total += x[a + i] * y[b + i]
    return total


@kernel
def support_mask(weight, belief, n):
    """64 bits for which states are possible: a quick test that one support lies inside another."""
    mask = np.int64(0)
    for s in range(n):
        if weight[belief + s] > 0:
            mask |= np.int64(1) << np.int64(s & 63)
    return mask


@kernel
def legal_actions(search, node):
    """How many actions a node has."""
    block = search.tree.block[node]
    return search.model.choice[block + 1] - search.model.choice[block]


@kernel
def outcome_count(search, node, k):
    """How many outcomes, and so children, action k of a node has."""
    choice = search.model.choice[search.tree.block[node]] + k
    return search.model.outcome[choice + 1] - search.model.outcome[choice]


@kernel
def expand_action(search, node, k, least):
    """Bayes' rule: the beliefs that action k leads to, one for each observation that can follow.

    States so unlikely that they cannot matter are left out, so that near-certainty becomes certainty; their share
    is bounded by their corners above and by a vector below, not forgotten.
    """
    model, tree, used = search.model, search.tree, search.used
    vectors, corner = search.vectors, search.points.corner
    action, block, belief = tree.action[node] + k, tree.block[node], tree.belief[node]
    n, choice, children = block_size(model, block), model.choice[block] + k, used[CHILDREN]
    used[CHILDREN] += outcome_count(search, node, k)
    tree.children[action] = children
    reward = weighted_sum(model.reward, model.offset[choice], tree.weight, belief, n)
    lower, upper, goes_on = reward, reward, 0.0
    faint = min(RARE, FAINT * least / search.value_range[0])
    for j in range(outcome_count(search, node, k)):
        outcome = model.outcome[choice] + j
        target, after = model.target[outcome], used[WEIGHTS]
        size = block_size(model, target)
        total = _successor(search, belief, n, outcome, size)
        goes_on += total
        tree.child[children + j], tree.child_weight[children + j] = NONE, total
        if total > 0:
            left, alpha = 0.0, vectors.alpha[vectors.default[target]]
            for t in range(size):
                weight = tree.weight[after + t]
                if 0 < weight < faint * total:
                    upper += weight * corner[model.first[target] + t]
                    lower += weight * vectors.value[alpha + t]
                    tree.weight[after + t] = 0.0
                left += tree.weight[after + t]
            for t in range(size):
                tree.weight[after + t] /= left
            tree.child_weight[children + j] = left
            tree.child[children + j] = find_node(search, target)
        search.count[WORK] += 2 * size + n
    tree.reward_lower[action], tree.reward_upper[action], tree.goes_on[action] = lower, upper, goes_on


@kernel
def _successor(search, belief, n, outcome, size):
    """The unnormalised belief after an outcome, at the end of the tree's weights. Its sum."""
    model, tree, after = search.model, search.tree, search.used[WEIGHTS]
    starts, total = model.begin[outcome], 0.0
    for t in range(size):
        tree.weight[after + t] = 0.0
    for s in range(n):
        weight = tree.weight[belief + s]
        if weight > 0:
            low, high = model.start[starts + s], model.start[starts + s + 1]
            for e in range(low, high):
                part = weight * model.weight[e]
                tree.weight[after + model.to[e]] += part
                total += part
            search.count[WORK] += high - low
    return total


@kernel
def find_node(search, block):
    """The node of the belief at the end of the tree's weights; made when it is new, and to be refreshed then."""
    tree, belief = search.tree, search.used[WEIGHTS]
    n = block_size(search.model, block)
    place = _hash(tree.weight, belief, n, block) & (BUCKETS - 1)
    node = tree.bucket[place]
    while node != NONE:
        if tree.block[node] == block and _same(tree.weight, tree.belief[node], belief, n):
            return node
        node = tree.next[node]
    return _new_node(search, block, place)


@kernel
def _new_node(search, block, place):
    """A node without vectors and points: its upper bound is the fast informed one, its lower one is yet to come."""
    model, tree, used = search.model, search.tree, search.used
    node, belief, action, n = used[NODES], used[WEIGHTS], used[ACTIONS], block_size(model, block)
    used[NODES] += 1
    used[WEIGHTS] += n
    tree.block[node], tree.belief[node], tree.action[node] = block, belief, action
    tree.support[node] = support_mask(tree.weight, belief, n)
    tree.best[node] = tree.seen_vector[node] = tree.seen_point[node] = tree.seen_corners[node] = NONE
    tree.seen_lift[node] = search.count[LIFTS]
    tree.next[node], tree.bucket[place] = tree.bucket[place], node
    highest = -np.inf
    for choice in range(model.choice[block], model.choice[block + 1]):
        informed = weighted_sum(search.informed, model.offset[choice], tree.weight, belief, n)
        highest = max(highest, informed)
        tree.Q_upper[action], tree.looked[action], tree.children[action] = informed, 0, NONE
        action += 1
    search.count[WORK] += n * (action - used[ACTIONS] + 2)
    used[ACTIONS] = action
    tree.V_lower[node], tree.V_upper[node] = -np.inf, highest
    return node


@kernel
def _hash(weight, belief, n, block):
    h = np.uint64(block) * _A
    for s in range(n):
        w = weight[belief + s]
        if w > 0:
            h = (h ^ (np.uint64(s + 1) * _B + np.uint64(np.int64(w * 1099511627776.0 + 0.5)))) * _A
            h ^= h >> np.uint64(29)
    return np.int64(h & np.uint64(0x7FFFFFFFFFFFFFFF))


@kernel
def _same(weight, one, other, n):
    """Whether two beliefs are one, but for rounding."""
    for s in range(n):
        if abs(weight[one + s] - weight[other + s]) > SAME * weight[one + s]:
            return False
    return True
