"""Phantom tic-tac-toe: three in a row where nobody sees the other's marks.

Each player knows its own marks, and those of the other that it ran into: who chooses a square that is taken is told
so, and in the classical game chooses again, while in the abrupt one the turn is lost. A full row, column or diagonal
wins 1 from the other; a full board without one is a draw. Positions are few (some hundred thousand), histories are
not: there is no tree of the game to solve whole, and it is a test for what abstracts, bounds, searches or samples
instead (Teytaud and Teytaud, "Lemmas on partial observation, with application to phantom games", 2011; Lanctot et al.,
"No-regret learning in extensive-form games with imperfect recall", 2012).

As everywhere in Fogbound time is seen by all. So in the classical game a player knows how often the other ran into its
marks, though not where (OpenSpiel's `phantom_ttt(obstype=reveal-numturns)`); in the abrupt one turns alternate, and
nothing of the kind is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fogbound.core import Dist, GameGroup, GameRecord, Outcome
from fogbound.games import tic_tac_toe
from fogbound.games.phantom import PLACED, REWARDS, TAKEN, PhantomGame, State, Stones
from fogbound.games.tic_tac_toe import EMPTY, MARKS, PLACES, SQUARES

WON, DRAWN = ("crosses win", "noughts win"), "a draw"


@dataclass(frozen=True)
class PhantomTicTacToe(PhantomGame):
    """Three in a row in the dark; `abrupt`: who chooses a taken square loses the turn, instead of choosing again."""

    name = "phantom-tic-tac-toe"
    record = GameRecord("Phantom tic-tac-toe", GameGroup.BOARDS)

    abrupt: bool = False
    players = ("crosses", "noughts")
    stones, cells, columns = MARKS, SQUARES, 3

    def start(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome((EMPTY, 0)))

    def actors(self, state: State) -> tuple[int, ...]:
        squares, mover = state
        return (mover,) if "" in squares and not _line(squares) else ()

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        squares, mover = state
        at = SQUARES.index(joint[0])
        if squares[at]:
            after = self.put(squares, at, squares[at].upper())
            return Dist.sure(Outcome((after, 1 - mover if self.abrupt else mover), private=self.told(mover, TAKEN)))
        after = self.put(squares, at, MARKS[mover])
        if _line(after):
            return Dist.sure(Outcome((after, 1 - mover), REWARDS[mover], WON[mover]))
        if "" not in after:
            return Dist.sure(Outcome((after, 1 - mover), public=DRAWN))
        return Dist.sure(Outcome((after, 1 - mover), private=self.told(mover, PLACED)))

    def compiled_rules(self) -> Any:
        from fogbound.games.phantom_tic_tac_toe.compiled_rules import compiled_rules

        return compiled_rules(self)

    def describe(self, action: str) -> str:
        return PLACES[action]

    def caption(self, state: State) -> str:
        squares, mover = state
        if line := _line(squares):
            return WON[MARKS.index(squares[line[0]].lower())]
        return f"{self.players[mover]} to move" if "" in squares else DRAWN


def _line(squares: Stones) -> tuple[int, ...]:
    """The first full line of one player's marks, found or not; () when there is none."""
    return tic_tac_toe.winning_line(tuple(mark.lower() for mark in squares))
