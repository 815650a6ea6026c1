"""Liar's dice: bid higher, or call the last bidder a liar.

All roll in secret, `dice` dice of `sides` sides each. A bid says that of all dice at least so many show a face; each
bid must be higher than the last (more dice, or as many and a higher face). The highest face is wild and counts as any
other. Who calls "liar" ends the game: the last bidder wins 1 from the caller if the bid was true, the caller from the
bidder otherwise; other players get nothing. The rules of OpenSpiel's `liars_dice`; the game is named for benchmarking
in document 004's outlook. What is rolled is kept in order of size: which die shows what makes no difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import cast

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, Outcome, SpecError, Tile
from fogbound.core.record import listed
from fogbound.games.parameters import require_ranges

Bid = tuple[int, int]  # (how many dice, which face)
Action = Bid | str
Hand = int | tuple[int, ...]  # one die, or several in order of size
State = tuple[tuple[Hand, ...], Bid, int]  # (what everybody rolled, the last bid, who moves)
NO_BID: Bid = (0, 0)
OVER: State = ((0, 0), NO_BID, -1)
LIAR = "liar"
MOST_ROLLS = 10_000_000


@dataclass(frozen=True)
class LiarsDice(Game[State, Action]):
    """`dice` dice of `sides` sides for each of `seats` players."""

    name = "liars-dice"
    record = GameRecord("Liar's dice", GameGroup.CARDS)

    sides: int = 6
    dice: int = 1
    seats: int = 2

    def __post_init__(self) -> None:
        require_ranges(self, sides=(2, 100), dice=(1, 10), seats=(2, 10))
        if len(self._hands) ** self.seats > MOST_ROLLS:
            raise SpecError(f"liars-dice: too many ways to roll, expected at most {MOST_ROLLS:,}; take fewer dice")
        names = ("first", "second") if self.seats == 2 else tuple(f"player-{i + 1}" for i in range(self.seats))
        object.__setattr__(self, "players", names)

    @cached_property
    def _hands(self) -> dict[Hand, int]:
        """What one player may roll, and in how many ways."""
        if self.dice == 1:
            return dict.fromkeys(range(1, self.sides + 1), 1)
        hands: Counter[tuple[int, ...]] = Counter({(): 1})
        for _ in range(self.dice):  # one die after the other: how many ways lead to each hand
            rolled: Counter[tuple[int, ...]] = Counter()
            for hand, ways in hands.items():
                for face in range(1, self.sides + 1):
                    rolled[tuple(sorted((*hand, face)))] += ways
            hands = rolled
        return dict(sorted(hands.items()))

    @cached_property
    def _legal(self) -> dict[Bid, tuple[Action, ...]]:
        """What may be said after each bid: every higher bid, and that the last one was a lie."""
        bids = tuple(product(range(1, self.dice * self.seats + 1), range(1, self.sides + 1)))
        return {NO_BID: bids, **{bid: (*bids[i:], LIAR) for i, bid in enumerate(bids, 1)}}

    @cached_property
    def _wins(self) -> dict[tuple[int, int], Dist[Outcome[State]]]:
        """The end, by winner and loser."""
        pairs = product(range(self.seats), repeat=2)
        paid = {(best, worst): tuple((i == best) - (i == worst) for i in range(self.seats)) for best, worst in pairs}
        return {pair: Dist.sure(Outcome(OVER, rewards, LIAR)) for pair, rewards in paid.items()}

    def start(self) -> Dist[Outcome[State]]:
        ways, all_ways = self._hands, self.sides ** (self.dice * self.seats)
        return Dist.of(
            (Outcome((hands, NO_BID, 0), private=hands), prod(map(ways.__getitem__, hands)) / all_ways)
            for hands in product(ways, repeat=self.seats)
        )

    def actors(self, state: State) -> tuple[int, ...]:
        return (state[2],) if state[2] >= 0 else ()

    def actions(self, state: State, player: int) -> tuple[Action, ...]:  # noqa: ARG002
        return self._legal[state[1]]

    def step(self, state: State, joint: tuple[Action, ...]) -> Dist[Outcome[State]]:
        hands, bid, mover = state
        action = joint[0]
        if isinstance(action, str):  # liar
            bidder = (mover - 1) % self.seats
            return self._wins[(bidder, mover) if self.holds(hands, bid) else (mover, bidder)]
        return Dist.sure(Outcome((hands, action, (mover + 1) % self.seats), (), action))

    def holds(self, hands: tuple[Hand, ...], bid: Bid) -> bool:
        """Whether the dice show what was bid, wild faces included."""
        wanted, face = bid
        showing = sum([die in (face, self.sides) for hand in hands for die in _dice(hand)])
        return showing >= wanted

    def describe(self, action: Action) -> str:
        if isinstance(action, str):
            return "call the bid a lie"
        wanted, face = action
        return f"bid {('one', 'two')[wanted - 1] if wanted <= 2 else wanted} × {face}"

    def describe_state(self, state: State) -> str:
        if state == OVER:
            return "the game is over"
        return f"{self._rolled(state)}; {self._bids(state)}"

    def describe_public(self, seen: Hashable) -> str:
        return self.describe(cast(Action, seen))

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return f"a roll of {listed(_dice(cast(Hand, seen)))}"

    def _bids(self, state: State) -> str:
        """The last bid, and who speaks."""
        _, bid, mover = state
        said = f"the last bid: at least {bid[0]} × {bid[1]}" if bid != NO_BID else "no bid yet"
        return f"{said}; {self.player_titles[mover]} to speak"

    def hidden_words(self, state: State, player: int) -> str:
        return "" if state == OVER else self._rolled(state, player)

    def _rolled(self, state: State, but: int | None = None) -> str:
        """What each player rolled; `but` is left out."""
        rolls = enumerate(zip(self.player_titles, state[0]))
        return "; ".join(f"{name} rolled {listed(_dice(hand))}" for p, (name, hand) in rolls if p != but)

    def board(self, state: State, player: int | None = None) -> Board:
        if state == OVER:
            return Board.of_text("The game is over.")
        hands, _, _ = state
        rows = []
        for p, hand in enumerate(hands):
            tone = "mine" if p == 0 else "theirs"
            rows.append([Tile(str(die), tone) if player in (None, p) else Tile("?", "fog") for die in _dice(hand)])
        return Board.grid(rows, self._bids(state), self.players)


def _dice(hand: Hand) -> tuple[int, ...]:
    return (hand,) if isinstance(hand, int) else hand
