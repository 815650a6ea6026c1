"""The tree of beliefs T_R: tau(b, a, o) by Bayes' rule, and one node for each belief, however it is reached."""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import NONE, kernel
from fogbound.solvers.pomdp.hsvi.kernels.search_arrays import (
    ACTIONS,
    BUCKETS,
    CHILDREN,
    LIFTS,
    NODES,
    WEIGHTS,
    WORK,
)
from fogbound.solvers.pomdp.kernels.block_model import block_size

SAME = 1e-11  # beliefs no further apart than this, relative to each weight, are one
FAINT, RARE = 1e-2, 1e-6  # states that matter less than this share of what is noted down are left out of a belief
_A, _B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


@kernel(fastmath={"reassoc"})
def dot(x, a, y, b, n):
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
def outcomes(search, node, k):
    """How many outcomes, and so children, action k of a node has."""
    choice = search.model.choice[search.tree.block[node]] + k
    return search.model.outcome[choice + 1] - search.model.outcome[choice]


@kernel
def expand(search, node, k, least):
    """Bayes' rule: the beliefs that action k leads to, one for each observation that can follow.

    States so unlikely that they cannot matter are left out, so that near-certainty becomes certainty; their share
    is bounded by their corners above and by a vector below, not forgotten.
    """
    model, tree, used = search.model, search.tree, search.used
    vectors, corner = search.vectors, search.points.corner
    action, block, belief = tree.action[node] + k, tree.block[node], tree.belief[node]
    n, choice, children = block_size(model, block), model.choice[block] + k, used[CHILDREN]
    used[CHILDREN] += outcomes(search, node, k)
    tree.children[action] = children
    reward = dot(model.reward, model.offset[choice], tree.weight, belief, n)
    lower, upper, goes_on = reward, reward, 0.0
    faint = min(RARE, FAINT * least / search.value_range[0])
    for j in range(outcomes(search, node, k)):
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
        informed = dot(search.informed, model.offset[choice], tree.weight, belief, n)
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
