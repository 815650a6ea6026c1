"""A one-sided game and the bounds on it, as stage kernels see them.

Values are shifted so that nothing is worth less than 0, whatever is done: then a belief that covers another is worth
no less, and bounds need no penalty for what they miss (Horak, Bosansky, Kovarik and Kiekintveld 2023 use one).
Vectors, points and facets of a partition are lists in two pools; all of a partition's have its length.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit


class Game(NamedTuple):
    """Partitions of states, rows (a state, an action of the player who sees), slots (an action of the blind one)."""

    first: np.ndarray  # [P+1] states
    row: np.ndarray  # [S+1] rows
    slot: np.ndarray  # [P+1]
    branch: np.ndarray  # [J+1]
    target: np.ndarray  # [B] partition
    entry: np.ndarray  # [B+1]
    source: np.ndarray  # [E] row
    to: np.ndarray  # [E] state
    prob: np.ndarray  # [E] discounted
    pay: np.ndarray  # [J+1]
    reward: np.ndarray  # shifted: of a slot, for each row of its partition


class Bounds(NamedTuple):
    """Lists of records. A vector or facet: its values. A point: its belief, its value, its gap below the corners."""

    corner: np.ndarray  # [S] no more than this when the state is known
    vectors: np.ndarray  # [P] the newest vector's number, -1 = none
    facets: np.ndarray  # [P]
    points: np.ndarray  # [P]
    older: np.ndarray  # [records] the next of the same list
    at: np.ndarray  # [records] where its values begin
    value: np.ndarray  # the pool
    used: np.ndarray  # [2] records, values


@njit(cache=True)
def add_record(bounds, lists, partition, size):
    """A new record at the head of a list: where its values begin. The caller has made sure that there is room."""
    number = bounds.used[0]
    bounds.older[number], bounds.at[number] = lists[partition], bounds.used[1]
    lists[partition] = number
    bounds.used[0] += 1
    bounds.used[1] += size
    return bounds.at[number]


@njit(cache=True)
def room_left(bounds, wide, most):
    """Whether `most` more records of at most `wide` states fit."""
    records = bounds.used[0] + most < len(bounds.older)
    return records and bounds.used[1] + most * (wide + 2) < len(bounds.value)


@njit(cache=True)
def spread(game, branch, y, base, tau):
    """What the blind player is left with after a branch, unnormalised, when the other's rows weigh `y`. Its sum."""
    first = game.first[game.target[branch]]
    many = game.first[game.target[branch] + 1] - first
    for s in range(many):
        tau[s] = 0.0
    total = 0.0
    for e in range(game.entry[branch], game.entry[branch + 1]):
        p = y[game.source[e] - base] * game.prob[e]
        tau[game.to[e] - first] += p
        total += p
    return total


@njit(cache=True)
def best_record(bounds, lists, partition, many, tau):
    """(value, where it begins) of the record of a list that is worth most at an unnormalised belief; (0, -1): none."""
    best, found, record = 0.0, -1, lists[partition]
    while record >= 0:
        at, total = bounds.at[record], 0.0
        for s in range(many):
            total += bounds.value[at + s] * tau[s]
        if total > best or found < 0:
            best, found = total, at
        record = bounds.older[record]
    return best, found


@njit(cache=True)
def sawtooth(bounds, game, partition, tau):
    """An upper bound at an unnormalised belief: the corners, and the one point that takes most off them."""
    first, many = game.first[partition], game.first[partition + 1] - game.first[partition]
    corners, best, record = 0.0, 0.0, bounds.points[partition]
    for s in range(many):
        corners += bounds.corner[first + s] * tau[s]
    while record >= 0:
        at = bounds.at[record]
        gap = bounds.value[at + many + 1]
        if gap < 0:
            held = np.inf
            for s in range(many):
                if bounds.value[at + s] > 0:
                    held = min(held, tau[s] / bounds.value[at + s])
                    if held * gap >= best:
                        break
            best = min(best, held * gap)
        record = bounds.older[record]
    return corners + best
