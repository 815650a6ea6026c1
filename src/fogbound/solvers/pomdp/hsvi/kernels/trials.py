"""SAMPLE: a path of beliefs from the start to where the bounds are close enough, backed up on the way there and back.

SARSOP (Kurniawati, Hsu and Lee 2008, Algorithm 3) goes on only while what is found could still matter at the root,
judged by targets L and U that are passed down the path. HSVI (Smith and Simmons 2005) follows the same action and the
observation with the largest excess, until the gap is below gamma^-t epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import NONE, kernel
from fogbound.solvers.pomdp.hsvi.kernels.backup import backup
from fogbound.solvers.pomdp.hsvi.kernels.belief_tree import LIMIT_WORK, ROOT, WORK, has_room, outcome_count

HSVI_RULE, SARSOP_RULE = 0, 1
BEGIN, DOWN, UP = 0, 1, 2
DONE, ROOM, PAUSE = 0, 1, 2  # how a call ends: the trial is over, there is no room for a backup, its work is done
DEEPEST = 10_000  # steps of a trial, at most


@dataclass(frozen=True, eq=False)
class Path(Bundle):
    """Where a trial stands, so that it can go on after the arrays have grown, or somebody looked at the clock."""

    node: np.ndarray  # [DEEPEST] from the root down
    at: np.ndarray  # [3] BEGIN, DOWN or UP; how deep; and the search's WORK at which it pauses
    target: np.ndarray  # [3] at the deepest node: L, U and gamma^-t epsilon


def new_path() -> Path:
    """A trial that has not begun."""
    return Path(np.zeros(DEEPEST, np.int64), np.array([BEGIN, 0, 0]), np.zeros(3))


@kernel
def run_trial(search, path, rule, share, least):
    """SAMPLE a path and BACKUP its beliefs. Call again, with more ROOM or after a PAUSE, until it is DONE.

    It aims at an epsilon that is a `share` of the gap at the root; changes below `least` are not noted down.
    """
    if path.at[0] != UP:
        status = sample(search, path, rule, share, least)
        if status != DONE:
            return status
    return back_up_path(search, path, least)


@kernel
def _next_backup(search, path):
    """DONE where there are room and time for the next backup, else what is missing."""
    if not has_room(search):
        return ROOM
    return PAUSE if search.count[WORK] >= path.at[2] else DONE


@kernel
def sample(search, path, rule, share, least):
    """SAMPLEPOINTS: follow the best upper bound, and the observation behind which the gap weighs most."""
    tree, depth = search.tree, path.at[1]
    L, U, epsilon = path.target[0], path.target[1], path.target[2]  # epsilon: gamma^-t epsilon
    if path.at[0] == BEGIN:
        depth, path.node[0] = 0, ROOT
        L = U = tree.V_lower[ROOT]
        epsilon = share * (tree.V_upper[ROOT] - tree.V_lower[ROOT])
    while True:
        status = _next_backup(search, path)
        if status != DONE:
            path.at[0], path.at[1] = DOWN, depth
            path.target[0], path.target[1], path.target[2] = L, U, epsilon
            return status
        b = path.node[depth]
        a = backup(search, b, least)
        lower, gap = tree.V_lower[b], tree.V_upper[b] - tree.V_lower[b]
        gamma = tree.goes_on[tree.action[b] + a]  # what is lost to the discount and to endings needs no care
        L = max(L, lower)
        U = max(U, L + epsilon)
        enough = epsilon if rule == HSVI_RULE else max(U, lower + epsilon) - lower
        spare = epsilon / gamma if rule == HSVI_RULE and gamma > 0 else 0.0
        o = _widest_gap(search, b, a, spare)
        worthwhile = search.count[WORK] < 4 * search.count[LIMIT_WORK]
        if not gap > enough or o == NONE or depth + 1 >= DEEPEST or not worthwhile:
            path.at[0], path.at[1] = UP, depth - 1
            return DONE
        L = _target(search, b, a, o, tree.reward_lower, tree.V_lower, L)
        U = _target(search, b, a, o, tree.reward_upper, tree.V_upper, U)
        epsilon /= gamma
        depth += 1
        path.node[depth] = tree.child[o]


@kernel
def back_up_path(search, path, least):
    """BACKUP the beliefs of a path above the last one, from the deepest to the root."""
    while path.at[1] >= 0:
        status = _next_backup(search, path)
        if status != DONE:
            return status
        backup(search, path.node[path.at[1]], least)
        path.at[1] -= 1
    path.at[0] = BEGIN
    return DONE


@kernel
def _widest_gap(search, b, a, spare):
    """The child of action a whose gap beyond `spare` weighs most, p(o|b, a) (V_upper - V_lower); -1: none is beyond."""
    tree = search.tree
    first = tree.children[tree.action[b] + a]
    best, most = NONE, 0.0
    for c in range(first, first + outcome_count(search, b, a)):
        child = tree.child[c]
        if child != NONE:
            excess = tree.child_weight[c] * (tree.V_upper[child] - tree.V_lower[child] - spare)
            if excess > most:
                best, most = c, excess
    return best


@kernel
def _target(search, b, a, chosen, reward, V, wanted):
    """What the chosen child would have to reach for action a to earn `wanted`, the others being as they are."""
    tree, action = search.tree, search.tree.action[b] + a
    rest, first = wanted - reward[action], tree.children[action]
    for c in range(first, first + outcome_count(search, b, a)):
        if tree.child[c] != NONE and c != chosen:
            rest -= tree.child_weight[c] * V[tree.child[c]]
    return rest / tree.child_weight[chosen]
