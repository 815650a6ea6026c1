"""Columns of a restricted stage game: an action of the blind player, and what it counts on after each observation.

The blind player's best answers to the other's mixture, with the best known record after each branch: vectors in the
game of the lower bound, facets in that of the upper one.
"""

from __future__ import annotations

import numpy as np

from fogbound.kernels.kernel import kernel
from fogbound.kernels.stage_model import MOST_COLUMNS, best_record, spread

EAGER = 0.5  # of what the best answer gains: others that gain more than this become columns with it


@kernel
def even(game, work, partition):
    """The other plays evenly in every state."""
    row, first, belief, y = game.row, game.first[partition], work.belief, work.y
    for s in range(game.first[partition + 1] - first):
        low, high = row[first + s] - row[first], row[first + s + 1] - row[first]
        for k in range(low, high):
            y[k] = belief[s] / (high - low)


@kernel
def balance(game, work, partition):
    """Make the rows of each state add up to its belief again: rounding took a little."""
    row, first, belief, y = game.row, game.first[partition], work.belief, work.y
    for s in range(game.first[partition + 1] - first):
        low, high = row[first + s] - row[first], row[first + s + 1] - row[first]
        total = 0.0
        for k in range(low, high):
            total += y[k]
        for k in range(low, high):
            y[k] = y[k] * belief[s] / total if total > 0 else belief[s] / (high - low)


@kernel
def rows_of(game, partition):
    """How many rows a partition has."""
    return game.row[game.first[partition + 1]] - game.row[game.first[partition]]


@kernel
def slot_pay(game, slot, y, rows):
    """What a slot pays now."""
    reward, pay, total = game.reward, game.pay[slot], 0.0
    for k in range(rows):
        total += y[k] * reward[pay + k]
    return total


@kernel
def oracle(game, bounds, lists, work, partition):
    """The most that any slot is worth against work.y, with the best record of `lists` after each branch; all worths."""
    base, first, rows = game.row[game.first[partition]], game.slot[partition], rows_of(game, partition)
    y, tau, worths, best = work.y, work.tau, work.worths, -np.inf
    for slot in range(first, game.slot[partition + 1]):
        worths[slot - first] = -np.inf
        if game.allowed[slot]:
            total = slot_pay(game, slot, y, rows)
            for branch in range(game.branch[slot], game.branch[slot + 1]):
                if spread(game, branch, y, base, tau) > 0:
                    q = game.target[branch]
                    total += best_record(bounds, lists, q, game.first[q + 1] - game.first[q], tau)[0]
            worths[slot - first] = total
            best = max(best, total)
    return best


@kernel
def choose(game, bounds, lists, work, partition, slot, number):
    """Pick a slot, with the record that is best after each of its branches at work.y."""
    base, low, picks, tau = game.row[game.first[partition]], game.branch[slot], work.picks, work.tau
    picks[number, 0] = slot
    for branch in range(low, game.branch[slot + 1]):
        q = game.target[branch]
        spread(game, branch, work.y, base, tau)
        picks[number, 1 + branch - low] = best_record(bounds, lists, q, game.first[q + 1] - game.first[q], tau)[1]


@kernel
def column_of(game, bounds, work, partition, number):
    """What a slot, with a record after each of its branches, is worth in all rows."""
    picks, column = work.picks, work.columns[number]
    base, slot, rows = game.row[game.first[partition]], picks[number, 0], rows_of(game, partition)
    low, pay, reward = game.branch[slot], game.pay[slot], game.reward
    source, to, prob, value = game.source, game.to, game.prob, bounds.value
    for k in range(rows):
        column[k] = reward[pay + k]
    for branch in range(low, game.branch[slot + 1]):
        first, at = game.first[game.target[branch]], bounds.at[picks[number, 1 + branch - low]]
        for e in range(game.entry[branch], game.entry[branch + 1]):
            column[source[e] - base] += prob[e] * value[at + to[e] - first]


@kernel
def extend(game, bounds, lists, work, partition, bar, used):
    """Picks for all slots that are worth `bar` or more, as the oracle found: how many there are then."""
    first = game.slot[partition]
    for slot in range(first, game.slot[partition + 1]):
        if work.worths[slot - first] >= bar and used < MOST_COLUMNS:
            choose(game, bounds, lists, work, partition, slot, used)
            used += 1
    return used
