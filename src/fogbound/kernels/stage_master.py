"""The restricted stage game: the player who sees mixes its actions in every state against a few columns.

min W subject to W >= sum_k y(k) g_j(k) for every column j, sum of y over the rows of a state = b(state), y >= 0.
A dictionary of basic variables in terms of the others is kept optimal: a new column is a new row, and the dual simplex
method (Lemke 1954) mends what it violates. The reduced costs of the columns' slacks are the blind player's mixture.
Rounding does no harm: whoever asks measures what the two strategies guarantee.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from fogbound.kernels.inner import inner

TOLERANCE, PIVOT = 1e-11, 1e-9
SLACK = 1_000_000  # variables: rows by number, slacks of columns from here on
W = -1


class Master(NamedTuple):
    """The dictionary: basic variables in rows, the last column their values; row `shape[2]` is W's."""

    table: np.ndarray  # [rows, columns + 1]
    basic: np.ndarray  # [rows]
    other: np.ndarray  # [columns]
    shape: np.ndarray  # [3] rows, columns, W's row


@njit(cache=True)
def new_master(states, rows):
    """Room for so many states and rows of them, and some columns."""
    deep, wide = states + 130, rows - states + 2
    return Master(np.zeros((deep, wide + 1)), np.zeros(deep, np.int64), np.zeros(wide, np.int64), np.zeros(3, np.int64))


@njit(cache=True)
def begin(master, game, partition, belief, column):
    """The optimal dictionary of one column: in every state the least row of it."""
    table, basic, other, shape = master
    first, base = game.first[partition], game.row[game.first[partition]]
    rows = columns = 0
    for s in range(game.first[partition + 1] - first):
        if belief[s] > 0:
            rows += 1
            columns += game.row[first + s + 1] - game.row[first + s] - 1
    table[: rows + 1, : columns + 2] = 0.0
    rows = columns = 0
    for s in range(game.first[partition + 1] - first):
        if belief[s] > 0:
            low, high = game.row[first + s] - base, game.row[first + s + 1] - base
            least = low
            for k in range(low, high):
                if column[k] < column[least]:
                    least = k
            for k in range(low, high):
                if k != least:
                    other[columns] = k
                    table[rows, columns] = -1.0
                    columns += 1
            basic[rows] = least
            rows += 1
    wide = columns + 1
    row = 0
    for s in range(game.first[partition + 1] - first):
        if belief[s] > 0:
            table[row, wide] = belief[s]
            row += 1
    for c in range(columns):
        for r in range(rows):
            if table[r, c] < 0:
                table[rows, c] = column[other[c]] - column[basic[r]]
    for r in range(rows):
        table[rows, wide] += table[r, wide] * column[basic[r]]
    other[columns] = SLACK
    table[rows, columns] = 1.0
    basic[rows] = W
    shape[0], shape[1], shape[2] = rows + 1, columns + 1, rows


@njit(cache=True)
def add_column(master, column, number):
    """A new column: its slack as a basic variable, perhaps below 0. False when there is no room."""
    table, basic, other, shape = master
    rows, columns, top = shape[0], shape[1], shape[2]
    if rows >= len(basic):
        return False
    for c in range(columns + 1):
        table[rows, c] = table[top, c]
    for r in range(rows):
        if 0 <= basic[r] < SLACK:
            weight = column[basic[r]]
            for c in range(columns + 1):
                table[rows, c] -= weight * table[r, c]
    for c in range(columns):
        if other[c] < SLACK:
            table[rows, c] -= column[other[c]]
    basic[rows] = SLACK + number
    shape[0] += 1
    return True


@inner
def pivot(master, row, column):
    """Exchange a basic variable and another one."""
    table, basic, other, shape = master
    rows, columns = shape[0], shape[1]
    turn = 1.0 / table[row, column]
    for c in range(columns + 1):
        table[row, c] *= -turn
    table[row, column] = turn
    for r in range(rows):
        weight = table[r, column]
        if r != row and weight != 0.0:
            for c in range(columns + 1):
                table[r, c] += weight * table[row, c]
            table[r, column] = weight * turn
    left = basic[row]
    basic[row], other[column] = other[column], left


@njit(cache=True)
def settle(master, most):
    """The dual simplex method, until no basic variable is below 0. False when it gave up."""
    table, shape = master.table, master.shape
    for _ in range(most):
        rows, columns, top = shape[0], shape[1], shape[2]
        row, least = -1, -TOLERANCE
        for r in range(rows):
            if r != top and table[r, columns] < least:
                row, least = r, table[r, columns]
        if row < 0:
            return True
        column, ratio = -1, np.inf
        for c in range(columns):
            if table[row, c] > PIVOT:
                here = max(table[top, c], 0.0) / table[row, c]
                if here < ratio or (here == ratio and table[row, c] > table[row, column]):
                    column, ratio = c, here
        if column < 0:
            return False
        pivot(master, row, column)
    return False


@njit(cache=True)
def read(master, y, shares):
    """The two strategies: y of the rows, the columns' shares; negative rounding is cut off, shares add up to 1."""
    table, basic, other, shape = master
    columns, top = shape[1], shape[2]
    y[:] = 0.0
    shares[:] = 0.0
    for r in range(shape[0]):
        if 0 <= basic[r] < SLACK:
            y[basic[r]] = max(table[r, columns], 0.0)
    total = 0.0
    for c in range(columns):
        if other[c] >= SLACK:
            shares[other[c] - SLACK] = max(table[top, c], 0.0)
            total += shares[other[c] - SLACK]
    if total > 0:
        shares /= total
    return table[top, columns]
