"""DESPOT on compiled rules (Ye, Somani, Hsu and Lee 2017), one trial after the other.

Algorithm 1's BUILDDESPOT is `build_despot`, Algorithm 3's EXPLORE `_explore`, whose NEXTBEST is `_best_branch` and
`_excess` (the weighted excess uncertainty E(b)), PRUNE and BLOCKED are `_prune` and `_blocked`, BACKUP is
`back_up_bounds`. Bounds are those of the regularised value: l and mu, and U and l0 of a node, discounted to the root
and divided by the number of scenarios.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.draws import mixed
from fogbound.compiled.kernel import ZERO, kernel

PARENT, DEPTH, BEGIN, COUNT, BRANCH, BRANCHES = range(6)  # of a row of `node`; BRANCH: -1 = a leaf
DEFAULT, LOWER, MU, UPPER = range(4)  # of a row of `bounds`: l0, l, mu, U
FIRST, CHILDREN, TRIES = range(3)  # of a row of `branch`
NODES, BRANCHED, HELD, STEPS, FULL = range(5)  # of `used`; FULL: 1 = there was no room to expand
SCENARIOS, DEEPEST, ACTION = range(3)  # of `choices`; ACTION: the default policy's, by its code
REGULARISATION, XI, EPSILON, DISCOUNT = range(4)  # of `numbers`
LEGAL_KEY = np.int64(5871781006564002453)


@dataclass(frozen=True, eq=False)
class DespotTree(Bundle):
    """Nodes are beliefs, branches their actions; the scenarios of a node lie side by side."""

    used: np.ndarray  # [5]
    node: np.ndarray  # [node, 6]
    bounds: np.ndarray  # [node, 4]
    branch: np.ndarray  # [branch, 3]
    reward: np.ndarray  # [branch] rho(b, a), less lambda
    scenario: np.ndarray  # [particle]
    state: np.ndarray  # [particle, width]


@dataclass(frozen=True, eq=False)
class DespotWalk(Bundle):
    """How to search, the random numbers of the scenarios, and room for one expansion."""

    choices: np.ndarray  # [3]
    numbers: np.ndarray  # [4]
    draws: np.ndarray  # [scenario, depth]
    fades: np.ndarray  # [depth] powers of the discount
    blind: np.ndarray  # [action, state] what repeating an action is worth, where states are numbers; else empty
    row: np.ndarray  # [width]
    actors: np.ndarray  # [player]
    legal: np.ndarray  # [action]
    joint: np.ndarray  # [1]
    places: np.ndarray  # [1]
    weights: np.ndarray  # [outcome]
    rewards: np.ndarray  # [1]
    seen: np.ndarray  # [1]
    worths: np.ndarray  # [action]
    sums: np.ndarray  # [action]
    offered: np.ndarray  # [action] the legal actions of the node that is expanded
    stepped: np.ndarray  # [scenario, width]
    shown: np.ndarray  # [scenario] the key of what is seen; 0 and `group` -1: over
    group: np.ndarray  # [scenario] the child by number
    keys: np.ndarray  # [scenario] keys of the children
    sizes: np.ndarray  # [scenario] of the children
    slots: np.ndarray  # [slots] a power of two: children by key, -1 = free
    memo: np.ndarray  # [slots, width] states whose default policy is sure
    known: np.ndarray  # [slots] 1 = its value is known
    worth: np.ndarray  # [slots]
    path: np.ndarray  # [depth, width] of the default policy
    paid: np.ndarray  # [depth]


@kernel
def build_despot(actors, legal, chances, follow, worths, rules, tree, walk, count):
    """BUILDDESPOT: up to `count` trials, until the gap is closed or there is no room. How many were made."""
    for done in range(count):
        if tree.node[0, BRANCH] >= 0 and bound_gap(tree) <= walk.numbers[EPSILON]:
            return done
        if not _explore(actors, legal, chances, follow, worths, rules, tree, walk):
            return done
    return count


@kernel
def bound_gap(tree):
    """How far the root's bounds lie apart."""
    return tree.bounds[0, MU] - tree.bounds[0, LOWER]


