"""Laser tag: a robot hunts an opponent by eight noisy laser ranges, and must tag it.

A grid of 7 by 11 cells, eight of them obstacles. Every move costs 1; tagging pays 10 and ends the episode where both
are in one cell, and costs 10 elsewhere. The opponent flees from where the robot was, also while it tags: each axis has
0.4, spent on the direction away from the robot, or halved over both when level with it; what runs into a wall or an
obstacle, and the remaining 0.2, stays. After each step the robot reads a range in each of eight directions, up to the
wall, obstacle or opponent there: the distance less the absolute value of Gaussian noise of standard deviation 2.5,
rounded down, at least 0. In the opponent's cell every reading is -1. Ye, Somani, Hsu and Lee, "DESPOT: online POMDP
planning with regularization" (2017), section 6, as in the programs of that paper and of Sunberg and Kochenderfer
(2018).

The robot knows the map and not where it begins; with `located=true` it begins in a cell that it knows, and since moves
are sure it knows its cell from then on. Layout 0 is that of seed 4 of the DESPOT program; the others are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any

from fogbound.core import Board, Drawing, GameGroup, GameRecord, SpecError, Tile
from fogbound.core.contract import require_discount
from fogbound.games.laser_tag.arena import DIRECTIONS, FIRST_LAYOUT, HIGH, OBSTACLES, WIDE, Cell
from fogbound.simulators.arrays import ArraySimulator

if TYPE_CHECKING:
    from fogbound.compiled.sampled_rules import SampledRules


@dataclass(frozen=True)
class LaserTag(ArraySimulator):
    """The arena of a `layout`; `located`: the robot knows where it begins."""

    name = "laser-tag"
    record = GameRecord("Laser tag", GameGroup.ALONE)
    players = ("robot",)
    actions = ("north", "south", "east", "west", "tag")

    layout: int = 0
    located: bool = False
    discount: float = 0.95

    def __post_init__(self) -> None:
        require_discount("laser-tag", self.discount, SpecError)
        if self.layout < 0:
            raise SpecError(f"laser-tag: layout is {self.layout}, expected 0 or more")

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The cells without obstacles, by number."""
        grid = [(x, y) for y in range(HIGH) for x in range(WIDE)]
        blocked = FIRST_LAYOUT if self.layout == 0 else Random(self.layout).sample(grid, OBSTACLES)
        return tuple(cell for cell in grid if cell not in blocked)

    def clear(self, robot: Cell, opponent: Cell | None, direction: Cell) -> int:
        """How many cells are free before the wall, obstacle or opponent in a direction."""
        (x, y), (dx, dy), free = robot, direction, 0
        while (x + dx, y + dy) in self.cells and (x + dx, y + dy) != opponent:
            x, y, free = x + dx, y + dy, free + 1
        return free

    def flight(self, robot: Cell, opponent: Cell) -> dict[Cell, float]:
        """Where the opponent goes, and how likely."""
        chances = {opponent: 1.0}
        for axis in (0, 1):
            away = opponent[axis] - robot[axis]
            for way in (1, -1) if away == 0 else (1,) if away > 0 else (-1,):
                to = (opponent[0] + way, opponent[1]) if axis == 0 else (opponent[0], opponent[1] + way)
                if to in self.cells:
                    chances[to] = chances.get(to, 0.0) + (0.2 if away == 0 else 0.4)
                    chances[opponent] -= 0.2 if away == 0 else 0.4
        return chances

    def compiled_rules(self) -> SampledRules:
        from fogbound.games.laser_tag.kernels import compiled_rules

        return compiled_rules(self)

    def describe(self, action: str) -> str:
        return "tag the opponent" if action == "tag" else f"go {action}"

    def board(self, state: Any, player: int | None = None) -> Board:
        """The arena; to the robot's own eye only its map."""
        robot, opponent = (self.cells[int(cell)] for cell in state[:2])
        rows = []
        for y in reversed(range(HIGH)):
            row = []
            for x in range(WIDE):
                who = ("R" if (x, y) == robot else "") + ("O" if (x, y) == opponent else "") if player is None else ""
                tone = {"R": "mine", "O": "theirs", "RO": "lamp"}.get(who, "plain")
                row.append(Tile(who, tone) if (x, y) in self.cells else Tile("#", "blank"))
            rows.append(row)
        caption = "R: the robot, O: the opponent, #: an obstacle" if player is None else "#: an obstacle"
        return Board.grid(rows, caption=caption)

    def draw(self, state: Any, player: int | None = None) -> Drawing:
        """The arena with the laser's rays; to the robot's own eye only its map."""
        from fogbound.games.scenes.laser_tag import arena

        robot, opponent = (self.cells[int(cell)] for cell in state[:2])
        ends = []
        for dx, dy in DIRECTIONS if robot != opponent else ():
            far = self.clear(robot, opponent, (dx, dy)) + 0.5
            ends.append((robot[0] + far * dx, robot[1] + far * dy))
        seen = (robot, opponent, tuple(ends)) if player is None else None
        return arena(WIDE, HIGH, self.cells, seen, self.board(state, player).text())
