"""How planes and points enter the bounds, rise and fall, and leave when they have become superfluous."""

from __future__ import annotations

import numpy as np

from fogbound.kernels.arena import *
from fogbound.kernels.bounds import carry_back, dot, sawtooth, standing
from fogbound.kernels.kernel import kernel


@kernel
def add_plane(M, I, F, H, block, plane):
    """Enter a plane into its block's list; planes below it everywhere leave the list for it."""
    lists = HEAD + block * LIST_RECORD
    n = M[M[BLOCKS_AT] + block * BLOCK_RECORD + SIZE]
    H[PLANES] += 1
    I[plane + NUMBER] = H[PLANES]
    I[plane + OLDER] = H[lists + NEWEST_PLANE]
    I[plane + REPLACED] = 0
    H[lists + NEWEST_PLANE] = plane
    H[lists + PLANE_COUNT] += 1
    alpha = I[plane + ALPHA]
    mean, usual = 0.0, 0.0
    for s in range(n):
        mean += F[alpha + s]
    if H[lists + USUAL] != 0:
        for s in range(n):
            usual += F[I[H[lists + USUAL] + ALPHA] + s]
    if H[lists + USUAL] == 0 or mean > usual:
        H[lists + USUAL] = plane
    before, older = plane, I[plane + OLDER]
    while older != 0:
        values, below = I[older + ALPHA], True
        for s in range(n):
            if F[values + s] > F[alpha + s]:
                below = False
                break
        H[WORK] += 4
        after = I[older + OLDER]
        if below:
            I[before + OLDER] = after
            I[older + REPLACED] = plane
            H[lists + PLANE_COUNT] -= 1
            if H[lists + USUAL] == older:
                H[lists + USUAL] = plane
        else:
            before = older
        older = after


@kernel
def lower_corner(W, I, F, H, lists, corner, state, value):
    """A corner's value falls: every point's excess over the corners shrinks with it."""
    drop = W[corner + state] - value
    W[corner + state] = value
    H[lists + VERSION] += 1
    point = H[lists + NEWEST_POINT]
    while point != 0:
        for i in range(I[point + COUNT]):
            if I[point + STATES + i] == state:
                F[I[point + POINT_FLOATS] + 1] += drop * F[I[point + POINT_FLOATS] + 2 + i]
        point = I[point + POINT_OLDER]


@kernel
def add_point(M, W, I, F, H, node, value):
    """Enter (belief, value) into the upper bound of the node's block."""
    block = M[BLOCKS_AT] + I[node + BLOCK] * BLOCK_RECORD
    lists = HEAD + I[node + BLOCK] * LIST_RECORD
    n, corner, belief = M[block + SIZE], M[block + CORNER], I[node + BELIEF]
    point, floats = H[USED_I], H[USED_F]
    count = np.int64(0)
    for s in range(n):
        weight = F[belief + s]
        if weight > 0:
            at = count
            while at > 0 and F[floats + 1 + at] < weight:  # largest first: it is the likeliest to rule the point out
                F[floats + 2 + at] = F[floats + 1 + at]
                I[point + STATES + at] = I[point + STATES + at - 1]
                at -= 1
            F[floats + 2 + at] = weight
            I[point + STATES + at] = s
            count += 1
    if count == 1:
        lower_corner(W, I, F, H, lists, corner, I[point + STATES], value)
        return
    H[POINTS] += 1
    F[floats] = value
    F[floats + 1] = value - dot(W, corner, F, belief, n)
    I[point + POINT_FLOATS] = floats
    I[point + POINT_OLDER] = H[lists + NEWEST_POINT]
    I[point + POINT_NUMBER] = H[POINTS]
    I[point + COUNT] = count
    I[point + POINT_MASK] = I[node + MASK]
    H[lists + NEWEST_POINT] = point
    H[lists + POINT_COUNT] += 1
    H[USED_I] += STATES + count
    H[USED_F] += 2 + count


@kernel
def prune_points(M, W, I, F, H, block, belief):
    """Drop points that the others make superfluous. `belief` is room for one belief in F, at its end."""
    lists = HEAD + block * LIST_RECORD
    record = M[BLOCKS_AT] + block * BLOCK_RECORD
    n, corner = M[record + SIZE], M[record + CORNER]
    before, point = np.int64(0), H[lists + NEWEST_POINT]
    for s in range(n):
        F[belief + s] = 0.0
    while point != 0:
        floats, count, after = I[point + POINT_FLOATS], I[point + COUNT], I[point + POINT_OLDER]
        own = F[floats + 1]
        F[floats + 1] = 0.0  # out of its own way
        for i in range(count):
            F[belief + I[point + STATES + i]] = F[floats + 2 + i]
        others = sawtooth(W, I, F, H, lists, corner, belief, I[point + POINT_MASK], n, np.int64(-1))
        for i in range(count):
            F[belief + I[point + STATES + i]] = 0.0
        if own >= 0 or others <= F[floats]:
            if before == 0:
                H[lists + NEWEST_POINT] = after
            else:
                I[before + POINT_OLDER] = after
            H[lists + POINT_COUNT] -= 1
        else:
            F[floats + 1] = own
            before = point
        point = after
    H[lists + PRUNED_AT] = H[lists + POINT_COUNT]


@kernel
def lift(M, W, I, F, H, blocks):
    """Evaluate all planes once more as the plan they are: their successors may have risen or been replaced since.

    A sweep of policy evaluation (Hansen 1998) over the recorded backups, oldest first; planes can only rise.
    """
    for block in range(blocks):
        record, lists = M[BLOCKS_AT] + block * BLOCK_RECORD, HEAD + block * LIST_RECORD
        n, count = M[record + SIZE], H[lists + PLANE_COUNT]
        order = np.empty(count, np.int64)
        plane = H[lists + NEWEST_PLANE]
        for k in range(count - 1, -1, -1):
            order[k] = plane
            plane = I[plane + OLDER]
        raised = np.empty(n)
        for plane in order:
            slot, alpha = M[SLOTS_AT] + I[plane + SLOT] * SLOT_RECORD, I[plane + ALPHA]
            for s in range(n):
                raised[s] = W[M[slot + REWARD] + s]
            for j in range(M[slot + BRANCHES]):
                branch = M[BRANCHES_AT] + (M[slot + FIRST_BRANCH] + j) * BRANCH_RECORD
                after = standing(I, I[plane + SUCCESSORS + j])
                I[plane + SUCCESSORS + j] = after
                carry_back(M, W, F, branch, I[after + ALPHA], n, raised, FIRST)
                starts = M[branch + ENTRIES]
                H[WORK] += M[starts + n] - M[starts] + n
            for s in range(n):
                F[alpha + s] = max(F[alpha + s], raised[s])
    H[LIFTS] += 1
    H[LIFTED_AT] = H[PLANES]
