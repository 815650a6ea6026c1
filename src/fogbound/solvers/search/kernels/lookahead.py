"""AEMS2 on beliefs that are held once: look into the belief that most of the gap at the root comes from.

Ross and Chaib-draa, "AEMS: an anytime online search algorithm for approximate policy refinement in large POMDPs"
(2007); Ross, Pineau, Paquet and Chaib-draa, "Online planning algorithms for POMDPs" (2008), section 4.2. A belief that
was not looked into contributes its own gap, weighted by the discount and by how likely it is while at every belief the
action with the highest upper bound is taken. What the urgency of a belief is follows from that of its children, so the
largest contribution is found by going down, and kept true by going back up. The paper's tree is a graph here: where
two ways lead to one belief it is looked into once, and the way that was not taken learns of it when it is next walked.
A way that comes back to where it was is as urgent as what it comes back to, discounted; so it is walked again whenever
what is urgent elsewhere has become less, and that carries the bounds round. What is left when nothing is urgent any
more is for sweeps over all beliefs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import NONE, kernel
from fogbound.solvers.pomdp.hsvi.kernels.backup import action_bound, best_lower, best_upper, update_action_bound
from fogbound.solvers.pomdp.hsvi.kernels.belief_tree import BACKUPS, NODES, ROOT, has_room, legal_actions, outcome_count

SETTLED, FULL, SPENT = 0, 1, 2  # why a search pauses: nothing to gain, no room in the arrays, as far as was asked
DEEPEST = 10_000  # beliefs on the way down, at most
WORTHWHILE = 1e-4  # a sweep that takes away less of the gap is the last


@dataclass(frozen=True, eq=False)
class Frontier(Bundle):
    """What the search knows of each belief beside its bounds; [nodes] as in the tree."""

    urgency: np.ndarray  # [nodes] the largest contribution to its gap by a belief that was not looked into
    promising: np.ndarray  # [nodes] the action with the highest upper bound; -1: not looked into
    sure: np.ndarray  # [nodes] the action that the lower bound stands for; -1: that of a vector
    passed: np.ndarray  # [nodes] whether it is on the way down
    path: np.ndarray  # [DEEPEST] the way down
    count: np.ndarray  # [1] nodes that are known here


@kernel
def expand_urgent(search, frontier, most, ways, enough):
    """Look into urgent beliefs until there are `most`, at most `ways` times, or until nothing is gained any more."""
    tree = search.tree
    _welcome(search, frontier)
    for _ in range(ways):
        gap = tree.V_upper[ROOT] - tree.V_lower[ROOT]
        if gap <= enough:
            return SETTLED
        if search.used[NODES] >= most:
            return SPENT
        sweeps = frontier.urgency[ROOT] <= enough
        if not (_sweep(search, frontier) if sweeps else _down_and_up(search, frontier)):
            return FULL
        if sweeps and tree.V_upper[ROOT] - tree.V_lower[ROOT] > (1 - WORTHWHILE) * gap:
            return SETTLED
    return SPENT


@kernel
def _sweep(search, frontier):
    """Back up every belief that was looked into, the latest first. False: there was no room for that."""
    for node in range(frontier.count[0] - 1, -1, -1):
        if frontier.promising[node] != NONE:
            if not roomy(search, frontier):
                return False
            back_up_belief(search, frontier, node)
    return True


@kernel
def roomy(search, frontier):
    """Whether there is room for another backup."""
    return has_room(search) and search.used[NODES] + search.room[NODES] <= len(frontier.passed)


@kernel
def _welcome(search, frontier):
    """Beliefs that are new: nobody has looked into them, so all of their gap is open."""
    tree = search.tree
    for node in range(frontier.count[0], search.used[NODES]):
        frontier.urgency[node] = max(0.0, tree.V_upper[node] - tree.V_lower[node])
        frontier.promising[node] = frontier.sure[node] = NONE
        frontier.passed[node] = 0
    frontier.count[0] = search.used[NODES]


@kernel
def _down_and_up(search, frontier):
    """To the most urgent belief, look into it, and tell all on the way back. False: there was no room for that."""
    path, passed, depth, node = frontier.path, frontier.passed, 0, np.int64(ROOT)
    path[0], passed[node] = node, 1
    while frontier.promising[node] != NONE and depth + 1 < DEEPEST:
        node, _ = _most_urgent(search, frontier, node)
        if node == NONE or passed[node]:
            break
        depth += 1
        path[depth], passed[node] = node, 1
    fits = True
    while depth >= 0:
        fits = fits and roomy(search, frontier)
        if fits:
            back_up_belief(search, frontier, path[depth])
        passed[path[depth]] = 0
        depth -= 1
    return fits


@kernel
def _most_urgent(search, frontier, node):
    """The child of the promising action that contributes most, and how much."""
    tree, k = search.tree, frontier.promising[node]
    first, child, most = tree.children[tree.action[node] + k], NONE, 0.0
    for c in range(first, first + outcome_count(search, node, k)):
        if tree.child[c] != NONE:
            urgency = tree.child_weight[c] * frontier.urgency[tree.child[c]]
            if urgency > most:
                child, most = tree.child[c], urgency
    return child, most


@kernel
def back_up_belief(search, frontier, node):
    """Both bounds from what follows, and how urgent that is. Actions are looked at while they promise most."""
    tree = search.tree
    search.count[BACKUPS] += 1
    promising = best_upper(search, node, 0.0)
    tree.V_upper[node] = min(tree.V_upper[node], tree.Q_upper[tree.action[node] + promising])
    k, lower = best_lower(search, node)
    if lower > tree.V_lower[node]:
        tree.V_lower[node], frontier.sure[node] = lower, k
    _welcome(search, frontier)
    frontier.promising[node] = promising
    _, urgency = _most_urgent(search, frontier, node)
    frontier.urgency[node] = urgency if tree.V_upper[node] > tree.V_lower[node] else 0.0


@kernel
def all_actions(search, lower, upper):
    """Fill the bounds [actions] of everything that can be done at the root; there must be room for a backup."""
    tree, root = search.tree, np.int64(ROOT)
    search.count[BACKUPS] += 1
    for k in range(legal_actions(search, root)):
        update_action_bound(search, root, k, 0.0)
        upper[k] = tree.Q_upper[tree.action[root] + k]
        lower[k] = action_bound(search, root, k, tree.reward_lower, tree.V_lower)
