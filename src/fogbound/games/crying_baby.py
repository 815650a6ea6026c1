"""A baby and two caregivers with tastes of their own: one would rather feed it, the other would rather sing.

A baby that is fed is sated; otherwise a sated one becomes hungry with chance `becomes_hungry`, and a hungry one stays
so. Both hear the same: a hungry baby cries more often than a sated one, and singing makes it tell more clearly. Each
pays for what it does, and both for a hungry baby. Kochenderfer, Wheeler and Wray, "Algorithms for decision making"
(2022), appendix F.15, "multi-caregiver crying baby", with the numbers of DecisionMakingProblems.jl.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, fields

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, Outcome, Tile
from fogbound.games.parameters import require_ranges

State = str
SATED, HUNGRY = STATES = ("sated", "hungry")
FEED, IGNORE, SING = ACTIONS = ("feed", "ignore", "sing")
COSTS = ({FEED: -2.5, IGNORE: 0.0, SING: -0.5}, {FEED: -5.0, IGNORE: 0.0, SING: -0.25})  # half of it for what one likes
HUNGER = -10.0


@dataclass(frozen=True)
class CryingBaby(Game[State, str]):
    """Feed, sing or ignore, by what is heard; at the start the baby is hungry or sated, with equal chances."""

    name = "crying-baby"
    record = GameRecord("Crying baby", GameGroup.TEAMS)

    becomes_hungry: float = 0.5
    cries_hungry: float = 0.8
    cries_sated: float = 0.1
    cries_hungry_at_song: float = 0.9
    discount: float = 0.9
    players = ("feeder", "singer")

    def __post_init__(self) -> None:
        require_ranges(self, **{field.name: (0, 1) for field in fields(self) if field.name != "discount"})

    def start(self) -> Dist[Outcome[State]]:
        return Dist.uniform(Outcome(state) for state in STATES)

    def actors(self, state: State) -> tuple[int, ...]:  # noqa: ARG002
        return (0, 1)

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return ACTIONS

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        hunger = HUNGER if state == HUNGRY else 0.0
        paid = tuple(hunger + costs[action] for costs, action in zip(COSTS, joint))
        hungry = 0.0 if FEED in joint else 1.0 if state == HUNGRY else self.becomes_hungry
        outcomes = []
        for after, moved in ((SATED, 1 - hungry), (HUNGRY, hungry)):
            cries = self._cries(after, SING in joint)
            for sound, heard in (("crying", cries), ("quiet", 1 - cries)):
                outcomes.append((Outcome(after, paid, public=sound), moved * heard))
        return Dist.of(outcomes)

    def _cries(self, state: State, sung: bool) -> float:
        if state == SATED:
            return 0.0 if sung else self.cries_sated
        return self.cries_hungry_at_song if sung else self.cries_hungry

    def describe_state(self, state: State) -> str:
        return f"the baby is {state}"

    def describe_public(self, seen: Hashable) -> str:
        return f"the baby is {seen}"  # crying or quiet

    def board(self, state: State, player: int | None = None) -> Board:
        if player is not None:
            return Board.grid([[Tile("?", "fog")]], caption="a baby")
        return Board.grid([[Tile(state, "theirs" if state == HUNGRY else "lamp")]], caption="the baby")
