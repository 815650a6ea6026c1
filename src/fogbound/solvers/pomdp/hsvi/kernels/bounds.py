"""The two bounds at a belief: the highest vector below, the sawtooth above. Only what is newer is looked at."""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import kernel
from fogbound.solvers.pomdp.hsvi.kernels.arena import *


@kernel(fastmath={"reassoc"})
def dot(x, a, y, b, n):
    """Sum of products. Reassociated, so that it uses the whole width of the machine; nothing else is."""
    u, v = x[a : a + n], y[b : b + n]
    total = 0.0
    for i in range(n):
        total += u[i] * v[i]
    return total


@kernel
def carry_back(M, W, F, branch, values, n, into, at):
    """Add what one branch is worth to each of its n states, when it goes on with the vector whose values are given."""
    starts, shift = M[branch + ENTRIES], M[TO_WEIGHT]
    for s in range(n):
        total = 0.0
        for e in range(M[starts + s], M[starts + s + 1]):
            total += W[e + shift] * F[values + M[e]]
        into[at + s] += total


@kernel
def support_mask(F, belief, n):
    """64 bits for which states are possible: a quick test that one support lies inside another."""
    mask = np.int64(0)
    for s in range(n):
        if F[belief + s] > 0:
            mask |= np.int64(1) << np.int64(s & 63)
    return mask


@kernel
def standing(I, vector):
    """The vector itself, or what replaced it (it is at least as high everywhere)."""
    while I[vector + REPLACED] != 0:
        vector = I[vector + REPLACED]
    return vector


@kernel
def raise_lower(M, I, F, H, node):
    """Let a node know the vectors that are newer than its last look."""
    lists = HEAD + I[node + BLOCK] * LIST_RECORD
    n = M[M[BLOCKS_AT] + I[node + BLOCK] * BLOCK_RECORD + SIZE]
    vector, last = H[lists + NEWEST_VECTOR], I[node + SAW_VECTOR]
    belief, bounds = I[node + BELIEF], I[node + BOUNDS]
    if I[node + SAW_LIFT] != H[LIFTS]:
        I[node + SAW_LIFT] = H[LIFTS]
        I[node + BEST] = standing(I, I[node + BEST])
        F[bounds] = max(F[bounds], dot(F, I[I[node + BEST] + ALPHA], F, belief, n))
    if vector != 0 and I[vector + NUMBER] > last:
        I[node + SAW_VECTOR] = I[vector + NUMBER]
        best = F[bounds]
        while vector != 0 and I[vector + NUMBER] > last:
            worth = dot(F, I[vector + ALPHA], F, belief, n)
            if worth > best:
                best = worth
                I[node + BEST] = vector
            H[WORK] += n
            vector = I[vector + OLDER]
        F[bounds] = best


@kernel
def sawtooth(W, I, F, H, lists, corner, belief, mask, n, last):
    """The sawtooth bound of points newer than `last` (Hauskrecht 2000): corners, less the best excess."""
    best = 0.0
    point = H[lists + NEWEST_POINT]
    while point != 0 and I[point + POINT_NUMBER] > last:
        excess = F[I[point + POINT_FLOATS] + 1]
        H[WORK] += 4
        if excess < best and (I[point + POINT_MASK] & ~mask) == 0:
            enough = best / excess
            weights, states = I[point + POINT_FLOATS] + 2, point + STATES
            share = 1.0
            for i in range(I[point + COUNT]):
                ratio = F[belief + I[states + i]] / F[weights + i]
                if ratio < share:
                    share = ratio
                    if share <= enough:
                        break
            if share > enough:
                best = excess * share
        point = I[point + POINT_OLDER]
    return dot(W, corner, F, belief, n) + best


