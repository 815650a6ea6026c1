"""Goofspiel: bid your cards for the prizes, without ever seeing the other's bids.

Each player holds the cards 1 to `cards`. The prizes `cards`, ..., 2, 1 come up in this order; for each both
bid a card at once, the higher bid takes the prize, equal bids lose it for both. Only who won a bid is seen.
More points at the end win 1 from the other; equal points are a draw. The last card is no choice, so it
is played along with the last but one.

This is OpenSpiel's `goofspiel(imp_info=True, points_order=descending, returns_type=win_loss)` for two
players, node for node. What differs: there these settings are options (by default 13 cards, prizes in
random order, bids seen), a bid is an index (the card less one), and points are kept apart, where a state
here holds only the lead, which is all that the future needs. Ross, "Goofspiel: the game of pure
strategy" (1971).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, KnownValue, Outcome, Tile
from fogbound.core.record import listed
from fogbound.games.parameters import require_ranges

BOTH, NOBODY = (0, 1), ()
Hand = tuple[int, ...]
State = tuple[tuple[Hand, Hand], int]  # (the hands, the first player's lead in points)
OVER: State = (((), ()), 0)


@dataclass(frozen=True)
class Goofspiel(Game[State, int]):
    """Two hands of `cards` cards, prizes from the highest down, bids unseen."""

    name = "goofspiel"
    record = GameRecord(
        "Goofspiel",
        GameGroup.CARDS,
        (KnownValue("goofspiel(cards=4)", 0.0, "symmetric", tolerance=1e-9),),
    )

    cards: int = 5
    players = ("first", "second")

    def __post_init__(self) -> None:
        require_ranges(self, cards=(2, 20))

    def start(self) -> Dist[Outcome[State]]:
        hand = tuple(range(1, self.cards + 1))
        return Dist.sure(Outcome(((hand, hand), 0)))

    def actors(self, state: State) -> tuple[int, ...]:
        return NOBODY if state == OVER else BOTH

    def actions(self, state: State, player: int) -> Hand:
        return state[0][player]

    def step(self, state: State, joint: tuple[int, ...]) -> Dist[Outcome[State]]:
        (mine, theirs), lead = state
        bid, other = joint
        prize = len(mine)
        lead += prize * sign(bid - other)
        mine = tuple([card for card in mine if card != bid])
        theirs = tuple([card for card in theirs if card != other])
        if prize > 2:
            return Dist.sure(Outcome(((mine, theirs), lead), (), self.winner(bid, other)))
        last = (mine[0], theirs[0])  # for the prize of 1
        result = sign(lead + sign(last[0] - last[1]))
        seen = (self.winner(bid, other), self.winner(*last))
        return Dist.sure(Outcome(OVER, (result, -result), seen))

    def winner(self, bid: int, other: int) -> str:
        """Who took the prize, as both see it."""
        return "tie" if bid == other else self.players[bid < other]

    def describe(self, action: int) -> str:
        return f"bid the {action}"

    def describe_state(self, state: State) -> str:
        if state == OVER:
            return "the game is over"
        hands, _ = state
        held = ", ".join(f"{name} holds {listed(hand)}" for name, hand in zip(self.players, hands))
        return f"{held}; {self._standing(state)}"

    def describe_public(self, seen: Hashable) -> str:
        if isinstance(seen, tuple):
            prize, last = map(self.describe_public, seen)
            return f"{prize}; of the last prize: {last}"
        return "the bids tie, and the prize is lost" if seen == "tie" else f"{seen} takes the prize"

    def hidden_words(self, state: State, player: int) -> str:
        return "" if state == OVER else f"{self.players[1 - player]} holds {listed(state[0][1 - player])}"

    def board(self, state: State, player: int | None = None) -> Board:
        if state == OVER:
            return Board.of_text("The game is over.")
        hands, _ = state
        tones = ("mine", "theirs")
        rows = [
            [Tile(str(card), tones[p]) if player in (None, p) else Tile("?", "fog") for card in hands[p]] for p in BOTH
        ]
        return Board.grid(rows, self._standing(state), self.players)

    def _standing(self, state: State) -> str:
        """What is bid for, and who leads."""
        hands, lead = state
        ahead = f"{self.players[lead < 0]} leads by {abs(lead)}" if lead else "points are level"
        return f"the prize is {len(hands[0])}; {ahead}"


def sign(number: int) -> int:
    return (number > 0) - (number < 0)
