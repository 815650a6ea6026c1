"""A one-sided game and the bounds on it, as stage kernels see them.

Values are shifted so that none is below 0, whatever is done: then a belief that covers another has no lower
value, and bounds need no penalty for what they miss (Horak, Bosansky, Kovarik and Kiekintveld 2023 use one).
Vectors, points and facets of a partition are lists of records in pools; all of a partition's have its length. Nothing
that a record says ever changes, and each keeps its derivation: which records it was found from. So both bounds are
strategies that can be read out and checked, at any moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import kernel
from fogbound.driver.checkpoint_schema import Entries, Schema

MOST_COLUMNS = 120
NOISE = 1e-9  # what rounding may leave below 0


@dataclass(frozen=True, eq=False)
class GameArrays(Bundle):
    """A one-sided form, its rewards shifted and its probabilities discounted."""

    state_start: np.ndarray  # [P+1]
    reply_start: np.ndarray  # [S+1]
    action_start: np.ndarray  # [P+1]
    successor_start: np.ndarray  # [J+1]
    target: np.ndarray  # [B] partition
    transition_start: np.ndarray  # [B+1]
    source: np.ndarray  # [E] reply
    to: np.ndarray  # [E] state
    prob: np.ndarray  # [E] discounted
    reward_start: np.ndarray  # [J+1]
    reward: np.ndarray  # shifted
    allowed: np.ndarray  # [J] whether the blind player may use an action


@dataclass(frozen=True, eq=False)
class BoundArrays(Bundle):
    """Lists of records.

    A vector: its values; derivation: how many columns, and for each its action and share, and the vector after each
    observation. A point: its belief, value and gap below the corners; derivation: the other's mixture of replies, and
    for each successor of its partition how many points cover what follows, and which, with weights. A facet: its
    values.
    """

    corner: Annotated[np.ndarray, Entries("states", float, low=-NOISE)]  # no more than this when the state is known
    # the point at that vertex of the simplex, -1 = the corner was known from the first
    vertex: Annotated[np.ndarray, Entries("states", into="records", none=True)]
    vectors: Annotated[np.ndarray, Entries("partitions", into="records")]  # the newest vector's number
    facets: Annotated[np.ndarray, Entries("partitions", into="records")]
    # free list: facets that are wrong by now, whose room is used again
    free_facets: Annotated[np.ndarray, Entries("partitions", into="records", none=True)]
    points: Annotated[np.ndarray, Entries("partitions", into="records", none=True)]
    older: Annotated[np.ndarray, Entries("records", into="records", none=True)]  # the next of the same list
    at: Annotated[np.ndarray, Entries("records", begins="values")]  # where its values begin
    # where its derivation begins, -1 = none was stored
    derivation: Annotated[np.ndarray, Entries("records", into="links", none=True)]
    value: Annotated[np.ndarray, Entries("values", float)]  # the pool of values
    link: Annotated[np.ndarray, Entries("links", bits=True)]  # the pool of derivations: records and actions
    weight: Annotated[np.ndarray, Entries("links", float)]  # their weights
    used: np.ndarray  # [3] records, values, links


POOLS = ("records", "values", "links")
SCHEMA = Schema.of({"": BoundArrays})


@dataclass(frozen=True, eq=False)
class Workspace(Bundle):
    """Room to calculate in: for `wide` states, `replies` and `actions`, the most that a partition has."""

    belief: np.ndarray  # [wide] where a stage is solved
    tau: np.ndarray  # [wide] what is believed after an observation
    facet: np.ndarray  # [wide]
    chosen: np.ndarray  # [wide] points
    cover: np.ndarray  # [wide] their weights
    left: np.ndarray  # [wide] what they leave uncovered
    place: np.ndarray  # [wide] states that are believed in
    basis: np.ndarray  # [wide] the points in the basis of the hull's simplex method, -1 = a corner or a surplus
    amount: np.ndarray  # [wide] how much of it is taken
    way: np.ndarray  # [wide] how that changes with what enters
    inverse: np.ndarray  # [wide, wide] of the basis
    y: np.ndarray  # [replies] what the other does: in each state its replies add up to what is believed
    lower_y: np.ndarray  # [replies] what it does in the stage of the lower bound
    action_values: np.ndarray  # [actions]
    columns: np.ndarray  # [MOST_COLUMNS, replies]
    picks: np.ndarray  # [MOST_COLUMNS, successors of an action + 1] a column's action, the record after each of these
    shares: np.ndarray  # [MOST_COLUMNS] the blind player's mixture of them
    table: np.ndarray  # the restricted game, as `kernels.master` keeps it
    basic: np.ndarray
    other: np.ndarray
    shape: np.ndarray  # [3]


@dataclass(frozen=True, eq=False)
class StageArrays(Bundle):
    """All that a stage is solved with: what Python hands to kernels."""

    game: GameArrays
    bounds: BoundArrays
    work: Workspace


def new_workspace(wide: int, replies: int, actions: int, ways: int) -> Workspace:
    """Room for partitions of so many states, replies and actions, and actions of so many successors."""
    deep = wide + MOST_COLUMNS + 1
    return Workspace(
        **{name: np.zeros(wide) for name in ("belief", "tau", "facet", "cover", "left", "amount", "way")},
        **{name: np.zeros(wide, np.int64) for name in ("chosen", "place", "basis")},
        inverse=np.zeros((wide, wide)),
        **{name: np.zeros(replies) for name in ("y", "lower_y")},
        action_values=np.zeros(actions),
        columns=np.zeros((MOST_COLUMNS, replies)),
        picks=np.zeros((MOST_COLUMNS, ways + 1), np.int64),
        shares=np.zeros(MOST_COLUMNS),
        table=np.zeros((deep, replies + 2)),
        basic=np.zeros(deep, np.int64),
        other=np.zeros(replies + 1, np.int64),
        shape=np.zeros(3, np.int64),
    )


@kernel
def add_record(bounds, lists, partition, size):
    """A new record without a derivation at the head of a list: its number. There must be room."""
    used = bounds.used
    number = used[0]
    bounds.older[number], bounds.at[number], bounds.derivation[number] = lists[partition], used[1], -1
    lists[partition] = number
    used[0] += 1
    used[1] += size
    return number


@kernel
def successor_belief(game, successor, y, base, tau):
    """The unnormalised belief after an observation, tau, when the other's replies weigh `y`. Its sum."""
    target, entry, source, to, prob = game.target[successor], game.transition_start, game.source, game.to, game.prob
    first = game.state_start[target]
    for s in range(game.state_start[target + 1] - first):
        tau[s] = 0.0
    total = 0.0
    for e in range(entry[successor], entry[successor + 1]):
        p = y[source[e] - base] * prob[e]
        tau[to[e] - first] += p
        total += p
    return total


