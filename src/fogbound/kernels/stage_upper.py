"""The stage game of the upper bound: what the player who sees can hold the blind one to.

The same restricted game as for the lower bound, with facets of the hull in place of vectors. Facets found before are
tried first: they never promise the blind player too much. When they find no better action, the sawtooth bound rules
out most actions, and only what is left needs the hull itself. The value is measured against the mixture in the end.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fogbound.kernels.stage_hull import hull, keep_facet, keep_point
from fogbound.kernels.stage_lower import MOST_COLUMNS, balance, column_of, even, oracle, slot_pay
from fogbound.kernels.stage_master import add_column, begin, new_master, read, settle
from fogbound.kernels.stage_model import best_record, sawtooth, spread


@njit(cache=True)
def sawtooth_worth(game, bounds, partition, slot, y, tau):
    """What an action may be worth at most, quickly."""
    base = game.row[game.first[partition]]
    total = slot_pay(game, slot, y, game.row[game.first[partition + 1]] - base)
    for branch in range(game.branch[slot], game.branch[slot + 1]):
        if spread(game, branch, y, base, tau) > 0:
            total += sawtooth(bounds, game, game.target[branch], tau)
    return total


@njit(cache=True)
def hull_worth(game, bounds, partition, slot, y, tau, facet):
    """What an action is worth by the hull; the facets are kept."""
    base = game.row[game.first[partition]]
    total = slot_pay(game, slot, y, game.row[game.first[partition + 1]] - base)
    for branch in range(game.branch[slot], game.branch[slot + 1]):
        if spread(game, branch, y, base, tau) > 0:
            q = game.target[branch]
            worth = hull(game, bounds, q, tau, facet)
            total += worth
            if worth > best_record(bounds, bounds.facets, q, game.first[q + 1] - game.first[q], tau)[0] + 1e-12:
                keep_facet(game, bounds, q, facet)
    return total


@njit(cache=True)
def exact_oracle(game, bounds, partition, y, worth, tolerance, tau, facet, mask):
    """(value, slot): a bound on what any action is worth, and the best of those above `worth` (-1: none)."""
    most, best, found = -np.inf, worth + tolerance, -1
    for slot in range(game.slot[partition], game.slot[partition + 1]):
        if mask[slot]:
            quick = sawtooth_worth(game, bounds, partition, slot, y, tau)
            if quick > worth + tolerance:
                quick = hull_worth(game, bounds, partition, slot, y, tau, facet)
                if quick > best:
                    best, found = quick, slot
            most = max(most, quick)
    return most, found


@njit(cache=True)
def upper_stage(game, bounds, partition, belief, tolerance, tau, y, facet, shares, actions, mask):
    """Solve the stage at a belief and add its point; `shares` of the slots `actions` become the blind player's mixture.

    Returns (value, columns used).
    """
    first, base = game.first[partition], game.row[game.first[partition]]
    rows = game.row[game.first[partition + 1]] - base
    column = np.empty(rows)
    even(game, partition, belief, y)
    _, slot = oracle(game, bounds, bounds.facets, partition, y, tau, mask)
    column_of(game, bounds, bounds.facets, partition, slot, y, tau, column)
    master = new_master(game.first[partition + 1] - first, rows)
    begin(master, game, partition, belief, column)
    actions[0], used = slot, 1
    while True:
        worth = read(master, y, shares)
        balance(game, partition, belief, y)
        value, slot = oracle(game, bounds, bounds.facets, partition, y, tau, mask)
        if value <= worth + tolerance:
            value, slot = exact_oracle(game, bounds, partition, y, worth, tolerance, tau, facet, mask)
        if slot < 0 or used == MOST_COLUMNS:
            break
        column_of(game, bounds, bounds.facets, partition, slot, y, tau, column)
        if not add_column(master, column, used):
            break
        actions[used] = slot
        used += 1
        if not settle(master, 500):
            break
    if slot >= 0:  # it was left early: measure what the mixture holds the blind player to
        read(master, y, shares)
        balance(game, partition, belief, y)
        value, _ = exact_oracle(game, bounds, partition, y, -np.inf, 0.0, tau, facet, mask)
    keep_point(game, bounds, partition, belief, value)
    return value, used
