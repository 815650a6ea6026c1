"""Expanding a belief and backing it up: both bounds improved where the search stands."""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import kernel
from fogbound.solvers.pomdp.hsvi.kernels.arena import *
from fogbound.solvers.pomdp.hsvi.kernels.bounds import (
    add_point,
    add_vector,
    carry_back,
    dot,
    prune_points,
    refresh,
    standing,
    support_mask,
)

BACKUP_WORK = 50  # what a backup costs that changes nothing
SAME = 1e-11  # beliefs no further apart than this, relative to each weight, are one
FAINT, RARE = 1e-2, 1e-6  # states that matter less than this share of what is noted down are left out of a belief
_A, _B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


@kernel
def _hash(F, belief, n, block):
    h = np.uint64(block) * _A
    for s in range(n):
        weight = F[belief + s]
        if weight > 0:
            h = (h ^ (np.uint64(s + 1) * _B + np.uint64(np.int64(weight * 1099511627776.0 + 0.5)))) * _A
            h ^= h >> np.uint64(29)
    return np.int64(h & np.uint64(0x7FFFFFFFFFFFFFFF))


@kernel
def find_node(M, W, I, F, H, T, block, belief):
    """The node of the belief that lies at the end of F; made, with its first bounds, when it is new."""
    record = M[BLOCKS_AT] + block * BLOCK_RECORD
    n, slots = M[record + SIZE], M[record + SLOTS]
    place = _hash(F, belief, n, block) & (len(T) - 1)
    node = T[place]
    while node != 0:
        if I[node + BLOCK] == block:
            other, equal = I[node + BELIEF], True
            for s in range(n):
                if abs(F[other + s] - F[belief + s]) > SAME * F[other + s]:
                    equal = False
                    break
            if equal:
                return node
        node = I[node + CHAIN]
    node = H[USED_I]
    H[USED_I] += NODE_RECORD + slots * KID_RECORD
    H[USED_F] = belief + n + 2 + slots
    H[NODES] += 1
    I[node + BLOCK] = block
    I[node + BELIEF] = belief
    I[node + BOUNDS] = belief + n
    I[node + ACTION_UPPER] = belief + n + 2
    I[node + KIDS] = node + NODE_RECORD
    I[node + BEST] = 0
    I[node + SAW_VECTOR] = 0
    I[node + SAW_POINT] = 0
    I[node + SAW_VERSION] = -1
    I[node + SAW_LIFT] = H[LIFTS]
    I[node + MASK] = support_mask(F, belief, n)
    I[node + CHAIN] = T[place]
    T[place] = node
    best = -np.inf
    for k in range(slots):
        slot = M[SLOTS_AT] + (M[record + FIRST_SLOT] + k) * SLOT_RECORD
        informed = dot(W, M[slot + INFORMED], F, belief, n)
        F[belief + n + 2 + k] = informed
        best = max(best, informed)
        I[node + NODE_RECORD + k * KID_RECORD + EXPANSION] = 0
        I[node + NODE_RECORD + k * KID_RECORD + LOOKED] = 0
    H[WORK] += n * (slots + 2)
    F[belief + n] = -np.inf
    F[belief + n + 1] = best
    refresh(M, W, I, F, H, node)
    return node


@kernel
def expand(M, W, I, F, H, T, node, k, least):
    """Bayes' rule: the beliefs that action k leads to, one for each observation that can follow.

    States so unlikely that they cannot matter are left out, so that near-certainty becomes certainty; their share
    is bounded by their corners above and by a vector below, not forgotten.
    """
    record = M[BLOCKS_AT] + I[node + BLOCK] * BLOCK_RECORD
    slot = M[SLOTS_AT] + (M[record + FIRST_SLOT] + k) * SLOT_RECORD
    n, belief, branches = M[record + SIZE], I[node + BELIEF], M[slot + BRANCHES]
    expansion, floats = H[USED_I], H[USED_F]
    H[USED_I] += CHILDREN + branches
    H[USED_F] += WEIGHTS + branches
    I[I[node + KIDS] + k * KID_RECORD + EXPANSION] = expansion
    I[expansion + FLOATS] = floats
    F[floats + LOWER] = F[floats + UPPER] = dot(W, M[slot + REWARD], F, belief, n)
    F[floats + GOES_ON] = 0.0
    faint = min(RARE, FAINT * least / F[SPREAD])
    for j in range(branches):
        branch = M[BRANCHES_AT] + (M[slot + FIRST_BRANCH] + j) * BRANCH_RECORD
        starts, target = M[branch + ENTRIES], M[branch + TARGET]
        size = M[M[BLOCKS_AT] + target * BLOCK_RECORD + SIZE]
        after = H[USED_F]
        for t in range(size):
            F[after + t] = 0.0
        total = 0.0
        for s in range(n):
            weight = F[belief + s]
            if weight > 0:
                for e in range(M[starts + s], M[starts + s + 1]):
                    part = weight * W[e + M[TO_WEIGHT]]
                    F[after + M[e]] += part
                    total += part
                H[WORK] += M[starts + s + 1] - M[starts + s]
        F[floats + GOES_ON] += total
        F[floats + WEIGHTS + j] = total
        if total > 0:
            kept, block = 0.0, M[BLOCKS_AT] + target * BLOCK_RECORD
            usual = I[H[HEAD + target * LIST_RECORD + DEFAULT_VECTOR] + ALPHA]
            for t in range(size):
                if 0 < F[after + t] < faint * total:
                    F[floats + UPPER] += F[after + t] * W[M[block + CORNER] + t]
                    F[floats + LOWER] += F[after + t] * F[usual + t]
                    F[after + t] = 0.0
                kept += F[after + t]
            for t in range(size):
                F[after + t] /= kept
            F[floats + WEIGHTS + j] = kept
            I[expansion + CHILDREN + j] = find_node(M, W, I, F, H, T, target, after)
        else:
            I[expansion + CHILDREN + j] = 0
        H[WORK] += 2 * size + n


