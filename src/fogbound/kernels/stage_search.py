"""Heuristic search over beliefs of the blind player: PG-HSVI.

Horak, Bosansky and Pechoucek (2017); in the form of Horak, Bosansky, Kovarik and Kiekintveld, "Solving zero-sum
one-sided partially observable stochastic games" (2023): the blind player's action comes from the upper stage game,
the other's from the lower one, and what is looked at next is where the gap exceeds what may be left there, weighted
by how likely it is. Closing a child does not close its parent, since the other may reply differently, so stages are
solved on the way down and again on the way up. The upper bound comes down slowly, since points say little of beliefs
around them and were found from worse ones: so most walks lead through the beliefs of known points instead of new ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from fogbound.kernels.stage_columns import MOST_COLUMNS
from fogbound.kernels.stage_hull import hull
from fogbound.kernels.stage_lower import lower_stage
from fogbound.kernels.stage_model import best_record, room_left, sawtooth, spread
from fogbound.kernels.stage_upper import upper_stage


class Rules(NamedTuple):
    """How a walk goes, in the kernels' units."""

    aim: float  # the gap that it wants at its start
    discount: float
    slack: float  # of what may be left one step on
    tolerance: float  # of stage games
    deepest: int
    tighten: bool  # it leads through the beliefs of known points


@njit(cache=True)
def gap_at(game, bounds, partition, work):
    """(lower, upper) at the unnormalised belief work.tau."""
    many = game.first[partition + 1] - game.first[partition]
    low = best_record(bounds, bounds.vectors, partition, many, work.tau)[0]
    return low, max(low, hull(game, bounds, partition, work))


@njit(cache=True)
def promising(game, bounds, partition, y, shares, actions, used, left, work):
    """The branch with the largest weighted excess of the gap over `left`; -1 when there is none."""
    base = game.row[game.first[partition]]
    most, found = 0.0, -1
    for j in range(used):
        if shares[j] > 1e-9:
            for branch in range(game.branch[actions[j]], game.branch[actions[j] + 1]):
                total = spread(game, branch, y, base, work.tau)
                if total > 1e-12:
                    q = game.target[branch]
                    quick = sawtooth(bounds, game, q, work.tau)[0]
                    low = best_record(bounds, bounds.vectors, q, game.first[q + 1] - game.first[q], work.tau)[0]
                    if shares[j] * (quick - low - left * total) > most:
                        excess = shares[j] * (hull(game, bounds, q, work) - low - left * total)
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
def heaviest(game, bounds, partition, work):
    """Of the points that cover work.tau the one whose gap weighs most; -1 when there is none."""
    many = game.first[partition + 1] - game.first[partition]
    hull(game, bounds, partition, work)
    best, found = 0.0, -1
    for r in range(many):
        if work.cover[r] > 0.0:
            at = bounds.at[work.chosen[r]]
            low = best_record(bounds, bounds.vectors, partition, many, bounds.value[at : at + many])[0]
            weight = work.cover[r] * (bounds.value[at + many] - low)
            if weight > best:
                best, found = weight, work.chosen[r]
    return found


@njit(cache=True)
def explore(game, bounds, start, belief, rules, mask, rows, work, touched, room):
    """One walk from a belief and back. False when there was no room left for what two stages may add.

    To tighten bounds, it leads through known points: always the one that weighs most in the bound on what follows.
    """
    path = np.empty(rules.deepest + 1, np.int64)
    y, y_upper = np.empty(rows), np.empty(rows)
    shares, actions = np.zeros(MOST_COLUMNS), np.zeros(MOST_COLUMNS, np.int64)
    path[0], depth, left = start, 0, rules.aim
    while True:
        if not room_left(bounds, room):
            return False
        p = path[depth]
        lower_stage(game, bounds, p, belief[depth], rules.tolerance, work, y, mask)
        _, used = upper_stage(game, bounds, p, belief[depth], rules.tolerance, work, y_upper, shares, actions, mask)
        note(shares, actions, used, touched)
        left = (left - rules.slack) / rules.discount if rules.discount > 0 else np.inf
        branch = promising(game, bounds, p, y, shares, actions, used, left, work)
        if branch < 0 or depth == rules.deepest:
            break
        total = spread(game, branch, y, game.row[game.first[p]], work.tau)
        q = game.target[branch]
        depth += 1
        path[depth] = q
        for s in range(game.first[q + 1] - game.first[q]):
            belief[depth, s] = work.tau[s] / total
        if rules.tighten:
            number = heaviest(game, bounds, q, work)
            if number >= 0:
                for s in range(game.first[q + 1] - game.first[q]):
                    belief[depth, s] = bounds.value[bounds.at[number] + s]
    for k in range(depth - 1, -1, -1):
        if not room_left(bounds, room):
            return False
        lower_stage(game, bounds, path[k], belief[k], rules.tolerance, work, y, mask)
        upper_stage(game, bounds, path[k], belief[k], rules.tolerance, work, y_upper, shares, actions, mask)
    return True
