"""What a player believes, by Bayes' rule: how likely each state is, if the others play as they are said to."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import PolicyError
from fogbound.core.game import Observation
from fogbound.forms.pomdp import POMDP
from fogbound.interop.extra import environments_extra
from fogbound.policies.alpha_vectors import BeliefMemory, RemembersBelief

MOST_KEPT = 20_000  # beliefs that were computed, and are looked up when they come again: learners play many games
MOST_NUMBERS = 2_000_000  # in vectors that are kept
WIDEST = 100  # states of a belief that is kept


@dataclass(frozen=True, eq=False)
class BeliefVector(RemembersBelief):
    """The probability of each state of the POMDP that the player faces.

    That is all it needs to know to play well, and nothing less is: where the others remember something, a state is the
    game's with their memories. Memory is the belief.

    Parameters
    ----------
    pomdp
        The game against the others, as they are said to play.
    """

    pomdp: POMDP = field(repr=False)

    @cached_property
    def _updates(self) -> dict[tuple[BeliefMemory, Hashable | None, Observation], BeliefMemory]:
        return {}

    @cached_property
    def _encoded(self) -> dict[tuple[BeliefMemory, bool], NDArray[np.float32]]:
        return {}

    def update(self, memory: BeliefMemory, action: Hashable | None, observation: Observation) -> BeliefMemory:
        if len(memory) > WIDEST:
            return super().update(memory, action, observation)
        step = memory, action, observation
        after = self._updates.get(step)
        if after is None:
            after = super().update(memory, action, observation)
            _keep(self._updates, step, after, MOST_KEPT)
        return after

    def encode(self, memory: BeliefMemory, asked: bool) -> NDArray[np.float32]:
        if not memory:
            raise PolicyError(
                f"{self.pomdp.spec}: what was seen has probability 0 if the others play as they are said to, so that "
                "nothing is believed: say how they play, such as others='uniform', or observe the history"
            )
        believed = self._encoded.get((memory, asked)) if len(memory) <= WIDEST else None
        if believed is None:
            believed = self._dense(memory, asked)
            if len(memory) <= WIDEST:
                _keep(self._encoded, (memory, asked), believed, MOST_NUMBERS // self.pomdp.size)
        return believed.copy()

    def _dense(self, memory: BeliefMemory, asked: bool) -> NDArray[np.float32]:
        believed = np.zeros(self.pomdp.size, np.float32)
        held = self.asked(memory) if asked else None
        states, weights = (held.states, held.weights) if held is not None else map(np.array, zip(*memory))
        believed[states] = np.clip(weights, 0.0, 1.0)
        return believed

    def label(self, place: int) -> Hashable:
        """The state whose probability stands at a place."""
        state: Hashable = self.pomdp.label(place)
        return state

    def space(self) -> Any:
        with environments_extra():
            from gymnasium.spaces import Box
        return Box(0.0, 1.0, (self.pomdp.size,), np.float32)


def _keep(kept: dict[Any, Any], key: Any, value: Any, most: int) -> None:
    """Remember, and forget all when that is too much."""
    if len(kept) >= most:
        kept.clear()
    kept[key] = value
