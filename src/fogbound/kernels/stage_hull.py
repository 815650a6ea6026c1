"""The lower hull of points: what an unnormalised belief is worth at most, and the facet that says so.

min sum_i l_i v_i subject to sum_i l_i b_i >= belief, l >= 0, over points and corners (values are at least 0, so that
covering more never costs less). The corners are feasible at once; the simplex method improves on them, and stopping
early leaves a valid bound. Its dual is a facet: a linear function that is nowhere above a point.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fogbound.kernels.stage_model import add_record

TINY = 1e-11
MOST_PIVOTS = 300
MOST_FACETS = 60


@njit(cache=True)
def hull(game, bounds, partition, tau, facet):
    """The value of the hull at tau; `facet` becomes its facet there, over all states of the partition."""
    first, many = game.first[partition], game.first[partition + 1] - game.first[partition]
    rows, columns, record = 0, 0, bounds.points[partition]
    while record >= 0:
        columns += 1
        record = bounds.older[record]
    place = np.empty(many, np.int64)
    for s in range(many):
        if tau[s] > 0:
            place[rows] = s
            rows += 1
    wide = columns + rows
    where, basis = np.empty(columns, np.int64), np.arange(columns, wide)  # a surplus is wide + its row
    table = np.empty((rows + 1, wide + 1))  # the last row: reduced costs; the last column: values
    column, record = 0, bounds.points[partition]
    while record >= 0:
        at = bounds.at[record]
        where[column] = at
        cost = bounds.value[at + many]
        for r in range(rows):
            table[r, column] = bounds.value[at + place[r]]
            cost -= bounds.corner[first + place[r]] * table[r, column]
        table[rows, column] = cost
        column += 1
        record = bounds.older[record]
    table[:, columns:] = 0.0
    for r in range(rows):
        table[r, columns + r] = 1.0
        table[r, wide] = tau[place[r]]
        table[rows, wide] -= bounds.corner[first + place[r]] * tau[place[r]]
    improve(bounds, table, rows, columns, first, place, basis)
    for s in range(many):
        facet[s] = -1.0
    for r in range(rows):
        facet[place[r]] = max(bounds.corner[first + place[r]] - table[rows, columns + r], 0.0)
    lift(bounds, game, partition, facet)
    return measured(bounds, table, rows, columns, many, first, place, where, basis, tau)


@njit(cache=True)
def measured(bounds, table, rows, columns, many, first, place, where, basis, tau):
    """What the weights found really cost, with corners for what they leave uncovered: rounding costs tightness only."""
    worth, corners, left = 0.0, 0.0, np.empty(rows)
    for r in range(rows):
        left[r] = tau[place[r]]
        corners += bounds.corner[first + place[r]] * left[r]
    for r in range(rows):
        weight = max(table[r, columns + rows], 0.0)
        if basis[r] < columns:
            at = where[basis[r]]
            worth += weight * bounds.value[at + many]
            for t in range(rows):
                left[t] -= weight * bounds.value[at + place[t]]
    for r in range(rows):
        worth += bounds.corner[first + place[r]] * max(left[r], 0.0)
    return min(worth, corners) if worth == worth else corners


@njit(cache=True)
def improve(bounds, table, rows, columns, first, place, basis):
    """The simplex method on the table; giving weight back (a surplus) is the corner's column the other way round."""
    wide = columns + rows
    for _ in range(MOST_PIVOTS):
        enter, best, sign = -1, -TINY, 1.0
        for c in range(wide):
            if table[rows, c] < best:
                enter, best, sign = c, table[rows, c], 1.0
        for r in range(rows):
            price = bounds.corner[first + place[r]] - table[rows, columns + r]
            if price < best:
                enter, best, sign = columns + r, price, -1.0
        if enter < 0:
            return
        leave, ratio = -1, np.inf
        for r in range(rows):
            weight = sign * table[r, enter]
            if weight > TINY and table[r, wide] < ratio * weight:
                leave, ratio = r, table[r, wide] / weight
        if leave < 0:
            return
        exchange(table, rows, wide, leave, enter, sign, best)
        basis[leave] = enter if sign > 0 else enter + rows


@njit(cache=True)
def exchange(table, rows, wide, leave, enter, sign, cost):
    """Pivot. A surplus' own column is not kept: it is minus the corner's."""
    turn = 1.0 / (sign * table[leave, enter])
    for c in range(wide + 1):
        table[leave, c] *= turn
    for r in range(rows + 1):
        weight = cost if r == rows else sign * table[r, enter]
        if r != leave and weight != 0.0:
            for c in range(wide + 1):
                table[r, c] -= weight * table[leave, c]


@njit(cache=True)
def lift(bounds, game, partition, facet):
    """Give the states that the belief leaves out as much as the points allow, one after the other."""
    first, many = game.first[partition], game.first[partition + 1] - game.first[partition]
    for s in range(many):
        if facet[s] < 0:
            most, record = bounds.corner[first + s], bounds.points[partition]
            while record >= 0:
                at = bounds.at[record]
                if bounds.value[at + s] > 0:
                    rest = bounds.value[at + many]
                    for t in range(many):
                        if facet[t] > 0:
                            rest -= facet[t] * bounds.value[at + t]
                    most = min(most, rest / bounds.value[at + s])
                record = bounds.older[record]
            facet[s] = max(most, 0.0)


@njit(cache=True)
def keep_facet(game, bounds, partition, facet):
    """Add a facet to its partition's list; the oldest are forgotten, since they only save work."""
    many = game.first[partition + 1] - game.first[partition]
    at = add_record(bounds, bounds.facets, partition, many)
    for s in range(many):
        bounds.value[at + s] = facet[s]
    record, count = bounds.facets[partition], 1
    while bounds.older[record] >= 0 and count < MOST_FACETS:
        record = bounds.older[record]
        count += 1
    bounds.older[record] = -1


@njit(cache=True)
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
def keep_point(game, bounds, partition, belief, worth):
    """Add a point; drop the facets that are above it. A point on one state is a better corner."""
    first, many = game.first[partition], game.first[partition + 1] - game.first[partition]
    alone, corners = -1, 0.0
    for s in range(many):
        corners += belief[s] * bounds.corner[first + s]
        if belief[s] == 1.0:
            alone = s
    if worth >= corners:
        return
    if alone >= 0:
        bounds.corner[first + alone] = worth
        record = bounds.points[partition]
        while record >= 0:
            at, total = bounds.at[record], bounds.value[bounds.at[record] + many]
            for s in range(many):
                total -= bounds.value[at + s] * bounds.corner[first + s]
            bounds.value[at + many + 1] = total
            record = bounds.older[record]
    else:
        forget_points(bounds, game, partition, belief, worth - corners)
        at = add_record(bounds, bounds.points, partition, many + 2)
        for s in range(many):
            bounds.value[at + s] = belief[s]
        bounds.value[at + many], bounds.value[at + many + 1] = worth, worth - corners
    record, before = bounds.facets[partition], -1
    while record >= 0:
        at, total = bounds.at[record], 0.0
        for s in range(many):
            total += bounds.value[at + s] * belief[s]
        if total > worth + 1e-12 and before >= 0:
            bounds.older[before] = bounds.older[record]
        elif total > worth + 1e-12:
            bounds.facets[partition] = bounds.older[record]
        else:
            before = record
        record = bounds.older[record]
