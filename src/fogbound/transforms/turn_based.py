"""Simultaneous moves taken one after the other, in secret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fogbound.core import Dist, GameError, Outcome
from fogbound.transforms.wrapped import Wrapped, moved


@dataclass(frozen=True)
class TurnBased(Wrapped):
    """The same game with one mover at a time: simultaneous movers choose in order, unseen by anyone.

    A state is (the game's state, what the first movers have chosen). The small steps in between show nothing
    and pay nothing; the last mover's step is the game's own. Every player counts the steps, so the players
    know exactly what they knew before as long as the number of movers follows from what each of them knows.
    Where it does not, the count of small steps tells of it, and this is another game: builders may then find
    actions that do not follow from what the player knows.

    One step becomes several, which would turn the discount d into d^k: a discount below 1 is refused.
    """

    name = "turn-based"

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
        return self._fresh(self.game.start())

    def actors(self, state: Any) -> tuple[int, ...]:
        inner, chosen = state
        crew = self.game.actors(inner)
        return crew[len(chosen) : len(chosen) + 1]

    def step(self, state: Any, joint: tuple[Any, ...]) -> Dist[Outcome[Any]]:
        inner, chosen = state
        chosen = (*chosen, *joint)
        if len(chosen) < len(self.game.actors(inner)):
            return Dist.sure(Outcome((inner, chosen)))
        return self._fresh(self.game.step(inner, chosen))

    def _fresh(self, outcomes: Dist[Outcome[Any]]) -> Dist[Outcome[Any]]:
        """The game's own outcomes, with nothing chosen yet."""
        return Dist(tuple((moved(outcome, (outcome.state, ())), p) for outcome, p in outcomes))
