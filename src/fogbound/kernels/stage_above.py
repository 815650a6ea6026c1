"""What the player who sees can hold the blind one to: a bound on the worth of every action against a mixture of rows.

The sawtooth bound rules out most actions, and only what is left needs the hull of all points.
"""

from __future__ import annotations

import numpy as np

from fogbound.kernels.inner import ONE, ZERO, entry, inner
from fogbound.kernels.stage_columns import even, rows_of, slot_pay
from fogbound.kernels.stage_hull import hull, keep_facet
from fogbound.kernels.stage_model import best_record, sawtooth, spread
from fogbound.kernels.stage_points import note_cover


@entry
def recall_rows(game, bounds, work, partition):
    """Begin as the other did at the point that says most of this belief; evenly where there is none."""
    first, many, belief = game.first[partition], game.first[partition + 1] - game.first[partition], work.belief
    even(game, work, partition)
    number = sawtooth(game, bounds, partition, belief)[1]
    if number >= 0 and bounds.why[number] >= 0:
        at, why, base, row = bounds.at[number], bounds.why[number], game.row[first], game.row
        for s in range(many):
            held = bounds.value[at + s]
            if held > 0:
                for k in range(row[first + s] - base, row[first + s + 1] - base):
                    work.y[k] = belief[s] * bounds.weight[why + k] / held


@inner
def sawtooth_worth(here, partition, slot, end):
    """(what an action may be worth at most, quickly; where the reason that is written from `end` on ends)."""
    game, bounds, work = here.game, here.bounds, here.work
    base, y = game.row[game.first[partition]], work.y
    total = slot_pay(game, slot, y, rows_of(game, partition))
    for branch in range(game.branch[slot], game.branch[slot + 1]):
        spread(game, branch, y, base, work.tau)
        worth, number, weight = sawtooth(game, bounds, game.target[branch], work.tau)
        work.chosen[0], work.cover[0] = number, weight if number >= 0 else 0.0
        end = note_cover(here, game.target[branch], ONE, end)
        total += worth
    return total, end


@inner
def hull_worth(here, partition, slot, end):
    """The same by the hull; the facets are kept."""
    game, bounds, work = here.game, here.bounds, here.work
    base, y, tau = game.row[game.first[partition]], work.y, work.tau
    total = slot_pay(game, slot, y, rows_of(game, partition))
    for branch in range(game.branch[slot], game.branch[slot + 1]):
        q = game.target[branch]
        many = game.first[q + 1] - game.first[q]
        if spread(game, branch, y, base, tau) > 0:
            worth = hull(here, q)
            total += worth
            if worth > best_record(bounds, bounds.facets, q, many, tau)[0] + 1e-12:
                keep_facet(game, bounds, work, q)
            end = note_cover(here, q, many, end)
        else:
            end = note_cover(here, q, ZERO, end)
    return total, end


@entry
def exact_oracle(here, partition, worth, tolerance):
    """(value, slot, end): a bound on what any action is worth, and the best of those above `worth` (-1: none).

    Why it is a bound is written at the end of the pool of reasons, until `end`.
    """
    game, bounds, work = here.game, here.bounds, here.work
    link, weight, y = bounds.link, bounds.weight, work.y
    most, best, found, end = -np.inf, worth + tolerance, -1, bounds.used[2]
    for k in range(rows_of(game, partition)):
        link[end], weight[end] = k, y[k]
        end += 1
    for slot in range(game.slot[partition], game.slot[partition + 1]):
        if game.allowed[slot]:
            quick, after = sawtooth_worth(here, partition, slot, end)
            if quick > worth + tolerance:
                quick, after = hull_worth(here, partition, slot, end)
                if quick > best:
                    best, found = quick, slot
            most, end = max(most, quick), after
        else:
            for _ in range(game.branch[slot], game.branch[slot + 1]):
                link[end], weight[end] = 0, 0.0
                end += 1
    return most, found, end