@kernel
def _expected(I, F, expansion, branches, which):
    """Reward and what the children's bound (0 lower, 1 upper) says, weighted."""
    floats = I[expansion + FLOATS]
    total = F[floats + which]
    for j in range(branches):
        child = I[expansion + CHILDREN + j]
        if child != 0:
            total += F[floats + WEIGHTS + j] * F[I[child + BOUNDS] + which]
    return total


@kernel
def update_action_bound(M, W, I, F, H, T, node, k, least):
    """What action k is worth at most at a node, with its children up to date."""
    record = M[BLOCKS_AT] + I[node + BLOCK] * BLOCK_RECORD
    slot = M[SLOTS_AT] + (M[record + FIRST_SLOT] + k) * SLOT_RECORD
    kid = I[node + KIDS] + k * KID_RECORD
    if I[kid + EXPANSION] == 0:
        expand(M, W, I, F, H, T, node, k, least)
    expansion, branches = I[kid + EXPANSION], M[slot + BRANCHES]
    for j in range(branches):
        child = I[expansion + CHILDREN + j]
        if child != 0:
            refresh(M, W, I, F, H, child)
    I[kid + LOOKED] = H[BACKUPS]
    at = I[node + ACTION_UPPER] + k
    F[at] = min(F[at], _expected(I, F, expansion, branches, UPPER))


@kernel
def _upper(M, W, I, F, H, T, node, least):
    """The action with the highest upper bound, looked at afresh; others are expanded only when they ask for it."""
    record = M[BLOCKS_AT] + I[node + BLOCK] * BLOCK_RECORD
    slots, at, kids = M[record + SLOTS], I[node + ACTION_UPPER], I[node + KIDS]
    while True:
        best = np.int64(0)
        for k in range(1, slots):
            if F[at + k] > F[at + best]:
                best = k
        if I[kids + best * KID_RECORD + LOOKED] == H[BACKUPS]:
            return best
        update_action_bound(M, W, I, F, H, T, node, best, least)


@kernel
def _lower(M, I, F, node):
    """The expanded action with the highest lower bound, and that bound."""
    record = M[BLOCKS_AT] + I[node + BLOCK] * BLOCK_RECORD
    best, worth = np.int64(0), -np.inf
    for k in range(M[record + SLOTS]):
        expansion = I[I[node + KIDS] + k * KID_RECORD + EXPANSION]
        if expansion != 0:
            slot = M[SLOTS_AT] + (M[record + FIRST_SLOT] + k) * SLOT_RECORD
            q = _expected(I, F, expansion, M[slot + BRANCHES], LOWER)
            if q > worth:
                best, worth = k, q
    return best, worth


@kernel
def make_vector(M, W, I, F, H, node, k):
    """The vector that starts with action k and goes on with the best vector of each child (Sondik's backup)."""
    block = I[node + BLOCK]
    record = M[BLOCKS_AT] + block * BLOCK_RECORD
    number = M[record + FIRST_SLOT] + k
    slot = M[SLOTS_AT] + number * SLOT_RECORD
    n, branches = M[record + SIZE], M[slot + BRANCHES]
    expansion = I[I[node + KIDS] + k * KID_RECORD + EXPANSION]
    vector, alpha = H[USED_I], H[USED_F]
    H[USED_I] += SUCCESSORS + branches
    H[USED_F] += n
    I[vector + ALPHA] = alpha
    I[vector + SLOT] = number
    for s in range(n):
        F[alpha + s] = W[M[slot + REWARD] + s]
    for j in range(branches):
        branch = M[BRANCHES_AT] + (M[slot + FIRST_BRANCH] + j) * BRANCH_RECORD
        child = I[expansion + CHILDREN + j]
        if child != 0:
            after = standing(I, I[child + BEST])
        else:
            after = H[HEAD + M[branch + TARGET] * LIST_RECORD + DEFAULT_VECTOR]
        I[vector + SUCCESSORS + j] = after
        carry_back(M, W, F, branch, I[after + ALPHA], n, F, alpha)
        starts = M[branch + ENTRIES]
        H[WORK] += M[starts + n] - M[starts] + n
    add_vector(M, I, F, H, block, vector)
    return vector


@kernel
def backup(M, W, I, F, H, T, node, least):
    """Improve both bounds at a node; changes below `least` are not worth a vector or a point. The best action."""
    H[BACKUPS] += 1
    H[WORK] += BACKUP_WORK
    refresh(M, W, I, F, H, node)
    bounds = I[node + BOUNDS]
    chosen = _upper(M, W, I, F, H, T, node, least)
    upper = F[I[node + ACTION_UPPER] + chosen]
    if upper < F[bounds + 1] - least:  # smaller gains wait until they add up: what no point records proves nothing
        F[bounds + 1] = upper
        add_point(M, W, I, F, H, node, upper)
        lists = HEAD + I[node + BLOCK] * LIST_RECORD
        if H[lists + POINT_COUNT] > 32 + 2 * H[lists + PRUNED_AT]:
            prune_points(M, W, I, F, H, I[node + BLOCK], H[USED_F])
    action, lower = _lower(M, I, F, node)
    if lower > F[bounds] + least:
        vector = make_vector(M, W, I, F, H, node, action)
        n = M[M[BLOCKS_AT] + I[node + BLOCK] * BLOCK_RECORD + SIZE]
        worth = dot(F, I[vector + ALPHA], F, I[node + BELIEF], n)
        if worth > F[bounds]:
            F[bounds] = worth
            I[node + BEST] = vector
    return chosen
