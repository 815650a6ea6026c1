"""What every choice of a Markov game is worth, and how that changes with what is played and what follows: compiled."""

from __future__ import annotations

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
