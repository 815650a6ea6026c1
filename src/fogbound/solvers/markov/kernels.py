"""The loops of Markov games, compiled: the logit equations with their derivatives, and Shapley's sweep.

The logit rule is that of `solvers/homotopy/follower.py`, whose plain derivatives tests compare these with.

A sweep solves the zero-sum matrix game of every state by a condensed tableau. A general linear program takes a thousand
times longer to be asked than such a small matrix to be solved. With the matrix shifted to [1, 2], the column player's
program max 1'q, Bq <= 1, q >= 0 has a feasible basis of slacks at once (Dantzig 1951); in Tucker's condensed form a
pivot exchanges a row's label and a column's, and nothing else is stored. Rows maximise, columns minimise.
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import kernel
from fogbound.forms.arrays import Floats


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


SMALL = 1e-14  # entries up to this count as zero: the matrix lies between 1 and 2
TIE = 1e-13  # ratios as close as this are equal
PATIENCE = 25  # pivots for each row and column, after which the best pure actions are taken
BLAND = 4  # pivots for each row and column after which the first improving column is taken, which cannot cycle


@kernel
def shapley_sweep(
    discount,
    rows,  # [S] actions of the row player, 0 at ends
    columns,  # [S]
    row,  # [S+1] joint actions of a state, the column player fastest
    out,  # [R+1]
    next_,  # [O]
    prob,  # [O]
    reward,  # [R] the row player's
    first_row,  # [S+1] where the row player's choices of a state begin
    first_column,  # [S+1]
    value,  # [S]
    after,  # [S] out: the values of the stage games, 0 at ends
    x,  # [choices of the row player] out
    y,  # [choices of the column player] out
    table,  # [most rows + 1, most columns + 1] work space
    labels,  # [2, most rows + most columns] work space
):
    """after = T value, and optimal strategies of every stage game."""
    for s in range(len(rows)):
        m, n = rows[s], columns[s]
        if m == 0:
            after[s] = 0.0
            continue
        low, high = np.inf, -np.inf
        for a in range(m):
            for b in range(n):
                r = row[s] + a * n + b
                later = 0.0
                for o in range(out[r], out[r + 1]):
                    later += prob[o] * value[next_[o]]
                table[a, b] = entry = reward[r] + discount * later
                low, high = min(low, entry), max(high, entry)
        after[s] = stage_matrix_game(
            m,
            n,
            low,
            high - low,
            table,
            labels,
            x[first_row[s] : first_row[s + 1]],
            y[first_column[s] : first_column[s + 1]],
        )


@kernel
def stage_matrix_game(m, n, low, reach, table, labels, x, y):
    """The value of the matrix table[:m, :n], whose entries lie between `low` and `low + reach`; optimal x and y."""
    for a in range(m):
        x[a] = 0.0
    for b in range(n):
        y[b] = 0.0
    if m == 1 or n == 1 or reach <= 0.0:
        return _pure(m, n, table, x, y)
    saddle = _saddle(m, n, table)
    if saddle >= 0:
        x[saddle // n], y[saddle % n] = 1.0, 1.0
        return table[saddle // n, saddle % n]
    for a in range(m):
        for b in range(n):
            table[a, b] = 1.0 + (table[a, b] - low) / reach
        table[a, n] = 1.0
    for b in range(n):
        table[m, b] = -1.0
    table[m, n] = 0.0
    for a in range(m):
        labels[0, a] = n + a  # of rows: slacks
    for b in range(n):
        labels[1, b] = b  # of columns: the column player's actions
    for turn in range(PATIENCE * (m + n)):
        enter = _entering(n, m, table, labels, turn > BLAND * (m + n))
        if enter < 0:
            break
        leave = _leaving(n, m, table, labels, enter)
        _pivot(m, n, table, leave, enter)
        labels[0, leave], labels[1, enter] = labels[1, enter], labels[0, leave]
    worth = 1.0 / table[m, n]
    for a in range(m):
        if labels[0, a] < n:
            y[labels[0, a]] = max(table[a, n], 0.0)
    for b in range(n):
        if labels[1, b] >= n:
            x[labels[1, b] - n] = max(table[m, b], 0.0)
    _divide(x)
    _divide(y)
    return low + (worth - 1.0) * reach


@kernel
def _divide(weights):
    """Divide weights by their sum."""
    total = 0.0
    for k in range(len(weights)):
        total += weights[k]
    for k in range(len(weights)):
        weights[k] /= total


@kernel
def _pure(m, n, table, x, y):
    """One player has no choice, or nothing depends on it."""
    best, a, b = table[0, 0], 0, 0
    if n == 1:
        for k in range(1, m):
            if table[k, 0] > best:
                best, a = table[k, 0], k
    elif m == 1:
        for k in range(1, n):
            if table[0, k] < best:
                best, b = table[0, k], k
    x[a], y[b] = 1.0, 1.0
    return best


@kernel
def _saddle(m, n, table):
    """A place that is least in its row and largest in its column; -1 where there is none."""
    maximin, at = -np.inf, -1
    for a in range(m):
        least, b_least = table[a, 0], 0
        for b in range(1, n):
            if table[a, b] < least:
                least, b_least = table[a, b], b
        if least > maximin:
            maximin, at = least, a * n + b_least
    column = at % n
    for a in range(m):
        if table[a, column] > maximin:
            return -1
    return at


@kernel
def _entering(n, m, table, labels, bland):
    """The column that improves most; by Bland's rule, the improving one of the least label."""
    enter, best = -1, -SMALL
    for b in range(n):
        if table[m, b] < -SMALL:
            if bland:
                if enter < 0 or labels[1, b] < labels[1, enter]:
                    enter = b
            elif table[m, b] < best:
                enter, best = b, table[m, b]
    return enter


@kernel
def _leaving(n, m, table, labels, enter):
    """The row that binds first; of equal ones, that of the least label. There is one, as the matrix is positive."""
    leave, ratio = -1, np.inf
    for a in range(m):
        if table[a, enter] > SMALL:
            here = table[a, n] / table[a, enter]
            tied = leave >= 0 and abs(here - ratio) <= TIE * ratio
            if (tied and labels[0, a] < labels[0, leave]) or (not tied and here < ratio):
                leave, ratio = a, here
    return max(leave, 0)


@kernel
def _pivot(m, n, table, leave, enter):
    """Exchange a row's label with a column's."""
    pivot = table[leave, enter]
    for b in range(n + 1):
        table[leave, b] /= pivot
    table[leave, enter] = 1.0 / pivot
    for a in range(m + 1):
        if a != leave:
            factor = table[a, enter]
            if factor != 0.0:
                for b in range(n + 1):
                    table[a, b] -= factor * table[leave, b]
                table[a, enter] = -factor / pivot


def matrix_strategies(payoff: Floats) -> tuple[Floats, Floats]:
    """Optimal strategies of a zero-sum matrix: of the rows, which maximise, and of the columns."""
    m, n = payoff.shape
    x, y, table = np.zeros(m), np.zeros(n), np.zeros((m + 1, n + 1))
    table[:m, :n] = payoff
    labels = np.zeros((2, m + n), np.int64)
    stage_matrix_game(m, n, float(payoff.min()), float(np.ptp(payoff)), table, labels, x, y)
    return x, y
