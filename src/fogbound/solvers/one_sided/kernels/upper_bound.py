"""The lower hull of points: the highest value that an unnormalised belief can have, and the facet that says so.

min sum_i l_i v_i subject to sum_i l_i b_i >= belief, l >= 0, over points and corners (values are at least 0, so that
covering more never costs less). The corners are feasible at once; the simplex method improves on them, and stopping
early leaves a valid bound. Its dual is a facet: a linear function that is nowhere above a point.
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import NONE, ZERO, kernel
from fogbound.solvers.one_sided.kernels.model import add_record, record_dot

TINY = 1e-11
MOST_PIVOTS = 300
MOST_FACETS = 60


@kernel
def hull(here, partition):
    """The value of the hull at work.tau; work.facet becomes its facet there, over all states of the partition.

    work.chosen and work.cover are the points that say so, with their weights.
    """
    game, bounds, work = here.game, here.bounds, here.work
    tau, facet, place, inverse, corner = work.tau, work.facet, work.place, work.inverse, bounds.corner
    first, many, rows = game.state_start[partition], game.state_start[partition + 1] - game.state_start[partition], ZERO
    for s in range(many):
        facet[s] = 0.0
        if tau[s] > 0:
            facet[s] = corner[first + s]
            place[rows], work.basis[rows], work.amount[rows] = s, NONE, tau[s]
            rows += 1
    for r in range(rows):
        for c in range(rows):
            inverse[r, c] = 0.0
        inverse[r, r] = 1.0
    for _ in range(MOST_PIVOTS):
        if not improve(bounds, work, partition, first, many, rows):
            break
    for s in range(many):
        facet[s] = max(facet[s], 0.0) if tau[s] > 0 else -1.0
    complete_facet(game, bounds, partition, facet)
    return cover_cost(bounds, work, first, many, rows)


@kernel
def improve(bounds, work, partition, first, many, rows):
    """A step of the revised simplex method (Dantzig and Orchard-Hays 1954): False when nothing would improve.

    work.inverse is that of the basis, work.amount what is had of it, work.facet the prices of the states believed in.
    Points enter by their record; a corner by its row, and giving weight back, with its column the other way round.
    """
    value, corner, price = bounds.value, bounds.corner, work.facet
    place, inverse, way = work.place, work.inverse, work.way
    point, row, gain, sign, record = NONE, NONE, -TINY, 1.0, bounds.points[partition]
    while record >= 0:
        at = bounds.at[record]
        cost = value[at + many] - record_dot(value, at, price, many)
        if cost < gain:
            point, gain = record, cost
        record = bounds.older[record]
    for r in range(rows):
        cost = corner[first + place[r]] - price[place[r]]
        if cost < gain:
            row, gain, sign = r, cost, 1.0
    for r in range(rows):
        if price[place[r]] < gain:
            row, gain, sign = r, price[place[r]], -1.0
    if row >= 0:
        point = NONE
        for r in range(rows):
            way[r] = sign * inverse[r, row]
    elif point >= 0:
        at = bounds.at[point]
        for r in range(rows):
            total = 0.0
            for c in range(rows):
                total += inverse[r, c] * value[at + place[c]]
            way[r] = total
    else:
        return False
    return exchange(work, rows, point, gain)


@kernel
def exchange(work, rows, point, gain):
    """Let what enters (work.way is its column) take the place of what it uses up first. False: there is no such."""
    way, amount, inverse, price = work.way, work.amount, work.inverse, work.facet
    leave, ratio = NONE, np.inf
    for r in range(rows):
        if way[r] > TINY and amount[r] < ratio * way[r]:
            leave, ratio = r, amount[r] / way[r]
    if leave < 0:
        return False
    turn = 1.0 / way[leave]
    amount[leave] = ratio
    for c in range(rows):
        inverse[leave, c] *= turn
        price[work.place[c]] += gain * inverse[leave, c]
    for r in range(rows):
        if r != leave and way[r] != 0.0:
            amount[r] -= way[r] * ratio
            for c in range(rows):
                inverse[r, c] -= way[r] * inverse[leave, c]
    work.basis[leave] = point
    return True


@kernel
def cover_cost(bounds, work, first, many, rows):
    """What the weights found really cost, with corners for what they leave uncovered: rounding costs tightness only."""
    cost, corners, left, corner, value, cover = 0.0, 0.0, work.left, bounds.corner, bounds.value, work.cover
    place, basis = work.place, work.basis
    for s in range(many):
        cover[s] = 0.0
    for r in range(rows):
        left[r] = work.tau[place[r]]
        corners += corner[first + place[r]] * left[r]
    for r in range(rows):
        if basis[r] >= 0 and work.amount[r] > 0.0:
            work.chosen[r], cover[r] = basis[r], work.amount[r]
            at = bounds.at[basis[r]]
            cost += cover[r] * value[at + many]
            for t in range(rows):
                left[t] -= cover[r] * value[at + place[t]]
    for r in range(rows):
        cost += corner[first + place[r]] * max(left[r], 0.0)
    if cost < corners:
        return cost
    for s in range(many):
        cover[s] = 0.0
    return corners


@kernel
def complete_facet(game, bounds, partition, facet):
    """Give the states that the belief leaves out as much as the points allow, one after the other."""
    first, value = game.state_start[partition], bounds.value
    many = game.state_start[partition + 1] - first
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
    many = game.state_start[partition + 1] - game.state_start[partition]
    facets, free_facets, older = bounds.facets, bounds.free_facets, bounds.older
    number = free_facets[partition]
    if number >= 0:
        free_facets[partition] = older[number]
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
def drop_facets(bounds, partition, many, belief, bound):
    """Facets that are above a new point are wrong."""
    older, facets, free_facets = bounds.older, bounds.facets, bounds.free_facets
    record, before = facets[partition], -1
    while record >= 0:
        after = older[record]
        if record_dot(bounds.value, bounds.at[record], belief, many) > bound + 1e-12:
            if before >= 0:
                older[before] = after
            else:
                facets[partition] = after
            older[record] = free_facets[partition]
            free_facets[partition] = record
        else:
            before = record
        record = after


@kernel
def note_cover(here, partition, many, end):
    """Write which points cover work.tau, the first `many` of work.chosen, in the pool of derivations from `end` on.

    What they leave is for the corners: those that were known from the first need no derivation. Returns where it ends.
    """
    game, bounds, work = here.game, here.bounds, here.work
    first, link, weight, vertex = game.state_start[partition], bounds.link, bounds.weight, bounds.vertex
    tau, chosen, cover = work.tau, work.chosen, work.cover
    head, end = end, end + 1
    for i in range(many):
        if cover[i] > 0.0:
            link[end], weight[end] = chosen[i], cover[i]
            end += 1
    for s in range(game.state_start[partition + 1] - first):
        if vertex[first + s] >= 0 and tau[s] > 0.0:
            left = tau[s]
            for i in range(many):
                if cover[i] > 0.0:
                    left -= cover[i] * bounds.value[bounds.at[chosen[i]] + s]
            if left > 0.0:
                link[end], weight[end] = vertex[first + s], left
                end += 1
    link[head], weight[head] = end - head - 1, 0.0
    return end


@kernel
def forget_points(game, bounds, partition, belief, gap):
    """Drop the points that a new one, with the corners, makes superfluous."""
    first, many = game.state_start[partition], game.state_start[partition + 1] - game.state_start[partition]
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
def keep_point(here, partition, bound, end):
    """Add a point at work.belief, whose derivation ends at `end` of its pool (-1: none is kept).

    A point on one state is a better corner. Facets above it are dropped.
    """
    game, bounds, work = here.game, here.bounds, here.work
    first, many = game.state_start[partition], game.state_start[partition + 1] - game.state_start[partition]
    belief, corner, value, alone, corners = work.belief, bounds.corner, bounds.value, -1, 0.0
    for s in range(many):
        corners += belief[s] * corner[first + s]
        if belief[s] == 1.0:
            alone = s
    if bound >= corners:
        return
    if alone < 0:
        forget_points(game, bounds, partition, belief, bound - corners)
    number = add_record(bounds, bounds.points, partition, many + 2)
    at = bounds.at[number]
    for s in range(many):
        value[at + s] = belief[s]
    value[at + many], value[at + many + 1] = bound, bound - corners
    if end >= 0:
        bounds.derivation[number], bounds.used[2] = bounds.used[2], end
    if alone >= 0:
        bounds.points[partition] = bounds.older[number]
        corner[first + alone], bounds.vertex[first + alone] = bound, number
        lower_gaps(game, bounds, partition)
    drop_facets(bounds, partition, many, belief, bound)


@kernel
def lower_gaps(game, bounds, partition):
    """Measure the points against the corners again: one of these has come down."""
    first, many = game.state_start[partition], game.state_start[partition + 1] - game.state_start[partition]
    record, value, corner = bounds.points[partition], bounds.value, bounds.corner
    while record >= 0:
        at = bounds.at[record]
        total = value[at + many]
        for s in range(many):
            total -= value[at + s] * corner[first + s]
        value[at + many + 1] = total
        record = bounds.older[record]
