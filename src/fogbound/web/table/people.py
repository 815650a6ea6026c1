"""Who sits at a table: people, who have chosen before they are asked, and policies, whose past is written down."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError
from fogbound.core.game import AnyGame, Observation
from fogbound.core.policy import AnyPolicy, thinks
from fogbound.inference.seat import Seat


class Chair:
    """A place at the table: it does what was laid down for this step, if anything was, else what its policy does.

    Parameters
    ----------
    policy
        Who sits there.
    """

    def __init__(self, policy: AnyPolicy) -> None:
        self.policy = policy
        self.laid: int | None = None  # the place, among the legal actions, of what to do in this step
        self.thinks = thinks(policy)

    def begin(self, observation: Observation) -> Any:
        return self.policy.begin(observation)

    def update(self, memory: Any, action: Hashable | None, observation: Observation) -> Any:
        self.laid = None
        return self.policy.update(memory, action, observation)

    def act(self, memory: Any, actions: Sequence[Hashable]) -> Dist[Hashable]:
        return self.policy.act(memory, actions) if self.laid is None else Dist.sure(actions[self.laid])


class Visitor:
    """A policy that stands for somebody at a browser: it takes in what it is told, and never decides.

    What it is told is all that the pages of its seat are drawn from.

    Parameters
    ----------
    game
        The rules.
    player
        Which player.
    """

    def __init__(self, game: AnyGame, player: int) -> None:
        self.seat = Seat(game, player)
        self.actions: tuple[Hashable, ...] = ()  # the legal ones, while a move is asked for

    def begin(self, observation: Observation) -> int:
        self.seat.begin(observation)
        return 0

    def update(self, memory: int, action: Hashable | None, observation: Observation) -> int:
        self.actions = ()
        self.seat.update(action, observation)
        return memory + 1  # a clock: a game with people in it is never taken for a cycle

    def act(self, memory: int, actions: Sequence[Hashable]) -> Dist[Hashable]:  # noqa: ARG002
        raise PolicyError("a person was asked before it had chosen")