@kernel(fastmath={"reassoc", "contract"})
def record_dot(value, at, tau, many):
    """The sum of the products of a record's first values and a belief's: in any order, so that it can be fast."""
    total = 0.0
    for s in range(many):
        total += value[at + s] * tau[s]
    return total


@kernel
def best_record(bounds, lists, partition, many, tau):
    """(value, number) of the record of a list with the highest value at an unnormalised belief; (0, -1): none."""
    best, number, record = 0.0, -1, lists[partition]
    value, at, older = bounds.value, bounds.at, bounds.older
    while record >= 0:
        total = record_dot(value, at[record], tau, many)
        if total > best or number < 0:
            best, number = total, record
        record = older[record]
    return best, number


@kernel
def sawtooth(game, bounds, partition, tau):
    """An upper bound at an unnormalised belief: the corners, and the one point that takes most off them.

    Returns (value, the point's number or -1, its weight).
    """
    first, many = game.state_start[partition], game.state_start[partition + 1] - game.state_start[partition]
    corners, best, record, point, weight = 0.0, 0.0, bounds.points[partition], -1, 0.0
    corner, value = bounds.corner, bounds.value
    for s in range(many):
        corners += corner[first + s] * tau[s]
    while record >= 0:
        at = bounds.at[record]
        gap = value[at + many + 1]
        if gap < 0:
            held = np.inf
            for s in range(many):
                if value[at + s] > 0:
                    held = min(held, tau[s] / value[at + s])
                    if held * gap >= best:
                        break
            if held * gap < best:
                best, point, weight = held * gap, record, held
        record = bounds.older[record]
    return corners + best, point, weight
