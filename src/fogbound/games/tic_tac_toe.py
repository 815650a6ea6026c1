"""Tic-tac-toe: three in a row on a board of nine squares, everything in sight.

Crosses and noughts take turns, crosses first; a full row, column or diagonal wins 1 from the other, a full
board without one is a draw. Nothing is hidden: the smallest test of minimax, alpha-beta and Monte Carlo tree
search (document 003). Best play draws.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, Outcome, Tile
from fogbound.core.record import listed

State = tuple[str, ...]  # nine squares, row by row: "x", "o" or "" where nobody has moved
EMPTY: State = ("",) * 9
MARKS = ("x", "o")
# fmt: off
PLACES = {
    "a1": "top left", "b1": "top", "c1": "top right",
    "a2": "left", "b2": "centre", "c2": "right",
    "a3": "bottom left", "b3": "bottom", "c3": "bottom right",
}
# fmt: on
SQUARES = tuple(PLACES)
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
REWARDS = ((1, -1), (-1, 1))


@dataclass(frozen=True)
class TicTacToe(Game[State, str]):
    """Three in a row; squares are named a1 (top left) to c3 (bottom right)."""

    name = "tic-tac-toe"
    record = GameRecord("Tic-tac-toe", GameGroup.BOARDS)

    players = ("crosses", "noughts")

    def start(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome(EMPTY))

    def actors(self, state: State) -> tuple[int, ...]:
        free = state.count("")
        return (1 - free % 2,) if free and not winning_line(state) else ()

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return tuple([square for square, mark in zip(SQUARES, state) if not mark])

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        (square,) = joint
        mover = 1 - state.count("") % 2
        at = SQUARES.index(square)
        after = (*state[:at], MARKS[mover], *state[at + 1 :])
        return Dist.sure(Outcome(after, REWARDS[mover] if winning_line(after) else (), square))

    def describe(self, action: str) -> str:
        return PLACES[action]

    def describe_state(self, state: State) -> str:
        placed = [
            f"{name} on {listed([PLACES[at] for at, found in zip(SQUARES, state) if found == mark], 'no square')}"
            for name, mark in zip(self.players, MARKS)
        ]
        return f"{', '.join(placed)}; {self._caption(state, winning_line(state))}"

    def describe_public(self, seen: Hashable) -> str:
        return f"a mark on {PLACES[str(seen)]}"

    def board(self, state: State, player: int | None = None) -> Board:  # noqa: ARG002
        line = winning_line(state)
        tones = {"": "plain", "x": "mine", "o": "theirs"}
        tiles = [Tile(mark, "lamp" if i in line else tones[mark]) for i, mark in enumerate(state)]
        return Board.grid([tiles[0:3], tiles[3:6], tiles[6:9]], self._caption(state, line), ("1", "2", "3"))

    def _caption(self, state: State, line: tuple[int, ...]) -> str:
        if line:
            return f"{self.players[MARKS.index(state[line[0]])]} win"
        mover = self.actors(state)
        return f"{self.players[mover[0]]} to move" if mover else "a draw"


def winning_line(state: State) -> tuple[int, ...]:
    """The first full line of one mark, () when there is none."""
    for line in LINES:
        i, j, k = line
        if state[i] and state[i] == state[j] == state[k]:
            return line
    return ()
