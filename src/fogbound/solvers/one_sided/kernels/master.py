"""The restricted stage game: the player who sees mixes its actions in every state against a few columns.

min W subject to W >= sum_k y(k) g_j(k) for every column j, sum of y over the replies of a state = b(state), y >= 0.
A dictionary of basic variables in terms of the others is kept optimal: a new column is a new row, and the dual simplex
method (Lemke 1954) mends what it violates. The reduced costs of the columns' slacks are the blind player's mixture.
Rounding does no harm: the caller measures what the two strategies guarantee.

The dictionary is in work.table: basic variables (work.basic) in rows, others (work.other) in columns, the last column
their values. work.shape has the numbers of rows and columns, and W's row.
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import NONE, kernel
from fogbound.solvers.one_sided.kernels.model import MOST_COLUMNS

TOLERANCE, PIVOT = 1e-11, 1e-9
SLACK = 1_000_000  # variables: replies by number, slacks of columns from here on
W = -1
MOST_PIVOTS = 500


@kernel
def begin_dictionary(game, work, partition):
    """The optimal dictionary of the first column at work.belief: in every state the least reply of it."""
    table, basic, other, belief, column = work.table, work.basic, work.other, work.belief, work.columns[0]
    reply_start, first = game.reply_start, game.state_start[partition]
    base, many = reply_start[first], game.state_start[partition + 1] - first
    rows = columns = 0
    for s in range(many):
        if belief[s] > 0:
            rows += 1
            columns += reply_start[first + s + 1] - reply_start[first + s] - 1
    for r in range(rows + 1):
        for c in range(columns + 2):
            table[r, c] = 0.0
    rows, wide, columns = 0, columns + 1, 0
    for s in range(many):
        if belief[s] > 0:
            low, high = reply_start[first + s] - base, reply_start[first + s + 1] - base
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
            table[rows, wide] = belief[s]
            rows += 1
    for r in range(rows):
        for c in range(columns):
            if table[r, c] < 0:
                table[rows, c] = column[other[c]] - column[basic[r]]
        table[rows, wide] += table[r, wide] * column[basic[r]]
    other[columns] = SLACK
    table[rows, columns] = 1.0
    basic[rows] = W
    work.shape[0], work.shape[1], work.shape[2] = rows + 1, columns + 1, rows


@kernel
def add_column(work, number):
    """A new column: its slack as a basic variable, perhaps below 0."""
    table, basic, other, column = work.table, work.basic, work.other, work.columns[number]
    rows, columns, top = work.shape[0], work.shape[1], work.shape[2]
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
    work.shape[0] += 1


@kernel
def put_column(game, work, partition, number):
    """Begin with a column, or add one."""
    if number == 0:
        begin_dictionary(game, work, partition)
    else:
        add_column(work, number)


@kernel
def pivot_dictionary(work, row, column):
    """Exchange a basic variable and another one."""
    table, rows, columns = work.table, work.shape[0], work.shape[1]
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
    left = work.basic[row]
    work.basic[row], work.other[column] = work.other[column], left


@kernel
def dual_simplex(work):
    """The dual simplex method, until no basic variable is below 0. False when it gave up."""
    table, shape = work.table, work.shape
    for _ in range(MOST_PIVOTS):
        rows, columns, top = shape[0], shape[1], shape[2]
        row, least = NONE, -TOLERANCE
        for r in range(rows):
            if r != top and table[r, columns] < least:
                row, least = r, table[r, columns]
        if row < 0:
            return True
        column, ratio = NONE, np.inf
        for c in range(columns):
            if table[row, c] > PIVOT:
                here = max(table[top, c], 0.0) / table[row, c]
                if here < ratio or (here == ratio and table[row, c] > table[row, column]):
                    column, ratio = c, here
        if column < 0:
            return False
        pivot_dictionary(work, row, column)
    return False


@kernel
def read(work, replies):
    """The value. work.y and work.shares become the two strategies; negative rounding is cut off, shares add up to 1."""
    table, basic, other, y, shares = work.table, work.basic, work.other, work.y, work.shares
    columns, top = work.shape[1], work.shape[2]
    for k in range(replies):
        y[k] = 0.0
    for j in range(MOST_COLUMNS):
        shares[j] = 0.0
    for r in range(work.shape[0]):
        if 0 <= basic[r] < SLACK:
            y[basic[r]] = max(table[r, columns], 0.0)
    total = 0.0
    for c in range(columns):
        if other[c] >= SLACK:
            shares[other[c] - SLACK] = max(table[top, c], 0.0)
            total += shares[other[c] - SLACK]
    if total > 0:
        for j in range(MOST_COLUMNS):
            shares[j] /= total
    return table[top, columns]
