"""Rock, paper, scissors: one throw, both at once.

A win pays 1, a draw one half to each, a loss nothing, so the payoffs of a throw always sum to 1: table 4.4
of the King Up thesis (document 004). Each throw is played a third of the time in equilibrium.

`biased=True` makes scissors the bold throw: a throw decided without scissors, paper against rock, is worth
half as much (3/4 to 1/4; the rest as before). Seen from the draw, whoever throws scissors wins or loses
twice as much, which is the RPS+ of Brown, Sandholm and Amos (2018) scaled into [0, 1]. Its only equilibrium
is rock 0.4, paper 0.4, scissors 0.2, worth one half; the uniform throw can be exploited by 1/12.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import cast

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, KnownValue, Outcome, Tile

THROWS = ("rock", "paper", "scissors")
BEATS = {"rock": "scissors", "paper": "rock", "scissors": "paper"}
State = tuple[str, ...]  # what was thrown: () before, (first, second) after
BOTH, NOBODY = (0, 1), ()


@dataclass(frozen=True)
class RockPaperScissors(Game[State, str]):
    """One simultaneous throw; `biased` halves what paper wins from rock."""

    name = "rock-paper-scissors"
    record = GameRecord(
        "Rock, paper, scissors",
        GameGroup.TEXTBOOK,
        (
            KnownValue("rock-paper-scissors", 0.5, "symmetric, payoffs 1, 1/2, 0"),
            KnownValue("rock-paper-scissors(biased=true)", 0.5, "symmetric; mixed .4 .4 .2"),
        ),
    )

    biased: bool = False
    players = ("first", "second")

    def start(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome(()))

    def actors(self, state: State) -> tuple[int, ...]:
        return NOBODY if state else BOTH

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return THROWS

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:  # noqa: ARG002
        mine, theirs = joint
        return Dist.sure(Outcome(joint, (self.share(mine, theirs), self.share(theirs, mine)), public=joint))

    def share(self, mine: str, theirs: str) -> float:
        """What the thrower of `mine` gets of the one point at stake."""
        if mine == theirs:
            return 0.5
        winning = 0.75 if self.biased and "scissors" not in (mine, theirs) else 1.0
        return winning if BEATS[mine] == theirs else 1.0 - winning

    def describe_state(self, state: State) -> str:
        return self.describe_public(state) if state else "both throw at once"

    def describe_public(self, seen: Hashable) -> str:
        mine, theirs = cast(State, seen)
        return f"first throws {mine}, second {theirs}"

    def board(self, state: State, player: int | None = None) -> Board:  # noqa: ARG002
        if not state:
            return Board.of_text("Both throw at once.")
        mine, theirs = state
        result = self.share(mine, theirs)
        words = "a draw" if mine == theirs else f"{self.players[0] if result > 0.5 else self.players[1]} wins"
        return Board.grid([[Tile(mine, "mine")], [Tile(theirs, "theirs")]], words, self.players)
