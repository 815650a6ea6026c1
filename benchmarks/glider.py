"""A simulator written twice, in plain numpy (a step takes about 10 µs) and as compiled functions: a body that is pushed
about in the plane, for ten steps, and is seen with noise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import fogbound as fb
from fogbound.compiled.draws import standard_normal
from fogbound.compiled.rules import rule
from fogbound.compiled.sampled_rules import SampledRules
from fogbound.simulators.arrays import ArraySimulator

PUSHES = np.array([[0.0, 1.0], [0.0, -1.0], [1.0, 0.0], [-1.0, 0.0]])
LONGEST = 10  # steps


class Glider(fb.Simulator):
    """In numpy: a state is x, y, their speeds, and the steps so far."""

    actions = ("north", "south", "east", "west")
    discount = 0.95

    def initial(self, rng: np.random.Generator) -> Any:
        return np.array([*(3.0 * rng.normal(size=2)), 0.0, 0.0, 0.0])

    def step(self, state: Any, action: str, rng: np.random.Generator) -> Any:
        speed = 0.8 * state[2:4] + 0.5 * PUSHES[self.actions.index(action)] + 0.1 * rng.normal(size=2)
        there = state[:2] + speed
        following = np.concatenate((there, speed, state[4:] + 1.0))
        seen = there + rng.normal(size=2)
        return following, seen, -float(np.sqrt((there * there).sum())), bool(following[4] >= LONGEST)

    def observation_density(self, state: Any, action: str, next_state: Any, observation: Any) -> float:  # noqa: ARG002
        x, y = observation[0] - next_state[0], observation[1] - next_state[1]
        return math.exp(-0.5 * float(x * x + y * y))

    def value(self, state: Any) -> float:
        return -(LONGEST - float(state[4])) * math.hypot(state[0], state[1])


class GliderRules:
    """The compiled functions."""

    @rule
    def initial(rules: Any, random: Any, state: Any) -> Any:
        state[0] = 3.0 * standard_normal(random)
        state[1] = 3.0 * standard_normal(random)
        state[2] = 0.0
        state[3] = 0.0
        state[4] = 0.0
        return 0

    @rule
    def step(rules: Any, state: Any, action: Any, random: Any, rewards: Any, seen: Any) -> Any:
        total = 0.0
        for axis in range(2):
            push = rules.numbers[2 * action + axis]
            state[2 + axis] = 0.8 * state[2 + axis] + 0.5 * push + 0.1 * standard_normal(random)
            state[axis] += state[2 + axis]
            seen[axis] = state[axis] + standard_normal(random)
            total += state[axis] * state[axis]
        state[4] += 1.0
        rewards[0] = -math.sqrt(total)
        return 1 if state[4] >= LONGEST else 0

    @rule
    def observation_density(rules: Any, before: Any, action: Any, state: Any, seen: Any) -> Any:  # noqa: ARG002
        x, y = seen[0] - state[0], seen[1] - state[1]
        return math.exp(-0.5 * (x * x + y * y))

    @rule
    def value(rules: Any, state: Any) -> Any:
        return -(LONGEST - state[4]) * math.sqrt(state[0] * state[0] + state[1] * state[1])


class CompiledGlider(ArraySimulator):
    """The same as compiled functions."""

    actions = Glider.actions
    discount = Glider.discount

    def compiled_rules(self) -> SampledRules:
        return SampledRules.of(self, vars(GliderRules), width=5, seen=2, numbers=PUSHES.ravel())
