"""What Pocman senses after a step, as bits and in words."""

from __future__ import annotations

from functools import cache

from fogbound.games.pocman.ghosts import Ghost
from fogbound.games.pocman.mazes import DIRECTIONS, NOWHERE, Maze

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
