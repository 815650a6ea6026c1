"""Trials: from the start down to where the bounds are close enough, backing up on the way there and back.

HSVI (Smith and Simmons 2005): follow the action with the highest upper bound and the observation with the largest
excess, until the gap is below epsilon / discount^depth. SARSOP (Kurniawati, Hsu and Lee 2008): go on only while what
is found could still matter at the root, judged by targets that are passed down the path.
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import kernel
from fogbound.solvers.pomdp.hsvi.kernels.arena import *
from fogbound.solvers.pomdp.hsvi.kernels.backup import backup

HSVI_RULE, SARSOP_RULE = 0, 1


@kernel
def _child(M, I, F, node, k, slack):
    """Of the children of action k, the one whose gap beyond `slack` weighs most; -1 when none is beyond it."""
    record = M[BLOCKS_AT] + I[node + BLOCK] * BLOCK_RECORD
    slot = M[SLOTS_AT] + (M[record + FIRST_SLOT] + k) * SLOT_RECORD
    expansion = I[I[node + KIDS] + k * KID_RECORD + EXPANSION]
    best, most = np.int64(-1), 0.0
    for j in range(M[slot + BRANCHES]):
        child = I[expansion + CHILDREN + j]
        if child != 0:
            bounds = I[child + BOUNDS]
            excess = F[I[expansion + FLOATS] + WEIGHTS + j] * (F[bounds + 1] - F[bounds] - slack)
            if excess > most:
                best, most = j, excess
    return best


@kernel
def _target(I, F, expansion, branches, chosen, which, wanted):
    """What the chosen child would have to reach for the action to be worth `wanted`, the others being as they are."""
    floats = I[expansion + FLOATS]
    rest = wanted - F[floats + which]
    for j in range(branches):
        child = I[expansion + CHILDREN + j]
        if child != 0 and j != chosen:
            rest -= F[floats + WEIGHTS + j] * F[I[child + BOUNDS] + which]
    return rest / F[floats + WEIGHTS + chosen]


@kernel
def trial(M, W, I, F, H, T, path, rule, ratio, room_i, room_f, least):
    """One trial, down and back up. Returns False when there was no room for another backup.

    path [depth] keeps the nodes on the way; changes smaller than `least` are not noted down.
    """
    node, depth, slack = H[ROOT], 0, 0.0
    bounds = I[node + BOUNDS]
    low, high = F[bounds], F[bounds]  # SARSOP's targets
    slack = ratio * (F[bounds + 1] - F[bounds])
    deeper = True
    while True:
        if H[USED_I] + room_i > len(I) or H[USED_F] + room_f > len(F):
            return False
        action = backup(M, W, I, F, H, T, node, least)
        if deeper:
            path[depth] = node
            depth += 1
            record = M[BLOCKS_AT] + I[node + BLOCK] * BLOCK_RECORD
            slot = M[SLOTS_AT] + (M[record + FIRST_SLOT] + action) * SLOT_RECORD
            expansion = I[I[node + KIDS] + action * KID_RECORD + EXPANSION]
            goes_on = F[I[expansion + FLOATS] + GOES_ON]  # what is lost to the discount and to endings needs no care
            bounds = I[node + BOUNDS]
            low = max(low, F[bounds])
            high = max(high, low + slack)
            enough = slack if rule == HSVI_RULE else max(high, F[bounds] + slack) - F[bounds]
            spare = slack / goes_on if rule == HSVI_RULE and goes_on > 0 else 0.0
            j = _child(M, I, F, node, action, spare)
            if F[bounds + 1] - F[bounds] > enough and j >= 0 and depth < len(path) and H[WORK] < 4 * H[LIMIT_WORK]:
                low = _target(I, F, expansion, M[slot + BRANCHES], j, LOWER, low)
                high = _target(I, F, expansion, M[slot + BRANCHES], j, UPPER, high)
                node = I[expansion + CHILDREN + j]
                slack /= goes_on
                continue
            deeper = False
            depth -= 1  # this node was backed up just now
        depth -= 1
        if depth < 0:
            return True
        node = path[depth]
