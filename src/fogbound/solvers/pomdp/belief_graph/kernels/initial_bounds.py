"""The value of a state, at least and at most: by playing at random, by seeing everything, by seeing one step late.

Bounds of single states bound every belief over them: the value of a fixed policy and the fast informed bound
(Hauskrecht 2000) are both linear pieces. Only states from `first` on are worked on: those before never lead here.
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import kernel


@kernel
def mark_ends(row, out, next, first, last, ends):
    """[P] whether play can end from there, given that of the states before `first`. Ends have no rows."""
    changed = True
    while changed:
        changed = False
        for s in range(last - 1, first - 1, -1):
            if not ends[s]:
                may_end = row[s] == row[s + 1]
                for e in range(out[row[s]], out[row[s + 1]]):
                    may_end = may_end or ends[next[e]]
                if may_end:
                    ends[s] = changed = True


@kernel
def random_sweep(row, out, next, prob, reward, discount, first, last, low):
    """One sweep of the value of uniform play, in place. Returns the largest change."""
    change = 0.0
    for s in range(last - 1, first - 1, -1):
        many = row[s + 1] - row[s]
        if many:
            total = 0.0
            for r in range(row[s], row[s + 1]):
                total += reward[r]
                for e in range(out[r], out[r + 1]):
                    total += discount * prob[e] * low[next[e]]
            change = max(change, abs(total / many - low[s]))
            low[s] = total / many
    return change


@kernel
def mdp_sweep(row, out, next, prob, reward, discount, first, last, high, q_values):
    """One sweep of the value of a player that sees everything, in place and only upwards; fills `q_values` of rows."""
    change = 0.0
    for s in range(last - 1, first - 1, -1):
        best = -np.inf
        for r in range(row[s], row[s + 1]):
            total = reward[r]
            for e in range(out[r], out[r + 1]):
                total += discount * prob[e] * high[next[e]]
            q_values[r] = total
            best = max(best, total)
        if best > high[s]:
            change = max(change, best - high[s])
            high[s] = best
    return change


@kernel
def informed_value(row, out, next, obs, prob, reward, discount, r, q_values):
    """R(s, a) + discount sum over o of max over a' of the sum over s' of P(s', o | s, a) Q(s', a'), for row r."""
    total = reward[r]
    for e in range(out[r], out[r + 1]):
        begins = True
        for f in range(out[r], e):
            begins = begins and obs[f] != obs[e]
        many = row[next[e] + 1] - row[next[e]]
        if begins and many:
            best = -np.inf
            for a in range(many):
                ahead = 0.0
                for f in range(e, out[r + 1]):
                    if obs[f] == obs[e]:
                        ahead += prob[f] * q_values[row[next[f]] + a]
                best = max(best, ahead)
            total += discount * best
    return total


@kernel
def informed_rows(row, out, next, obs, prob, reward, discount, first, last, q_values):
    """One sweep of the fast informed bound, in place and only downwards. Returns the largest change."""
    change = 0.0
    for s in range(last - 1, first - 1, -1):
        for r in range(row[s], row[s + 1]):
            total = informed_value(row, out, next, obs, prob, reward, discount, r, q_values)
            if total < q_values[r]:
                change = max(change, q_values[r] - total)
                q_values[r] = total
    return change


@kernel
def lift_sweep(row, out, next, obs, prob, reward, discount, kept, margin, q_values):
    """Raise the informed bound of the states `kept` until each row exceeds what follows from it by `margin`.

    One sweep in place; returns the largest change. It comes to rest unless play can go round for nothing.
    """
    change = 0.0
    for k in range(len(kept) - 1, -1, -1):
        for r in range(row[kept[k]], row[kept[k] + 1]):
            total = informed_value(row, out, next, obs, prob, reward, discount, r, q_values) + margin
            if total > q_values[r]:
                change = max(change, total - q_values[r])
                q_values[r] = total
    return change
