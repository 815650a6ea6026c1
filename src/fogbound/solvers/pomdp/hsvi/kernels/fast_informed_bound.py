"""The fast informed bound (Hauskrecht 2000): as if the state were seen one step later."""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import kernel
from fogbound.solvers.pomdp.hsvi.kernels.arena import *


@kernel
def informed_sweep(M, W, blocks):
    """One sweep in place; from an upper bound every sweep leaves a lower one. Returns the largest change.

    Q(s, a) = R(s, a) + sum over observations of max over a' of the sum over s' of weight(s', o | s, a) Q(s', a').
    """
    shift, change = M[TO_WEIGHT], 0.0
    for block in range(blocks):
        record = M[BLOCKS_AT] + block * BLOCK_RECORD
        for k in range(M[record + SLOTS]):
            slot = M[SLOTS_AT] + (M[record + FIRST_SLOT] + k) * SLOT_RECORD
            for s in range(M[record + SIZE]):
                total = W[M[slot + REWARD] + s]
                for j in range(M[slot + BRANCHES]):
                    branch = M[BRANCHES_AT] + (M[slot + FIRST_BRANCH] + j) * BRANCH_RECORD
                    low, high = M[M[branch + ENTRIES] + s], M[M[branch + ENTRIES] + s + 1]
                    if low < high:
                        after = M[BLOCKS_AT] + M[branch + TARGET] * BLOCK_RECORD
                        best = -np.inf
                        for a in range(M[after + SLOTS]):
                            informed = M[M[SLOTS_AT] + (M[after + FIRST_SLOT] + a) * SLOT_RECORD + INFORMED]
                            worth = 0.0
                            for e in range(low, high):
                                worth += W[e + shift] * W[informed + M[e]]
                            best = max(best, worth)
                        total += best
                at = M[slot + INFORMED] + s
                if total < W[at]:
                    change = max(change, W[at] - total)
                    W[at] = total
    return change
