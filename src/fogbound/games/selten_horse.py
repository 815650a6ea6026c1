"""Selten's horse: three players, one decision each, and an equilibrium that nobody should believe.

Selten, "Reexamination of the perfectness concept for equilibrium points in extensive games" (1975), figure 1. The first
goes across or down; across, the second goes across, which ends the game with 1 for all, or down. Whoever went down, the
third chooses left or right without knowing who it was. There are two kinds of equilibria: (down, across with at
least 1/3, left), which pays 3, 3, 2 but lets the second player go across where down would bring it 4; and (across,
across, right with at least 3/4), which pays 1 to all. Only the second kind is perfect.

The third player moves in the third step in any case: who went down is not to be told from the clock. So the second
player waits a step when the first went down.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, Outcome

FIRST, SECOND, THIRD = 0, 1, 2
WAIT = "wait"
PAID = {  # by who went down, and what the third chose
    (FIRST, "left"): (3.0, 3.0, 2.0),
    (FIRST, "right"): (0.0, 0.0, 0.0),
    (SECOND, "left"): (4.0, 4.0, 0.0),
    (SECOND, "right"): (0.0, 0.0, 1.0),
}
State = tuple[int, int]  # (who moves, 3 = over; who went down, -1 = nobody)
OVER: State = (3, -1)


@dataclass(frozen=True)
class SeltenHorse(Game[State, str]):
    """Across or down, across or down, left or right: who went down is hidden from the third player."""

    name = "selten-horse"
    record = GameRecord("Selten's horse", GameGroup.TEXTBOOK)

    players = ("first", "second", "third")

    def start(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome((FIRST, -1)))

    def actors(self, state: State) -> tuple[int, ...]:
        return () if state == OVER else (state[0],)

    def actions(self, state: State, player: int) -> tuple[str, ...]:
        if player == THIRD:
            return ("left", "right")
        return (WAIT,) if state[1] == FIRST else ("across", "down")

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        mover, down = state
        (action,) = joint
        if mover == FIRST:
            went = FIRST if action == "down" else -1
            return Dist.sure(Outcome((SECOND, went), private=(None, action, None)))
        if mover == SECOND and action == "across":
            return Dist.sure(Outcome(OVER, (1.0, 1.0, 1.0)))
        if mover == SECOND:
            return Dist.sure(Outcome((THIRD, SECOND if action == "down" else down)))
        return Dist.sure(Outcome(OVER, PAID[down, action]))

    def describe_state(self, state: State) -> str:
        mover, down = state
        if state == OVER:
            return "the game is over"
        went = f"{self.players[down]} went down" if down >= 0 else "no player has gone down"
        return f"{went}; {self.players[mover]} to move"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return f"the move {seen} by first"

    def board(self, state: State, player: int | None = None) -> Board:
        if state == OVER:
            return Board.of_text("The game is over.")
        mover, down = state
        if mover == THIRD:
            who = f"The {self.players[down]} player" if player is None or player != THIRD else "Somebody"
            return Board.of_text(f"{who} went down: left or right?")
        if mover == SECOND and player != THIRD:
            return Board.of_text("The first went down." if down == FIRST else "The first went across: across or down?")
        return Board.of_text("Across or down?" if mover == FIRST else "The first has moved.")
