"""Tag: a robot hunts an opponent through a T-shaped building of 29 cells and must tag it.

Every move costs 1; tagging pays 10 and ends the game when both are in one cell, and costs 10 otherwise (then
nobody moves). While the robot moves, the opponent flees from where the robot was: each axis has 0.4, spent on
the direction away from the robot, or halved over both when level with it; what runs into a wall, and the
remaining 0.2, stays. After each step the robot sees its own cell, or, when the opponent is there too, only
that it is; before the first step it sees nothing, not even where it is. Pineau, Gordon and Thrun,
"Point-based value iteration: an anytime algorithm for POMDPs" (2003), section 5, as in `TagAvoid.pomdp`,
which breaks this rule for four pairs of cells (`TagAvoid.pomdpx` keeps it, but shows the robot's first cell).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache
from itertools import product

from fogbound.core import Board, Dist, Drawing, Game, GameGroup, GameRecord, Outcome, SpecError, Tile
from fogbound.core.contract import require_discount

State = tuple[int, int]  # (the robot's cell, the opponent's)
CELLS = (*((x, y) for y in (0, 1) for x in range(10)), *((x, y) for y in (2, 3, 4) for x in (5, 6, 7)))
NUMBER = {cell: i for i, cell in enumerate(CELLS)}
TAGGED = len(CELLS)  # the opponent's cell once it is caught: 29 x 30 = 870 states
MOVES = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}
MOVED, CAUGHT, MISSED = (-1.0,), (10.0,), (-10.0,)
ERRATA = {  # (robot, opponent): where the opponent goes in the published file, against its own rule
    (19, 19): {19: 1 / 2, 9: 1 / 4, 18: 1 / 4},
    (25, 23): {23: 0.6, 20: 0.2, 25: 0.2},
    (27, 24): {24: 0.4, 21: 0.2, 23: 0.2, 25: 0.2},
    (27, 27): {27: 1 / 2, 24: 1 / 6, 26: 1 / 6, 28: 1 / 6},
}


def _go(cell: int, dx: int, dy: int) -> int:
    """The cell one step away; a wall stops the step."""
    x, y = CELLS[cell]
    return NUMBER.get((x + dx, y + dy), cell)


@cache
def flight(robot: int, opponent: int, errata: bool) -> tuple[tuple[int, float], ...]:
    """Where the opponent goes from a robot that was in cell `robot`, and how likely."""
    if errata and (robot, opponent) in ERRATA:
        return tuple(ERRATA[robot, opponent].items())
    chance = {opponent: 2}  # in tenths
    for axis in (0, 1):
        gap = CELLS[opponent][axis] - CELLS[robot][axis]
        ways = (1, -1) if gap == 0 else (1,) if gap > 0 else (-1,)
        for way in ways:
            to = _go(opponent, way, 0) if axis == 0 else _go(opponent, 0, way)
            chance[to] = chance.get(to, 0) + 4 // len(ways)
    return tuple((cell, tenths / 10) for cell, tenths in chance.items())


@dataclass(frozen=True)
class Tag(Game[State, str]):
    """The building of the paper; `errata` keeps four rows where the published file strays from its rule."""

    name = "tag"
    record = GameRecord("Tag", GameGroup.HUNTS)

    errata: bool = True
    discount: float = 0.95
    players = ("robot",)

    def __post_init__(self) -> None:
        require_discount("tag", self.discount, SpecError)

    def start(self) -> Dist[Outcome[State]]:
        return Dist.uniform(Outcome(state) for state in product(range(TAGGED), range(TAGGED)))

    def actors(self, state: State) -> tuple[int, ...]:
        return () if state[1] == TAGGED else (0,)

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return (*MOVES, "tag")

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        robot, opponent = state
        (action,) = joint
        if action != "tag":
            to = _go(robot, *MOVES[action])
            fled = flight(robot, opponent, self.errata)
            return Dist.of((self._seen(to, there, MOVED), p) for there, p in fled)
        if robot == opponent:
            return Dist.sure(Outcome((robot, TAGGED), CAUGHT, public="tagged"))
        return Dist.sure(self._seen(robot, opponent, MISSED))

    def _seen(self, robot: int, opponent: int, rewards: tuple[float, ...]) -> Outcome[State]:
        return Outcome((robot, opponent), rewards, public="here" if robot == opponent else f"cell-{robot}")

    def describe(self, action: str) -> str:
        return "tag the opponent" if action == "tag" else f"go {action}"

    def describe_state(self, state: State) -> str:
        robot, opponent = state
        where = "is tagged" if opponent == TAGGED else f"in cell {opponent}"
        return f"the robot is in cell {robot}, the opponent {where}"

    def describe_public(self, seen: Hashable) -> str:
        said = {"here": "the opponent is here", "tagged": "the opponent is tagged"}
        return said.get(str(seen)) or f"the robot is in {str(seen).replace('-', ' ')}"

    def board(self, state: State, player: int | None = None) -> Board:
        """The building; where the robot starts it does not know, so to its own eye it is not drawn."""
        if state[1] == TAGGED:
            return Board.of_text("The opponent is tagged.")
        rows = [[self._tile(state, NUMBER.get((x, y)), player) for x in range(10)] for y in (4, 3, 2, 1, 0)]
        return Board.grid(rows, caption="R: the robot, O: the opponent" if player is None else "the cells' numbers")

    def draw(self, state: State, player: int | None = None, belief: Dist[State] | None = None) -> Drawing:
        """The building; to the robot's own eye only what it believes, since a state does not say what it has seen."""
        board = self.board(state, player)
        if state[1] == TAGGED:
            return board.draw()
        from fogbound.games.scenes.tag import building

        held = Dist.sure(state) if player is None else belief
        robot = dict(held.map(lambda pair: pair[0])) if held else {}
        opponent = dict(held.map(lambda pair: pair[1])) if held else {}
        return building(CELLS, robot, opponent, held is not None, board.text())

    def _tile(self, state: State, cell: int | None, player: int | None) -> Tile:
        if cell is None:
            return Tile("", "blank")
        if player is not None:
            return Tile(str(cell), "fog")
        who = ("R" if cell == state[0] else "") + ("O" if cell == state[1] else "")
        return Tile(who or str(cell), {"R": "mine", "O": "theirs", "RO": "lamp"}.get(who, "plain"))
