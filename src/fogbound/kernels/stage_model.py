"""A one-sided game and the bounds on it, as stage kernels see them.

Values are shifted so that nothing is worth less than 0, whatever is done: then a belief that covers another is worth
no less, and bounds need no penalty for what they miss (Horak, Bosansky, Kovarik and Kiekintveld 2023 use one).
Vectors, points and facets of a partition are lists of records in pools; all of a partition's have its length. Nothing
that a record says ever changes, and each keeps its reason: which records it was found from. So both bounds are
strategies that can be read out and checked, at any moment.
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
    """Lists of records.

    A vector: its values; why: how many columns, and for each its slot and share, and the vector after each branch.
    A point: its belief, its value, its gap below the corners; why: the other's mixture of rows, and for each branch of
    its partition how many points cover what follows, and which, with weights. A facet: its values.
    """

    corner: np.ndarray  # [S] no more than this when the state is known
    crown: np.ndarray  # [S] the point that says so, -1 = it was known from the first
    vectors: np.ndarray  # [P] the newest vector's number, -1 = none
    facets: np.ndarray  # [P]
    spare: np.ndarray  # [P] facets that are wrong by now: their room is used again
    points: np.ndarray  # [P]
    older: np.ndarray  # [records] the next of the same list
    at: np.ndarray  # [records] where its values begin
    why: np.ndarray  # [records] where its reason begins, -1 = none was kept
    value: np.ndarray  # the pool of values
    link: np.ndarray  # the pool of reasons: records and slots
    weight: np.ndarray  # [as many] their weights
    used: np.ndarray  # [3] records, values, links


class Work(NamedTuple):
    """Room to calculate in; `wide` states are the most that a partition has."""

    tau: np.ndarray  # [wide] what is believed after a branch
    facet: np.ndarray  # [wide]
    chosen: np.ndarray  # [wide] points
    cover: np.ndarray  # [wide] their weights


def new_work(wide: int) -> Work:
    """Room for partitions of so many states."""
    return Work(np.zeros(wide), np.zeros(wide), np.zeros(wide, np.int64), np.zeros(wide))


@njit(cache=True)
def add_record(bounds, lists, partition, size):
    """A new record without a reason at the head of a list: its number. The caller has made sure that there is room."""
    number = bounds.used[0]
    bounds.older[number], bounds.at[number], bounds.why[number] = lists[partition], bounds.used[1], -1
    lists[partition] = number
    bounds.used[0] += 1
    bounds.used[1] += size
    return number


@njit(cache=True)
def room_left(bounds, room):
    """Whether so many more records, values and links fit."""
    records, values = bounds.used[0] + room[0] < len(bounds.older), bounds.used[1] + room[1] < len(bounds.value)
    return records and values and bounds.used[2] + room[2] < len(bounds.link)


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


@njit(cache=True, fastmath={"reassoc", "contract"})
def dot(value, at, tau, many):
    """The sum of the products of a record's first values and a belief's: in any order, so that it can be fast."""
    total = 0.0
    for s in range(many):
        total += value[at + s] * tau[s]
    return total


@njit(cache=True)
def best_record(bounds, lists, partition, many, tau):
    """(value, number) of the record of a list that is worth most at an unnormalised belief; (0, -1): none."""
    best, found, record = 0.0, -1, lists[partition]
    while record >= 0:
        total = dot(bounds.value, bounds.at[record], tau, many)
        if total > best or found < 0:
            best, found = total, record
        record = bounds.older[record]
    return best, found


@njit(cache=True)
def sawtooth(bounds, game, partition, tau):
    """An upper bound at an unnormalised belief: the corners, and the one point that takes most off them.

    Returns (value, the point's number or -1, its weight).
    """
    first, many = game.first[partition], game.first[partition + 1] - game.first[partition]
    corners, best, record, found, weight = 0.0, 0.0, bounds.points[partition], -1, 0.0
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
            if held * gap < best:
                best, found, weight = held * gap, record, held
        record = bounds.older[record]
    return corners + best, found, weight
