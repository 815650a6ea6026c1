"""A play in which nothing is left to chance: one game shows what every further game would."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fogbound.arena.playing import MOST_STEPS, Table
from fogbound.core.dist import Dist
from fogbound.core.errors import LimitError
from fogbound.core.game import AnyGame, Outcome
from fogbound.core.policy import AnyPolicy


class Cycle(NamedTuple):
    """Play comes back to where it was after `begins` steps, again and again every `length` steps."""

    begins: int
    length: int


class SurePlay(Table):
    """A game in progress that notes when something is drawn after all, and where a cycle begins.

    How a cycle is scored is left to `playing`: exact outcomes and simulated games follow one rule.
    """

    def __init__(self, game: AnyGame, policies: Sequence[AnyPolicy]) -> None:
        super().__init__(game, policies, np.random.default_rng(0))  # until `drawn`, what is drawn is all alike
        self.drawn = False
        self.cycle: Cycle | None = None

    def run(self, most_steps: int) -> None:
        """Play until something is drawn or the play is over or cycles; LimitError where neither comes in time."""
        for _ in self.steps(most_steps):
            if self.drawn:
                return
        if self.ended == "cut":
            raise LimitError(
                f"{self.game}: after {most_steps:,} steps play has neither ended nor come back to a situation, so its "
                "outcome is not known. Raise most_steps=, or cut the game with horizon(game, steps)"
            )

    def _drawn(self, outcomes: Dist[Outcome[Any]]) -> Outcome[Any]:
        self.drawn |= len(outcomes.support()) > 1
        return super()._drawn(outcomes)

    def _choose(self, actors: tuple[int, ...]) -> tuple[tuple[Any, ...], bool]:
        joint, sure = super()._choose(actors)
        self.drawn |= not sure
        return joint, sure

    def _loop(self, count: int, before: list[float]) -> None:
        self.cycle = Cycle(count, self.count - count)
        super()._loop(count, before)


def sure_play(game: AnyGame, policies: Sequence[AnyPolicy], most_steps: int = MOST_STEPS) -> SurePlay | None:
    """The one play that `policies` can have, finished; None where chance or a policy draws."""
    play = SurePlay(game, policies)
    play.run(most_steps)
    return None if play.drawn else play
