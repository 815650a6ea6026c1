"""Liar's dice with one die each: bid higher, or call the other a liar.

Both roll in secret. A bid says that of the two dice at least so many show a face; each bid must be higher
than the last (more dice, or as many and a higher face). The highest face is wild and counts as any other.
Who calls "liar" ends the game: the bidder wins 1 if the bid was true, the caller otherwise. The rules of
OpenSpiel's `liars_dice`; the game is named for benchmarking in document 004's outlook.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

from fogbound.core import Board, Dist, Game, Outcome, SpecError, Tile

FIRST, SECOND = 0, 1
ACTORS = ((FIRST,), (SECOND,), ())
Bid = tuple[int, int]  # (how many dice, which face)
Action = Bid | str
State = tuple[tuple[int, int], Bid, int]  # (the dice, the last bid, who moves)
NO_BID: Bid = (0, 0)
OVER: State = ((0, 0), NO_BID, 2)
LIAR = "liar"
WINS = tuple(Dist.sure(Outcome(OVER, rewards, LIAR)) for rewards in ((1, -1), (-1, 1)))  # by the winner


@dataclass(frozen=True)
class LiarsDice(Game[State, Action]):
    """One die of `sides` sides each."""

    name = "liars-dice"

    sides: int = 6
    players = ("first", "second")

    def __post_init__(self) -> None:
        if not 2 <= self.sides <= 100:
            raise SpecError(f"liars-dice: sides is {self.sides}, expected 2 to 100")

    @cached_property
    def _legal(self) -> dict[Bid, tuple[Action, ...]]:
        """What may be said after each bid: every higher bid, and that the last one was a lie."""
        bids = tuple(product((1, 2), range(1, self.sides + 1)))
        return {NO_BID: bids, **{bid: (*bids[i:], LIAR) for i, bid in enumerate(bids, 1)}}

    def start(self) -> Dist[Outcome[State]]:
        faces = range(1, self.sides + 1)
        return Dist.uniform(Outcome((dice, NO_BID, FIRST), private=dice) for dice in product(faces, faces))

    def actors(self, state: State) -> tuple[int, ...]:
        return ACTORS[state[2]]

    def actions(self, state: State, player: int) -> tuple[Action, ...]:  # noqa: ARG002
        return self._legal[state[1]]

    def step(self, state: State, joint: tuple[Action, ...]) -> Dist[Outcome[State]]:
        dice, bid, mover = state
        action = joint[0]
        if isinstance(action, str):  # liar
            return WINS[1 - mover if self.holds(dice, bid) else mover]
        return Dist.sure(Outcome((dice, action, 1 - mover), (), action))

    def holds(self, dice: tuple[int, int], bid: Bid) -> bool:
        """Whether the dice show what was bid, wild faces included."""
        wanted, face = bid
        return sum([die in (face, self.sides) for die in dice]) >= wanted

    def describe(self, action: Action) -> str:
        if isinstance(action, str):
            return "call the bid a lie"
        wanted, face = action
        return f"bid {'two' if wanted == 2 else 'one'} × {face}"

    def board(self, state: State, player: int | None = None) -> Board:
        if state == OVER:
            return Board.of_text("The game is over.")
        dice, bid, mover = state
        tones = ("mine", "theirs")
        rows = [[Tile(str(dice[p]), tones[p]) if player in (None, p) else Tile("?", "fog")] for p in (FIRST, SECOND)]
        said = f"the last bid: at least {bid[0]} × {bid[1]}" if bid != NO_BID else "no bid yet"
        return Board.grid(rows, f"{said}; {self.players[mover]} to speak", self.players)
