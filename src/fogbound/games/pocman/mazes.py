"""The mazes of Pocman: maps as text, and what the rules ask of them, worked out once.

`full`, `mini` and `micro` are those of the code of Silver and Veness, which DESPOT's release repeats; `ring` is ours,
small enough for every state to be listed. On a map `#` is wall, `.` a cell that holds food or not, `o` one with a power
pill, and a blank is a path where food never lies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

Cell = tuple[int, int]  # (x, y): x grows to the east, y to the north
DIRECTIONS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
NOWHERE = -1  # behind a wall; also the direction of a ghost that has none


@dataclass(frozen=True)
class Maze:
    """A map with its inhabitants. Cells that are no wall are numbered from the south-west, row by row."""

    rows: tuple[str, ...]  # the northernmost first
    home: Cell  # where Pocman begins
    ghosts: tuple[Cell, ...]  # where they begin; the first is also where one that was eaten comes back
    reach: int  # a ghost nearer than this, along both axes together, hunts or flees
    passage: int = -1  # the row whose two ends meet

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def height(self) -> int:
        return len(self.rows)

    def sign(self, cell: Cell) -> str:
        """What the map has there; wall all around it."""
        x, y = cell
        inside = 0 <= x < self.width and 0 <= y < self.height
        return self.rows[self.height - 1 - y][x] if inside else "#"

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        every = ((x, y) for y in range(self.height) for x in range(self.width))
        return tuple(cell for cell in every if self.sign(cell) != "#")

    @cached_property
    def number(self) -> dict[Cell, int]:
        return {cell: n for n, cell in enumerate(self.cells)}

    @cached_property
    def ways(self) -> tuple[tuple[int, ...], ...]:
        """[cell][direction] the cell one step away; NOWHERE behind a wall."""
        return tuple(tuple(self._way(cell, step) for step in DIRECTIONS.values()) for cell in self.cells)

    def _way(self, cell: Cell, step: Cell) -> int:
        x, y = cell[0] + step[0], cell[1] + step[1]
        return self.number.get((x % self.width if y == self.passage else x, y), NOWHERE)

    @cached_property
    def open(self) -> tuple[tuple[int, ...], ...]:
        """[cell] the directions in which there is no wall."""
        return tuple(tuple(d for d, to in enumerate(ways) if to != NOWHERE) for ways in self.ways)

    @cached_property
    def larder(self) -> tuple[int, ...]:
        """The cells in which food may lie: bit k of a set of food stands for the k-th of them."""
        return tuple(n for n, cell in enumerate(self.cells) if self.sign(cell) in ".o")

    @cached_property
    def bit(self) -> tuple[int, ...]:
        """[cell] the set of food that is this cell's alone; 0 where none ever lies."""
        place = {cell: k for k, cell in enumerate(self.larder)}
        return tuple(1 << place[n] if n in place else 0 for n in range(len(self.cells)))

    @cached_property
    def pills(self) -> int:
        """The set of the power pills."""
        return sum(self.bit[n] for n, cell in enumerate(self.cells) if self.sign(cell) == "o")

    @cached_property
    def near(self) -> tuple[tuple[int, ...], ...]:
        """[cell] the food that can be smelt there, one set each: the cell's own first, then of the eight around it."""
        return tuple(self._near(cell) for cell in self.cells)

    def _near(self, cell: Cell) -> tuple[int, ...]:
        around = [(cell[0] + dx, cell[1] + dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy]
        return tuple(self.bit[self.number[one]] for one in (cell, *around) if self.sign(one) in ".o")

    def distance(self, one: int, other: int) -> int:
        """How far apart two cells are along both axes together, whatever stands between."""
        (x, y), (u, v) = self.cells[one], self.cells[other]
        return abs(x - u) + abs(y - v)

    @cached_property
    def sight(self) -> tuple[dict[int, int], ...]:
        """[cell] the cells that are in sight from there, each with its direction. None is seen through the passage."""
        return tuple(
            {n: d for d, step in enumerate(DIRECTIONS.values()) for n in self._line(cell, step)} for cell in self.cells
        )

    def _line(self, cell: Cell, step: Cell) -> Iterator[int]:
        x, y = cell[0] + step[0], cell[1] + step[1]
        while (x, y) in self.number:
            yield self.number[x, y]
            x, y = x + step[0], y + step[1]


MAZES = {
    "full": Maze(
        rows=(
            ".................",
            ".##.###.#.###.##.",
            "o...............o",
            ".##.#.#####.#.##.",
            "....#...#...#....",
            "###.###.#.###.###",
            "###.#       #.###",
            "###.# #   # #.###",
            "   .# #   # #.   ",
            "###.# ##### #.###",
            "###.#       #.###",
            "###.#.#####.#.###",
            ".................",
            ".##.###.#.###.##.",
            "o.#...........#.o",
            "#.#.#.#####.#.#.#",
            "....#...#...#....",
            ".######.#.######.",
            ".................",
        ),
        home=(8, 6),
        ghosts=((8, 10), (9, 10), (8, 11), (9, 11)),
        reach=6,
        passage=10,
    ),
    "mini": Maze(
        rows=(
            "....##....",
            ".##.##.##.",
            ".#......#.",
            "...#..#...",
            ".#.#  #.#.",
            ".#.#  #.#.",
            "...####...",
            ".#......#.",
            ".##.##.##.",
            "....##....",
        ),
        home=(4, 2),
        ghosts=((4, 4), (5, 4), (4, 5)),
        reach=4,
        passage=5,
    ),
    "micro": Maze(
        rows=(
            ".......",
            "..#.#..",
            ".#...#.",
            "...#...",
            ".#...#.",
            "..#.#..",
            ".......",
        ),
        home=(3, 0),
        ghosts=((3, 4),),
        reach=3,
    ),
    "ring": Maze(
        rows=(
            ". o",
            " # ",
            "  .",
        ),
        home=(0, 0),
        ghosts=((2, 1),),
        reach=3,
    ),
}
