"""What the player who sees can hold the blind one to: a bound on the worth of every action against a mixture of rows.

The sawtooth bound rules out most actions, and only what is left needs the hull of all points.
"""

from __future__ import annotations

import numpy as np

from fogbound.kernels.kernel import NONE, ONE, ZERO, inlined, kernel
from fogbound.kernels.stage_columns import even, rows_of, slot_pay
from fogbound.kernels.stage_hull import hull, keep_facet
from fogbound.kernels.stage_model import best_record, sawtooth, spread
from fogbound.kernels.stage_points import note_cover


@kernel
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


@inlined
def slot_worth(here, partition, slot, exact, end):
    """(what an action may be worth at most, quickly or exactly; where the reason that is written from `end` on ends).

    Quickly by the sawtooth, exactly by the hull, whose facets are kept.
    """
    game, bounds, work = here.game, here.bounds, here.work
    base, y, tau = game.row[game.first[partition]], work.y, work.tau
    total = slot_pay(game, slot, y, rows_of(game, partition))
    for branch in range(game.branch[slot], game.branch[slot + 1]):
        q, worth, points = game.target[branch], 0.0, ZERO
        reached = spread(game, branch, y, base, tau) > 0
        if reached and exact:
            worth, points = hull(here, q), game.first[q + 1] - game.first[q]
            if worth > best_record(bounds, bounds.facets, q, points, tau)[0] + 1e-12:
                keep_facet(game, bounds, work, q)
        elif reached:
            worth, work.chosen[0], work.cover[0] = sawtooth(game, bounds, q, tau)
            points = ONE
        total += worth
        end = note_cover(here, q, points, end)
    return total, end


@inlined
def exact_oracle(here, partition, worth, tolerance):
    """(value, slot, end): a bound on what any action is worth, and the best of those above `worth` (-1: none).

    Why it is a bound is written at the end of the pool of reasons, until `end`.
    """
    game, bounds, work = here.game, here.bounds, here.work
    link, weight, y = bounds.link, bounds.weight, work.y
    most, best, found, end = -np.inf, worth + tolerance, NONE, bounds.used[2]
    for k in range(rows_of(game, partition)):
        link[end], weight[end] = k, y[k]
        end += 1
    for slot in range(game.slot[partition], game.slot[partition + 1]):
        if game.allowed[slot]:
            held, after = np.inf, end
            for exact in range(2):  # quickly first; exactly where that leaves hope
                if held > worth + tolerance:
                    held, after = slot_worth(here, partition, slot, exact == 1, end)
                    if exact == 1 and held > best:
                        best, found = held, slot
            most, end = max(most, held), after
        else:
            for _ in range(game.branch[slot], game.branch[slot + 1]):
                link[end], weight[end] = 0, 0.0
                end += 1
    return most, found, end
