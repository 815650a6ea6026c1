"""Kuhn poker for two to ten players: one card each of a deck with one card more than there are players.

Everybody antes one coin. In turn players check, or one bets a coin; then each other player, in turn, folds or calls.
The highest card among those who have not folded takes the pot. For two players this is `card-poker(ranks=3)` (Kuhn
1950). For three it is the game of Abou Risk and Szafron (2010) and of Szafron, Gibson and Sturtevant, "A parameterized
family of equilibrium profiles for three-player Kuhn poker" (2013): 24 deals, 13 ways to bet, 16 information sets a
player.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import permutations

from fogbound.core import Board, Dist, Drawing, Game, GameGroup, GameRecord, Outcome, Tile
from fogbound.games.parameters import require_ranges

State = tuple[tuple[int, ...], str]  # (the cards, what was done so far: k for check, b, c, f)
OVER: State = ((), "over")
LETTERS = {"check": "k", "bet": "b", "call": "c", "fold": "f"}
WORDS = {letter: word for word, letter in LETTERS.items()}
DONE = {"": "", "k": "checked", "b": "bet", "c": "called", "f": "folded"}


@dataclass(frozen=True)
class Kuhn(Game[State, str]):
    """One card, one ante and one bet for each of `seats` players."""

    name = "kuhn"
    record = GameRecord("Kuhn poker", GameGroup.CARDS)

    seats: int = 2

    def __post_init__(self) -> None:
        require_ranges(self, seats=(2, 10))
        object.__setattr__(self, "players", tuple(f"player-{i + 1}" for i in range(self.seats)))

    def start(self) -> Dist[Outcome[State]]:
        deals = permutations(range(1, self.seats + 2), self.seats)
        return Dist.uniform(Outcome((cards, ""), private=cards) for cards in deals)

    def actors(self, state: State) -> tuple[int, ...]:
        return () if state == OVER else (len(state[1]) % self.seats,)

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return ("fold", "call") if "b" in state[1] else ("check", "bet")

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        cards, said = state
        (action,) = joint
        said += LETTERS[action]
        if self._answered(said):
            return Dist.sure(Outcome(OVER, self._paid(cards, said), public=action))
        return Dist.sure(Outcome((cards, said), public=action))

    def _answered(self, said: str) -> bool:
        """Whether all have checked, or all others have answered a bet."""
        bet = said.find("b")
        return len(said) == (self.seats if bet < 0 else bet + self.seats)

    def _paid(self, cards: tuple[int, ...], said: str) -> tuple[int, ...]:
        """The pot less what was put in, to the highest card that is left."""
        last = {turn % self.seats: letter for turn, letter in enumerate(said)}  # a later word replaces a check
        put = [2 if last[i] in "bc" else 1 for i in range(self.seats)]
        left = [i for i in range(self.seats) if "b" not in said or last[i] in "bc"]
        winner = max(left, key=lambda i: cards[i])
        return tuple(sum(put) * (i == winner) - put[i] for i in range(self.seats))

    def describe_state(self, state: State) -> str:
        cards, said = state
        if state == OVER:
            return "the hand is over"
        return f"{self._held(cards)}; {_bets(said)}"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return f"card {seen}"

    def hidden_words(self, state: State, player: int) -> str:
        return self._held(state[0], player)

    def _held(self, cards: tuple[int, ...], but: int | None = None) -> str:
        """Who holds which card; `but` is left out."""
        held = enumerate(zip(self.player_titles, cards))
        return ", ".join(f"{name} holds {card}" for p, (name, card) in held if p != but)

    def board(self, state: State, player: int | None = None) -> Board:
        cards, said = state
        if state == OVER:
            return Board.of_text("The hand is over.")
        hands = [
            [Tile(str(card), "mine" if p == 0 else "theirs") if player in (None, p) else Tile("?", "fog")]
            for p, card in enumerate(cards)
        ]
        return Board.grid(hands, caption=_bets(said), labels=self.players)

    def draw(self, state: State, player: int | None = None, belief: Dist[State] | None = None) -> Drawing:
        board = self.board(state, player)
        if state == OVER:
            return board.draw()
        from fogbound.games.scenes.poker import PokerSeat, dealt, higher, poker

        cards, said = state
        last = {turn % self.seats: letter for turn, letter in enumerate(said)}
        deck = [str(rank) for rank in range(1, self.seats + 2) if rank != cards[player or 0]]
        held = belief.map(lambda other: tuple(map(str, other[0]))) if belief else None
        hands = dealt(tuple(map(str, cards)), player, held, deck, higher)
        words = [last.get(seat, "") for seat in range(self.seats)]
        seats = [
            PokerSeat(*hand, 1 + (word in ("b", "c")), DONE[word], word == "f") for hand, word in zip(hands, words)
        ]
        return poker(seats, self.players, player, self.actors(state)[0], board.text())


def _bets(said: str) -> str:
    """What was done so far."""
    return ", ".join(WORDS[letter] for letter in said) or "no bets yet"
