"""All that a player did and saw, in order, with room for the longest game."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import PolicyError, many
from fogbound.core.game import Observation
from fogbound.interop.encoders.last_observation import LastObservation
from fogbound.interop.extra import environments_extra
from fogbound.policies.vocabulary import Vocabulary

History = tuple[tuple[int, int], ...]  # by step: the number of the own action and 1, or 0; the number of what was seen


@dataclass(frozen=True, eq=False)
class FullHistory:
    """Step after step the own action and what was seen of it; 0 everywhere in steps that are yet to come.

    Parameters
    ----------
    observations
        All that the player may see.
    actions
        All that it may do.
    steps
        How many steps there is room for, the start apart.
    """

    observations: Sequence[Observation] = field(repr=False)
    actions: tuple[Hashable, ...] = field(repr=False)
    steps: int

    @cached_property
    def _seen(self) -> LastObservation:
        return LastObservation(self.observations)

    @cached_property
    def _numbers(self) -> dict[Hashable | None, int]:
        return {None: 0} | {action: k + 1 for k, action in enumerate(self.actions)}

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Of each column of a step: the own action, then the parts of what was seen."""
        return len(self.actions) + 1, *(size + 1 for size in self._seen.columns.sizes)

    def begin(self, observation: Observation) -> History:
        return ((0, self._seen.number(observation)),)

    def update(self, memory: History, action: Hashable | None, observation: Observation) -> History:
        if len(memory) > self.steps:
            raise PolicyError(f"a history of more than {many(self.steps, 'step')}, which is all there is room for")
        did = self._numbers.get(action)
        if did is None:
            did = self._numbers[Vocabulary((), self.actions).action(action)]
        return (*memory, (did, self._seen.number(observation)))

    def encode(self, memory: History, asked: bool) -> NDArray[np.int64]:  # noqa: ARG002
        whole = np.zeros((self.steps + 1, len(self.sizes)), np.int64)
        steps = np.array(memory)
        whole[: len(steps), 0] = steps[:, 0]
        whole[: len(steps), 1:] = self._seen.columns.rows[steps[:, 1]] + 1
        return whole.ravel()

    def space(self) -> Any:
        with environments_extra():
            from gymnasium.spaces import MultiDiscrete
        return MultiDiscrete(list(self.sizes) * (self.steps + 1))
