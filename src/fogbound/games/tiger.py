"""The tiger problem: behind one of two doors waits a tiger, behind the other a prize.

Listening costs 1 and tells the tiger's side, right 85 times in 100. Opening the prize's door pays 10,
the tiger's costs 100. In the classic, after a door is opened the tiger is placed anew and the next sound is
pure noise. Cassandra, Kaelbling and Littman, "Acting optimally in partially observable stochastic domains"
(1994), section 2; the same model as `Tiger.pomdp`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from fogbound.core import Board, Dist, Drawing, Game, GameGroup, GameRecord, KnownValue, Outcome, Tile
from fogbound.games.parameters import require_ranges

State = str  # where the tiger is
LEFT, RIGHT, OVER = "left", "right", "over"
SIDES = (LEFT, RIGHT)
NOTHING = "nothing"  # what is heard where nothing is
SOUNDS = {LEFT: "growl-left", RIGHT: "growl-right"}
OTHER = {LEFT: RIGHT, RIGHT: LEFT}
DOORS = {"open-left": LEFT, "open-right": RIGHT}
LISTENED, EATEN, FOUND = (-1.0,), (-100.0,), (10.0,)


class TwoDoors(Game[State, str]):
    """What the tiger problems with two doors share: where the tiger may be, how well one listens, and the picture."""

    sides: ClassVar[tuple[State, State]] = SIDES  # the tiger is behind the left door, or behind the right one
    seen: ClassVar[str] = ""  # more for the caption of a player's board
    accuracy: float

    def __post_init__(self) -> None:
        require_ranges(self, accuracy=(0, 1))

    def start(self) -> Dist[Outcome[State]]:
        return Dist.uniform(Outcome(tiger) for tiger in self.sides)

    def describe(self, action: str) -> str:
        return f"open the {action.removeprefix('open-')} door" if action.startswith("open-") else action

    def describe_state(self, state: State) -> str:
        return f"the tiger is behind the {SIDES[self.sides.index(state)]} door"

    def describe_public(self, seen: Hashable) -> str:
        return str(seen) if seen == NOTHING else f"a growl from the {str(seen).rpartition('-')[2]}"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return self.describe_public(seen)

    def board(self, state: State, player: int | None = None) -> Board:
        if player is not None:
            return Board.grid([[Tile("?", "fog"), Tile("?", "fog")]], caption=f"two doors, one tiger{self.seen}")
        tiger, prize = Tile("tiger", "theirs"), Tile("prize", "lamp")
        row = [tiger, prize] if state == self.sides[0] else [prize, tiger]
        return Board.grid([row], caption="two doors, one tiger")

    def draw(self, state: State, player: int | None = None, belief: Dist[State] | None = None) -> Drawing:
        """The doors. The last growl is no part of a state, but it is in what the listener believes."""
        from fogbound.games.scenes.tiger import doors

        return doors(state, self.sides, player, belief, self.board(state, player).text())


@dataclass(frozen=True)
class Tiger(TwoDoors):
    """Listen with `accuracy`, then open a door; the tiger moves anew after it, unless `resets` is false."""

    name = "tiger"
    record = GameRecord(
        "Tiger",
        GameGroup.ALONE,
        (
            KnownValue(
                "tiger",
                19.3716,
                "Cassandra, Kaelbling and Littman 1994; bounds of APPL's SARSOP: 19.3711 to 19.3721",
                "belief-mdp",
                0.0005,
            ),
        ),
    )

    resets: bool = True  # False: opening a door ends the game
    accuracy: float = 0.85
    discount: float = 0.95
    players = ("you",)

    def actors(self, state: State) -> tuple[int, ...]:
        return () if state == OVER else (0,)

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return ("listen", *DOORS)

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        (action,) = joint
        if action == "listen":
            right, wrong = SOUNDS[state], SOUNDS[OTHER[state]]
            heard = ((right, self.accuracy), (wrong, 1 - self.accuracy))
            return Dist.of((Outcome(state, LISTENED, public=sound), p) for sound, p in heard)
        rewards = EATEN if DOORS[action] == state else FOUND
        if not self.resets:
            return Dist.sure(Outcome(OVER, rewards))
        return Dist.uniform(Outcome(tiger, rewards, public=noise) for tiger in SIDES for noise in SOUNDS.values())

    def describe_state(self, state: State) -> str:
        return "a door is open" if state == OVER else super().describe_state(state)

    def board(self, state: State, player: int | None = None) -> Board:
        return Board.of_text("A door is open.") if state == OVER else super().board(state, player)

    def draw(self, state: State, player: int | None = None, belief: Dist[State] | None = None) -> Drawing:
        return self.board(state, player).draw() if state == OVER else super().draw(state, player, belief)
