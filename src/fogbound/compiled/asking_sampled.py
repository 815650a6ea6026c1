"""Compiled rules of a simulator asked from Python, one state or many at once, by the addresses that a search calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import kernel
from fogbound.compiled.sampled_rules import SampledRules


@dataclass(frozen=True, eq=False)
class RowArrays(Bundle):
    """Room for one state, a question about it and the answer."""

    random: np.ndarray  # [1]
    before: np.ndarray  # [width]
    state: np.ndarray  # [width]
    seen: np.ndarray  # [seen]
    rewards: np.ndarray  # [1]


def row_arrays(compiled: SampledRules) -> RowArrays:
    """Room for one state of a simulator."""
    width = compiled.width
    return RowArrays(np.zeros(1, np.int64), np.zeros(width), np.zeros(width), np.zeros(compiled.seen), np.zeros(1))


@dataclass(frozen=True, eq=False)
class RowParticles(Bundle):
    """States that step side by side, and how likely each shows what was seen."""

    random: np.ndarray  # [1]
    before: np.ndarray  # [particle, width]
    state: np.ndarray  # [particle, width]
    seen: np.ndarray  # [particle, seen]
    observed: np.ndarray  # [seen] what was seen
    weights: np.ndarray  # [particle]
    over: np.ndarray  # [particle] 1 = the episode is over
    rewards: np.ndarray  # [1] room


def row_particles(compiled: SampledRules, count: int, seed: int) -> RowParticles:
    """Room for particles."""
    return RowParticles(
        random=np.array([seed], np.int64),
        before=np.zeros((count, compiled.width)),
        state=np.zeros((count, compiled.width)),
        seen=np.zeros((count, compiled.seen)),
        observed=np.zeros(compiled.seen),
        weights=np.zeros(count),
        over=np.zeros(count, np.int64),
        rewards=np.zeros(1),
    )


@kernel
def ask_initial(initial: Any, rules: Any, room: Any) -> Any:
    """Draw a first state."""
    initial(rules, room.random, room.state)


@kernel
def ask_step(step: Any, rules: Any, room: Any, action: Any) -> Any:
    """Step from `before` to `state`; whether the episode is over."""
    for place in range(len(room.state)):
        room.state[place] = room.before[place]
    return step(rules, room.state, action, room.random, room.rewards, room.seen)


@kernel
def ask_density(density: Any, rules: Any, room: Any, action: Any) -> Any:
    """How likely `seen` is after a step from `before` to `state`."""
    return density(rules, room.before, action, room.state, room.seen)


@kernel
def ask_value(value: Any, rules: Any, room: Any) -> Any:
    """What a function of states says of `state`."""
    return value(rules, room.state)


@kernel
def ask_rollout(rollout: Any, rules: Any, room: Any) -> Any:
    """The place of the rollout policy's action."""
    return rollout(rules, room.state, room.random)


@kernel
def draw_particles(initial: Any, rules: Any, room: Any) -> Any:
    """First states."""
    for k in range(len(room.weights)):
        initial(rules, room.random, room.state[k])


@kernel
def step_particles(step: Any, density: Any, rules: Any, room: Any, action: Any, weighed: Any) -> Any:
    """Step every particle, and weigh it by what was observed: by its density, or by whether it shows just that."""
    for k in range(len(room.weights)):
        state, seen = room.state[k], room.seen[k]
        for place in range(len(state)):
            state[place] = room.before[k, place]
        room.over[k] = step(rules, state, action, room.random, room.rewards, seen)
        if room.over[k]:
            room.weights[k] = 0.0
        elif weighed:
            room.weights[k] = density(rules, room.before[k], action, state, room.observed)
        else:
            room.weights[k] = 1.0
            for place in range(len(seen)):
                if seen[place] != room.observed[place]:
                    room.weights[k] = 0.0
