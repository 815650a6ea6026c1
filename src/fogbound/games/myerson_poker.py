"""Myerson's card game: one card that one player sees, one raise, and a bluff every third time.

Myerson, "Game Theory: Analysis of Conflict" (1991), section 2.1. Both put a dollar in the pot. The first looks at a
card that is red or black, each as likely; he raises by a dollar or passes, which ends the game: with red the pot is
his, with black it is the other's. After a raise the second meets it with a dollar, and red takes the pot, or passes
it to the first. At the only equilibrium the first always raises with red and with black a third of the time, the second
meets two raises of three, and the game is worth 1/3 to the first.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, KnownValue, Outcome, Tile

FIRST, SECOND = 0, 1
State = tuple[str, int]  # (the card, who moves)
OVER: State = ("", 2)
LEGAL = (("raise", "pass"), ("meet", "pass"))


@dataclass(frozen=True)
class MyersonPoker(Game[State, str]):
    """Raise or pass with a red or a black card; meet the raise or pass."""

    name = "myerson-poker"
    record = GameRecord(
        "Myerson's poker",
        GameGroup.CARDS,
        (KnownValue("myerson-poker", 1 / 3, "Myerson 1991, section 2.1"),),
    )

    players = ("first", "second")

    def start(self) -> Dist[Outcome[State]]:
        return Dist.uniform(Outcome((card, FIRST), private=(card, None)) for card in ("red", "black"))

    def actors(self, state: State) -> tuple[int, ...]:
        return () if state == OVER else (state[1],)

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return LEGAL[player]

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        card, mover = state
        (action,) = joint
        if action == "raise":
            return Dist.sure(Outcome((card, SECOND), public=action))
        stake = 2.0 if action == "meet" else 1.0
        won = stake if card == "red" or (mover == SECOND and action == "pass") else -stake
        return Dist.sure(Outcome(OVER, (won, -won), public=action))

    def describe_state(self, state: State) -> str:
        card, mover = state
        if state == OVER:
            return "the hand is over"
        asked = ("first raises or passes", "first has raised, second meets or passes")[mover]
        return f"the card is {card}; {asked}"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return f"a {seen} card"

    def hidden_words(self, state: State, player: int) -> str:
        return f"the card is {state[0]}" if state != OVER and player == SECOND else ""

    def board(self, state: State, player: int | None = None) -> Board:
        card, mover = state
        if state == OVER:
            return Board.of_text("The hand is over.")
        seen = Tile(card, "mine") if player in (None, FIRST) else Tile("?", "fog")
        return Board.grid([[seen]], ("raise or pass?", "raised: meet or pass?")[mover], ("the card",))
