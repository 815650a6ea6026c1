"""Leduc hold'em: poker with six cards, two rounds of bets and one card on the table.

Jack, queen and king in two suits. Both players ante 1 and get one card; they bet in steps of 2, a card is
turned up for both, and they bet in steps of 4. The first player opens each round, a round sees at most two
bets, and folding is offered only when there is something to call. A pair with the card on the table wins,
then the higher rank; equal ranks split. Southey and others, "Bayes' bluff" (2005), with the rules of
OpenSpiel's `leduc_poker`: the game is worth -0.0856064241 to the first player.

Suits count for what is seen, never for who wins: from the second round on a state keeps the ranks alone.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import cast

from fogbound.core import Board, Dist, Drawing, Game, GameGroup, GameRecord, KnownValue, Outcome, Tile

FIRST, SECOND = 0, 1
ACTORS = ((FIRST,), (SECOND,), ())
DECK = ("Js", "Jh", "Qs", "Qh", "Ks", "Kh")
RANKS = "JQK"
WORDS = {"J": "jack", "Q": "queen", "K": "king", "s": "spades", "h": "hearts"}
SMALL, BIG = 2, 4  # the size of a bet in the first and in the second round

# (the players' cards, the rank on the table or "", what each has paid before this round, bets in it, mover)
State = tuple[tuple[str, str], str, int, int, int]
OVER: State = (("", ""), "", 0, 0, 2)
LEGAL = (("check", "bet"), ("fold", "call", "raise"), ("fold", "call"))  # by the bets made in this round


@dataclass(frozen=True)
class Leduc(Game[State, str]):
    """Two rounds of bets with one private and one common card."""

    name = "leduc"
    record = GameRecord(
        "Leduc hold'em",
        GameGroup.CARDS,
        (KnownValue("leduc", -0.0856064241, "OpenSpiel and others", tolerance=1e-8),),
    )

    players = ("first", "second")

    def start(self) -> Dist[Outcome[State]]:
        deals = permutations(DECK, 2)
        return Dist.uniform(Outcome((cards, "", 1, 0, FIRST), private=cards) for cards in deals)

    def actors(self, state: State) -> tuple[int, ...]:
        return ACTORS[state[4]]

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return LEGAL[state[3]]

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        cards, table, paid, bets, mover = state
        action = joint[0]
        if action == "bet" or action == "raise":
            return Dist.sure(Outcome((cards, table, paid, bets + 1, 1 - mover), (), action))
        if action == "check" and mover == FIRST:
            return Dist.sure(Outcome((cards, table, paid, 0, SECOND), (), action))
        size = BIG if table else SMALL
        if action == "fold":
            lost = paid + size * (bets - 1)
            return _over(lost if mover == SECOND else -lost, action)
        stake = paid + size * bets
        if table:
            return _over(stake * showdown(cards, table), action)
        return _second_round(cards, stake, action)

    def describe_state(self, state: State) -> str:
        if state == OVER:
            return "the hand is over"
        cards, table, _, _, _ = state
        held = f"first holds {_named(cards[FIRST])}, second {_named(cards[SECOND])}"
        return "; ".join([held, *([f"the public card is {_named(table)}"] if table else []), self._bets(state)])

    def describe_public(self, seen: Hashable) -> str:
        if isinstance(seen, str):
            return seen
        action, card = cast(tuple[str, str], seen)
        return f"{action}, and the public card is {_named(card)}"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return _named(str(seen))

    def _bets(self, state: State) -> str:
        """What was paid, what was bet in this round, and who acts."""
        _, table, paid, bets, mover = state
        made = ("no bet", "one bet", "two bets")[bets]
        caption = f"each paid {paid} before this round of {BIG if table else SMALL}s, {made} in it"
        return f"{caption}; {self.players[mover]} to act"

    def hidden_words(self, state: State, player: int) -> str:
        return "" if state == OVER else f"{self.players[1 - player]} holds {_named(state[0][1 - player])}"

    def board(self, state: State, player: int | None = None) -> Board:
        if state == OVER:
            return Board.of_text("The hand is over.")
        cards, table, _, _, _ = state
        tones = ("mine", "theirs")
        hands = [Tile(cards[p][0], tones[p]) if player in (None, p) else Tile("?", "fog") for p in (FIRST, SECOND)]
        common = Tile(table, "lamp") if table else Tile("", "plain")
        rows = ([hands[FIRST]], [hands[SECOND]], [common])
        return Board.grid(rows, self._bets(state), (*self.players, "table"))

    def draw(self, state: State, player: int | None = None, belief: Dist[State] | None = None) -> Drawing:
        board = self.board(state, player)
        if state == OVER:
            return board.draw()
        from fogbound.games.scenes.poker import PokerSeat, dealt, poker

        cards, table, paid, bets, mover = state
        held = belief.map(lambda other: _ranks(other[0])) if belief else None
        hands = dealt(_ranks(cards), player, held, RANKS, lambda mine, theirs: showdown((mine, theirs), table))
        size, did = BIG if table else SMALL, ("", "bet", "raised")[bets]
        seats = [  # who moves has answered every bet but the last
            PokerSeat(*hand, paid + size * (max(bets - 1, 0) if seat == mover else bets), "" if seat == mover else did)
            for seat, hand in enumerate(hands)
        ]
        return poker(seats, self.players, player, mover, board.text(), table)


def showdown(ranks: tuple[str, str], table: str) -> int:
    """1 when the first player's rank wins, -1 when the second's does, 0 when they split."""
    mine, theirs = ranks
    if mine == theirs:
        return 0
    if table in ranks:
        return 1 if mine == table else -1
    return 1 if RANKS.index(mine) > RANKS.index(theirs) else -1


def _named(card: str) -> str:
    """A card in words; one without a suit stands for either of its rank.

    Examples
    --------
    >>> _named("Ks"), _named("Q")
    ('the king of spades', 'a queen')
    """
    rank, suit = card[:1], card[1:]
    return f"the {WORDS[rank]} of {WORDS[suit]}" if suit else f"a {WORDS[rank]}"


def _ranks(cards: tuple[str, str]) -> tuple[str, str]:
    """The cards without their suits, which a state keeps in the first round only."""
    return cards[FIRST][0], cards[SECOND][0]


@cache
def _over(gain: int, action: str) -> Dist[Outcome[State]]:
    """The end, with what the first player gains (and the second loses)."""
    return Dist.sure(Outcome(OVER, (gain, -gain), action))


@cache
def _second_round(cards: tuple[str, str], stake: int, action: str) -> Dist[Outcome[State]]:
    """One of the four cards left is turned up for both to see."""
    ranks = _ranks(cards)
    return Dist.uniform(
        Outcome((ranks, card[0], stake, 0, FIRST), (), (action, card)) for card in DECK if card not in cards
    )
