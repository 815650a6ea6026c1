"""Simultaneous moves taken one after the other, in secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fogbound.core import Dist, GameError, GameRecord, Outcome
from fogbound.transforms.wrapped import Wrapped, mapped

WAIT = "wait"


@dataclass(frozen=True)
class TurnBased(Wrapped):
    """The same game with one mover at a time: simultaneous movers choose in order of their players, unseen by anyone.

    A state is (the game's state, what the first players have chosen). A step becomes one small step for each
    player, also for those who have nothing to choose and can only wait: every player counts the steps, so a
    varying number of them would tell how many are moving. The small steps show nothing and pay nothing; the
    last player's is the game's own. Being asked to move is news in any game; here it is shown to each player as
    (its private observation, whether it moves next). So the players know exactly what they knew before.

    One step becomes several, which would turn the discount d into d^k: a discount below 1 is refused.

    Parameters
    ----------
    game
        The game, whose discount must be 1.
    """

    name = "turn-based"
    record = GameRecord("{game.title}, one mover at a time")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.discount != 1:
            raise GameError(
                f"turn-based: {self.game} has discount {self.discount:g}, and a step split into one for each "
                "mover would be discounted several times; use discount 1, or a form with simultaneous moves"
            )

    def inside(self, state: Any) -> Any:
        return state[0]

    def start(self) -> Dist[Outcome[Any]]:
        return mapped(self.game.start(), self._fresh)

    def actors(self, state: Any) -> tuple[int, ...]:
        inner, chosen = state
        return (len(chosen),) if self.game.actors(inner) else ()

    def actions(self, state: Any, player: int) -> Sequence[Any]:
        inner, _ = state
        return self.game.actions(inner, player) if player in self.game.actors(inner) else (WAIT,)

    def step(self, state: Any, joint: tuple[Any, ...]) -> Dist[Outcome[Any]]:
        inner, chosen = state
        chosen = (*chosen, *joint)
        if len(chosen) < len(self.players):
            return Dist.sure(Outcome((inner, chosen)))
        return mapped(self.game.step(inner, tuple(chosen[p] for p in self.game.actors(inner))), self._fresh)

    def describe(self, action: Any) -> str:
        return WAIT if action == WAIT else self.game.describe(action)

    def describe_state(self, state: Any) -> str:
        _, chosen = state
        made = [f"{name} has chosen {self.describe(action)}" for name, action in zip(self.player_titles, chosen)]
        return "; ".join([super().describe_state(state), *made])

    def describe_private(self, seen: Any, player: int) -> str:
        observation, asked = seen
        told = [] if observation is None else [self.game.describe_private(observation, player)]
        return "; ".join([*told, "a move to make" if asked else "no move to make"])

    def _fresh(self, outcome: Outcome[Any]) -> Outcome[Any]:
        """The game's own outcome, with nothing chosen yet, and each player told whether it moves next."""
        actor_set = self.game.actors(outcome.state)
        private = outcome.private or (None,) * len(self.players)
        observed = tuple((observation, player in actor_set) for player, observation in enumerate(private))
        return Outcome((outcome.state, ()), outcome.rewards, outcome.public, observed)
