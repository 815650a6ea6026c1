"""Light-dark with observations rounded down to bins, for planners that need discrete observations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from fogbound.compiled.draws import standard_normal
from fogbound.compiled.rules import rule
from fogbound.compiled.sampled_rules import SampledRules
from fogbound.games.light_dark.game import LightDark
from fogbound.games.light_dark.kernels import ACTIONS, MOVED, PAID, RADIUS, STOP, LightDarkRules, blur


class BinnedRules:
    """The compiled functions; the last number of the rules is the width of a bin."""

    initial, value = LightDarkRules.initial, LightDarkRules.value

    @rule
    def step(rules: Any, state: Any, action: Any, random: Any, rewards: Any, seen: Any) -> Any:
        if action == rules.integers[STOP]:
            rewards[0] = rules.numbers[PAID] if abs(state[0]) < 1.0 else -rules.numbers[PAID]
            seen[0] = 0.0
            return 1
        most, bins = float(rules.integers[RADIUS]), rules.numbers[len(rules.numbers) - 1]
        state[0] = min(most, max(-most, state[0] + rules.integers[ACTIONS + action]))
        rewards[0] = rules.numbers[MOVED]
        seen[0] = math.floor((state[0] + blur(rules, state[0]) * standard_normal(random)) / bins)
        return 0

    @rule
    def observation_density(rules: Any, before: Any, action: Any, state: Any, seen: Any) -> Any:  # noqa: ARG002
        if action == rules.integers[STOP]:
            return 1.0
        bins, scale = rules.numbers[len(rules.numbers) - 1], blur(rules, state[0]) * math.sqrt(2.0)
        low = math.erf((bins * seen[0] - state[0]) / scale)
        return max((math.erf((bins * (seen[0] + 1.0) - state[0]) / scale) - low) / 2.0, 1e-12)


@dataclass(frozen=True)
class Binned(LightDark):
    """Light-dark with observations in bins of a width."""

    bins: float = 1.0

    def step(self, state: float, action: int, rng: Any) -> tuple[float, float, float, bool]:
        there, seen, reward, done = super().step(state, action, rng)
        return there, seen if done else float(math.floor(seen / self.bins)), reward, done

    def observation_density(self, state: float, action: int, next_state: float, observation: float) -> float:
        raise NotImplementedError("beliefs are followed by the compiled functions")

    def compiled_rules(self) -> SampledRules:
        plain = super().compiled_rules()
        numbers = [*plain.rules.numbers, self.bins]
        integers = plain.rules.integers
        return SampledRules.of(self, vars(BinnedRules), width=1, seen=1, integers=integers, numbers=numbers)
