"""The lower hull of points: what an unnormalised belief is worth at most, and the facet that says so.

min sum_i l_i v_i subject to sum_i l_i b_i >= belief, l >= 0, over points and corners (values are at least 0, so that
covering more never costs less). The corners are feasible at once; the simplex method improves on them, and stopping
early leaves a valid bound. Its dual is a facet: a linear function that is nowhere above a point.
"""

from __future__ import annotations

import numpy as np

from fogbound.kernels.kernel import NONE, ZERO, kernel
from fogbound.kernels.stage_model import add_record, dot

TINY = 1e-11
MOST_PIVOTS = 300
MOST_FACETS = 60


@kernel
def hull(here, partition):
    """The value of the hull at work.tau; work.facet becomes its facet there, over all states of the partition.

    work.chosen and work.cover are the points that say so, with their weights.
    """
    game, bounds, work = here.game, here.bounds, here.work
    tau, facet, value, older = work.tau, work.facet, bounds.value, bounds.older
    first, many = game.first[partition], game.first[partition + 1] - game.first[partition]
    corner, rows, columns, record = bounds.corner, ZERO, ZERO, bounds.points[partition]
    while record >= 0:
        columns += 1
        record = older[record]
    place, basis = work.place, work.basis  # a surplus is wide + its row
    for s in range(many):
        if tau[s] > 0:
            place[rows] = s
            rows += 1
    wide = columns + rows
    where = np.empty(columns, np.int64)
    table = np.empty((rows + 1, wide + 1))  # the last row: reduced costs; the last column: values
    column, record = 0, bounds.points[partition]
    while record >= 0:
        at = bounds.at[record]
        where[column] = record
        cost = value[at + many]
        for r in range(rows):
            table[r, column] = value[at + place[r]]
            cost -= corner[first + place[r]] * table[r, column]
        table[rows, column] = cost
        column += 1
        record = older[record]
    for r in range(rows + 1):
        for c in range(columns, wide + 1):
            table[r, c] = 0.0
    for r in range(rows):
        basis[r] = columns + r
        table[r, columns + r] = 1.0
        table[r, wide] = tau[place[r]]
        table[rows, wide] -= corner[first + place[r]] * tau[place[r]]
    improve(bounds, work, table, rows, columns, first)
    for s in range(many):
        facet[s] = -1.0
    for r in range(rows):
        facet[place[r]] = max(corner[first + place[r]] - table[rows, columns + r], 0.0)
    lift(game, bounds, partition, facet)
    return measured(bounds, work, table, where, rows, columns, many, first)


@kernel
def measured(bounds, work, table, where, rows, columns, many, first):
    """What the weights found really cost, with corners for what they leave uncovered: rounding costs tightness only."""
    worth, corners, left, corner, value, cover = 0.0, 0.0, work.left, bounds.corner, bounds.value, work.cover
    place, basis = work.place, work.basis
    for s in range(many):
        cover[s] = 0.0
    for r in range(rows):
        left[r] = work.tau[place[r]]
        corners += corner[first + place[r]] * left[r]
    for r in range(rows):
        if basis[r] < columns and table[r, columns + rows] > 0.0:
            work.chosen[r], cover[r] = where[basis[r]], table[r, columns + rows]
            at = bounds.at[work.chosen[r]]
            worth += cover[r] * value[at + many]
            for t in range(rows):
                left[t] -= cover[r] * value[at + place[t]]
    for r in range(rows):
        worth += corner[first + place[r]] * max(left[r], 0.0)
    if worth < corners:
        return worth
    for s in range(many):
        cover[s] = 0.0
    return corners


@kernel
def improve(bounds, work, table, rows, columns, first):
    """The simplex method on the table; giving weight back (a surplus) is the corner's column the other way round."""
    wide, corner, place, basis = columns + rows, bounds.corner, work.place, work.basis
    for _ in range(MOST_PIVOTS):
        enter, best, sign = NONE, -TINY, 1.0
        for c in range(wide):
            if table[rows, c] < best:
                enter, best, sign = c, table[rows, c], 1.0
        for r in range(rows):
            price = corner[first + place[r]] - table[rows, columns + r]
            if price < best:
                enter, best, sign = columns + r, price, -1.0
        if enter < 0:
            return
        leave, ratio = NONE, np.inf
        for r in range(rows):
            weight = sign * table[r, enter]
            if weight > TINY and table[r, wide] < ratio * weight:
                leave, ratio = r, table[r, wide] / weight
        if leave < 0:
            return
        exchange(table, rows, wide, leave, enter, sign, best)
        basis[leave] = enter if sign > 0 else enter + rows


@kernel
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


@kernel
def lift(game, bounds, partition, facet):
    """Give the states that the belief leaves out as much as the points allow, one after the other."""
    first, many, value = game.first[partition], game.first[partition + 1] - game.first[partition], bounds.value
    for s in range(many):
        if facet[s] < 0:
            most, record = bounds.corner[first + s], bounds.points[partition]
            while record >= 0:
                at = bounds.at[record]
                if value[at + s] > 0:
                    rest = value[at + many]
                    for t in range(many):
                        if facet[t] > 0:
                            rest -= facet[t] * value[at + t]
                    most = min(most, rest / value[at + s])
                record = bounds.older[record]
            facet[s] = max(most, 0.0)


@kernel
def keep_facet(game, bounds, work, partition):
    """Add a facet to its partition's list, in the room of one that is wrong by now or of the oldest but the first.

    The first is 0 everywhere, and never wrong: so the list is never empty.
    """
    many, facets, spare, older = (
        game.first[partition + 1] - game.first[partition],
        bounds.facets,
        bounds.spare,
        bounds.older,
    )
    number = spare[partition]
    if number >= 0:
        spare[partition] = older[number]
    else:
        record, before, count = facets[partition], -1, 2
        while older[record] >= 0 and older[older[record]] >= 0:
            record, before = older[record], record
            count += 1
        if count >= MOST_FACETS:
            older[before], number = older[record], record
    if number >= 0:
        older[number] = facets[partition]
        facets[partition] = number
    else:
        number = add_record(bounds, facets, partition, many)
    at, value, facet = bounds.at[number], bounds.value, work.facet
    for s in range(many):
        value[at + s] = facet[s]


@kernel
def drop_facets(bounds, partition, many, belief, worth):
    """Facets that are above a new point are wrong."""
    record, before, older, facets, spare = bounds.facets[partition], -1, bounds.older, bounds.facets, bounds.spare
    while record >= 0:
        after = older[record]
        if dot(bounds.value, bounds.at[record], belief, many) > worth + 1e-12:
            if before >= 0:
                older[before] = after
            else:
                facets[partition] = after
            older[record] = spare[partition]
            spare[partition] = record
        else:
            before = record
        record = after
