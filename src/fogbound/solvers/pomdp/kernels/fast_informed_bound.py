"""The fast informed bound (Hauskrecht 2000): as if the state were seen one step later."""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import kernel
from fogbound.solvers.pomdp.kernels.block_model import block_size


@kernel
def informed_sweep(model, Q, blocks):
    """One sweep over Q [rows] in place; from an upper bound every sweep leaves a lower one. The largest change.

    Q(s, a) = R(s, a) + sum over observations of max over a' of the sum over s' of weight(s', o | s, a) Q(s', a').
    """
    change = 0.0
    for block in range(blocks):
        for choice in range(model.choice[block], model.choice[block + 1]):
            for s in range(block_size(model, block)):
                row = model.offset[choice] + s
                total = model.reward[row]
                for outcome in range(model.outcome[choice], model.outcome[choice + 1]):
                    start = model.begin[outcome] + s
                    low, high = model.start[start], model.start[start + 1]
                    if low < high:
                        total += _best_ahead(model, Q, model.target[outcome], low, high)
                if total < Q[row]:
                    change = max(change, Q[row] - total)
                    Q[row] = total
    return change


@kernel
def _best_ahead(model, Q, block, low, high):
    """What the best action of a block earns after the entries from low to high: max over a' of sum of weight Q."""
    best = -np.inf
    for choice in range(model.choice[block], model.choice[block + 1]):
        value = 0.0
        for e in range(low, high):
            value += model.weight[e] * Q[model.offset[choice] + model.to[e]]
        best = max(best, value)
    return best
