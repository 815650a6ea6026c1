"""BACKUP: both bounds improved at a belief, how they are read there, and how vectors and points are pruned.

The lower bound at b is the highest alpha vector of Gamma, the upper one the sawtooth of Upsilon (Hauskrecht 2000). A
node looks only at what is newer than its last look. A vector that another one nowhere exceeds leaves its list when that
one comes (PRUNE of Gamma); points that the others make superfluous leave when a list has doubled (PRUNE of Upsilon).
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import NONE, kernel
from fogbound.solvers.pomdp.hsvi.kernels.belief_tree import (
    BACKUPS,
    LIFTED_AT,
    LIFTS,
    POINTS,
    SUCCESSORS,
    SUPPORTS,
    VALUES,
    VECTORS,
    WEIGHTS,
    WORK,
    expand_action,
    legal_actions,
    outcome_count,
    weighted_sum,
)
from fogbound.solvers.pomdp.kernels import block_size

FIRST = np.int64(0)  # typed, since a literal as an argument is compiled as a type of its own
BACKUP_WORK = 50  # what a backup costs that changes nothing


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
        value = weighted_sum(vectors.value, vectors.alpha[vector], tree.weight, tree.belief[node], n)
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
            q = action_bound(search, node, k, tree.reward_lower, tree.V_lower)
            if q > highest:
                best, highest = k, q
    return best, highest


@kernel
def action_bound(search, node, k, reward, V):
    """Q(b, a) by one of the bounds: its reward [actions], and its V [nodes] at the children, weighted."""
    tree, action = search.tree, search.tree.action[node] + k
    total, first = reward[action], tree.children[action]
    for c in range(first, first + outcome_count(search, node, k)):
        if tree.child[c] != NONE:
            total += tree.child_weight[c] * V[tree.child[c]]
    return total


@kernel
def update_action_bound(search, node, k, least):
    """What action k earns at most at a node, with its children up to date."""
    tree, action = search.tree, search.tree.action[node] + k
    if tree.children[action] == NONE:
        expand_action(search, node, k, least)
    first = tree.children[action]
    for c in range(first, first + outcome_count(search, node, k)):
        if tree.child[c] != NONE:
            refresh(search, tree.child[c])
    tree.looked[action] = search.count[BACKUPS]
    tree.Q_upper[action] = min(tree.Q_upper[action], action_bound(search, node, k, tree.reward_upper, tree.V_upper))


@kernel
def make_vector(search, node, k):
    """The vector that starts with action k and goes on with the best vector of each child (Sondik's backup)."""
    model, tree, vectors, used = search.model, search.tree, search.vectors, search.used
    block = tree.block[node]
    n, choice = block_size(model, block), model.choice[block] + k
    vector, alpha, successors = used[VECTORS], used[VALUES], used[SUCCESSORS]
    used[VECTORS] += 1
    used[VALUES] += n
    used[SUCCESSORS] += outcome_count(search, node, k)
    vectors.alpha[vector], vectors.choice[vector], vectors.successors[vector] = alpha, choice, successors
    for s in range(n):
        vectors.value[alpha + s] = model.reward[model.offset[choice] + s]
    children = tree.children[tree.action[node] + k]
    for j in range(outcome_count(search, node, k)):
        outcome, child = model.outcome[choice] + j, tree.child[children + j]
        after = current(vectors, tree.best[child]) if child != NONE else vectors.default[model.target[outcome]]
        vectors.successor[successors + j] = after
        carry_back(model, outcome, vectors.value, vectors.alpha[after], n, vectors.value, alpha)
        search.count[WORK] += _entries(model, outcome, n) + n
    add_vector(search, block, vector)
    return vector


@kernel
def refresh(search, node):
    """Both bounds of a node, up to date."""
    raise_lower(search, node)
    lower_upper(search, node)


@kernel
def raise_lower(search, node):
    """Let a node know the vectors that are newer than its last look."""
    tree, vectors, count = search.tree, search.vectors, search.count
    n, belief = block_size(search.model, tree.block[node]), tree.belief[node]
    if tree.seen_lift[node] != count[LIFTS]:
        tree.seen_lift[node] = count[LIFTS]
        best = current(vectors, tree.best[node])
        tree.best[node] = best
        value = weighted_sum(vectors.value, vectors.alpha[best], tree.weight, belief, n)
        tree.V_lower[node] = max(tree.V_lower[node], value)
    vector, last = vectors.newest[tree.block[node]], tree.seen_vector[node]
    if vector > last:
        tree.seen_vector[node] = vector
        highest = tree.V_lower[node]
        while vector > last:
            value = weighted_sum(vectors.value, vectors.alpha[vector], tree.weight, belief, n)
            if value > highest:
                highest = value
                tree.best[node] = vector
            count[WORK] += n
            vector = vectors.older[vector]
        tree.V_lower[node] = highest


@kernel
def lower_upper(search, node):
    """Let a node know the points that are newer than its last look."""
    tree, points = search.tree, search.points
    block = tree.block[node]
    newest, version = points.newest[block], points.version[block]
    if newest > tree.seen_point[node] or version != tree.seen_corners[node]:
        last = tree.seen_point[node] if version == tree.seen_corners[node] else NONE
        upper = sawtooth_bound(search, block, tree.belief[node], tree.support[node], last)
        if upper < tree.V_upper[node]:
            tree.V_upper[node] = upper
        tree.seen_point[node] = newest
        tree.seen_corners[node] = version


@kernel
def sawtooth_bound(search, block, belief, mask, last):
    """The sawtooth bound of points newer than `last` (Hauskrecht 2000): corners, less the best excess.

    `belief` is where its weights begin in the tree's, `mask` has 64 bits for its support.
    """
    model, points, weight = search.model, search.points, search.tree.weight
    best = 0.0
    point = points.newest[block]
    while point > last:
        excess = points.excess[point]
        search.count[WORK] += 4
        if excess < best and (points.mask[point] & ~mask) == 0:
            enough = best / excess
            share = 1.0
            for i in range(points.support[point], points.support[point + 1]):
                ratio = weight[belief + points.state[i]] / points.weight[i]
                if ratio < share:
                    share = ratio
                    if share <= enough:
                        break
            if share > enough:
                best = excess * share
        point = points.older[point]
    return weighted_sum(points.corner, model.first[block], weight, belief, block_size(model, block)) + best


@kernel
def current(vectors, vector):
    """The vector itself, or what replaced it (it is at least as high everywhere)."""
    while vectors.replaced[vector] != NONE:
        vector = vectors.replaced[vector]
    return vector


@kernel
def carry_back(model, outcome, value, alpha, n, into, at):
    """Add to each of n states what it earns by one outcome that goes on with the vector whose values begin at alpha."""
    starts = model.begin[outcome]
    for s in range(n):
        total = 0.0
        for e in range(model.start[starts + s], model.start[starts + s + 1]):
            total += model.weight[e] * value[alpha + model.to[e]]
        into[at + s] += total


@kernel
def _entries(model, outcome, n):
    """How many entries an outcome has, from a block of n states."""
    return model.start[model.begin[outcome] + n] - model.start[model.begin[outcome]]


@kernel
def add_vector(search, block, vector):
    """Enter a vector into its block's list; vectors below it everywhere leave the list for it."""
    vectors = search.vectors
    value, alpha, n = vectors.value, vectors.alpha[vector], block_size(search.model, block)
    vectors.older[vector] = vectors.newest[block]
    vectors.replaced[vector] = NONE
    vectors.newest[block] = vector
    vectors.count[block] += 1
    default = vectors.default[block]
    if default == NONE or _sum(value, alpha, n) > _sum(value, vectors.alpha[default], n):
        vectors.default[block] = vector
    before, older = vector, vectors.older[vector]
    while older != NONE:
        search.count[WORK] += 4
        after = vectors.older[older]
        if _nowhere_above(value, vectors.alpha[older], alpha, n):
            vectors.older[before] = after
            vectors.replaced[older] = vector
            vectors.count[block] -= 1
            if vectors.default[block] == older:
                vectors.default[block] = vector
        else:
            before = older
        older = after


@kernel
def _sum(value, at, n):
    total = 0.0
    for s in range(n):
        total += value[at + s]
    return total


@kernel
def _nowhere_above(value, one, other, n):
    for s in range(n):
        if value[one + s] > value[other + s]:
            return False
    return True


@kernel
def add_point(search, node, value):
    """Enter (belief, value) into the upper bound of the node's block."""
    model, tree, points, used = search.model, search.tree, search.points, search.used
    block, belief = tree.block[node], tree.belief[node]
    n, point, begin = block_size(model, block), used[POINTS], used[SUPPORTS]
    end = begin
    for s in range(n):
        weight = tree.weight[belief + s]
        if weight > 0:
            at = end
            while at > begin and points.weight[at - 1] < weight:  # largest first: the likeliest to rule the point out
                points.weight[at] = points.weight[at - 1]
                points.state[at] = points.state[at - 1]
                at -= 1
            points.weight[at] = weight
            points.state[at] = s
            end += 1
    if end == begin + 1:
        lower_corner(search, block, points.state[begin], value)
        return
    points.value[point] = value
    points.excess[point] = value - weighted_sum(points.corner, model.first[block], tree.weight, belief, n)
    points.older[point] = points.newest[block]
    points.mask[point] = tree.support[node]
    points.support[point] = begin
    points.support[point + 1] = end
    points.newest[block] = point
    points.count[block] += 1
    used[POINTS] += 1
    used[SUPPORTS] = end


@kernel
def lower_corner(search, block, state, value):
    """A corner's value falls: every point's excess over the corners shrinks with it."""
    points, corner = search.points, search.model.first[block] + state
    drop = points.corner[corner] - value
    points.corner[corner] = value
    points.version[block] += 1
    point = points.newest[block]
    while point != NONE:
        for i in range(points.support[point], points.support[point + 1]):
            if points.state[i] == state:
                points.excess[point] += drop * points.weight[i]
        point = points.older[point]


@kernel
def prune_points(search, block):
    """Drop points that the others make superfluous. What is left of the tree's weights has room for one belief."""
    tree, points, belief = search.tree, search.points, search.used[WEIGHTS]
    before, point = NONE, points.newest[block]
    for s in range(block_size(search.model, block)):
        tree.weight[belief + s] = 0.0
    while point != NONE:
        begin, end, after = points.support[point], points.support[point + 1], points.older[point]
        own = points.excess[point]
        points.excess[point] = 0.0  # out of its own way
        for i in range(begin, end):
            tree.weight[belief + points.state[i]] = points.weight[i]
        others = sawtooth_bound(search, block, belief, points.mask[point], NONE)
        for i in range(begin, end):
            tree.weight[belief + points.state[i]] = 0.0
        if own >= 0 or others <= points.value[point]:
            if before == NONE:
                points.newest[block] = after
            else:
                points.older[before] = after
            points.count[block] -= 1
        else:
            points.excess[point] = own
            before = point
        point = after
    points.pruned[block] = points.count[block]


@kernel
def evaluate_vectors(search, blocks):
    """Evaluate all vectors once more as the plan they are: their successors may have risen or been replaced since.

    A sweep of policy evaluation (Hansen 1998) over the recorded backups, oldest first; vectors can only rise.
    """
    model, vectors, count = search.model, search.vectors, search.count
    for block in range(blocks):
        n = block_size(model, block)
        raised = np.empty(n)
        for vector in _oldest_first(vectors, block):
            choice, alpha = vectors.choice[vector], vectors.alpha[vector]
            for s in range(n):
                raised[s] = model.reward[model.offset[choice] + s]
            successor = vectors.successors[vector]
            for outcome in range(model.outcome[choice], model.outcome[choice + 1]):
                after = current(vectors, vectors.successor[successor])
                vectors.successor[successor] = after
                carry_back(model, outcome, vectors.value, vectors.alpha[after], n, raised, FIRST)
                count[WORK] += _entries(model, outcome, n) + n
                successor += 1
            for s in range(n):
                vectors.value[alpha + s] = max(vectors.value[alpha + s], raised[s])
    count[LIFTS] += 1
    count[LIFTED_AT] = search.used[VECTORS]


@kernel
def _oldest_first(vectors, block):
    count = vectors.count[block]
    order = np.empty(count, np.int64)
    vector = vectors.newest[block]
    for k in range(count - 1, -1, -1):
        order[k] = vector
        vector = vectors.older[vector]
    return order
