"""Two agents before two doors, a tiger behind one of them: they share all rewards and hear apart.

Both listen: each hears the tiger's side, right with `accuracy`, independently of the other. As soon as somebody opens
a door the tiger is placed anew, and what is heard in that step is noise. Nair, Tambe, Yokoo, Pynadath and Marsella,
"Taming decentralized POMDPs" (2003), section 3; Dec-Tiger, the same model as MADP's `dectiger.dpomdp`. Best values
for a team, without a discount: -2, -4, 5.19, 4.80, 7.03, 10.38 for horizons 1 to 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from fogbound.core import Board, Dist, Drawing, Game, GameGroup, GameRecord, Outcome, SpecError, Tile
from fogbound.core.contract import require_discount

State = str
LEFT, RIGHT = SIDES = ("tiger-left", "tiger-right")
HEARD = {LEFT: "hear-left", RIGHT: "hear-right"}
DOORS = {"open-left": LEFT, "open-right": RIGHT}
ACTIONS = ("listen", *DOORS)


@dataclass(frozen=True)
class MultiTiger(Game[State, str]):
    """Listen with `accuracy`, then open a door, best of all the same one together."""

    name = "multi-tiger"
    record = GameRecord("Multi-agent tiger", GameGroup.TEAMS)

    accuracy: float = 0.85
    discount: float = 1.0
    players = ("first", "second")

    def __post_init__(self) -> None:
        if not 0 <= self.accuracy <= 1:
            raise SpecError(f"multi-tiger: accuracy is {self.accuracy}, expected 0 to 1")
        require_discount("multi-tiger", self.discount, SpecError)

    def start(self) -> Dist[Outcome[State]]:
        return Dist.uniform(Outcome(tiger) for tiger in SIDES)

    def actors(self, state: State) -> tuple[int, ...]:  # noqa: ARG002
        return (0, 1)

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return ACTIONS

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        paid = (reward(state, joint),) * 2
        if joint == ("listen", "listen"):
            chance = {side: self.accuracy if side == state else 1 - self.accuracy for side in SIDES}
            return Dist.of(
                (Outcome(state, paid, private=(HEARD[one], HEARD[two])), chance[one] * chance[two])
                for one, two in product(SIDES, SIDES)
            )
        noise = product(SIDES, HEARD.values(), HEARD.values())
        return Dist.uniform(Outcome(tiger, paid, private=(one, two)) for tiger, one, two in noise)

    def describe(self, action: str) -> str:
        return "listen" if action == "listen" else f"open the {action.removeprefix('open-')} door"

    def board(self, state: State, player: int | None = None) -> Board:
        if player is not None:
            return Board.grid([[Tile("?", "fog"), Tile("?", "fog")]], caption="two doors, one tiger, two agents")
        tiger, prize = Tile("tiger", "theirs"), Tile("prize", "lamp")
        return Board.grid([[tiger, prize] if state == LEFT else [prize, tiger]], caption="two doors, one tiger")

    def draw(self, state: State, player: int | None = None, belief: Dist[State] | None = None) -> Drawing:
        from fogbound.games.scenes.tiger import doors

        return doors(state, SIDES, player, belief, self.board(state, player).text())


def reward(tiger: State, joint: tuple[str, ...]) -> float:
    """What both have: together the tiger is half as bad and the prize twice as good, different doors are the worst."""
    opened = [DOORS[action] for action in joint if action in DOORS]
    if len(opened) == 2 and opened[0] != opened[1]:
        return -100.0
    if len(opened) == 2:
        return -50.0 if opened[0] == tiger else 20.0
    if opened:
        return -101.0 if opened[0] == tiger else 9.0
    return -2.0
