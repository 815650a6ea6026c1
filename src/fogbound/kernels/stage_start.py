"""First bounds of a one-sided game: if the blind player saw everything, and if it only played at random."""

from __future__ import annotations

import numpy as np
from numba import njit

from fogbound.kernels.stage_master import add_column, begin, new_master, read, settle


@njit(cache=True)
def payoffs(game, values, partition, mask, table):
    """[slots, rows] what each pair of actions is worth when `values` of states follow. The number of slots."""
    base = game.row[game.first[partition]]
    rows, many = game.row[game.first[partition + 1]] - base, 0
    for slot in range(game.slot[partition], game.slot[partition + 1]):
        if mask[slot]:
            for k in range(rows):
                table[many, k] = game.reward[game.pay[slot] + k]
            for e in range(game.entry[game.branch[slot]], game.entry[game.branch[slot + 1]]):
                table[many, game.source[e] - base] += game.prob[e] * values[game.to[e]]
            many += 1
    return many


@njit(cache=True)
def together_sweep(game, values, mask, table):
    """One sweep of what both could have if they worked together, upwards, in place. The largest change."""
    change = 0.0
    for p in range(len(game.first) - 1):
        slots, base = payoffs(game, values, p, mask, table), game.row[game.first[p]]
        for s in range(game.first[p], game.first[p + 1]):
            best = values[s]
            for k in range(game.row[s] - base, game.row[s + 1] - base):
                for a in range(slots):
                    best = max(best, table[a, k])
            change = max(change, best - values[s])
            values[s] = best
    return change


@njit(cache=True)
def random_sweep(game, values, mask, table):
    """One sweep of what playing at random guarantees, in place, from below. The largest change."""
    change = 0.0
    for p in range(len(game.first) - 1):
        slots, base = payoffs(game, values, p, mask, table), game.row[game.first[p]]
        for s in range(game.first[p], game.first[p + 1]):
            least = np.inf
            for k in range(game.row[s] - base, game.row[s + 1] - base):
                total = 0.0
                for a in range(slots):
                    total += table[a, k]
                least = min(least, total / slots)
            change = max(change, abs(least - values[s]))
            values[s] = max(values[s], least)
    return change


@njit(cache=True)
def seen_sweep(game, values, mask, table, belief, y, shares):
    """One sweep of Shapley's iteration (1953) from above, in place: as if both saw the state. The largest change."""
    change = 0.0
    for p in range(len(game.first) - 1):
        slots, base = payoffs(game, values, p, mask, table), game.row[game.first[p]]
        first, rows = game.first[p], game.row[game.first[p + 1]] - game.row[game.first[p]]
        master = new_master(1, rows)
        belief[:] = 0.0
        for s in range(first, game.first[p + 1]):
            low, high = game.row[s] - base, game.row[s + 1] - base
            belief[s - first] = 1.0
            worth = matrix_value(game, p, master, table, slots, low, high, belief, y, shares)
            belief[s - first] = 0.0
            if worth < values[s]:
                change = max(change, values[s] - worth)
                values[s] = worth
    return change


@njit(cache=True)
def matrix_value(game, partition, master, table, slots, low, high, belief, y, shares):
    """A bound from above on the value of one state's matrix game: what a mixture of the rows holds the slots to."""
    column, used = 0, 1
    best = -np.inf
    for a in range(slots):
        total = 0.0
        for k in range(low, high):
            total += table[a, k]
        if total > best:
            best, column = total, a
    begin(master, game, partition, belief, table[column])
    while True:
        worth = read(master, y, shares)
        total = 0.0
        for k in range(low, high):
            total += y[k]
        best, column = -np.inf, -1
        for a in range(slots):
            value = 0.0
            for k in range(low, high):
                value += table[a, k] * y[k] / total
            if value > best:
                best, column = value, a
        if best <= worth + 1e-9 or used >= 100 or not add_column(master, table[column], used):
            return best
        used += 1
        if not settle(master, 200):
            return best
