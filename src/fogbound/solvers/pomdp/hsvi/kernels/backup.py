"""Expanding a belief and backing it up: both bounds improved where the search stands."""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import NONE, kernel
from fogbound.solvers.pomdp.hsvi.kernels.bounds import (
    add_point,
    add_vector,
    carry_back,
    dot,
    entries,
    kept,
    prune_points,
    refresh,
    support_mask,
)
from fogbound.solvers.pomdp.hsvi.kernels.search_arrays import (
    ACTIONS,
    BACKUPS,
    BUCKETS,
    CHILDREN,
    LIFTS,
    NODES,
    SUCCESSORS,
    VALUES,
    VECTORS,
    WEIGHTS,
    WORK,
)
from fogbound.solvers.pomdp.kernels.block_model import block_size

BACKUP_WORK = 50  # what a backup costs that changes nothing
SAME = 1e-11  # beliefs no further apart than this, relative to each weight, are one
FAINT, RARE = 1e-2, 1e-6  # states that matter less than this share of what is noted down are left out of a belief
_A, _B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


@kernel
def backup(search, node, least):
    """Improve both bounds at a node; changes below `least` are not worth a vector or a point. The best action."""
    tree, vectors, points = search.tree, search.vectors, search.points
    search.count[BACKUPS] += 1
    search.count[WORK] += BACKUP_WORK
    refresh(search, node)
    block = tree.block[node]
    chosen = best_upper(search, node, least)
    upper = tree.Q_upper[tree.action[node] + chosen]
    if upper < tree.V_upper[node] - least:  # smaller gains wait until they add up: what no point records proves nothing
        tree.V_upper[node] = upper
        add_point(search, node, upper)
        if points.count[block] > 32 + 2 * points.pruned[block]:
            prune_points(search, block)
    k, lower = best_lower(search, node)
    if lower > tree.V_lower[node] + least:
        vector = make_vector(search, node, k)
        n = block_size(search.model, block)
        value = dot(vectors.value, vectors.alpha[vector], tree.weight, tree.belief[node], n)
        if value > tree.V_lower[node]:
            tree.V_lower[node] = value
            tree.best[node] = vector
    return chosen


@kernel
def best_upper(search, node, least):
    """The action with the highest upper bound, looked at afresh; others are expanded only when they ask for it."""
    tree, actions, many = search.tree, search.tree.action[node], legal_actions(search, node)
    while True:
        best = np.int64(0)
        for k in range(1, many):
            if tree.Q_upper[actions + k] > tree.Q_upper[actions + best]:
                best = k
        if tree.looked[actions + best] == search.count[BACKUPS]:
            return best
        update_action_bound(search, node, best, least)


@kernel
def best_lower(search, node):
    """The expanded action with the highest lower bound, and that bound."""
    tree, actions = search.tree, search.tree.action[node]
    best, highest = np.int64(0), -np.inf
    for k in range(legal_actions(search, node)):
        if tree.children[actions + k] != NONE:
            q = expected(search, node, k, tree.reward_lower, tree.V_lower)
            if q > highest:
                best, highest = k, q
    return best, highest


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
def expected(search, node, k, reward, V):
    """Q(b, a) by one of the bounds: its reward [actions], and its V [nodes] at the children, weighted."""
    tree, action = search.tree, search.tree.action[node] + k
    total, first = reward[action], tree.children[action]
    for c in range(first, first + outcomes(search, node, k)):
        if tree.child[c] != NONE:
            total += tree.child_weight[c] * V[tree.child[c]]
    return total


@kernel
def update_action_bound(search, node, k, least):
    """What action k earns at most at a node, with its children up to date."""
    tree, action = search.tree, search.tree.action[node] + k
    if tree.children[action] == NONE:
        expand(search, node, k, least)
    first = tree.children[action]
    for c in range(first, first + outcomes(search, node, k)):
        if tree.child[c] != NONE:
            refresh(search, tree.child[c])
    tree.looked[action] = search.count[BACKUPS]
    tree.Q_upper[action] = min(tree.Q_upper[action], expected(search, node, k, tree.reward_upper, tree.V_upper))


@kernel
def make_vector(search, node, k):
    """The vector that starts with action k and goes on with the best vector of each child (Sondik's backup)."""
    model, tree, vectors, used = search.model, search.tree, search.vectors, search.used
    block = tree.block[node]
    n, choice = block_size(model, block), model.choice[block] + k
    vector, alpha, successors = used[VECTORS], used[VALUES], used[SUCCESSORS]
    used[VECTORS] += 1
    used[VALUES] += n
    used[SUCCESSORS] += outcomes(search, node, k)
    vectors.alpha[vector], vectors.choice[vector], vectors.successors[vector] = alpha, choice, successors
    for s in range(n):
        vectors.value[alpha + s] = model.reward[model.offset[choice] + s]
    children = tree.children[tree.action[node] + k]
    for j in range(outcomes(search, node, k)):
        outcome, child = model.outcome[choice] + j, tree.child[children + j]
        after = kept(vectors, tree.best[child]) if child != NONE else vectors.default[model.target[outcome]]
        vectors.successor[successors + j] = after
        carry_back(model, outcome, vectors.value, vectors.alpha[after], n, vectors.value, alpha)
        search.count[WORK] += entries(model, outcome, n) + n
    add_vector(search, block, vector)
    return vector


# The tree: which beliefs an action leads to, and a node for each of them.


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
    """The node of the belief at the end of the tree's weights; made, with its first bounds, when it is new."""
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
    refresh(search, node)
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
