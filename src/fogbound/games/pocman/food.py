"""The food of Pocman's maze, drawn when something first depends on it.

Each cell that may hold food does so with 1/2, whatever the others hold, so it makes no difference when that is drawn.
What Pocman comes to is drawn first; whether food is smelt, then, cell by cell until there is some, and the rest stays
undrawn. So a particle of a belief holds little more than what was smelt says, and the maze begins in one state. The
game ends with the last food that there is: when nothing is left of what was drawn, it is drawn whether there is any
among the rest; and if so, `more` says that from then on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fogbound.games.pocman.mazes import Maze

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


def at_first(maze: Maze) -> Food:
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
