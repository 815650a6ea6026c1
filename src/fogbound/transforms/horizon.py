"""A game cut off after so many steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fogbound.core import AnyGame, Dist, GameRecord, Outcome, SpecError
from fogbound.core.errors import many
from fogbound.transforms.wrapped import Wrapped, moved


@dataclass(frozen=True)
class Horizon(Wrapped):
    """The same game, over after `steps` steps at the latest: what would be paid later is not paid.

    A state is (steps left, the game's state). The end need not be observed: every player counts the steps.

    Parameters
    ----------
    game
        The game.
    steps
        After how many it is over, 0 or more.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.forms.tree(fb.game("horizon(game=tiger, steps=1)")).size
    29
    """

    steps: int
    name = "horizon"
    record = GameRecord("{game.title}, at most {steps} steps")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.steps < 0:
            raise SpecError(f"horizon: steps is {self.steps}, expected 0 or more")

    def inside(self, state: Any) -> Any:
        return state[1]

    def start(self) -> Dist[Outcome[Any]]:
        return self._counted(self.steps, self.game.start())

    def actors(self, state: Any) -> tuple[int, ...]:
        left, inner = state
        return self.game.actors(inner) if left > 0 else ()

    def step(self, state: Any, joint: tuple[Any, ...]) -> Dist[Outcome[Any]]:
        left, inner = state
        return self._counted(left - 1, self.game.step(inner, joint))

    def _counted(self, left: int, outcomes: Dist[Outcome[Any]]) -> Dist[Outcome[Any]]:
        return Dist(tuple((moved(outcome, (left, outcome.state)), p) for outcome, p in outcomes))

    def describe_state(self, state: Any) -> str:
        return f"{super().describe_state(state)}; {many(state[0], 'step')} left"

    def canonical(self, state: Any) -> Any:
        left, inner = state
        return left, self.game.canonical(inner)

    def cut_from(self) -> tuple[AnyGame, int] | None:
        return (self.game, self.steps) if type(self) is Horizon else None  # whoever alters it may alter its states