@kernel
def _explore(actors, legal, chances, follow, worths, rules, tree, walk):
    """EXPLORE one trial, then BACKUP; False where there is no room to expand."""
    node = ZERO
    while tree.node[node, DEPTH] < walk.choices[DEEPEST] and (node == 0 or _excess(tree, walk, node) > 0.0):
        if _prune(tree, walk, node):
            return True
        if tree.node[node, BRANCH] < 0 and not expand_scenarios(
            actors, legal, chances, follow, worths, rules, tree, walk, node
        ):
            return False
        branch = _best_branch(tree, node)
        tree.branch[branch, TRIES] += 1
        if tree.branch[branch, CHILDREN] == 0:
            break
        node = np.int64(tree.branch[branch, FIRST])
        for child in range(node + 1, node + tree.branch[branch, CHILDREN]):
            if _excess(tree, walk, child) > _excess(tree, walk, node):
                node = child
    back_up_bounds(tree, walk, node)
    return True


@kernel
def _excess(tree, walk, node):
    """E(b): how much of the gap lies here beyond its share of the target."""
    share = tree.node[node, COUNT] / walk.choices[SCENARIOS]
    return tree.bounds[node, MU] - tree.bounds[node, LOWER] - share * walk.numbers[XI] * bound_gap(tree)


@kernel
def branch_bound(tree, branch, bound):
    """rho(b, a) with a bound of the beliefs that follow."""
    total, first = tree.reward[branch], tree.branch[branch, FIRST]
    for child in range(first, first + tree.branch[branch, CHILDREN]):
        total += tree.bounds[child, bound]
    return total


@kernel
def _best_branch(tree, node):
    """The action of the highest upper bound mu."""
    first = np.int64(tree.node[node, BRANCH])
    favourite, best = first, branch_bound(tree, first, MU)
    for branch in range(first + 1, first + tree.node[node, BRANCHES]):
        upper = branch_bound(tree, branch, MU)
        if upper > best:
            favourite, best = branch, upper
    return favourite


@kernel
def _prune(tree, walk, node):
    """PRUNE: whether no policy through a node can be worth its size; then its default policy is all there is."""
    blocked = False
    while tree.node[node, PARENT] >= 0 and _blocked(tree, walk, node):
        bounds = tree.bounds[node]
        bounds[UPPER] = bounds[DEFAULT]
        bounds[MU] = bounds[DEFAULT]
        bounds[LOWER] = bounds[DEFAULT]
        node = np.int64(tree.node[node, PARENT])
        back_up_bounds(tree, walk, node)
        blocked = True
    return blocked


@kernel
def _blocked(tree, walk, node):
    """Whether an ancestor's gap is below the regularisation of the actions from there."""
    above, length = tree.node[node, PARENT], 1
    while above >= 0:
        if tree.bounds[above, UPPER] - tree.bounds[above, DEFAULT] <= walk.numbers[REGULARISATION] * length:
            return True
        above = tree.node[above, PARENT]
        length += 1
    return False


@kernel
def back_up_bounds(tree, walk, node):
    """BACKUP: the bounds of a node and of all above it."""
    at = np.int64(node)
    while at >= 0:
        first = tree.node[at, BRANCH]
        if first >= 0:
            lower, mu, upper = -np.inf, -np.inf, -np.inf
            for branch in range(first, first + tree.node[at, BRANCHES]):
                lower = max(lower, branch_bound(tree, branch, LOWER))
                mu = max(mu, branch_bound(tree, branch, MU))
                upper = max(upper, walk.numbers[REGULARISATION] + branch_bound(tree, branch, UPPER))
            bounds = tree.bounds[at]
            bounds[LOWER] = max(bounds[LOWER], max(bounds[DEFAULT], lower))
            bounds[MU] = max(bounds[DEFAULT], min(bounds[MU], mu))
            bounds[UPPER] = min(bounds[UPPER], upper)
        at = np.int64(tree.node[at, PARENT])


