"""The logit path of a Markov game, followed by predictor and corrector, and polished to an equilibrium: compiled.

Unknowns are the logarithms b of all choices (all players', one after the other), the values v of all states to each
player, and the rationality l. With x = exp b and q the value of each choice against what the others play,

  sum over a state's choices of x = 1,    b - b' = l (q - q')  (against the first choice of the state),    v = sum x q.

At l = 0 everybody plays uniformly; as l grows the path tends to an equilibrium. A step predicts along the tangent and
corrects by Newton's method with the Jacobian of the prediction (Allgower and Georg 1990, chapter 6). Now and then the
choices that are still likely are taken for the support of an equilibrium, which Newton's method finds to all digits.
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import kernel

GOING, FOUND, STUCK = 0, 1, 2
STEP, POLISH_AT, TAKEN = (
    0,
    1,
    2,
)  # places of `kept`: the length of the next step, the l at which to polish, steps so far
SHORTEST, LONGEST = 1e-9, 1e6  # steps
MORE, LESS = 2.0, 0.5  # how much a step may grow or shrink
CLOSE = 1e-7  # of a correction: the path is only followed, the polish is exact ...
FAR = 1e-3  # ... and more by this part of how far the point is from 0, where numbers have fewer digits
CORRECTIONS = 6
BETWEEN = 1.3  # factor between two polishes
LIKELY = 0.1  # choices above LIKELY / l are taken for the support
NEWTON = 12  # steps of a polish
EXACT = 1e-13  # residual of a polish
NEGATIVE = -1e-12  # probabilities above this are 0
BETTER = 1e-11  # no other choice may be better by more


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
def factorise(matrix, places):
    """LU factors in place, by rows with partial pivoting; False where the matrix is singular."""
    size = len(matrix)
    for k in range(size):
        best, at = abs(matrix[k, k]), k
        for i in range(k + 1, size):
            if abs(matrix[i, k]) > best:
                best, at = abs(matrix[i, k]), i
        if not best > 1e-300:
            return False
        places[k] = at
        if at != k:
            for j in range(size):
                matrix[k, j], matrix[at, j] = matrix[at, j], matrix[k, j]
        for i in range(k + 1, size):
            if matrix[i, k] != 0.0:
                factor = matrix[i, k] / matrix[k, k]
                matrix[i, k] = factor
                for j in range(k + 1, size):
                    matrix[i, j] -= factor * matrix[k, j]
    return True


@kernel
def solve(factors, places, right):
    """The solution of the factorised system, in place of its right side."""
    size = len(factors)
    for k in range(size):
        at = places[k]
        if at != k:
            right[k], right[at] = right[at], right[k]
    for i in range(size):
        total = right[i]
        for j in range(i):
            total -= factors[i, j] * right[j]
        right[i] = total
    for i in range(size - 1, -1, -1):
        total = right[i]
        for j in range(i + 1, size):
            total -= factors[i, j] * right[j]
        right[i] = total / factors[i, i]


@kernel
def _logit_system(model, heads, owner, point, x, q, slope, left, matrix):
    """left = what the equations leave at a point, matrix[:-1] = their derivatives; the last row is the caller's."""
    discount, row, out, next_, prob, reward, choice = model
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


@kernel
def _polished(model, owner, point, q, slope, left, matrix, places, found):
    """Newton's method on the support of a point: True where `found` (x, then values) is an equilibrium."""
    discount, row, out, next_, prob, reward, choice = model
    total, n, states = len(owner), reward.shape[1], len(row) - 1
    size = total + n * states
    likely = LIKELY / max(point[size], 1.0)
    for c in range(total):
        found[c] = np.exp(point[c]) if np.exp(point[c]) > likely else 0.0
    for v in range(total, size):
        found[v] = point[v]
    inner = matrix[:size, :size]
    for turn in range(NEWTON):
        values_of_choices(discount, row, out, next_, prob, reward, choice, found[:total], found[total:size], q, slope)
        worst = 0.0
        for k in range(size):
            for d in range(size):
                inner[k, d] = 0.0
        for v in range(total, size):
            left[v] = -1.0  # the probabilities of a state sum to 1; ends have none
        for c in range(total):
            v = total + owner[c]
            left[v] += found[c]
            inner[v, c] = 1.0
            if np.exp(point[c]) > likely:
                left[c] = q[c] - found[v]
                for d in range(size):
                    inner[c, d] = slope[c, d]
                inner[c, v] -= 1.0
            else:
                inner[c, c] = 1.0
                left[c] = found[c]
        for s in range(states):
            if row[s] == row[s + 1]:
                for i in range(n):
                    inner[total + i * states + s, total + i * states + s] = 1.0
                    left[total + i * states + s] = found[total + i * states + s]
        for v in range(size):
            worst = max(worst, abs(left[v]))
        if not worst < 1e3:
            return False
        if worst <= EXACT or (turn == NEWTON - 1 and worst <= 100 * EXACT):
            break
        if turn == NEWTON - 1 or not factorise(inner, places):
            return False
        solve(inner, places, left)
        for v in range(size):
            found[v] -= left[v]
    for c in range(total):
        if found[c] < NEGATIVE or q[c] > found[total + owner[c]] + BETTER:
            return False
        found[c] = max(found[c], 0.0)
    return True


