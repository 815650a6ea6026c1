"""Two agents before two doors, a tiger behind one of them: they share all rewards and hear apart.

Both listen: each hears the tiger's side, right with `accuracy`, independently of the other. As soon as somebody opens
a door the tiger is placed anew, and what is heard in that step is noise. Nair, Tambe, Yokoo, Pynadath and Marsella,
"Taming decentralized POMDPs" (2003), section 3; Dec-Tiger, the same model as MADP's `dectiger.dpomdp`. Best values
for a team, without a discount: -2, -4, 5.19, 4.80, 7.03, 10.38 for horizons 1 to 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from fogbound.core import Dist, GameGroup, GameRecord, Outcome
from fogbound.games.tiger import TwoDoors

State = str
LEFT, RIGHT = SIDES = ("tiger-left", "tiger-right")
HEARD = {LEFT: "hear-left", RIGHT: "hear-right"}
DOORS = {"open-left": LEFT, "open-right": RIGHT}
ACTIONS = ("listen", *DOORS)


@dataclass(frozen=True)
class MultiTiger(TwoDoors):
    """Listen with `accuracy`, then open a door, best of all the same one together."""

    name = "multi-tiger"
    record = GameRecord("Multi-agent tiger", GameGroup.TEAMS)

    accuracy: float = 0.85
    discount: float = 1.0
    players = ("first", "second")
    sides, seen = SIDES, ", two agents"

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
