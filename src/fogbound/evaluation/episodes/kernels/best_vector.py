"""The best of many vectors in a belief, found without looking at most of them.

Vectors that resemble each other stand in tiles of `LANES`, and so do the *ceilings* of tiles, the entrywise maxima, up
to one tile at the top. No vector is better in a belief than its ceiling, also in floats, since all sums are made in the
same order and rounding keeps order; so a tile below a ceiling that falls short of what is found need not be looked at.
A tile lies in memory state by state, which adds all its lanes at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import NONE, kernel

LANES = 8
DEEPEST = 24  # levels of tiles, at most
NOTHING = np.int64(-(1 << 62))  # below a lane that no vector is left for


@dataclass(frozen=True, eq=False)
class VectorTiles(Bundle):
    """K vectors over S states, in C sets that are meant for the same states, as T tiles."""

    first: np.ndarray  # [S+1] where the sets that are meant for a state begin in `sets`
    sets: np.ndarray
    column: np.ndarray  # [C, S] the place of a state in a set's tiles, or -1
    top: np.ndarray  # [C] the tile of the highest ceilings
    begin: np.ndarray  # [T] where a tile's values begin
    below: np.ndarray  # [T, LANES] the tile below a ceiling, ~k for vector k, or NOTHING
    value: np.ndarray  # [..] tile by tile, state by state, lane by lane; -inf where there is NOTHING
    starts: np.ndarray  # [K] the action that each vector starts with
    offered: np.ndarray  # [M, A] whether a list of legal actions has an action


@dataclass(frozen=True, eq=False)
class SearchRoom(Bundle):
    """Room for one search among tiles."""

    weight: np.ndarray  # [S] of the states that are possible
    column: np.ndarray  # [S] their places in the tiles at hand
    worth: np.ndarray  # [LANES]
    tile: np.ndarray  # [DEEPEST x LANES] those that are still to be looked at
    bound: np.ndarray  # [DEEPEST x LANES] the worth of the ceilings above them
    found: np.ndarray  # [1] the best vector so far, or -1
    most: np.ndarray  # [1] what it is worth


@kernel
def best_vector(tiles: Any, room: Any, states: Any, weights: Any, at: Any, many: Any, legal: Any) -> Any:
    """The best vector that starts with a legal action, in the belief of `many` states from `at` on; -1: there is none.

    Of equally good ones it is the first, and where none is meant for the belief the first at all.
    """
    room.found[0], room.most[0] = NONE, -np.inf
    while many > 0 and not weights[at] > 0:
        at, many = at + 1, many - 1
    if many > 0:
        for k in range(tiles.first[states[at]], tiles.first[states[at] + 1]):
            possible = _laid_out(tiles, room, tiles.sets[k], states, weights, at, many)
            if possible >= 0:
                _dive(tiles, room, tiles.top[tiles.sets[k]], possible, legal)
                _sweep(tiles, room, tiles.top[tiles.sets[k]], possible, legal)
    if room.found[0] < 0:
        for vector in range(len(tiles.starts)):
            if tiles.offered[legal, tiles.starts[vector]]:
                return np.int64(vector)
    return room.found[0]


@kernel
def _laid_out(tiles: Any, room: Any, chosen: Any, states: Any, weights: Any, at: Any, many: Any) -> Any:
    """How many states are possible, their weights and places in the room; -1 where the set is not meant for one."""
    possible = np.int64(0)
    for k in range(at, at + many):
        if weights[k] > 0:
            column = tiles.column[chosen, states[k]]
            if column < 0:
                return NONE
            room.weight[possible], room.column[possible] = weights[k], LANES * column
            possible += 1
    return possible


@kernel
def _rate(tiles: Any, room: Any, tile: Any, possible: Any) -> Any:
    """What each lane of a tile is worth."""
    begin, value = tiles.begin[tile], tiles.value
    a = b = c = d = e = f = g = h = 0.0
    for s in range(possible):
        weight, place = room.weight[s], begin + room.column[s]
        a += weight * value[place]
        b += weight * value[place + 1]
        c += weight * value[place + 2]
        d += weight * value[place + 3]
        e += weight * value[place + 4]
        f += weight * value[place + 5]
        g += weight * value[place + 6]
        h += weight * value[place + 7]
    worth = room.worth
    worth[0], worth[1], worth[2], worth[3], worth[4], worth[5], worth[6], worth[7] = a, b, c, d, e, f, g, h


@kernel
def _consider(tiles: Any, room: Any, vector: Any, worth: Any, legal: Any) -> Any:
    better = room.found[0] < 0 or worth > room.most[0] or (worth == room.most[0] and vector < room.found[0])
    if better and tiles.offered[legal, tiles.starts[vector]]:
        room.found[0], room.most[0] = vector, worth


@kernel
def _dive(tiles: Any, room: Any, tile: Any, possible: Any, legal: Any) -> Any:
    """Always below the highest ceiling: a vector that is good enough to make most others superfluous."""
    while tile >= 0:
        _rate(tiles, room, tile, possible)
        highest = np.int64(0)
        for lane in range(LANES):
            if room.worth[lane] > room.worth[highest]:
                highest = np.int64(lane)
        worth, tile = room.worth[highest], tiles.below[tile, highest]
        if tile < 0 and tile != NOTHING:
            _consider(tiles, room, ~tile, worth, legal)


@kernel
def _sweep(tiles: Any, room: Any, tile: Any, possible: Any, legal: Any) -> Any:
    """All vectors whose ceilings do not fall short."""
    room.tile[0], room.bound[0] = tile, np.inf
    left = np.int64(1)
    while left > 0:
        left -= 1
        if room.bound[left] < room.most[0]:
            continue
        tile = room.tile[left]
        _rate(tiles, room, tile, possible)
        for lane in range(LANES):
            below, worth = tiles.below[tile, lane], room.worth[lane]
            if below >= 0:
                if worth >= room.most[0]:
                    room.tile[left], room.bound[left] = below, worth
                    left += 1
            elif below != NOTHING:
                _consider(tiles, room, ~below, worth, legal)
