"""Light-dark as compiled rules: a state is the position, and so is an observation."""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np

from fogbound.compiled.draws import below, standard_normal, uniform
from fogbound.compiled.kernel import kernel
from fogbound.compiled.rules import rule
from fogbound.compiled.sampled_rules import SampledRules

WHOLE, BEGIN, RADIUS, STOP, ACTIONS = range(5)  # of `rules.integers`; ACTIONS: where the moves begin
LIGHT, SHARPEST, PAID, MOVED, VALUES = range(5)  # of `rules.numbers`; VALUES: where those by distance begin


@kernel
def blur(rules: Any, position: Any) -> Any:
    """The standard deviation of what is seen at a position."""
    return abs(position - rules.numbers[LIGHT]) + rules.numbers[SHARPEST]


class LightDarkRules:
    """The compiled functions."""

    @rule
    def initial(rules: Any, random: Any, state: Any) -> Any:
        """A whole number, or any, from -BEGIN to BEGIN."""
        most = rules.integers[BEGIN]
        if rules.integers[WHOLE]:
            state[0] = below(random, 2 * most + 1) - most
        else:
            state[0] = (2.0 * uniform(random) - 1.0) * most
        return 0

    @rule
    def step(rules: Any, state: Any, action: Any, random: Any, rewards: Any, seen: Any) -> Any:
        """Move, or stop."""
        if action == rules.integers[STOP]:
            rewards[0] = rules.numbers[PAID] if abs(state[0]) < 1.0 else -rules.numbers[PAID]
            seen[0] = 0.0
            return 1
        most = float(rules.integers[RADIUS])
        state[0] = min(most, max(-most, state[0] + rules.integers[ACTIONS + action]))
        rewards[0] = rules.numbers[MOVED]
        seen[0] = state[0] + blur(rules, state[0]) * standard_normal(random)
        return 0

    @rule
    def observation_density(rules: Any, before: Any, action: Any, state: Any, seen: Any) -> Any:  # noqa: ARG002
        """Gauss's, with the deviation of the place."""
        if action == rules.integers[STOP]:
            return 1.0
        spread = blur(rules, state[0])
        return exp(-0.5 * ((seen[0] - state[0]) / spread) ** 2) / spread

    @rule
    def value(rules: Any, state: Any) -> Any:
        """What one who sees the position gets."""
        return rules.numbers[VALUES + min(int(np.rint(abs(state[0]))), rules.integers[RADIUS])]


def compiled_rules(game: Any, radius: int, begin: int, numbers: list[float]) -> SampledRules:
    """The compiled rules of `LightDark`, whose values by distance are the end of `numbers`."""
    moves = list(game.actions)
    integers = [int(game.whole), begin, radius, moves.index(0), *moves]
    return SampledRules.of(game, vars(LightDarkRules), width=1, seen=1, integers=integers, numbers=numbers)
