"""One door, behind it a tiger or a treasure, and somebody who would rather the opener met the tiger.

The opener listens, swaps what is behind the door, or opens it: 3 for the treasure, -5 for the tiger, -1 for any other
step. The other one, who pays all that, listens or swaps. A swap succeeds 9 times in 10, and two at once undo each
other as often; after a door is opened all is placed anew, and only the other one sees how. Whoever does not listen
hears silence; whoever listens alone hears a growl with chance .6 where the tiger is and .4 where it is not; both
together hear better and mostly alike. Wiggers, Oliehoek and Roijers, "Structure in the value function of two-player
zero-sum games of incomplete information" (2016); the numbers are those of SDMStudio's `adversarial_tiger.dpomdp`.
Values without a discount: -1, -1.6, -2.24, -3.0003, -3.7737, -4.5273 for horizons 1 to 6.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, Outcome, SpecError, Tile
from fogbound.core.contract import require_discount

State = str
Signals = tuple[tuple[tuple[str, str], float], ...]
TIGER, TREASURE = BEHIND = ("tiger", "treasure")
OTHER = {TIGER: TREASURE, TREASURE: TIGER}
GROWL, SILENCE = "growl", "silence"
LISTEN, SWAP, OPEN = "listen", "swap", "open"
SWAPS = 0.9


@dataclass(frozen=True)
class AdversarialTiger(Game[State, str]):
    """Zero-sum: the opener wants the treasure, the keeper wants it to meet the tiger."""

    name = "adversarial-tiger"
    record = GameRecord("Adversarial tiger", GameGroup.RIVALS)

    discount: float = 1.0
    players = ("opener", "keeper")

    def __post_init__(self) -> None:
        require_discount("adversarial-tiger", self.discount, SpecError)

    def start(self) -> Dist[Outcome[State]]:
        return Dist.uniform(Outcome(behind) for behind in BEHIND)

    def actors(self, state: State) -> tuple[int, ...]:  # noqa: ARG002
        return (0, 1)

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return (LISTEN, SWAP, OPEN) if player == 0 else (LISTEN, SWAP)

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        won = {TIGER: -5.0, TREASURE: 3.0}[state] if joint[0] == OPEN else -1.0
        outcomes = []
        for behind, moved in placed(state, joint):
            for private, heard in _signals(behind, joint):
                outcomes.append((Outcome(behind, (won, -won), private=private), moved * heard))
        return Dist.of(outcomes)

    def describe(self, action: str) -> str:
        return {LISTEN: "listen", SWAP: "swap what is behind the door", OPEN: "open the door"}[action]

    def describe_state(self, state: State) -> str:
        return f"the {state} is behind the door"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return "a growl" if seen == GROWL else "silence"

    def board(self, state: State, player: int | None = None) -> Board:
        if player is not None:
            return Board.grid([[Tile("?", "fog")]], caption="a tiger or a treasure")
        return Board.grid([[Tile(state, "theirs" if state == TIGER else "lamp")]], caption="behind the door")


def placed(state: State, joint: tuple[str, ...]) -> tuple[tuple[State, float], ...]:
    """What is behind the door after a step."""
    if joint[0] == OPEN:
        return ((TIGER, 0.5), (TREASURE, 0.5))
    many = joint.count(SWAP)
    if many == 0:
        return ((state, 1.0),)
    aim = state if many == 2 else OTHER[state]
    return ((aim, SWAPS), (OTHER[aim], 1 - SWAPS))


def _signals(behind: State, joint: tuple[str, ...]) -> Signals:
    """What the two hear after it."""
    right = GROWL if behind == TIGER else SILENCE
    if joint[0] == OPEN:
        return (((SILENCE, right), 1.0),)
    if joint == (LISTEN, LISTEN):
        both = [(one, two) for one in (GROWL, SILENCE) for two in (GROWL, SILENCE)]
        return tuple((pair, 0.7 if pair == (right, right) else 0.1) for pair in both)
    growl = 0.6 if behind == TIGER else 0.4
    if joint == (LISTEN, SWAP):
        return (((GROWL, SILENCE), growl), ((SILENCE, SILENCE), 1 - growl))
    if joint == (SWAP, LISTEN):
        return (((SILENCE, GROWL), growl), ((SILENCE, SILENCE), 1 - growl))
    return (((SILENCE, SILENCE), 1.0),)