@kernel
def _length(vector):
    """The Euclidean length."""
    total = 0.0
    for k in range(len(vector)):
        total += vector[k] * vector[k]
    return np.sqrt(total)


@kernel
def follow(
    discount,
    row,  # [S+1]
    out,  # [R+1]
    next_,  # [O]
    prob,  # [O]
    reward,  # [R, n] of a range of about 1
    choice,  # [R, n] of each player, numbered over all players
    heads,  # [K] the first choice of the same player and state
    owner,  # [K] player * S + state
    strict,  # how little a corrector must contract: smaller is more careful
    most,  # steps in this call
    farthest,  # the rationality at which to give up
    kept,  # [3] STEP, POLISH_AT, TAKEN
    point,  # [K + n * S + 1] on the path
    tangent,  # [K + n * S + 1]
    found,  # [K + n * S] out: the equilibrium, where one is found
    path,  # [steps, K + 1] out: rationality and probabilities of the steps of this call
):
    """(GOING, FOUND or STUCK, how many steps were taken in this call)."""
    model = (discount, row, out, next_, prob, reward, choice)
    total, size = len(owner), len(point) - 1
    x, q = np.empty(total), np.empty(total)
    slope, matrix = np.empty((total, size)), np.empty((size + 1, size + 1))
    left, right, tried = np.empty(size), np.empty(size + 1), np.empty(size + 1)
    places = np.empty(size + 1, np.int64)
    taken = 0
    while taken < most:
        step, close = kept[STEP], CLOSE * (1.0 + FAR * _length(point))
        for k in range(size + 1):
            tried[k] = point[k] + step * tangent[k]
        _logit_system(model, heads, owner, tried, x, q, slope, left, matrix)
        for k in range(size + 1):
            matrix[size, k] = tangent[k]
        length, before, contraction, done = 0.0, 0.0, 0.0, False
        if factorise(matrix, places):
            for turn in range(CORRECTIONS):
                for k in range(size):
                    right[k] = left[k]
                right[size] = 0.0
                solve(matrix, places, right)
                norm = _length(right)
                if not norm < 1e6:
                    break
                if turn == 0:
                    length = norm
                else:
                    contraction = max(contraction, norm / max(before, 1e-300))
                for k in range(size + 1):
                    tried[k] -= right[k]
                before = norm
                if norm <= close:
                    done = True
                    break
                if (turn > 0 and contraction > strict) or length > 0.5 * max(step, 1e-3):
                    break
                _logit_residual(model, heads, owner, tried, x, q, left)
        shrink = max(np.sqrt(contraction / (0.5 * strict)), np.sqrt(length / (strict * max(step, 1e-3))))
        if not done:
            kept[STEP] = step * min(LESS, 1.0 / max(shrink, 1.0))
            if kept[STEP] < SHORTEST:
                return STUCK, taken
            continue
        for k in range(size):
            right[k] = 0.0
        right[size] = 1.0
        solve(matrix, places, right)
        norm = _length(right)
        for k in range(size + 1):
            tangent[k] = right[k] / norm
            point[k] = tried[k]
        kept[STEP] = min(step * min(MORE, max(LESS, 1.0 / max(shrink, 1e-3))), LONGEST)
        if taken < len(path):
            path[taken, 0] = point[size]
            for c in range(total):
                path[taken, c + 1] = np.exp(point[c])
        taken += 1
        kept[TAKEN] += 1.0
        if point[size] < 0.0:
            return STUCK, taken
        if point[size] >= kept[POLISH_AT]:
            if _polished(model, owner, point, q, slope, left, matrix, places, found):
                return FOUND, taken
            kept[POLISH_AT] = point[size] * BETWEEN
        if point[size] >= farthest:
            return STUCK, taken
    return GOING, taken


@kernel
def _logit_residual(model, heads, owner, point, x, q, left):
    """What the equations leave at a point, without derivatives."""
    discount, row, out, next_, prob, reward, choice = model
    total, n, states = len(owner), reward.shape[1], len(row) - 1
    size, rationality = total + n * states, point[total + n * states]
    for c in range(total):
        x[c] = np.exp(point[c])
        q[c] = 0.0
    for r in range(len(reward)):
        for i in range(n):
            others = 1.0
            for j in range(n):
                if j != i:
                    others *= x[choice[r, j]]
            later = 0.0
            for o in range(out[r], out[r + 1]):
                later += prob[o] * point[total + i * states + next_[o]]
            q[choice[r, i]] += others * (reward[r, i] + discount * later)
    for v in range(total, size):
        left[v] = point[v]
    for c in range(total):
        left[c] = -1.0 if heads[c] == c else 0.0
    for c in range(total):
        first = heads[c]
        if first != c:
            left[c] = point[c] - point[first] - rationality * (q[c] - q[first])
        left[first] += x[c]
        left[total + owner[c]] -= x[c] * q[c]
