"""A state of Pocman and what becomes of it: how ghosts move, what food is found and eaten, and what is sensed.

Food is drawn when something first depends on it: `game` says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from fogbound.core.record import listed
from fogbound.games.pocman.mazes import DIRECTIONS, NOWHERE, Maze

HUNTS, STAYS = 0.75, 0.25
Ghost = tuple[int, int]  # (its cell, the direction in which it came there: NOWHERE when it has forgotten)


def ghost_moves(maze: Maze, ghost: Ghost, pocman: int, power: int) -> list[tuple[Ghost, float]]:
    """Where a ghost may go when Pocman has just come to a cell, and how likely each is."""
    cell, came = ghost
    ahead = [d for d in maze.open[cell] if came == NOWHERE or d != (came + 2) % 4] or list(maze.open[cell])
    (x, y), (u, v) = maze.cells[cell], maze.cells[pocman]
    if abs(x - u) + abs(y - v) < maze.reach and power > 0:
        return _flight(maze, ghost, ahead, (y - v, x - u, v - y, u - x))
    anywhere = [((maze.ways[cell][d], d), 1 / len(ahead)) for d in ahead]
    if abs(x - u) + abs(y - v) >= maze.reach:
        return anywhere
    lead = (y - v, x - u, v - y, u - x)
    best = min(reversed(ahead), key=lambda d: lead[d])  # of equals the last
    return [((maze.ways[cell][best], NOWHERE), HUNTS), *((move, (1 - HUNTS) * p) for move, p in anywhere)]


def _flight(maze: Maze, ghost: Ghost, ahead: list[int], lead: tuple[int, ...]) -> list[tuple[Ghost, float]]:
    """On in the direction in which the ghost's lead is largest already; `lead` is by direction, below 0: behind him."""
    cell, came = ghost
    best = max(reversed(ahead), key=lambda d: lead[d])
    away: Ghost = (maze.ways[cell][best] if lead[best] >= 0 else cell, NOWHERE)
    return [(away, 1.0)] if came == NOWHERE else [(away, 1 - STAYS), ((cell, NOWHERE), STAYS)]


EMPTY = 0.5  # how likely a cell is to hold nothing


class Food(NamedTuple):
    """Sets of cells, as bits."""

    there: int  # drawn, and not yet eaten
    undrawn: int
    more: bool = False  # among the undrawn there surely is some


class Meal(NamedTuple):
    """What becomes of the food when Pocman comes to a cell."""

    left: Food
    smelt: bool
    eaten: int  # the set of what he eats: the cell or nothing
    last: bool  # it was all there is


def first_food(maze: Maze) -> Food:
    """Pills are sure, all else is to be drawn."""
    return Food(maze.pills, (1 << len(maze.larder)) - 1 & ~maze.pills)


def meals(maze: Maze, food: Food, cell: int) -> Iterator[tuple[Meal, float]]:
    """What may be found and eaten in a cell, and how likely each is."""
    own, smelt = maze.bit[cell], any(food.there & bit for bit in maze.near[cell])
    fresh = [bit for bit in maze.near[cell] if food.undrawn & bit and (bit == own or not smelt)]
    none_before, undrawn = EMPTY ** food.undrawn.bit_count(), food.undrawn
    for k, bit in enumerate((*fresh, 0)):  # the first that holds food, if any
        undrawn &= ~bit
        none_after, p = EMPTY ** undrawn.bit_count(), EMPTY ** min(k + 1, len(fresh))
        if food.more:
            p = (p if bit else p * (1 - none_after)) / (1 - none_before)
        there, more = food.there | bit, food.more and not bit
        eaten = there & own
        left = Food(there & ~eaten, undrawn, more)
        if not eaten or left.there or more:
            if p > 0:
                yield Meal(left, smelt or bit > 0, eaten, False), p
        else:
            yield Meal(Food(0, 0), True, eaten, True), p * none_after
            if undrawn:
                yield Meal(Food(0, undrawn, True), True, eaten, False), p * (1 - none_after)


class State(NamedTuple):
    """Cells by number; one below 0 is how the game ended."""

    pocman: int
    ghosts: tuple[Ghost, ...] = ()
    power: int = 0  # what is left of a pill
    food: Food = Food(0, 0)


CAUGHT, CLEARED = State(-1), State(-2)


def cell_name(maze: Maze, cell: int) -> str:
    """A cell as column:row."""
    return ":".join(map(str, maze.cells[cell]))


def state_words(maze: Maze, state: State) -> str:
    """A state of a game that goes on, with nothing hidden.

    What it says of food leaves out the cells in which it is not drawn yet.
    """

    def held(bits: int) -> str:
        return listed(cell_name(maze, cell) for cell in maze.larder if maze.bit[cell] & bits)

    ways = tuple(DIRECTIONS)
    ghosts = [
        f"{cell_name(maze, cell)} {'' if came == NOWHERE else f'going {ways[came]}'}".rstrip()
        for cell, came in state.ghosts
    ]
    every = (1 << len(maze.larder)) - 1
    food = f"food at {held(state.food.there)}, not at {held(every & ~state.food.there & ~state.food.undrawn)}"
    more = ", and somewhere else" if state.food.more else ""
    pill = f"; the pill counts {state.power}" if state.power else ""
    return f"Pocman at {cell_name(maze, state.pocman)}, ghosts at {listed(ghosts)}{pill}; {food}{more}"


WALL, SMELL, HEAR = 4, 8, 9  # bits: from 0 on ghosts in sight, from 4 on walls, by direction
HEARD = 2  # how far a ghost is heard


def senses(maze: Maze, cell: int, ghosts: tuple[Ghost, ...]) -> int:
    """What is seen, felt and heard in a cell."""
    bits = sum(1 << (WALL + d) for d, to in enumerate(maze.ways[cell]) if to == NOWHERE)
    for there, _ in ghosts:
        bits |= sensed_of(maze, cell, there)
    return bits


def sensed_of(maze: Maze, cell: int, ghost: int) -> int:
    """What a ghost in one cell adds to what is sensed in another."""
    seen = 1 << maze.sight[cell][ghost] if ghost in maze.sight[cell] else 0
    return seen | (maze.distance(cell, ghost) <= HEARD) << HEAR


@cache
def in_words(bits: int) -> str:
    """What is sensed, in words."""
    words = [f"ghost {way}" for d, way in enumerate(DIRECTIONS) if bits >> d & 1]
    words += [f"wall {way}" for d, way in enumerate(DIRECTIONS) if bits >> (WALL + d) & 1]
    words += ["noise"] * (bits >> HEAR & 1) + ["smell"] * (bits >> SMELL & 1)
    return ", ".join(words) or "nothing"
