"""Pursuit and evasion on a grid or a graph: pursuers hunt an evader whom they do not see, and who sees them.

All move at the same time, each to a neighbouring cell, never diagonally, and nobody may stand still. The evader is
caught by a pursuer who enters the same cell, or who passes it the other way between two cells: that pays the
pursuers `capture` and ends the game. Pursuers may share a cell. They start in the first column, from the top down
(then in the next one), the evader in the last cell; that is known to all. Afterwards the pursuers learn only that
the hunt goes on; with `reveal=k` they are shown the evader's cell after every k-th step.

Horak, Bosansky and Pechoucek, "Heuristic Search Value Iteration for One-Sided Partially Observable Stochastic Games"
(2017), and the article of 2023 with Kovarik and Kiekintveld; `pursuit(columns=3)`, 4 and 5 are the published files
peg03, peg04 and peg05. There 100 is discounted for the step that a capture takes, hence the 95. Document 002's
example, section 2.3.2, is `pursuit(columns=6, reveal=4)`.

`graph` names a file with a graph to hunt on instead of the grid, and with where all start (`pursuit_graph`).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import cast

from fogbound.core import Board, Dist, Drawing, Game, GameGroup, GameRecord, Outcome, SpecError, Tile
from fogbound.core.errors import many
from fogbound.core.record import listed
from fogbound.games.parameters import require_parameters
from fogbound.games.pursuit_graph import Graph, read_graph

PURSUERS, EVADER = 0, 1
Cells = tuple[int, ...]  # numbered row by row, ascending
Path = tuple[int, int]  # (from, to)
State = tuple[Cells, int, int]  # (the pursuers, the evader, steps until it is shown or 0 when it never is)
Action = tuple[str, ...] | str  # the pursuers' moves together; the evader's move, such as "a1-b1"
CAUGHT: State = ((), -1, 0)
LETTERS = "abcdefghij"


@dataclass(frozen=True)
class Pursuit(Game[State, Action]):
    """Pursuers after one evader on `rows` x `columns` cells, a1 at the top left, or on the graph of a file."""

    name = "pursuit"
    record = GameRecord("Pursuit and evasion", GameGroup.HUNTS)

    rows: int = 3
    columns: int = 3
    pursuers: int = 2
    reveal: int = 0  # every so many steps the evader is shown; 0 = never
    capture: float = 95.0
    discount: float = 0.95
    graph: str = ""  # a file with edges and starts; empty: the grid
    players = ("pursuers", "evader")

    def __post_init__(self) -> None:
        if self.town is not None:
            self._settle(self.town)
        cells, most = len(self.town.names) if self.town else self.rows * self.columns, len(LETTERS)
        expected = {
            "rows": (1 <= self.rows <= most, f"1 to {most}"),
            "columns": (1 <= self.columns <= most, f"1 to {most}"),
            "pursuers": (1 <= self.pursuers < max(cells, 2), f"1 to {max(cells, 2) - 1}: fewer than cells"),
            "reveal": (self.reveal >= 0, "a number of steps, or 0 for never"),
            "capture": (0 < self.capture < math.inf, "a finite number above 0"),
            "discount": (0 < self.discount < 1, "above 0 and below 1"),
        }
        require_parameters(self.name, vars(self), expected)
        if cells < 2:
            raise SpecError("pursuit: rows x columns is 1, expected at least 2 cells")

    def __str__(self) -> str:
        return super().__str__().replace(', graph=""', "")  # a grid is called what it was before there were graphs

    def _settle(self, town: Graph) -> None:
        """Take what the graph's file decides, and refuse parameters that say something else."""
        plain = {"rows": 3, "columns": 3, "pursuers": 2}
        if self.pursuers == len(town.pursuers):
            del plain["pursuers"]
        for name, usual in plain.items():
            if getattr(self, name) != usual:
                raise SpecError(f"pursuit: {name} is given with graph={self.graph}, which decides it: leave {name} out")
        object.__setattr__(self, "pursuers", len(town.pursuers))

    @cached_property
    def town(self) -> Graph | None:
        """The graph of the file; None: the grid."""
        return read_graph(self.graph) if self.graph else None

    @property
    def width(self) -> int:
        """Cells in a row of the board."""
        return math.ceil(math.sqrt(len(self.names))) if self.town else self.columns

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The cells by name: a letter for the row, a number for the column; or as the graph's file calls them."""
        if self.town:
            return self.town.names
        return tuple(f"{LETTERS[r]}{c + 1}" for r, c in product(range(self.rows), range(self.columns)))

    @cached_property
    def moves(self) -> tuple[tuple[str, ...], ...]:
        """The moves from each cell by name, up, left, right and down; on a graph in the order of its edges."""
        if self.town:
            near = zip(self.town.names, self.town.near)
            return tuple(tuple(f"{name}-{self.town.names[to]}" for to in ends) for name, ends in near)
        offered = []
        for at, (row, column) in enumerate(product(range(self.rows), range(self.columns))):
            sideways = [(column > 0, -1), (column < self.columns - 1, 1)]
            beside = [(row > 0, -self.columns), *sideways, (row < self.rows - 1, self.columns)]
            offered.append(tuple(f"{self.names[at]}-{self.names[at + by]}" for inside, by in beside if inside))
        return tuple(offered)

    @cached_property
    def paths(self) -> dict[str, Path]:
        """Where each move leads, from where."""
        number = {name: at for at, name in enumerate(self.names)}
        return {move: (number[move.split("-")[0]], number[move.split("-")[1]]) for at in self.moves for move in at}

    @cached_property
    def _rounds(self) -> dict[Cells, tuple[tuple[str, ...], ...]]:
        return {}  # the pursuers' moves together, by where they are

    def start(self) -> Dist[Outcome[State]]:
        if self.town:
            return self._begin(self.town.pursuers, self.town.evader)
        down = [column + row * self.columns for column, row in product(range(self.columns), range(self.rows))]
        return self._begin(tuple(sorted(down[: self.pursuers])), len(self.names) - 1)

    def _begin(self, pursuers: Cells, evader: int) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome((pursuers, evader, self.reveal), public=f"evader {self.names[evader]}"))

    def actors(self, state: State) -> tuple[int, ...]:
        return () if state == CAUGHT else (PURSUERS, EVADER)

    def actions(self, state: State, player: int) -> Sequence[Action]:
        pursuers, evader, _ = state
        if player == EVADER:
            return self.moves[evader]
        if pursuers not in self._rounds:
            together = product(*(self.moves[cell] for cell in pursuers))
            self._rounds[pursuers] = tuple(dict.fromkeys(tuple(sorted(moves)) for moves in together))
        return self._rounds[pursuers]

    def step(self, state: State, joint: tuple[Action, ...]) -> Dist[Outcome[State]]:
        together, flight = cast(tuple[tuple[str, ...], str], joint)
        origin, goal = self.paths[flight]
        hunted = [self.paths[move] for move in together]
        if any(to == goal or (at, to) == (goal, origin) for at, to in hunted):
            return Dist.sure(Outcome(CAUGHT, (self.capture, -self.capture), "caught"))
        left = (state[2] - 1) or self.reveal if self.reveal else 0
        shown = f"evader {self.names[goal]}" if self.reveal and left == self.reveal else None
        pursuers = tuple(sorted(to for _, to in hunted))
        return Dist.sure(Outcome((pursuers, goal, left), (), shown, (None, " ".join(together))))

    def describe(self, action: Action) -> str:
        return action.replace("-", " to ") if isinstance(action, str) else " and ".join(map(self.describe, action))

    def describe_state(self, state: State) -> str:
        if state == CAUGHT:
            return "the evader is caught"
        pursuers, evader, left = state
        shown = f"; the evader is shown in {many(left, 'step')}" if self.reveal else ""
        return f"pursuers in {listed(self.names[cell] for cell in pursuers)}, evader in {self.names[evader]}{shown}"

    def describe_public(self, seen: Hashable) -> str:
        return f"the evader is {'caught' if seen == 'caught' else f'in {str(seen).split()[1]}'}"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return f"pursuers go {listed(move.replace('-', ' to ') for move in str(seen).split())}"

    def hidden_words(self, state: State, player: int) -> str:
        return f"the evader is in {self.names[state[1]]}" if state != CAUGHT and player == PURSUERS else ""

    def board(self, state: State, player: int | None = None) -> Board:
        if state == CAUGHT:
            return Board.of_text("The evader is caught.")
        tiles = [self._tile(state, cell, player) for cell in range(len(self.names))]
        tiles += [Tile()] * (-len(tiles) % self.width)
        rows = [tiles[at : at + self.width] for at in range(0, len(tiles), self.width)]
        caption = (
            f"P: pursuers, E: the evader, shown in {state[2]} steps" if self.reveal else "P: pursuers, E: the evader"
        )
        return Board.grid(rows, caption, () if self.town else LETTERS[: self.rows])

    def draw(self, state: State, player: int | None = None, belief: Dist[State] | None = None) -> Drawing:
        board = self.board(state, player)
        if state == CAUGHT or self.town:
            return board.draw()
        from fogbound.games.scenes.pursuit import hunt

        pursuers, evader, left = state
        hidden = player == PURSUERS
        chances = dict(belief.map(lambda held: held[1])) if belief and hidden else {}
        flees = None if hidden else evader
        shown = f"The evader is shown in {left} step{'' if left == 1 else 's'}" if self.reveal else ""
        return hunt(self.names, self.columns, pursuers, flees, chances, player, shown, board.text())

    def _tile(self, state: State, cell: int, player: int | None) -> Tile:
        pursuers, evader, _ = state
        place = f"{self.names[cell]} " if self.town else ""
        if cell in pursuers:
            return Tile(place + "P" * pursuers.count(cell), "mine")
        if player == PURSUERS:
            return Tile(place.strip(), "fog")
        return Tile(f"{place}E", "theirs") if cell == evader else Tile(place.strip())
