"""Columns of a restricted stage game: an action of the blind player, and what it counts on after each observation.

The blind player's best answers to the other's mixture, with the best known record after each branch: vectors in the
game of the lower bound, facets in that of the upper one.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fogbound.kernels.inner import inner
from fogbound.kernels.stage_master import add_column
from fogbound.kernels.stage_model import best_record, spread

MOST_COLUMNS = 120
EAGER = 0.5  # of what the best answer gains: others that gain more than this become columns with it


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


@inner
def slot_pay(game, slot, y, rows):
    """What a slot pays now."""
    total = 0.0
    for k in range(rows):
        total += y[k] * game.reward[game.pay[slot] + k]
    return total


@njit(cache=True)
def oracle(game, bounds, lists, partition, y, tau, mask, worths):
    """The most that any slot is worth against y, with the best record of `lists` after each branch; all `worths`."""
    base, first = game.row[game.first[partition]], game.slot[partition]
    rows = game.row[game.first[partition + 1]] - base
    best = -np.inf
    for slot in range(first, game.slot[partition + 1]):
        worths[slot - first] = -np.inf
        if mask[slot]:
            total = slot_pay(game, slot, y, rows)
            for branch in range(game.branch[slot], game.branch[slot + 1]):
                if spread(game, branch, y, base, tau) > 0:
                    q = game.target[branch]
                    total += best_record(bounds, lists, q, game.first[q + 1] - game.first[q], tau)[0]
            worths[slot - first] = total
            best = max(best, total)
    return best


@njit(cache=True)
def choose(game, bounds, lists, partition, slot, y, tau, pick):
    """A slot, and the record that is best after each of its branches at y."""
    base, low = game.row[game.first[partition]], game.branch[slot]
    pick[0] = slot
    for branch in range(low, game.branch[slot + 1]):
        q = game.target[branch]
        spread(game, branch, y, base, tau)
        pick[1 + branch - low] = best_record(bounds, lists, q, game.first[q + 1] - game.first[q], tau)[1]


@njit(cache=True)
def column_of(game, bounds, partition, pick, column):
    """What a slot, with a record after each of its branches, is worth in all rows."""
    base, slot, low = game.row[game.first[partition]], pick[0], game.branch[pick[0]]
    for k in range(game.row[game.first[partition + 1]] - base):
        column[k] = game.reward[game.pay[slot] + k]
    for branch in range(low, game.branch[slot + 1]):
        first, at = game.first[game.target[branch]], bounds.at[pick[1 + branch - low]]
        for e in range(game.entry[branch], game.entry[branch + 1]):
            column[game.source[e] - base] += game.prob[e] * bounds.value[at + game.to[e] - first]


@njit(cache=True)
def most_ways(game, partition):
    """The most branches that a slot of the partition has."""
    most = 0
    for slot in range(game.slot[partition], game.slot[partition + 1]):
        most = max(most, game.branch[slot + 1] - game.branch[slot])
    return most


@njit(cache=True)
def best_slot(worths):
    """Which is worth most."""
    found = 0
    for slot in range(len(worths)):
        if worths[slot] > worths[found]:
            found = slot
    return found


@njit(cache=True)
def extend(game, bounds, lists, partition, y, tau, worths, worth, tolerance, master, columns, picks, used):
    """Columns for all slots that gain enough beyond `worth`: how many there are then."""
    bar = worth + max(tolerance, EAGER * (worths[best_slot(worths)] - worth))
    for slot in range(len(worths)):
        if worths[slot] > bar and used < MOST_COLUMNS:
            choose(game, bounds, lists, partition, game.slot[partition] + slot, y, tau, picks[used])
            column_of(game, bounds, partition, picks[used], columns[used])
            if not add_column(master, columns[used], used):
                break
            used += 1
    return used
