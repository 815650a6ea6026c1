"""A simulator as a game: it is played, logged and evaluated like any other, and refuses to be enumerated."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.random import Generator

from fogbound.core.board import Board
from fogbound.core.dist import Dist, Rng, SampledDist
from fogbound.core.drawing import Drawing
from fogbound.core.errors import SampledOnlyError
from fogbound.core.game import Game, Outcome
from fogbound.simulators.checked import CheckedSimulator
from fogbound.simulators.simulator import Simulator

SEEDS = 2**53  # that a number between 0 and 1 tells apart

T = TypeVar("T")


class SimulatedState:
    """A state of a simulator, and whether the episode is over; compared by identity, as arrays cannot be."""

    __slots__ = ("done", "inner")

    def __init__(self, inner: Any, done: bool) -> None:
        self.inner, self.done = inner, done

    def __repr__(self) -> str:
        return repr(self.inner)


@dataclass(frozen=True, eq=False)
class SimulatedGame(Game[SimulatedState, Hashable]):
    """The game of one player that a simulator is.

    Parameters
    ----------
    simulator
        The author's model.
    """

    simulator: Simulator = field()

    name: ClassVar[str] = "simulator"

    def __post_init__(self) -> None:
        self.checked  # noqa: B018  refuses what is no model
        object.__setattr__(self, "players", self.simulator.players)
        object.__setattr__(self, "discount", float(self.simulator.discount))

    @cached_property
    def checked(self) -> CheckedSimulator:
        """The model, asked with care."""
        return CheckedSimulator(self.simulator)

    @property
    def only_sampled(self) -> str:
        """Why nothing can be enumerated."""
        return f"{self} is a simulator, whose outcomes are drawn and cannot be listed"

    def start(self) -> Dist[Outcome[SimulatedState]]:
        def draw(rng: Rng) -> Outcome[SimulatedState]:
            return Outcome(SimulatedState(self.checked.initial(generator_of(rng)), False))

        return SampledDist(draw, self._refuse)

    def actors(self, state: SimulatedState) -> tuple[int, ...]:
        return () if state.done else (0,)

    def actions(self, state: SimulatedState, player: int) -> tuple[Hashable, ...]:  # noqa: ARG002
        return self.checked.legal(state.inner)

    def step(self, state: SimulatedState, joint: tuple[Hashable, ...]) -> Dist[Outcome[SimulatedState]]:
        def draw(rng: Rng) -> Outcome[SimulatedState]:
            made = self.checked.step(state.inner, joint[0], generator_of(rng))
            seen = self.checked.remembered(made.observation)
            return Outcome(SimulatedState(made.state, made.done), (made.reward,), public=seen)

        return SampledDist(draw, self._refuse)

    def _refuse(self) -> SampledOnlyError:
        return SampledOnlyError(f"{self.only_sampled}; use a solver that only samples")

    @property
    def title(self) -> str:
        return self.simulator.record.title or str(self)

    def describe(self, action: Hashable) -> str:
        return self.simulator.describe(action)

    def board(self, state: SimulatedState, player: int | None = None) -> Board | None:
        return self.simulator.board(state.inner, player)

    def draw(
        self,
        state: SimulatedState,
        player: int | None = None,
        belief: Dist[SimulatedState] | None = None,  # noqa: ARG002
    ) -> Drawing:
        return self.simulator.draw(state.inner, player)

    def __str__(self) -> str:
        return str(self.simulator)


def generator_of(rng: Rng) -> Generator:
    """A generator of numpy's for a simulator: the one that is given, or one that it seeds."""
    return rng if isinstance(rng, Generator) else np.random.default_rng(int(rng.random() * SEEDS))
