"""Simulators as people write them, for tests."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np

import fogbound as fb


@dataclass(frozen=True)
class SampledTiger(fb.Simulator):
    """The tiger problem, only sampled: a door ends the episode."""

    accuracy: float = 0.85
    discount: float = 0.95
    actions = ("listen", "left", "right")

    def initial(self, rng):
        return "left" if rng.random() < 0.5 else "right"

    def step(self, state, action, rng):
        if action != "listen":
            return state, "open", -100.0 if action == state else 10.0, True
        other = "right" if state == "left" else "left"
        return state, state if rng.random() < self.accuracy else other, -1.0, False

    def observation_density(self, state, action, next_state, observation):
        return self.accuracy if observation == next_state else 1 - self.accuracy


class ValuedTiger(SampledTiger):
    """The same with an estimate of states: nothing. Random rollouts open the wrong door, and are worth -45."""

    def value(self, state):
        return 0.0


class Corridor(fb.Simulator):
    """Three steps: `left` pays 1 at once, `right` 0, 0 and then 10. The best is three times `right`, 8.1 in all."""

    actions = ["left", "right"]
    discount = 0.9

    def initial(self, rng):
        return 0

    def step(self, state, action, rng):
        if action == "left":
            return state, state, 1.0, True
        return state + 1, state + 1, 10.0 if state == 2 else 0.0, state == 2

    def observation_density(self, state, action, next_state, observation):
        return float(observation == next_state)

    def upper(self, state):
        return 10.0


class Drift(fb.Simulator):
    """A point in the plane that is pushed about: arrays for states and observations."""

    actions = ["push", "rest"]
    discount = 0.9

    def initial(self, rng):
        return rng.normal(size=2)

    def step(self, state, action, rng):
        following = state * (0.5 if action == "push" else 1.0) + 0.1 * rng.normal(size=2)
        return following, following + rng.normal(size=2), float(-np.abs(following).sum()), False

    def observation_density(self, state, action, next_state, observation):
        return exp(-0.5 * float(((observation - next_state) ** 2).sum()))
