"""The logit equations of a Markov game, and what every choice is worth, with all derivatives: compiled.

The logit rule is that of `solvers/homotopy/logit.py`, whose plain derivatives tests compare these with.
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import kernel


@kernel
def values_of_choices(
    discount,
    row,  # [S+1] joint actions of a state
    out,  # [R+1]
    next_,  # [O]
    prob,  # [O]
    reward,  # [R, n]
    choice,  # [R, n] of each player, numbered over all players
    x,  # [K]
    value,  # [n * S]
    q,  # [K] out
    slope,  # [K, K + n * S] out: derivatives of q by x and value
):
    """The value of each choice against what the others play, and how it changes."""
    n, states, total = reward.shape[1], len(row) - 1, len(x)
    for c in range(total):
        q[c] = 0.0
        for d in range(slope.shape[1]):
            slope[c, d] = 0.0
    for r in range(len(reward)):
        for i in range(n):
            c, others = choice[r, i], 1.0
            for j in range(n):
                if j != i:
                    others *= x[choice[r, j]]
            later = 0.0
            for o in range(out[r], out[r + 1]):
                later += prob[o] * value[i * states + next_[o]]
                slope[c, total + i * states + next_[o]] += others * discount * prob[o]
            worth = reward[r, i] + discount * later
            q[c] += others * worth
            for j in range(n):
                if j != i:
                    rest = 1.0
                    for k in range(n):
                        if k not in (i, j):
                            rest *= x[choice[r, k]]
                    slope[c, choice[r, j]] += rest * worth


@kernel
def logit_system(discount, row, out, next_, prob, reward, choice, heads, owner, point, x, q, slope, left, matrix):
    """left [m] = what the equations leave at a point [m + 1], matrix [m, m + 1] = their derivatives."""
    total, n, states = len(owner), reward.shape[1], len(row) - 1
    size, rationality = total + n * states, point[total + n * states]
    for c in range(total):
        x[c] = np.exp(point[c])
    values_of_choices(discount, row, out, next_, prob, reward, choice, x, point[total:size], q, slope)
    for c in range(total):
        for d in range(total):
            slope[c, d] *= x[d]
    for k in range(size):
        left[k] = 0.0
        for d in range(size + 1):
            matrix[k, d] = 0.0
    for v in range(total, size):
        matrix[v, v] = 1.0
        left[v] = point[v]
    for c in range(total):
        first, v = heads[c], total + owner[c]
        if first == c:
            left[c] -= 1.0
        else:
            matrix[c, c] += 1.0
            matrix[c, first] -= 1.0
            left[c] = point[c] - point[first] - rationality * (q[c] - q[first])
            matrix[c, size] = q[first] - q[c]
            for d in range(size):
                matrix[c, d] -= rationality * (slope[c, d] - slope[first, d])
        left[first] += x[c]
        matrix[first, c] += x[c]
        left[v] -= x[c] * q[c]
        matrix[v, c] -= x[c] * q[c]
        for d in range(size):
            matrix[v, d] -= x[c] * slope[c, d]
