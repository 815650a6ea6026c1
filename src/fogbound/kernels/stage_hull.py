"""The lower hull of points: what an unnormalised belief is worth at most, and the facet that says so.

min sum_i l_i v_i subject to sum_i l_i b_i >= belief, l >= 0, over points and corners (values are at least 0, so that
covering more never costs less). The corners are feasible at once; the simplex method improves on them, and stopping
early leaves a valid bound. Its dual is a facet: a linear function that is nowhere above a point.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fogbound.kernels.inner import inner
from fogbound.kernels.stage_model import add_record, dot

TINY = 1e-11
MOST_PIVOTS = 300
MOST_FACETS = 60


@njit(cache=True)
def hull(game, bounds, partition, work):
    """The value of the hull at work.tau; work.facet becomes its facet there, over all states of the partition.

    work.chosen and work.cover are the points that say so, with their weights.
    """
    tau, facet = work.tau, work.facet
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
        where[column] = record
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
    return measured(bounds, table, rows, columns, many, first, place, where, basis, work)


@inner
def measured(bounds, table, rows, columns, many, first, place, where, basis, work):
    """What the weights found really cost, with corners for what they leave uncovered: rounding costs tightness only."""
    worth, corners, left = 0.0, 0.0, np.empty(rows)
    for r in range(rows):
        left[r] = work.tau[place[r]]
        corners += bounds.corner[first + place[r]] * left[r]
    work.cover[:many] = 0.0
    for r in range(rows):
        if basis[r] < columns and table[r, columns + rows] > 0.0:
            work.chosen[r], work.cover[r] = where[basis[r]], table[r, columns + rows]
            at = bounds.at[work.chosen[r]]
            worth += work.cover[r] * bounds.value[at + many]
            for t in range(rows):
                left[t] -= work.cover[r] * bounds.value[at + place[t]]
    for r in range(rows):
        worth += bounds.corner[first + place[r]] * max(left[r], 0.0)
    if worth < corners:
        return worth
    work.cover[:many] = 0.0
    return corners


@inner
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


@inner
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


@inner
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


@inner
def keep_facet(game, bounds, partition, work):
    """Add a facet to its partition's list, in the room of one that is wrong by now or of the oldest but the first.

    The first is 0 everywhere, and never wrong: so the list is never empty.
    """
    many = game.first[partition + 1] - game.first[partition]
    number = bounds.spare[partition]
    if number >= 0:
        bounds.spare[partition] = bounds.older[number]
    else:
        record, before, count = bounds.facets[partition], -1, 2
        while bounds.older[record] >= 0 and bounds.older[bounds.older[record]] >= 0:
            record, before = bounds.older[record], record
            count += 1
        if count >= MOST_FACETS:
            bounds.older[before], number = bounds.older[record], record
    if number >= 0:
        bounds.older[number] = bounds.facets[partition]
        bounds.facets[partition] = number
    else:
        number = add_record(bounds, bounds.facets, partition, many)
    for s in range(many):
        bounds.value[bounds.at[number] + s] = work.facet[s]


@inner
def drop_facets(bounds, partition, many, belief, worth):
    """Facets that are above a new point are wrong."""
    record, before = bounds.facets[partition], -1
    while record >= 0:
        after = bounds.older[record]
        if dot(bounds.value, bounds.at[record], belief, many) > worth + 1e-12:
            if before >= 0:
                bounds.older[before] = after
            else:
                bounds.facets[partition] = after
            bounds.older[record] = bounds.spare[partition]
            bounds.spare[partition] = record
        else:
            before = record
        record = after