@kernel
def lower_upper(M, W, I, F, H, node):
    """Let a node know the points that are newer than its last look."""
    block = M[BLOCKS_AT] + I[node + BLOCK] * BLOCK_RECORD
    lists = HEAD + I[node + BLOCK] * LIST_RECORD
    newest = H[lists + NEWEST_POINT]
    number = I[newest + POINT_NUMBER] if newest != 0 else np.int64(0)
    if number > I[node + SAW_POINT] or H[lists + VERSION] != I[node + SAW_VERSION]:
        last = I[node + SAW_POINT] if H[lists + VERSION] == I[node + SAW_VERSION] else np.int64(-1)
        upper = sawtooth(W, I, F, H, lists, M[block + CORNER], I[node + BELIEF], I[node + MASK], M[block + SIZE], last)
        if upper < F[I[node + BOUNDS] + 1]:
            F[I[node + BOUNDS] + 1] = upper
        I[node + SAW_POINT] = number
        I[node + SAW_VERSION] = H[lists + VERSION]


@kernel
def refresh(M, W, I, F, H, node):
    """Both bounds of a node, up to date."""
    raise_lower(M, I, F, H, node)
    lower_upper(M, W, I, F, H, node)


# How vectors and points enter the bounds, rise and fall, and leave when they have become superfluous.


@kernel
def add_vector(M, I, F, H, block, vector):
    """Enter a vector into its block's list; vectors below it everywhere leave the list for it."""
    lists = HEAD + block * LIST_RECORD
    n = M[M[BLOCKS_AT] + block * BLOCK_RECORD + SIZE]
    H[VECTORS] += 1
    I[vector + NUMBER] = H[VECTORS]
    I[vector + OLDER] = H[lists + NEWEST_VECTOR]
    I[vector + REPLACED] = 0
    H[lists + NEWEST_VECTOR] = vector
    H[lists + VECTOR_COUNT] += 1
    alpha = I[vector + ALPHA]
    mean, usual = 0.0, 0.0
    for s in range(n):
        mean += F[alpha + s]
    if H[lists + DEFAULT_VECTOR] != 0:
        for s in range(n):
            usual += F[I[H[lists + DEFAULT_VECTOR] + ALPHA] + s]
    if H[lists + DEFAULT_VECTOR] == 0 or mean > usual:
        H[lists + DEFAULT_VECTOR] = vector
    before, older = vector, I[vector + OLDER]
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
            I[older + REPLACED] = vector
            H[lists + VECTOR_COUNT] -= 1
            if H[lists + DEFAULT_VECTOR] == older:
                H[lists + DEFAULT_VECTOR] = vector
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
    """Evaluate all vectors once more as the plan they are: their successors may have risen or been replaced since.

    A sweep of policy evaluation (Hansen 1998) over the recorded backups, oldest first; vectors can only rise.
    """
    for block in range(blocks):
        record, lists = M[BLOCKS_AT] + block * BLOCK_RECORD, HEAD + block * LIST_RECORD
        n, count = M[record + SIZE], H[lists + VECTOR_COUNT]
        order = np.empty(count, np.int64)
        vector = H[lists + NEWEST_VECTOR]
        for k in range(count - 1, -1, -1):
            order[k] = vector
            vector = I[vector + OLDER]
        raised = np.empty(n)
        for vector in order:
            slot, alpha = M[SLOTS_AT] + I[vector + SLOT] * SLOT_RECORD, I[vector + ALPHA]
            for s in range(n):
                raised[s] = W[M[slot + REWARD] + s]
            for j in range(M[slot + BRANCHES]):
                branch = M[BRANCHES_AT] + (M[slot + FIRST_BRANCH] + j) * BRANCH_RECORD
                after = standing(I, I[vector + SUCCESSORS + j])
                I[vector + SUCCESSORS + j] = after
                carry_back(M, W, F, branch, I[after + ALPHA], n, raised, FIRST)
                starts = M[branch + ENTRIES]
                H[WORK] += M[starts + n] - M[starts] + n
            for s in range(n):
                F[alpha + s] = max(F[alpha + s], raised[s])
    H[LIFTS] += 1
    H[LIFTED_AT] = H[VECTORS]