@kernel
def expand_scenarios(actors, legal, chances, follow, worths, rules, tree, walk, node):
    """Every action in every scenario of a leaf, and the beliefs that follow; False where there is no room."""
    begin, count = tree.node[node, BEGIN], tree.node[node, COUNT]
    size = legal(rules, tree.state[begin], 0, walk.offered)
    more = size * count
    if (
        tree.used[NODES] + more > len(tree.node)
        or tree.used[HELD] + more > len(tree.scenario)
        or tree.used[BRANCHED] + size > len(tree.branch)
    ):
        tree.used[FULL] = 1
        return False
    first, depth = tree.used[BRANCHED], tree.node[node, DEPTH]
    tree.used[BRANCHED] += size
    tree.node[node, BRANCH] = first
    tree.node[node, BRANCHES] = size
    for place in range(size):
        total = 0.0
        for k in range(count):
            scenario = tree.scenario[begin + k]
            copy_words(tree.state[begin + k], walk.row)
            step_scenario(chances, follow, rules, tree, walk, walk.offered[place], place, walk.draws[scenario, depth])
            total += walk.rewards[0]
            copy_words(walk.row, walk.stepped[k])
            walk.group[k] = -1 if actors(rules, walk.row, walk.actors) == 0 else 0
            if walk.group[k] == 0:
                walk.shown[k] = _shown_key(legal, rules, walk)
        branch = first + place
        tree.reward[branch] = walk.fades[depth] / walk.choices[SCENARIOS] * total - walk.numbers[REGULARISATION]
        tree.branch[branch, TRIES] = 0
        tree.branch[branch, FIRST] = tree.used[NODES]
        tree.branch[branch, CHILDREN] = _divide(tree, walk, node, begin, count)
        for child in range(tree.branch[branch, FIRST], tree.used[NODES]):
            set_bounds(actors, legal, chances, follow, worths, rules, tree, walk, child)
    return True


@kernel
def copy_words(row, to):
    """Copy a state."""
    for place in range(len(to)):
        to[place] = row[place]


@kernel
def step_scenario(chances, follow, rules, tree, walk, code, place, number):
    """One step of `walk.row`, decided by a number from 0 to 1; how many outcomes there were."""
    tree.used[STEPS] += 1
    walk.joint[0] = code
    walk.places[0] = place
    outcomes, outcome = chances(rules, walk.row, walk.joint, walk.places, walk.weights), ZERO
    while outcome < outcomes - 1 and number >= walk.weights[outcome]:
        number -= walk.weights[outcome]
        outcome += 1
    follow(rules, walk.row, walk.joint, walk.places, outcome, walk.rewards, walk.seen)
    return outcomes


@kernel
def _shown_key(legal, rules, walk):
    """A word for what is seen after a step: the observation, and which actions are offered."""
    key = walk.seen[0]
    for place in range(legal(rules, walk.row, 0, walk.legal)):
        key = key * LEGAL_KEY + walk.legal[place] + 1
    return mixed(key)


@kernel
def _divide(tree, walk, node, begin, count):
    """New nodes for the scenarios that stepped, by what is seen; how many."""
    children, mask = ZERO, len(walk.slots) - 1
    for k in range(count):
        if walk.group[k] >= 0:
            slot = walk.shown[k] & mask
            while walk.slots[slot] >= 0 and walk.keys[walk.slots[slot]] != walk.shown[k]:
                slot = (slot + 1) & mask
            if walk.slots[slot] < 0:
                walk.slots[slot] = children
                walk.keys[children] = walk.shown[k]
                walk.sizes[children] = 0
                children += 1
            walk.group[k] = walk.slots[slot]
            walk.sizes[walk.group[k]] += 1
    first = tree.used[NODES]
    for child in range(children):
        _add(tree, node, walk.sizes[child], tree.node[node, DEPTH] + 1)
        slot = walk.keys[child] & mask
        while walk.slots[slot] != child:
            slot = (slot + 1) & mask
        walk.keys[child] = slot
    for child in range(children):
        walk.slots[walk.keys[child]] = -1
        walk.sizes[child] = tree.node[first + child, BEGIN]
    for k in range(count):
        if walk.group[k] >= 0:
            place = walk.sizes[walk.group[k]]
            walk.sizes[walk.group[k]] += 1
            tree.scenario[place] = tree.scenario[begin + k]
            copy_words(walk.stepped[k], tree.state[place])
    return children


@kernel
def _add(tree, parent, count, depth):
    """A leaf for this many scenarios."""
    node = tree.used[NODES]
    row = tree.node[node]
    row[PARENT] = parent
    row[DEPTH] = depth
    row[BEGIN] = tree.used[HELD]
    row[COUNT] = count
    row[BRANCH] = -1
    row[BRANCHES] = 0
    tree.used[NODES] = node + 1
    tree.used[HELD] += count
    return node


@kernel
def begin_despot(tree, walk, rows, upto, start):
    """The root: initial states by systematic resampling."""
    for k in range(len(tree.used)):
        tree.used[k] = 0
    count = walk.choices[SCENARIOS]
    _add(tree, -1, count, 0)
    particle = 0
    for k in range(count):
        while upto[particle] <= (start + k) / count and particle < len(upto) - 1:
            particle += 1
        tree.scenario[k] = k
        copy_words(rows[particle], tree.state[k])


