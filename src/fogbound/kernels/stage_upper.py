"""The stage game of the upper bound: what the player who sees can hold the blind one to.

The same restricted game as for the lower bound, with facets of the hull in place of vectors. Facets found before are
tried first: they never promise the blind player too much. When they find no better action, the sawtooth bound rules
out most actions, and only what is left needs the hull itself. The value is measured against the mixture in the end.
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
    slot_pay,
)
from fogbound.kernels.stage_hull import hull, keep_facet
from fogbound.kernels.stage_master import begin, new_master, read, settle
from fogbound.kernels.stage_model import best_record, sawtooth, spread
from fogbound.kernels.stage_points import keep_point, note_cover


@inner
def sawtooth_worth(game, bounds, partition, slot, y, work, end):
    """(what an action may be worth at most, quickly; where the reason that is written from `end` on ends)."""
    base = game.row[game.first[partition]]
    total = slot_pay(game, slot, y, game.row[game.first[partition + 1]] - base)
    for branch in range(game.branch[slot], game.branch[slot + 1]):
        spread(game, branch, y, base, work.tau)
        worth, number, weight = sawtooth(bounds, game, game.target[branch], work.tau)
        work.chosen[0], work.cover[0] = number, weight if number >= 0 else 0.0
        end = note_cover(game, bounds, game.target[branch], work.tau, work.chosen[:1], work.cover[:1], end)
        total += worth
    return total, end


@inner
def hull_worth(game, bounds, partition, slot, y, work, end):
    """The same by the hull; the facets are kept."""
    base = game.row[game.first[partition]]
    total = slot_pay(game, slot, y, game.row[game.first[partition + 1]] - base)
    for branch in range(game.branch[slot], game.branch[slot + 1]):
        q = game.target[branch]
        many = game.first[q + 1] - game.first[q]
        if spread(game, branch, y, base, work.tau) > 0:
            worth = hull(game, bounds, q, work)
            total += worth
            if worth > best_record(bounds, bounds.facets, q, many, work.tau)[0] + 1e-12:
                keep_facet(game, bounds, q, work)
        else:
            work.cover[:many] = 0.0
        end = note_cover(game, bounds, q, work.tau, work.chosen[:many], work.cover[:many], end)
    return total, end


@njit(cache=True)
def exact_oracle(game, bounds, partition, y, worth, tolerance, work, mask):
    """(value, slot, end): a bound on what any action is worth, and the best of those above `worth` (-1: none).

    Why it is a bound is written at the end of the pool of reasons, until `end`.
    """
    most, best, found, end = -np.inf, worth + tolerance, -1, bounds.used[2]
    for k in range(game.row[game.first[partition + 1]] - game.row[game.first[partition]]):
        bounds.link[end], bounds.weight[end] = k, y[k]
        end += 1
    for slot in range(game.slot[partition], game.slot[partition + 1]):
        if mask[slot]:
            quick, after = sawtooth_worth(game, bounds, partition, slot, y, work, end)
            if quick > worth + tolerance:
                quick, after = hull_worth(game, bounds, partition, slot, y, work, end)
                if quick > best:
                    best, found = quick, slot
            most, end = max(most, quick), after
        else:
            for _ in range(game.branch[slot], game.branch[slot + 1]):
                bounds.link[end], bounds.weight[end] = 0, 0.0
                end += 1
    return most, found, end


@njit(cache=True)
def recall_rows(game, bounds, partition, belief, y):
    """Begin as the other did at the point that says most of this belief; evenly where there is none."""
    first, many = game.first[partition], game.first[partition + 1] - game.first[partition]
    even(game, partition, belief, y)
    number = sawtooth(bounds, game, partition, belief)[1]
    if number >= 0 and bounds.why[number] >= 0:
        at, why, base = bounds.at[number], bounds.why[number], game.row[first]
        for s in range(many):
            if bounds.value[at + s] > 0:
                for k in range(game.row[first + s] - base, game.row[first + s + 1] - base):
                    y[k] = belief[s] * bounds.weight[why + k] / bounds.value[at + s]


@njit(cache=True)
def upper_stage(game, bounds, partition, belief, tolerance, work, y, shares, actions, mask):
    """Solve the stage at a belief and add its point; `shares` of the slots `actions` become the blind player's mixture.

    Returns (value, columns used).
    """
    first, base = game.first[partition], game.row[game.first[partition]]
    rows, facets = game.row[game.first[partition + 1]] - base, bounds.facets
    columns, worths = np.empty((MOST_COLUMNS, rows)), np.empty(game.slot[partition + 1] - game.slot[partition])
    picks = np.empty((MOST_COLUMNS, most_ways(game, partition) + 1), np.int64)
    recall_rows(game, bounds, partition, belief, y)
    oracle(game, bounds, facets, partition, y, work.tau, mask, worths)
    slot = game.slot[partition] + best_slot(worths)
    choose(game, bounds, facets, partition, slot, y, work.tau, picks[0])
    column_of(game, bounds, partition, picks[0], columns[0])
    master = new_master(game.first[partition + 1] - first, rows)
    begin(master, game, partition, belief, columns[0])
    used, sound, value, end = 1, True, 0.0, -1
    while True:
        worth = read(master, y, shares)
        balance(game, partition, belief, y)
        if not sound:  # measure what the mixture holds the blind player to
            value, _, end = exact_oracle(game, bounds, partition, y, -np.inf, 0.0, work, mask)
            break
        if oracle(game, bounds, facets, partition, y, work.tau, mask, worths) <= worth + tolerance:
            value, found, end = exact_oracle(game, bounds, partition, y, worth, tolerance, work, mask)
            if found < 0:
                break
            oracle(game, bounds, facets, partition, y, work.tau, mask, worths)  # with the facets that were found
        before = used
        used = extend(
            *(game, bounds, facets, partition, y, work.tau, worths, worth, tolerance, master, columns, picks, used)
        )
        sound = settle(master, 500) and before < used < MOST_COLUMNS
    for j in range(used):
        actions[j] = picks[j, 0]
    keep_point(game, bounds, partition, belief, value, end)
    return value, used
