"""The stage game of the lower bound: what one more step adds to what the blind player can guarantee.

A double oracle (McMahan, Gordon and Blum 2003) inside the stage: the other's mixture in every state is found against
the columns so far, and the blind player's best answer to it, with the best known vector after each observation, is the
next column. Whatever it stops at, the guarantee of the mixture of columns is a valid vector.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fogbound.kernels.stage_master import add_column, begin, new_master, read, settle
from fogbound.kernels.stage_model import add_record, best_record, spread

MOST_COLUMNS = 120


@njit(cache=True)
def even(game, partition, belief, y):
    """The other plays evenly in every state."""
    first, base = game.first[partition], game.row[game.first[partition]]
    for s in range(game.first[partition + 1] - first):
        low, high = game.row[first + s] - base, game.row[first + s + 1] - base
        for k in range(low, high):
            y[k] = belief[s] / (high - low)


@njit(cache=True)
def balance(game, partition, belief, y):
    """Make the rows of each state add up to its belief again: rounding took a little."""
    first, base = game.first[partition], game.row[game.first[partition]]
    for s in range(game.first[partition + 1] - first):
        low, high = game.row[first + s] - base, game.row[first + s + 1] - base
        total = 0.0
        for k in range(low, high):
            total += y[k]
        for k in range(low, high):
            y[k] = y[k] * belief[s] / total if total > 0 else belief[s] / (high - low)


@njit(cache=True)
def slot_pay(game, slot, y, rows):
    """What a slot pays now."""
    total = 0.0
    for k in range(rows):
        total += y[k] * game.reward[game.pay[slot] + k]
    return total


@njit(cache=True)
def oracle(game, bounds, lists, partition, y, tau, mask):
    """(value, slot): the blind player's best action against y, with the best record of `lists` after each branch."""
    base = game.row[game.first[partition]]
    rows = game.row[game.first[partition + 1]] - base
    best, found = -np.inf, -1
    for slot in range(game.slot[partition], game.slot[partition + 1]):
        if mask[slot]:
            total = slot_pay(game, slot, y, rows)
            for branch in range(game.branch[slot], game.branch[slot + 1]):
                if spread(game, branch, y, base, tau) > 0:
                    q = game.target[branch]
                    total += best_record(bounds, lists, q, game.first[q + 1] - game.first[q], tau)[0]
            if total > best:
                best, found = total, slot
    return best, found


@njit(cache=True)
def column_of(game, bounds, lists, partition, slot, y, tau, column):
    """A slot with the record that is best after each of its branches at y, as a column over all rows."""
    base = game.row[game.first[partition]]
    for k in range(game.row[game.first[partition + 1]] - base):
        column[k] = game.reward[game.pay[slot] + k]
    for branch in range(game.branch[slot], game.branch[slot + 1]):
        q = game.target[branch]
        first = game.first[q]
        spread(game, branch, y, base, tau)
        at = best_record(bounds, lists, q, game.first[q + 1] - first, tau)[1]
        if at >= 0:
            for e in range(game.entry[branch], game.entry[branch + 1]):
                column[game.source[e] - base] += game.prob[e] * bounds.value[at + game.to[e] - first]


@njit(cache=True)
def lower_stage(game, bounds, partition, belief, tolerance, tau, y, mask):
    """Solve the stage at a belief and add its vector; `y` becomes the other's mixture. The vector's worth there."""
    first, base = game.first[partition], game.row[game.first[partition]]
    rows, many = game.row[game.first[partition + 1]] - base, game.first[partition + 1] - first
    columns = np.empty((MOST_COLUMNS, rows))
    shares = np.zeros(MOST_COLUMNS)
    even(game, partition, belief, y)
    _, slot = oracle(game, bounds, bounds.vectors, partition, y, tau, mask)
    column_of(game, bounds, bounds.vectors, partition, slot, y, tau, columns[0])
    master = new_master(many, rows)
    begin(master, game, partition, belief, columns[0])
    used = 1
    while True:
        worth = read(master, y, shares)
        balance(game, partition, belief, y)
        best, slot = oracle(game, bounds, bounds.vectors, partition, y, tau, mask)
        if best <= worth + tolerance or used == MOST_COLUMNS:
            break
        column_of(game, bounds, bounds.vectors, partition, slot, y, tau, columns[used])
        if not add_column(master, columns[used], used):
            break
        used += 1
        if not settle(master, 500):
            break
    return keep_vector(game, bounds, partition, belief, columns, shares, used)


@njit(cache=True)
def keep_vector(game, bounds, partition, belief, columns, shares, used):
    """Add the guarantee of a mixture of columns as a vector, unless one is nowhere below it. Its worth there."""
    first, base = game.first[partition], game.row[game.first[partition]]
    many = game.first[partition + 1] - first
    guarantee, worth = np.empty(many), 0.0
    for s in range(many):
        least = np.inf
        for k in range(game.row[first + s] - base, game.row[first + s + 1] - base):
            total = 0.0
            for j in range(used):
                total += shares[j] * columns[j, k]
            least = min(least, total)
        guarantee[s] = least
        worth += belief[s] * least
    record, before = bounds.vectors[partition], -1
    while record >= 0:
        at, above, below = bounds.at[record], True, True
        for s in range(many):
            above = above and bounds.value[at + s] >= guarantee[s]
            below = below and bounds.value[at + s] <= guarantee[s]
        if above:
            return worth
        if below and before >= 0:
            bounds.older[before] = bounds.older[record]
        elif below:
            bounds.vectors[partition] = bounds.older[record]
        else:
            before = record
        record = bounds.older[record]
    at = add_record(bounds, bounds.vectors, partition, many)
    for s in range(many):
        bounds.value[at + s] = guarantee[s]
    return worth
