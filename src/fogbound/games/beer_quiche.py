"""Beer or quiche: a signalling game in which breakfast tells, or does not tell, who is strong.

Cho and Kreps, "Signaling games and stable equilibria", Quarterly Journal of Economics 102 (1987), section II. The first
player is surly nine times out of ten, otherwise a wimp, and alone knows which. It has beer or quiche for breakfast; the
second sees that, and fights or leaves. The first gains 1 for the breakfast that it likes (beer if surly, quiche if a
wimp) and 2 if nobody fights; the second gains 1 for fighting a wimp or leaving a surly one alone.

Both types choose the same breakfast in every equilibrium. Both may drink beer, worth 2.9 to the first and 0.9 to the
second, or both may eat quiche, worth 2.1 and 0.9: a breakfast that nobody orders would be met with a fight. Cho and
Kreps's intuitive criterion rejects the second: only a surly player could gain by ordering beer.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, KnownValue, Outcome, SpecError, Tile

SENDER, RECEIVER = 0, 1
State = tuple[str, str]  # (the first player's type, what it had for breakfast; empty before)
OVER: State = ("", "")
BREAKFASTS, ANSWERS = ("beer", "quiche"), ("fight", "leave")
KINDS = {"surly": "surly", "wimp": "a wimp"}
LIKES = {"surly": "beer", "wimp": "quiche"}


@dataclass(frozen=True)
class BeerQuiche(Game[State, str]):
    """Beer or quiche for breakfast, surly with probability `surly`; the other sees it, and fights or leaves."""

    name = "beer-quiche"
    record = GameRecord(
        "Beer and quiche",
        GameGroup.TEXTBOOK,
        (KnownValue("beer-quiche", 2.9, "Cho and Kreps 1987, section II: both types have beer", "lemke-howson"),),
    )

    surly: float = 0.9

    players = ("sender", "receiver")

    def __post_init__(self) -> None:
        if not 0 < self.surly < 1:
            raise SpecError(f"beer-quiche: surly is {self.surly}, expected a probability between 0 and 1")

    def start(self) -> Dist[Outcome[State]]:
        types = (("surly", self.surly), ("wimp", 1 - self.surly))
        return Dist.of((Outcome((kind, ""), private=(kind, None)), p) for kind, p in types)

    def actors(self, state: State) -> tuple[int, ...]:
        return () if state == OVER else (RECEIVER if state[1] else SENDER,)

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return (BREAKFASTS, ANSWERS)[player]

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        kind, breakfast = state
        (action,) = joint
        if not breakfast:
            return Dist.sure(Outcome((kind, action), public=action))
        fought = action == "fight"
        sender = (1.0 if LIKES[kind] == breakfast else 0.0) + (0.0 if fought else 2.0)
        receiver = 1.0 if fought == (kind == "wimp") else 0.0
        return Dist.sure(Outcome(OVER, (sender, receiver), public=action))

    def describe_state(self, state: State) -> str:
        kind, breakfast = state
        if state == OVER:
            return "breakfast is over"
        return f"the sender is {KINDS[kind]} and {f'has {breakfast}' if breakfast else 'chooses breakfast'}"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return f"the sender is {KINDS[str(seen)]}"

    def hidden_words(self, state: State, player: int) -> str:
        return f"the sender is {KINDS[state[0]]}" if state != OVER and player == RECEIVER else ""

    def board(self, state: State, player: int | None = None) -> Board:
        kind, breakfast = state
        if state == OVER:
            return Board.of_text("Breakfast is over.")
        seen = Tile(kind, "mine") if player in (None, SENDER) else Tile("?", "fog")
        return Board.grid(
            [[seen]], f"{breakfast}: fight or leave?" if breakfast else "beer or quiche?", ("the sender",)
        )
