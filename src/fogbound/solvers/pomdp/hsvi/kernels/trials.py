"""Trials: from the start down to where the bounds are close enough, backing up on the way there and back.

HSVI (Smith and Simmons 2005): follow the action with the highest upper bound and the observation with the largest
excess, until the gap is below epsilon / discount^depth. SARSOP (Kurniawati, Hsu and Lee 2008): go on only while what
is found could still matter at the root, judged by targets that are passed down the path.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import NONE, kernel
from fogbound.solvers.pomdp.hsvi.kernels.backup import backup, outcomes
from fogbound.solvers.pomdp.hsvi.kernels.search_arrays import LIMIT_WORK, ROOT, WORK, has_room

HSVI_RULE, SARSOP_RULE = 0, 1
BEGIN, DOWN, UP = 0, 1, 2
DEEPEST = 10_000  # steps of a trial, at most


@dataclass(frozen=True, eq=False)
class Path(Bundle):
    """Where a trial stands, so that it can go on after the arrays have grown."""

    node: np.ndarray  # [DEEPEST] from the root down
    at: np.ndarray  # [2] BEGIN, DOWN or UP; and how deep
    asked: np.ndarray  # [3] at the deepest node: what the bounds would have to reach (L, U of SARSOP), the gap allowed


def new_path() -> Path:
    """A trial that has not begun."""
    return Path(np.zeros(DEEPEST, np.int64), np.array([BEGIN, 0]), np.zeros(3))


@kernel
def trial(search, path, rule, ratio, least):
    """One trial, down and back up. False: there was no room for another backup; make room and call again.

    It aims at a share `ratio` of the gap at the root; changes smaller than `least` are not noted down.
    """
    tree, way, depth = search.tree, path.at[0], path.at[1]
    low, high, slack = path.asked[0], path.asked[1], path.asked[2]
    if way == BEGIN:
        way, depth, path.node[0] = DOWN, 0, ROOT
        low = high = tree.V_lower[ROOT]
        slack = ratio * (tree.V_upper[ROOT] - tree.V_lower[ROOT])
    while depth >= 0:
        if not has_room(search):
            path.at[0], path.at[1] = way, depth
            path.asked[0], path.asked[1], path.asked[2] = low, high, slack
            return False
        node = path.node[depth]
        k = backup(search, node, least)
        if way == DOWN:
            lower, gap = tree.V_lower[node], tree.V_upper[node] - tree.V_lower[node]
            goes_on = tree.goes_on[tree.action[node] + k]  # what is lost to the discount and to endings needs no care
            low = max(low, lower)
            high = max(high, low + slack)
            enough = slack if rule == HSVI_RULE else max(high, lower + slack) - lower
            spare = slack / goes_on if rule == HSVI_RULE and goes_on > 0 else 0.0
            c = _most_uncertain(search, node, k, spare)
            worthwhile = search.count[WORK] < 4 * search.count[LIMIT_WORK]
            if gap > enough and c != NONE and depth + 1 < DEEPEST and worthwhile:
                low = _target(search, node, k, c, tree.reward_lower, tree.V_lower, low)
                high = _target(search, node, k, c, tree.reward_upper, tree.V_upper, high)
                slack /= goes_on
                depth += 1
                path.node[depth] = tree.child[c]
                continue
            way = UP
        depth -= 1
    path.at[0] = BEGIN
    return True


@kernel
def _most_uncertain(search, node, k, slack):
    """Of the children of action k, the one whose gap beyond `slack` weighs most; -1 when none is beyond it."""
    tree = search.tree
    first = tree.children[tree.action[node] + k]
    best, most = NONE, 0.0
    for c in range(first, first + outcomes(search, node, k)):
        child = tree.child[c]
        if child != NONE:
            excess = tree.child_weight[c] * (tree.V_upper[child] - tree.V_lower[child] - slack)
            if excess > most:
                best, most = c, excess
    return best


@kernel
def _target(search, node, k, chosen, reward, V, wanted):
    """What the chosen child would have to reach for action k to earn `wanted`, the others being as they are."""
    tree, action = search.tree, search.tree.action[node] + k
    rest, first = wanted - reward[action], tree.children[action]
    for c in range(first, first + outcomes(search, node, k)):
        if tree.child[c] != NONE and c != chosen:
            rest -= tree.child_weight[c] * V[tree.child[c]]
    return rest / tree.child_weight[chosen]
