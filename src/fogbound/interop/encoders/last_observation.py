"""What was seen in the last step, and nothing before: where that is enough, and for learners that remember."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.game import Observation
from fogbound.interop.columns import ObservationColumns, columns
from fogbound.interop.extra import environments_extra
from fogbound.policies.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class LastObservation:
    """The last observation, a column for each of its parts. Memory is its number.

    Parameters
    ----------
    observations
        All that the player may see.
    """

    observations: Sequence[Observation] = field(repr=False)

    @cached_property
    def columns(self) -> ObservationColumns:
        """The observations taken apart."""
        return columns(list(self.observations))

    @cached_property
    def _numbers(self) -> dict[Observation, int]:
        return {seen: k for k, seen in enumerate(self.observations)}

    def number(self, observation: Observation) -> int:
        """The number of an observation; PolicyError where the game never shows it."""
        found = self._numbers.get(observation)
        if found is None:
            return self._numbers[Vocabulary(tuple(self.observations), ()).observation(observation)]
        return found

    def begin(self, observation: Observation) -> int:
        return self.number(observation)

    def update(self, memory: int, action: Hashable | None, observation: Observation) -> int:  # noqa: ARG002
        return self.number(observation)

    def encode(self, memory: int, asked: bool) -> NDArray[np.int64]:  # noqa: ARG002
        row: NDArray[np.int64] = self.columns.rows[memory].copy()
        return row

    def space(self) -> Any:
        with environments_extra():
            from gymnasium.spaces import MultiDiscrete
        return MultiDiscrete(list(self.columns.sizes))
