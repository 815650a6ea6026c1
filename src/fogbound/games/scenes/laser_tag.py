"""Laser tag: the arena, its obstacles, who stands where, and the rays of the laser."""

from __future__ import annotations

from collections.abc import Collection

from fogbound.core.drawing import Drawing
from fogbound.core.svg import EDGE, FOG_1, FOG_3, FOG_5, INK_2, LAMP_LINE, LINE, box, document, line, text
from fogbound.games.scenes.pieces import LIT, MINE, SMALL, THEIRS, WIDTH, faded, spoken_label, token

Cell = tuple[int, int]
Seen = tuple[Cell, Cell, tuple[tuple[float, float], ...]]  # the robot, the opponent, where the rays end
CELL, TOP = 34, 18


def arena(wide: int, high: int, free: Collection[Cell], seen: Seen | None, terminal: str) -> Drawing:
    """The cells, y to the north; `seen` is None where only the map is known."""
    left = (WIDTH - CELL * wide) / 2

    def middle(x: float, y: float) -> tuple[float, float]:
        return left + CELL * (x + 0.5), TOP + CELL * (high - y - 0.5)

    body, obstacles = [], []
    for x, y in ((x, y) for y in range(high) for x in range(wide)):
        corner = left + CELL * x + 1.5, TOP + CELL * (high - 1 - y) + 1.5
        fill, edge = (FOG_1 if seen else FOG_3, LINE) if (x, y) in free else (FOG_5, EDGE)
        body.append(box(*corner, CELL - 3, CELL - 3, fill, edge, 5))
        if (x, y) not in free:
            obstacles.append((x, y))
    words = "Where the robot and the opponent are is hidden"
    if seen:
        robot, opponent, ends = seen
        body += [faded(line(*middle(*robot), *middle(*end), LAMP_LINE, 2, "4 3"), 0.8) for end in ends]
        both = robot == opponent
        pieces = [(robot, "RO", LIT)] if both else [(robot, "R", MINE), (opponent, "O", THEIRS)]
        body += [token(*middle(*cell), letters, tone, 14) for cell, letters, tone in pieces]
        words = "R: the robot and its rays, O: the opponent"
    foot = TOP + CELL * high + 28
    body.append(text(left, foot, words, INK_2, SMALL))
    where = [f"the robot at {seen[0]}", f"the opponent at {seen[1]}"] if seen else ["both are hidden"]
    label = spoken_label(f"{wide} by {high} cells with {len(obstacles)} obstacles", *where)
    return document(WIDTH, foot + 18, body, label, terminal)
