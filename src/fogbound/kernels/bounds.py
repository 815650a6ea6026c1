"""The two bounds at a belief: the highest plane below, the sawtooth above. Only what is newer is looked at."""

from __future__ import annotations

import numpy as np

from fogbound.kernels.arena import *
from fogbound.kernels.kernel import kernel


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
    """Add what one branch is worth to each of its n states, when it goes on with the plane whose values are given."""
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
def standing(I, plane):
    """The plane itself, or what replaced it (it is at least as high everywhere)."""
    while I[plane + REPLACED] != 0:
        plane = I[plane + REPLACED]
    return plane


@kernel
def raise_lower(M, I, F, H, node):
    """Let a node know the planes that are newer than its last look."""
    lists = HEAD + I[node + BLOCK] * LIST_RECORD
    n = M[M[BLOCKS_AT] + I[node + BLOCK] * BLOCK_RECORD + SIZE]
    plane, last = H[lists + NEWEST_PLANE], I[node + SAW_PLANE]
    belief, bounds = I[node + BELIEF], I[node + BOUNDS]
    if I[node + SAW_LIFT] != H[LIFTS]:
        I[node + SAW_LIFT] = H[LIFTS]
        I[node + BEST] = standing(I, I[node + BEST])
        F[bounds] = max(F[bounds], dot(F, I[I[node + BEST] + ALPHA], F, belief, n))
    if plane != 0 and I[plane + NUMBER] > last:
        I[node + SAW_PLANE] = I[plane + NUMBER]
        best = F[bounds]
        while plane != 0 and I[plane + NUMBER] > last:
            worth = dot(F, I[plane + ALPHA], F, belief, n)
            if worth > best:
                best = worth
                I[node + BEST] = plane
            H[WORK] += n
            plane = I[plane + OLDER]
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
