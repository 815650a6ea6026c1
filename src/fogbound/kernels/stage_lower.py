"""The stage game of the lower bound: what one more step adds to what the blind player can guarantee.

A double oracle (McMahan, Gordon and Blum 2003) inside the stage: the other's mixture in every state is found against
the columns so far, and the blind player's best answer to it, with the best known vector after each observation, is the
next column. It begins with the columns of the vector that is best so far. Whatever it stops at, the guarantee of the
mixture of columns is a valid vector.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fogbound.kernels.inner import inner
from fogbound.kernels.stage_columns import (
    MOST_COLUMNS,
    balance,
    best_slot,
    choose,
    column_of,
    even,
    extend,
    most_ways,
    oracle,
)
from fogbound.kernels.stage_master import add_column, begin, new_master, read, settle
from fogbound.kernels.stage_model import add_record, best_record

MOST_RECALLED = 24  # columns


@njit(cache=True)
def recall(game, bounds, partition, belief, picks):
    """The columns of the vector that is best at a belief: how many; 0 when there are too many."""
    many = game.first[partition + 1] - game.first[partition]
    at = bounds.why[best_record(bounds, bounds.vectors, partition, many, belief)[1]]
    if at < 0 or bounds.link[at] > MOST_RECALLED:
        return 0
    columns = bounds.link[at]
    at += 1
    for j in range(columns):
        slot = bounds.link[at]
        picks[j, 0] = slot
        for way in range(game.branch[slot + 1] - game.branch[slot]):
            picks[j, 1 + way] = bounds.link[at + 1 + way]
        at += 1 + game.branch[slot + 1] - game.branch[slot]
    return columns


@njit(cache=True)
def lower_stage(game, bounds, partition, belief, tolerance, work, y, mask):
    """Solve the stage at a belief and add its vector; `y` becomes the other's mixture. The vector's worth there."""
    first, base = game.first[partition], game.row[game.first[partition]]
    rows, vectors = game.row[game.first[partition + 1]] - base, bounds.vectors
    columns, shares = np.empty((MOST_COLUMNS, rows)), np.zeros(MOST_COLUMNS)
    picks = np.empty((MOST_COLUMNS, most_ways(game, partition) + 1), np.int64)
    worths = np.empty(game.slot[partition + 1] - game.slot[partition])
    used = recall(game, bounds, partition, belief, picks)
    if used == 0:
        even(game, partition, belief, y)
        oracle(game, bounds, vectors, partition, y, work.tau, mask, worths)
        slot = game.slot[partition] + best_slot(worths)
        choose(game, bounds, vectors, partition, slot, y, work.tau, picks[0])
        used = 1
    master, sound = new_master(game.first[partition + 1] - first, rows), True
    for j in range(used):
        column_of(game, bounds, partition, picks[j], columns[j])
        if j == 0:
            begin(master, game, partition, belief, columns[0])
        else:
            sound = add_column(master, columns[j], j) and sound
    sound = settle(master, 500) and sound
    while True:
        worth = read(master, y, shares)
        balance(game, partition, belief, y)
        if not sound:
            break
        best = oracle(game, bounds, vectors, partition, y, work.tau, mask, worths)
        if best <= worth + tolerance:
            break
        before = used
        used = extend(
            *(game, bounds, vectors, partition, y, work.tau, worths, worth, tolerance, master, columns, picks, used)
        )
        sound = settle(master, 500) and before < used < MOST_COLUMNS
    return keep_vector(game, bounds, partition, belief, columns, shares, used, picks)


@inner
def guaranteed(game, partition, columns, shares, used, guarantee):
    """What a mixture of columns is sure of in every state."""
    first, base = game.first[partition], game.row[game.first[partition]]
    for s in range(game.first[partition + 1] - first):
        least = np.inf
        for k in range(game.row[first + s] - base, game.row[first + s + 1] - base):
            total = 0.0
            for j in range(used):
                total += shares[j] * columns[j, k]
            least = min(least, total)
        guarantee[s] = least


@inner
def superfluous(bounds, partition, many, guarantee):
    """Whether some vector is nowhere below a new one; those that are nowhere above it are dropped."""
    record, before = bounds.vectors[partition], -1
    while record >= 0:
        at, above, below = bounds.at[record], True, True
        for s in range(many):
            above = above and bounds.value[at + s] >= guarantee[s]
            below = below and bounds.value[at + s] <= guarantee[s]
        if above:
            return True
        if below and before >= 0:
            bounds.older[before] = bounds.older[record]
        elif below:
            bounds.vectors[partition] = bounds.older[record]
        else:
            before = record
        record = bounds.older[record]
    return False


@njit(cache=True)
def keep_vector(game, bounds, partition, belief, columns, shares, used, picks):
    """Add the guarantee of a mixture of columns as a vector, unless one is nowhere below it. Its worth there.

    No picks: no reason is kept.
    """
    many = game.first[partition + 1] - game.first[partition]
    guarantee, worth = np.empty(many), 0.0
    guaranteed(game, partition, columns, shares, used, guarantee)
    for s in range(many):
        worth += belief[s] * guarantee[s]
    if superfluous(bounds, partition, many, guarantee):
        return worth
    number = add_record(bounds, bounds.vectors, partition, many)
    for s in range(many):
        bounds.value[bounds.at[number] + s] = guarantee[s]
    if len(picks):
        bounds.why[number] = bounds.used[2]
        bounds.used[2] = note_columns(game, bounds, shares, used, picks, bounds.used[2])
    return worth


@inner
def note_columns(game, bounds, shares, used, picks, end):
    """Write a mixture of columns in the pool of reasons from `end` on; where that ends."""
    head, end = end, end + 1
    bounds.link[head], bounds.weight[head] = 0, 0.0
    for j in range(used):
        if shares[j] > 0.0:
            slot = picks[j, 0]
            bounds.link[head] += 1
            bounds.link[end], bounds.weight[end] = slot, shares[j]
            for way in range(game.branch[slot + 1] - game.branch[slot]):
                bounds.link[end + 1 + way], bounds.weight[end + 1 + way] = picks[j, 1 + way], 0.0
            end += 1 + game.branch[slot + 1] - game.branch[slot]
    return end
