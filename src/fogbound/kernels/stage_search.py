"""Heuristic search over beliefs of the blind player: PG-HSVI.

Horak, Bosansky and Pechoucek (2017); in the form of Horak, Bosansky, Kovarik and Kiekintveld, "Solving zero-sum
one-sided partially observable stochastic games" (2023): the blind player's action comes from the upper stage game,
the other's from the lower one, and what is looked at next is where the gap exceeds what may be left there, weighted
by how likely it is. Closing a child does not close its parent, since the other may reply differently, so stages are
solved on the way down and again on the way up.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fogbound.kernels.stage_hull import hull
from fogbound.kernels.stage_lower import MOST_COLUMNS, lower_stage
from fogbound.kernels.stage_model import best_record, room_left, sawtooth, spread
from fogbound.kernels.stage_upper import upper_stage

DONE, ROOM, GOING = range(3)


@njit(cache=True)
def gap_at(game, bounds, partition, tau, facet):
    """(lower, upper) at an unnormalised belief."""
    low = best_record(bounds, bounds.vectors, partition, game.first[partition + 1] - game.first[partition], tau)[0]
    return low, max(low, hull(game, bounds, partition, tau, facet))


@njit(cache=True)
def promising(game, bounds, partition, y, shares, actions, used, left, tau, facet):
    """The branch with the largest weighted excess of the gap over `left`; -1 when there is none."""
    base = game.row[game.first[partition]]
    most, found = 0.0, -1
    for j in range(used):
        if shares[j] > 1e-9:
            for branch in range(game.branch[actions[j]], game.branch[actions[j] + 1]):
                total = spread(game, branch, y, base, tau)
                if total > 1e-12:
                    q = game.target[branch]
                    quick = sawtooth(bounds, game, q, tau)
                    low = best_record(bounds, bounds.vectors, q, game.first[q + 1] - game.first[q], tau)[0]
                    if shares[j] * (quick - low - left * total) > most:
                        excess = shares[j] * (hull(game, bounds, q, tau, facet) - low - left * total)
                        if excess > most:
                            most, found = excess, branch
    return found


@njit(cache=True)
def note(shares, actions, used, touched):
    """Remember which slots were mixed."""
    for j in range(used):
        if shares[j] > 1e-9:
            touched[actions[j]] = True


@njit(cache=True)
def explore(game, bounds, start, belief, aim, discount, slack, tolerance, deepest, mask, work, touched, records):
    """One walk from a belief and back. False when there was no room left for `records`, what two stages may add."""
    wide = len(belief[0])
    path = np.empty(deepest + 1, np.int64)
    tau, facet = np.empty(wide), np.empty(wide)
    y, y_upper = np.empty(work), np.empty(work)
    shares, actions = np.zeros(MOST_COLUMNS), np.zeros(MOST_COLUMNS, np.int64)
    path[0], depth, left = start, 0, aim
    while True:
        if not room_left(bounds, wide, records):
            return False
        p = path[depth]
        lower_stage(game, bounds, p, belief[depth], tolerance, tau, y, mask)
        _, used = upper_stage(game, bounds, p, belief[depth], tolerance, tau, y_upper, facet, shares, actions, mask)
        note(shares, actions, used, touched)
        left = (left - slack) / discount
        branch = promising(game, bounds, p, y, shares, actions, used, left, tau, facet)
        if branch < 0 or depth == deepest:
            break
        total = spread(game, branch, y, game.row[game.first[p]], tau)
        q = game.target[branch]
        depth += 1
        path[depth] = q
        for s in range(game.first[q + 1] - game.first[q]):
            belief[depth, s] = tau[s] / total
    for k in range(depth - 1, -1, -1):
        if not room_left(bounds, wide, records):
            return False
        lower_stage(game, bounds, path[k], belief[k], tolerance, tau, y, mask)
        upper_stage(game, bounds, path[k], belief[k], tolerance, tau, y_upper, facet, shares, actions, mask)
    return True
