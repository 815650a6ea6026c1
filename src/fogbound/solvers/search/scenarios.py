"""Scenarios of DESPOT: initial states, each with a stream of random numbers that decides all that follows.

What is drawn in a scenario depends on its number and on the depth alone, so that every action and every policy
meets the same luck: common random numbers.
"""

from __future__ import annotations

from random import Random
from typing import Any, Protocol

import numpy as np

from fogbound.solvers.search.belief import ParticleBelief
from fogbound.solvers.search.generative import GenerativeModel, RuleModel


class ScenarioDraws(Protocol):
    """The random numbers of every scenario at every depth."""

    def at(self, scenario: int, depth: int) -> Any:
        """The generator of a step."""


class FixedDraw:
    """A generator of one number, which is all that the rules of a game need for a step."""

    __slots__ = ("number",)

    def __init__(self) -> None:
        self.number = 0.0

    def random(self) -> float:
        return self.number


class RuleDraws:
    """One number for every scenario and depth."""

    def __init__(self, scenarios: int, depth: int, seed: int) -> None:
        self._numbers: list[list[float]] = np.random.default_rng(seed).random((scenarios, depth)).tolist()
        self._draw = FixedDraw()

    def at(self, scenario: int, depth: int) -> FixedDraw:
        self._draw.number = self._numbers[scenario][depth]
        return self._draw


class StreamDraws:
    """One stream for every scenario and depth: a generator that is set to where that stream begins."""

    def __init__(self, scenarios: int, depth: int, seed: int) -> None:
        rng = Random(seed)
        self._states = [[rng.getrandbits(128) for _ in range(depth)] for _ in range(scenarios)]
        self._bits = np.random.PCG64(0)
        self._increment = self._bits.state["state"]["inc"]
        self._generator = np.random.Generator(self._bits)

    def at(self, scenario: int, depth: int) -> np.random.Generator:
        self._bits.state = {
            "bit_generator": "PCG64",
            "state": {"state": self._states[scenario][depth], "inc": self._increment},
            "has_uint32": 0,
            "uinteger": 0,
        }
        return self._generator


def scenario_draws(model: GenerativeModel, scenarios: int, depth: int, seed: int) -> ScenarioDraws:
    """The random numbers of scenarios, as the model needs them."""
    kind = RuleDraws if isinstance(model, RuleModel) else StreamDraws
    return kind(scenarios, depth, seed)


def scenario_states(belief: ParticleBelief, scenarios: int, seed: int) -> list[Any]:
    """The initial states of scenarios, drawn from a belief: each about as often as it is likely."""
    return list(belief.resampled(scenarios, np.random.default_rng(seed)))
