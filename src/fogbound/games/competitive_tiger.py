"""Two who each want the other to meet the tiger: the tiger problem with two doors, symmetric and zero-sum.

Either listens, opens a door, or blocks both. Finding the prize wins 2 from the other, meeting the tiger loses 4 to
it; where both open, the difference is paid. Blocking keeps the tiger where it is: whoever blocks wins 1 from one who
would have found the prize, and pays 1 to any other who does not block. A door that is opened unblocked places the
tiger anew. Whoever listens hears the tiger's side, right with `accuracy`; nobody else hears anything. Wiggers,
Oliehoek and Roijers (2016), as in SDMStudio's `competitive_tiger.dpomdp`, where the first player hears wrongly unless
both listen; here both hear alike, so that the value is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from fogbound.core import Dist, GameGroup, GameRecord, Outcome
from fogbound.games.tiger import NOTHING, TwoDoors

State = str
LEFT, RIGHT = SIDES = ("tiger-left", "tiger-right")
HEARD = {LEFT: "hear-left", RIGHT: "hear-right"}
LISTEN, BLOCK = "listen", "block"
DOORS = {"open-left": LEFT, "open-right": RIGHT}
ACTIONS = (LISTEN, *DOORS, BLOCK)


@dataclass(frozen=True)
class CompetitiveTiger(TwoDoors):
    """Listen, open a door before the other does, or block it."""

    name = "competitive-tiger"
    record = GameRecord("Competitive tiger", GameGroup.RIVALS)

    accuracy: float = 0.85
    discount: float = 1.0
    players = ("first", "second")
    sides, seen = SIDES, ", two rivals"

    def actors(self, state: State) -> tuple[int, ...]:  # noqa: ARG002
        return (0, 1)

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return ACTIONS

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        won = reward(state, joint)
        opened = BLOCK not in joint and joint != (LISTEN, LISTEN)
        outcomes = []
        for tiger in SIDES if opened else (state,):
            for (one, p), (two, q) in product(*(self._heard(tiger, action) for action in joint)):
                chance = p * q * (0.5 if opened else 1.0)
                outcomes.append((Outcome(tiger, (won, 0.0 - won), private=(one, two)), chance))
        return Dist.of(outcomes)

    def _heard(self, tiger: State, action: str) -> tuple[tuple[str, float], ...]:
        if action != LISTEN:
            return ((NOTHING, 1.0),)
        return tuple((HEARD[side], self.accuracy if side == tiger else 1 - self.accuracy) for side in SIDES)


def reward(tiger: State, joint: tuple[str, ...]) -> float:
    """What the first player wins from the second."""
    worth = [0.0 if action not in DOORS else -4.0 if DOORS[action] == tiger else 2.0 for action in joint]
    if BLOCK not in joint:
        return worth[0] - worth[1]
    if joint == (BLOCK, BLOCK):
        return 0.0
    blocked = worth[1] if joint[0] == BLOCK else worth[0]
    wins = 1.0 if blocked > 0 else -1.0  # whoever blocks
    return wins if joint[0] == BLOCK else -wins
