"""Two robots that collect cans and must look after their batteries: a big can takes both of them.

A robot sees its own battery only, high or low. Recharging makes it high and pays nothing. Searching for a small can
pays 2; searching for the big one pays 5 where both do, and nothing where one does alone. A search may leave a high
battery low; with a low one the robot may stop dead, is carried back and charged: each such robot costs 10, and
nothing else is earned in that step. Amato, Bernstein and Zilberstein, "Optimizing memory-bounded controllers for
decentralized POMDPs" (2007). The same numbers as MADP's `recycling.dpomdp` (with a discount of 0.9), whose first and
last actions have each other's names. Best values for a team, without a discount: 5, 7, 10.66, 13.38, 16.49 for
horizons 1 to 5.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import product

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, Outcome, SpecError, Tile
from fogbound.core.contract import require_discount

State = tuple[str, str]  # the two batteries
HIGH, LOW = LEVELS = ("high", "low")
RECHARGE, SMALL, BIG = ACTIONS = ("recharge", "search-small", "search-big")
DRAINED = {SMALL: 0.3, BIG: 0.5}  # how likely a search leaves a high battery low
DEAD = {SMALL: 0.2, BIG: 0.3}  # how likely a search ends a low battery
RESCUE = -10.0
DIGITS = 12  # rewards are expectations, which products of decimals miss by rounding


@dataclass(frozen=True)
class RecyclingRobots(Game[State, str]):
    """Search for small cans, for the big one together, or recharge; both batteries are high at the start."""

    name = "recycling-robots"
    record = GameRecord("Recycling robots", GameGroup.TEAMS)

    discount: float = 1.0
    players = ("first", "second")

    def __post_init__(self) -> None:
        require_discount("recycling-robots", self.discount, SpecError)

    def start(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome((HIGH, HIGH)))

    def actors(self, state: State) -> tuple[int, ...]:  # noqa: ARG002
        return (0, 1)

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return ACTIONS

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        paid = (reward(state, joint),) * 2
        low = [_low(level, action) for level, action in zip(state, joint)]
        outcomes = []
        for one, two in product(LEVELS, LEVELS):
            p = (low[0] if one == LOW else 1 - low[0]) * (low[1] if two == LOW else 1 - low[1])
            outcomes.append((Outcome((one, two), paid, private=(one, two)), p))
        return Dist.of(outcomes)

    def describe(self, action: str) -> str:
        return {RECHARGE: "recharge", SMALL: "search for a small can", BIG: "search for the big can"}[action]

    def describe_state(self, state: State) -> str:
        first, second = state
        return f"the battery of first is {first}, that of second {second}"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return f"a {seen} battery"

    def board(self, state: State, player: int | None = None) -> Board:
        if player is not None:
            return Board.of_text("two robots, cans, batteries")
        tiles = [Tile(level, "lamp" if level == HIGH else "fog") for level in state]
        return Board.grid([tiles], caption="the batteries of the two robots")


def _low(level: str, action: str) -> float:
    """How likely the battery is low afterwards."""
    if action == RECHARGE:
        return 0.0
    return DRAINED[action] if level == HIGH else 1 - DEAD[action]


def reward(state: State, joint: tuple[str, ...]) -> float:
    """What both can expect: cans where no robot stops, the rescue of those that do."""
    stops = [DEAD[action] if level == LOW and action != RECHARGE else 0.0 for level, action in zip(state, joint)]
    cans = 2.0 * joint.count(SMALL) + 5.0 * (joint == (BIG, BIG))
    return round((1 - stops[0]) * (1 - stops[1]) * cans + RESCUE * sum(stops), DIGITS) + 0.0