@kernel
def set_bounds(actors, legal, chances, follow, worths, rules, tree, walk, node):
    """The initial bounds of a leaf: QMDP's above, the default policy's below; at the greatest depth only the latter."""
    begin, count, depth = tree.node[node, BEGIN], tree.node[node, COUNT], tree.node[node, DEPTH]
    scale, size = walk.fades[depth] / walk.choices[SCENARIOS], ZERO
    for place in range(len(walk.sums)):
        walk.sums[place] = 0.0
    for k in range(begin, begin + count):
        size = worths(rules, tree.state[k], 0, walk.worths)
        for place in range(size):
            walk.sums[place] += walk.worths[place]
    best = walk.sums[0]
    for place in range(1, size):
        best = max(best, walk.sums[place])
    bounds = tree.bounds[node]
    bounds[DEFAULT] = scale * default_value(actors, legal, chances, follow, rules, tree, walk, begin, count, depth)
    bounds[LOWER] = bounds[DEFAULT]
    bounds[UPPER] = max(bounds[DEFAULT], scale * best)
    bounds[MU] = max(bounds[DEFAULT], bounds[UPPER] - walk.numbers[REGULARISATION])
    if depth >= walk.choices[DEEPEST]:
        bounds[UPPER] = bounds[DEFAULT]
        bounds[MU] = bounds[DEFAULT]


@kernel
def default_value(actors, legal, chances, follow, rules, tree, walk, begin, count, depth):
    """What the default policy brings in scenarios, added up: by values of states, or played out."""
    total = 0.0
    if len(walk.blind) == 0:
        for k in range(begin, begin + count):
            copy_words(tree.state[k], walk.row)
            total += _repeated(actors, legal, chances, follow, rules, tree, walk, tree.scenario[k], depth)
        return total
    total = -np.inf
    for action in range(len(walk.blind)):
        worth = 0.0
        for k in range(begin, begin + count):
            worth += walk.blind[action, tree.state[k, 0]]
        total = max(total, worth)
    return total


@kernel
def _repeated(actors, legal, chances, follow, rules, tree, walk, scenario, depth):
    """What repeating the default action brings from `walk.row` on; states from which that is sure are remembered."""
    total, scale, sure, steps, ended = 0.0, 1.0, True, 0, False
    while depth + steps < walk.choices[DEEPEST]:
        slot = memo_slot(walk, walk.row)
        if walk.known[slot] and _same(walk.memo[slot], walk.row):
            total += scale * walk.worth[slot]
            ended = True
            break
        copy_words(walk.row, walk.path[steps])
        place = default_place(legal, rules, walk)
        outcomes = step_scenario(
            chances, follow, rules, tree, walk, walk.legal[place], place, walk.draws[scenario, depth + steps]
        )
        sure = sure and outcomes == 1
        walk.paid[steps] = walk.rewards[0]
        total += scale * walk.rewards[0]
        scale *= walk.numbers[DISCOUNT]
        steps += 1
        if actors(rules, walk.row, walk.actors) == 0:
            ended = True
            break
    if sure and ended and steps > 0:
        _remember(walk, total, steps)
    return total


@kernel
def default_place(legal, rules, walk):
    """The place of the default action among the legal ones; the first where it is not legal."""
    for place in range(legal(rules, walk.row, 0, walk.legal)):
        if walk.legal[place] == walk.choices[ACTION]:
            return place
    return 0


@kernel
def _remember(walk, total, steps):
    """The value of every state of a path of the default policy that is sure."""
    for step in range(steps):
        slot = memo_slot(walk, walk.path[step])
        copy_words(walk.path[step], walk.memo[slot])
        walk.worth[slot] = total
        walk.known[slot] = 1
        total = (total - walk.paid[step]) / walk.numbers[DISCOUNT]


@kernel
def memo_slot(walk, row):
    """Where a state would be remembered."""
    key = ZERO
    for place in range(len(row)):
        key = mixed(key + row[place])
    return key & (len(walk.known) - 1)


@kernel
def _same(one, two):
    for place in range(len(one)):
        if one[place] != two[place]:
            return False
    return True


@kernel
def blind_value(actors, legal, chances, follow, rules, tree, walk, count):
    """What repeating the default action brings from the first states of the tree on, added up."""
    total = 0.0
    for slot in range(len(walk.known)):
        walk.known[slot] = 0
    for k in range(count):
        copy_words(tree.state[k], walk.row)
        total += _repeated(actors, legal, chances, follow, rules, tree, walk, k, 0)
    return total
