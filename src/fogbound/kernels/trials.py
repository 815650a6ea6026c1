"""Trials: from the start down to where the bounds are close enough, backing up on the way there and back.

HSVI (Smith and Simmons 2005): follow the action with the highest upper bound and the observation with the largest
excess, until the gap is below epsilon / discount^depth. SARSOP (Kurniawati, Hsu and Lee 2008): go on only while what
is found could still matter at the root, judged by targets that are passed down the path.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fogbound.kernels.arena import *  # noqa: F403
from fogbound.kernels.backup import backup
from fogbound.kernels.bounds import lift, refresh

HSVI, SARSOP = 0, 1
DONE, FULL, SPENT = 0, 1, 2
FINEST = 12
LIFT_AFTER, LIFT_GROWTH = 20, 1.1  # planes are evaluated again when there are so many more of them


@njit(cache=True)
def _child(M, I, F, node, k, slack):
    """Of the children of action k, the one whose gap beyond `slack` weighs most; -1 when none is beyond it."""
    record = M[BLOCKS_AT] + I[node + BLOCK] * BLOCK_RECORD
    slot = M[SLOTS_AT] + (M[record + FIRST_SLOT] + k) * SLOT_RECORD
    expansion = I[I[node + KIDS] + k * KID_RECORD + EXPANSION]
    best, most = -1, 0.0
    for j in range(M[slot + BRANCHES]):
        child = I[expansion + CHILDREN + j]
        if child != 0:
            bounds = I[child + BOUNDS]
            excess = F[I[expansion + FLOATS] + 1 + j] * (F[bounds + 1] - F[bounds] - slack)
            if excess > most:
                best, most = j, excess
    return best


@njit(cache=True)
def _target(I, F, expansion, branches, chosen, which, wanted):
    """What the chosen child would have to reach for the action to be worth `wanted`, the others being as they are."""
    floats = I[expansion + FLOATS]
    rest = wanted - F[floats]
    for j in range(branches):
        child = I[expansion + CHILDREN + j]
        if child != 0 and j != chosen:
            rest -= F[floats + 1 + j] * F[I[child + BOUNDS] + which]
    return rest / F[floats + 1 + chosen]


@njit(cache=True)
def trial(M, W, I, F, H, T, path, discount, rule, ratio, room_i, room_f, least):
    """One trial. Returns DONE, FULL (no room for another backup) or SPENT (enough work for one call)."""
    node, depth, scale = H[ROOT], 0, 1.0
    bounds = I[node + BOUNDS]
    epsilon = ratio * (F[bounds + 1] - F[bounds])
    low, high = F[bounds], F[bounds] + epsilon  # SARSOP's targets
    code = DONE
    while depth < len(path):
        if H[USED_I] + room_i > len(I) or H[USED_F] + room_f > len(F):
            code = FULL
            break
        action = backup(M, W, I, F, H, T, node, least)
        path[depth] = node
        depth += 1
        bounds = I[node + BOUNDS]
        slack = epsilon / scale
        lower, upper = F[bounds], F[bounds + 1]
        if rule == HSVI:
            if upper - lower <= slack:
                break
        else:
            low = max(low, lower)
            high = max(high, low + slack)
            if upper <= max(high, lower + slack):
                break
        step = 1.0 if depth == 1 else discount
        j = _child(M, I, F, node, action, slack * (1.0 if depth == 1 else 1 / discount) if rule == HSVI else 0.0)
        if j < 0 or H[WORK] > H[LIMIT_WORK] * 4:
            break
        record = M[BLOCKS_AT] + I[node + BLOCK] * BLOCK_RECORD
        slot = M[SLOTS_AT] + (M[record + FIRST_SLOT] + action) * SLOT_RECORD
        expansion = I[I[node + KIDS] + action * KID_RECORD + EXPANSION]
        if rule == SARSOP:
            low = _target(I, F, expansion, M[slot + BRANCHES], j, 0, low)
            high = _target(I, F, expansion, M[slot + BRANCHES], j, 1, high)
        node = I[expansion + CHILDREN + j]
        scale *= step
    for at in range(depth - 2, -1, -1):
        if H[USED_I] + room_i > len(I) or H[USED_F] + room_f > len(F):
            return FULL
        backup(M, W, I, F, H, T, path[at], least)
    return code


@njit(cache=True)
def search(M, W, I, F, H, T, path, blocks, discount, rule, ratio, room_i, room_f, least):
    """Trials until enough work is done (LIMIT_WORK), the arrays are full, or the bounds have met.

    `rule` and `ratio` hold what to alternate between, one entry a kind of trial.
    """
    bounds = I[H[ROOT] + BOUNDS]
    while True:
        gap = F[bounds + 1] - F[bounds]
        if gap <= least[0] or H[FINENESS] > FINEST:
            return DONE
        kind = H[TRIALS] % len(rule)
        enough = least[1] * gap * 0.1 ** H[FINENESS]
        before = H[PLANES] + H[POINTS]
        code = trial(M, W, I, F, H, T, path, discount, rule[kind], ratio[kind], room_i, room_f, enough)
        H[TRIALS] += 1
        if H[PLANES] > LIFT_AFTER + LIFT_GROWTH * H[LIFTED_AT]:
            lift(M, W, I, F, H, blocks)
            refresh(M, W, I, F, H, H[ROOT])
        H[IDLE] = 0 if H[PLANES] + H[POINTS] > before else H[IDLE] + 1
        if H[IDLE] >= len(rule):  # nothing was worth noting down: from now on less is enough
            H[FINENESS] += 1
            H[IDLE] = 0
        if code == FULL:
            return FULL
        if H[WORK] > H[LIMIT_WORK]:
            return SPENT
