"""Poker with one card each: eight ranks in 8-card poker, three in Kuhn's game.

Both players ante one coin and hold one more to bet. The gambler bets or checks; after a bet the dealer
folds or calls; after a check the dealer may bet, and then the gambler folds or calls. Oliehoek, Spaan and
Vlassis, "Best-response play in partially observable card games" (2005), section 2; Kuhn (1950) for three
ranks.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import permutations

from fogbound.core import Board, Dist, Drawing, Game, GameGroup, GameRecord, KnownValue, Outcome, Tile
from fogbound.games.parameters import require_ranges

GAMBLER, DEALER = 0, 1
State = tuple[tuple[int, int], str]  # (the two cards, the bets so far)
OVER: State = ((0, 0), "over")
WORDS = {"": "", "c": "checked", "b": "bet"}
SAID = {"": "no bets yet", "c": "the gambler checked", "b": "the gambler bet", "cb": "check, then a bet"}


@dataclass(frozen=True)
class CardPoker(Game[State, str]):
    """Each player gets one of `ranks` cards, antes one coin and may bet one more."""

    name = "card-poker"
    record = GameRecord(
        "{ranks}-card poker",
        GameGroup.CARDS,
        (
            KnownValue("card-poker(ranks=3)", -1 / 18, "Kuhn 1950"),
            KnownValue("card-poker(ranks=4)", -1 / 24, "exact rational LP"),
            KnownValue("card-poker(ranks=5)", -1 / 15, "exact rational LP"),
            KnownValue(
                "card-poker(ranks=8)", -1 / 16, "Oliehoek, Spaan and Vlassis 2005, section 5: 0.0625 to the dealer"
            ),
        ),
    )

    ranks: int = 8
    players = ("gambler", "dealer")

    def __post_init__(self) -> None:
        require_ranges(self, ranks=(2, 1000))

    def start(self) -> Dist[Outcome[State]]:
        deals = permutations(range(1, self.ranks + 1), 2)
        return Dist.uniform(Outcome((cards, ""), private=cards) for cards in deals)

    def actors(self, state: State) -> tuple[int, ...]:
        if state is OVER or state == OVER:
            return ()
        return (DEALER,) if len(state[1]) == 1 else (GAMBLER,)

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return ("fold", "call") if "b" in state[1] else ("check", "bet")

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        cards, bets = state
        (action,) = joint
        if action == "fold":
            return self._over(1 if len(bets) == 1 else -1, action)
        if action == "call" or (action == "check" and bets):
            stake = 2 if action == "call" else 1
            return self._over(stake if cards[GAMBLER] > cards[DEALER] else -stake, action)
        return Dist.sure(Outcome((cards, bets + action[0]), public=action))

    def _over(self, gain: int, action: str) -> Dist[Outcome[State]]:
        """The end, with what the gambler gains (and the dealer loses)."""
        return Dist.sure(Outcome(OVER, (gain, -gain), public=action))

    def describe_state(self, state: State) -> str:
        (mine, theirs), bets = state
        return "the hand is over" if state == OVER else f"gambler holds {mine}, dealer {theirs}; {SAID[bets]}"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return f"card {seen}"

    def hidden_words(self, state: State, player: int) -> str:
        return "" if state == OVER else f"{self.players[1 - player]} holds {state[0][1 - player]}"

    def board(self, state: State, player: int | None = None) -> Board:
        cards, bets = state
        if state == OVER:
            return Board.of_text("The hand is over.")
        hands = [
            [Tile(str(cards[p]), "mine" if p == 0 else "theirs") if player in (None, p) else Tile("?", "fog")]
            for p in (GAMBLER, DEALER)
        ]
        return Board.grid(hands, caption=SAID[bets], labels=self.players)

    def draw(self, state: State, player: int | None = None, belief: Dist[State] | None = None) -> Drawing:
        board = self.board(state, player)
        if state == OVER:
            return board.draw()
        from fogbound.games.scenes.poker import PokerSeat, dealt, higher, poker

        cards, bets = state
        deck = [str(rank) for rank in range(1, self.ranks + 1) if rank != cards[player or 0]]
        held = belief.map(lambda other: _written(other[0])) if belief else None
        hands = dealt(_written(cards), player, held, deck, higher)
        said = [bets[seat : seat + 1] for seat in (GAMBLER, DEALER)]
        seats = [PokerSeat(*hand, 1 + (word == "b"), WORDS[word]) for hand, word in zip(hands, said)]
        return poker(seats, self.players, player, self.actors(state)[0], board.text())


def _written(cards: tuple[int, int]) -> tuple[str, ...]:
    return tuple(map(str, cards))
