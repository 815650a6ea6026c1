"""Two nodes on one radio channel, each with a buffer for one message: they want to send, but not both at once.

A message is through when exactly one node sends and has one: that pays 1 to both. A node that sends empties its
buffer, whatever becomes of the message; an empty buffer is filled before the next step with the chances `fills`. Each
node sees whether there was a collision, wrongly with chance `noise`. Ooi and Wornell, "Decentralized control of a
multiple access broadcast channel" (1996), as Hansen, Bernstein and Zilberstein (2004) and MADP's
`broadcastChannel.dpomdp` have it. Best values for a team: 1, 2, 2.99, 3.89, 4.79, 5.69 for horizons 1 to 6.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import product

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, Outcome, SpecError, Tile
from fogbound.core.contract import require_discount

State = str  # S10: the first node has a message, the second has none
SEND, WAIT = ACTIONS = ("send", "wait")
COLLISION, NONE = SEEN = ("Collision", "No-Collision")


@dataclass(frozen=True)
class BroadcastChannel(Game[State, str]):
    """Send or wait; both buffers are full at the start."""

    name = "broadcast-channel"
    record = GameRecord("Broadcast channel", GameGroup.TEAMS)

    fills: tuple[float, float] = (0.9, 0.1)
    noise: float = 0.1
    discount: float = 1.0
    players = ("first", "second")

    def __post_init__(self) -> None:
        if not (isinstance(self.fills, tuple) and len(self.fills) == 2):
            raise SpecError(f"broadcast-channel: fills is {self.fills}, expected two chances, such as [0.9, 0.1]")
        for chance in (*self.fills, self.noise):
            if not 0 <= chance <= 1:
                raise SpecError(f"broadcast-channel: found the chance {chance}, expected 0 to 1")
        require_discount("broadcast-channel", self.discount, SpecError)

    def start(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome("S11"))

    def actors(self, state: State) -> tuple[int, ...]:  # noqa: ARG002
        return (0, 1)

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return ACTIONS

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        full = [has == "1" for has in state[1:]]
        through = joint.count(SEND) == 1 and full[joint.index(SEND)]
        filled = [1.0 if had and action == WAIT else p for had, action, p in zip(full, joint, self.fills)]
        seen = 1 - self.noise if joint == (SEND, SEND) else self.noise
        outcomes = []
        for one, two, first, second in product((0, 1), (0, 1), SEEN, SEEN):
            arrives = _chance(filled[0], one) * _chance(filled[1], two)
            shown = _chance(seen, first == COLLISION) * _chance(seen, second == COLLISION)
            outcomes.append((Outcome(f"S{one}{two}", (float(through),) * 2, private=(first, second)), arrives * shown))
        return Dist.of(outcomes)

    def describe_state(self, state: State) -> str:
        has = [("an empty buffer", "a message")[int(full)] for full in state[1:]]
        return f"first has {has[0]}, second {has[1]}"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return "a collision" if seen == COLLISION else "no collision"

    def board(self, state: State, player: int | None = None) -> Board:
        if player is not None:
            return Board.of_text("one channel, two nodes")
        tiles = [Tile("message", "lamp") if has == "1" else Tile("empty") for has in state[1:]]
        return Board.grid([tiles], caption="the buffers of the two nodes")


def _chance(p: float, happens: float) -> float:
    return p if happens else 1 - p
