"""How a state of Pocman looks: as tiles, and as what a belief says of each cell.

What Pocman knows for sure is where he stands, the walls, which pills are left and how long one still works.
"""

from __future__ import annotations

from collections.abc import Iterable

from fogbound.core import Board, Tile
from fogbound.games.pocman.food import EMPTY
from fogbound.games.pocman.mazes import Maze
from fogbound.games.pocman.state import CAUGHT, CLEARED, State

ENDS = {CAUGHT: "A ghost has caught Pocman.", CLEARED: "The maze is cleared."}


def board(maze: Maze, state: State, player: int | None) -> Board:
    """The maze as tiles: all of it, or what Pocman knows for sure."""
    if state in ENDS:
        return Board.of_text(ENDS[state])
    every = player is None
    rows = [
        [_tile(maze, state, maze.number.get((x, y)), every) for x in range(maze.width)]
        for y in reversed(range(maze.height))
    ]
    words = "C: Pocman, o: power pill" + (", G: ghost, .: food, ?: not drawn yet" if every else "")
    return Board.grid(rows, caption=words + (f"; the pill works for {left(state)} more" if left(state) else ""))


def left(state: State) -> int:
    """The steps in which a ghost can still be eaten."""
    return max(state.power - 1, 0)


def pills_left(maze: Maze, state: State) -> list[int]:
    """The cells of the pills that are not yet eaten."""
    return [cell for cell in maze.larder if maze.bit[cell] & maze.pills & state.food.there]


def _tile(maze: Maze, state: State, cell: int | None, every: bool) -> Tile:
    if cell is None:
        return Tile("#", "fog")
    if cell == state.pocman:
        return Tile("C", "mine")
    if every and any(cell == ghost for ghost, _ in state.ghosts):
        return Tile("G", "theirs")
    bit = maze.bit[cell]
    if bit & maze.pills & state.food.there:
        return Tile("o", "lamp")
    return Tile(("." if bit & state.food.there else "?" if bit & state.food.undrawn else "") if every else "")


def ghost_chances(belief: Iterable[tuple[State, float]]) -> dict[int, float]:
    """How likely a ghost is to be in each cell."""
    chances: dict[int, float] = {}
    for state, p in belief:
        for cell in {cell for cell, _ in state.ghosts}:
            chances[cell] = chances.get(cell, 0.0) + p
    return dict(sorted(chances.items()))


def food_chances(maze: Maze, belief: Iterable[tuple[State, float]]) -> dict[int, float]:
    """How likely food is to lie in each cell; pills are food."""
    chances = dict.fromkeys(maze.larder, 0.0)
    for state, p in belief:
        for cell in maze.larder:
            if maze.bit[cell] & (state.food.there | state.food.undrawn):
                chances[cell] += p if maze.bit[cell] & state.food.there else (1 - EMPTY) * p
    return {cell: p for cell, p in chances.items() if p > 0}
