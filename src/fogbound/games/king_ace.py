"""King-Ace poker: two aces, two kings, one card each and one decision each.

The first player raises the stake to 2 points or checks it at 1; after a raise the second calls, or folds
the stake back to 1, which the first then wins. The higher card wins, equal cards split. The example of the
slides on extensive form games (document 003), whose 4 x 4 table of pure strategies this game has. The deal
is without return: the same rank twice has probability 1/6 each, ace against king 1/3 either way.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import permutations

from fogbound.core import Board, Dist, Drawing, Game, GameGroup, GameRecord, KnownValue, Outcome, Tile

FIRST, SECOND = 0, 1
ACTORS = ((FIRST,), (SECOND,), ())
State = tuple[tuple[str, str], int]  # (the two cards, who moves)
OVER: State = (("", ""), 2)
DECK = ("A", "A", "K", "K")
CARDS = {"A": "an ace", "K": "a king"}
LEGAL = (("raise", "check"), ("call", "fold"))


@dataclass(frozen=True)
class KingAce(Game[State, str]):
    """Raise or check, then call or fold, with an ace or a king in hand."""

    name = "king-ace"
    record = GameRecord(
        "King-ace poker",
        GameGroup.CARDS,
        (KnownValue("king-ace", 0.0, "slides on dynamic games, 4x4 table: saddle point at 0"),),
    )

    players = ("first", "second")

    def start(self) -> Dist[Outcome[State]]:
        deals = Dist.uniform(permutations(DECK, 2))
        return deals.map(lambda cards: Outcome((cards, FIRST), private=cards))

    def actors(self, state: State) -> tuple[int, ...]:
        return ACTORS[state[1]]

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return LEGAL[player]

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        cards, _ = state
        (action,) = joint
        if action == "raise":
            return Dist.sure(Outcome((cards, SECOND), public=action))
        if action == "fold":
            return self._over(1, action)
        stake = 2 if action == "call" else 1
        return self._over(stake * ((cards[FIRST] == "A") - (cards[SECOND] == "A")), action)

    def _over(self, gain: int, action: str) -> Dist[Outcome[State]]:
        """The end, with what the first player gains (and the second loses)."""
        return Dist.sure(Outcome(OVER, (gain, -gain), public=action))

    def describe_state(self, state: State) -> str:
        if state == OVER:
            return "the hand is over"
        cards, mover = state
        asked = ("first raises or checks", "first has raised to 2, second calls or folds")[mover]
        return f"first holds {CARDS[cards[FIRST]]}, second {CARDS[cards[SECOND]]}; {asked}"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return CARDS[str(seen)]

    def hidden_words(self, state: State, player: int) -> str:
        return "" if state == OVER else f"{self.players[1 - player]} holds {CARDS[state[0][1 - player]]}"

    def board(self, state: State, player: int | None = None) -> Board:
        if state == OVER:
            return Board.of_text("The hand is over.")
        cards, mover = state
        tones = ("mine", "theirs")
        hands = [[Tile(cards[p], tones[p]) if player in (None, p) else Tile("?", "fog")] for p in (FIRST, SECOND)]
        words = ("the first player raises or checks", "raised to 2: the second player calls or folds")
        return Board.grid(hands, words[mover], self.players)

    def draw(self, state: State, player: int | None = None, belief: Dist[State] | None = None) -> Drawing:
        board = self.board(state, player)
        if state == OVER:
            return board.draw()
        from fogbound.games.scenes.poker import PokerSeat, dealt, poker

        cards, mover = state
        held = belief.map(lambda other: other[0]) if belief else None
        mine, theirs = dealt(cards, player, held, "KA", lambda mine, theirs: (mine == "A") - (theirs == "A"))
        raised = mover == SECOND
        seats = [PokerSeat(*mine, 2 if raised else 1, "raised" if raised else ""), PokerSeat(*theirs, 1)]
        return poker(seats, self.players, player, mover, board.text())
