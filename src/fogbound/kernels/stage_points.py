"""Points of the upper bound: a belief, what the blind player can be held to there, and how."""

from __future__ import annotations

import numpy as np
from numba import njit

from fogbound.kernels.inner import inner
from fogbound.kernels.stage_hull import drop_facets
from fogbound.kernels.stage_model import add_record


@njit(cache=True)
def note_cover(game, bounds, partition, tau, chosen, shares, end):
    """Write which points cover tau, in the pool of reasons from `end` on; where that ends.

    What they leave is for the corners: those that were known from the first need no reason.
    """
    first, many = game.first[partition], game.first[partition + 1] - game.first[partition]
    head, end = end, end + 1
    for i in range(len(chosen)):
        if shares[i] > 0.0:
            bounds.link[end], bounds.weight[end] = chosen[i], shares[i]
            end += 1
    for s in range(many):
        if bounds.crown[first + s] >= 0 and tau[s] > 0.0:
            left = tau[s]
            for i in range(len(chosen)):
                if shares[i] > 0.0:
                    left -= shares[i] * bounds.value[bounds.at[chosen[i]] + s]
            if left > 0.0:
                bounds.link[end], bounds.weight[end] = bounds.crown[first + s], left
                end += 1
    bounds.link[head], bounds.weight[head] = end - head - 1, 0.0
    return end


@inner
def forget_points(bounds, game, partition, belief, gap):
    """Drop the points that a new one, with the corners, makes superfluous."""
    first, many = game.first[partition], game.first[partition + 1] - game.first[partition]
    record, before = bounds.points[partition], -1
    while record >= 0:
        at, held, corners = bounds.at[record], np.inf, 0.0
        for s in range(many):
            corners += bounds.value[at + s] * bounds.corner[first + s]
            if belief[s] > 0:
                held = min(held, bounds.value[at + s] / belief[s])
        if corners + held * gap <= bounds.value[at + many]:
            if before >= 0:
                bounds.older[before] = bounds.older[record]
            else:
                bounds.points[partition] = bounds.older[record]
        else:
            before = record
        record = bounds.older[record]


@njit(cache=True)
def keep_point(game, bounds, partition, belief, worth, end):
    """Add a point, whose reason ends at `end` of its pool (-1: none is kept). A point on one state is a better corner.

    Facets above it are dropped.
    """
    first, many = game.first[partition], game.first[partition + 1] - game.first[partition]
    alone, corners = -1, 0.0
    for s in range(many):
        corners += belief[s] * bounds.corner[first + s]
        if belief[s] == 1.0:
            alone = s
    if worth >= corners:
        return
    if alone < 0:
        forget_points(bounds, game, partition, belief, worth - corners)
    number = add_record(bounds, bounds.points, partition, many + 2)
    at = bounds.at[number]
    for s in range(many):
        bounds.value[at + s] = belief[s]
    bounds.value[at + many], bounds.value[at + many + 1] = worth, worth - corners
    if end >= 0:
        bounds.why[number], bounds.used[2] = bounds.used[2], end
    if alone >= 0:
        bounds.points[partition] = bounds.older[number]
        bounds.corner[first + alone], bounds.crown[first + alone] = worth, number
        lower_gaps(game, bounds, partition)
    drop_facets(bounds, partition, many, belief, worth)


@inner
def lower_gaps(game, bounds, partition):
    """Measure the points against the corners again: one of these has come down."""
    first, many = game.first[partition], game.first[partition + 1] - game.first[partition]
    record = bounds.points[partition]
    while record >= 0:
        at, total = bounds.at[record], bounds.value[bounds.at[record] + many]
        for s in range(many):
            total -= bounds.value[at + s] * bounds.corner[first + s]
        bounds.value[at + many + 1] = total
        record = bounds.older[record]
