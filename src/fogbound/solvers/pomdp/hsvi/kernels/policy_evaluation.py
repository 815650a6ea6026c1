"""Following a plan: vectors with their successors, as a chain over (node, state).

A node is a slot (block and action) with one node to follow each branch; `at` says where its values begin, one for each
state of its block; its successors are after[after_at[node] + branch].
"""

from __future__ import annotations

from fogbound.compiled.kernel import kernel
from fogbound.solvers.pomdp.hsvi.kernels.arena import *


@kernel
def mark_reached(M, slot, at, after, after_at, reached, followed, stack, count):
    """Mark the pairs (node, state) that play can meet, and the arrows that it can follow.

    reached [values], followed [arrows]; stack [values] holds `count` marked places to go on from, with node_of them
    found by search. Returns how many pairs were met.
    """
    met = 0
    while count > 0:
        count -= 1
        node, s = stack[count, 0], stack[count, 1]
        met += 1
        record = M[SLOTS_AT] + slot[node] * SLOT_RECORD
        for j in range(M[record + BRANCHES]):
            branch = M[BRANCHES_AT] + (M[record + FIRST_BRANCH] + j) * BRANCH_RECORD
            starts = M[branch + ENTRIES] + s
            if M[starts] < M[starts + 1]:
                target = after[after_at[node] + j]
                followed[after_at[node] + j] = True
                for e in range(M[starts], M[starts + 1]):
                    place = at[target] + M[e]
                    if not reached[place]:
                        reached[place] = True
                        stack[count, 0], stack[count, 1] = target, M[e]
                        count += 1
    return met


@kernel
def evaluate_sweep(M, W, slot, size, at, after, after_at, reached, value, paid):
    """One sweep of v = r + P v in place over the pairs that occur (paid = 0: count steps instead). Largest change."""
    shift, change = M[TO_WEIGHT], 0.0
    for node in range(len(slot)):
        record = M[SLOTS_AT] + slot[node] * SLOT_RECORD
        for s in range(size[node]):
            place = at[node] + s
            if reached[place]:
                total = W[M[record + REWARD] + s] if paid == 1 else 1.0
                for j in range(M[record + BRANCHES]):
                    branch = M[BRANCHES_AT] + (M[record + FIRST_BRANCH] + j) * BRANCH_RECORD
                    starts, there = M[branch + ENTRIES] + s, at[after[after_at[node] + j]]
                    for e in range(M[starts], M[starts + 1]):
                        total += W[e + shift] * value[there + M[e]]
                change = max(change, abs(total - value[place]))
                value[place] = total
    return change
