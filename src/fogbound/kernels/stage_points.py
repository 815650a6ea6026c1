"""Points of the upper bound: a belief, what the blind player can be held to there, and how."""

from __future__ import annotations

import numpy as np

from fogbound.kernels.kernel import kernel
from fogbound.kernels.stage_hull import drop_facets
from fogbound.kernels.stage_model import add_record


@kernel
def note_cover(here, partition, many, end):
    """Write which points cover work.tau, the first `many` of work.chosen, in the pool of reasons from `end` on.

    What they leave is for the corners: those that were known from the first need no reason. Returns where it ends.
    """
    game, bounds, work = here.game, here.bounds, here.work
    first, link, weight, crown = game.first[partition], bounds.link, bounds.weight, bounds.crown
    tau, chosen, cover = work.tau, work.chosen, work.cover
    head, end = end, end + 1
    for i in range(many):
        if cover[i] > 0.0:
            link[end], weight[end] = chosen[i], cover[i]
            end += 1
    for s in range(game.first[partition + 1] - first):
        if crown[first + s] >= 0 and tau[s] > 0.0:
            left = tau[s]
            for i in range(many):
                if cover[i] > 0.0:
                    left -= cover[i] * bounds.value[bounds.at[chosen[i]] + s]
            if left > 0.0:
                link[end], weight[end] = crown[first + s], left
                end += 1
    link[head], weight[head] = end - head - 1, 0.0
    return end


@kernel
def forget_points(game, bounds, partition, belief, gap):
    """Drop the points that a new one, with the corners, makes superfluous."""
    first, many = game.first[partition], game.first[partition + 1] - game.first[partition]
    record, before, value, corner, older = bounds.points[partition], -1, bounds.value, bounds.corner, bounds.older
    while record >= 0:
        at, held, corners = bounds.at[record], np.inf, 0.0
        for s in range(many):
            corners += value[at + s] * corner[first + s]
            if belief[s] > 0:
                held = min(held, value[at + s] / belief[s])
        if corners + held * gap <= value[at + many]:
            if before >= 0:
                older[before] = older[record]
            else:
                bounds.points[partition] = older[record]
        else:
            before = record
        record = older[record]


@kernel
def keep_point(here, partition, worth, end):
    """Add a point at work.belief, whose reason ends at `end` of its pool (-1: none is kept).

    A point on one state is a better corner. Facets above it are dropped.
    """
    game, bounds, work = here.game, here.bounds, here.work
    first, many = game.first[partition], game.first[partition + 1] - game.first[partition]
    belief, corner, value, alone, corners = work.belief, bounds.corner, bounds.value, -1, 0.0
    for s in range(many):
        corners += belief[s] * corner[first + s]
        if belief[s] == 1.0:
            alone = s
    if worth >= corners:
        return
    if alone < 0:
        forget_points(game, bounds, partition, belief, worth - corners)
    number = add_record(bounds, bounds.points, partition, many + 2)
    at = bounds.at[number]
    for s in range(many):
        value[at + s] = belief[s]
    value[at + many], value[at + many + 1] = worth, worth - corners
    if end >= 0:
        bounds.why[number], bounds.used[2] = bounds.used[2], end
    if alone >= 0:
        bounds.points[partition] = bounds.older[number]
        corner[first + alone], bounds.crown[first + alone] = worth, number
        lower_gaps(game, bounds, partition)
    drop_facets(bounds, partition, many, belief, worth)


@kernel
def lower_gaps(game, bounds, partition):
    """Measure the points against the corners again: one of these has come down."""
    first, many = game.first[partition], game.first[partition + 1] - game.first[partition]
    record, value, corner = bounds.points[partition], bounds.value, bounds.corner
    while record >= 0:
        at = bounds.at[record]
        total = value[at + many]
        for s in range(many):
            total -= value[at + s] * corner[first + s]
        value[at + many + 1] = total
        record = bounds.older[record]
