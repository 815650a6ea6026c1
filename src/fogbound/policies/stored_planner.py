"""A planner as a file holds it: who searches, and its seed. A policy once it is put on a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fogbound.core.errors import PolicyError


@dataclass(frozen=True)
class StoredPlanner:
    """What a planner plays is a function of its solver's spec, its seed, the game and the history: these are all of it.

    Parameters
    ----------
    solver
        The spec of a solver that thinks when it is asked.
    seed
        What it draws depends on it.
    """

    solver: str
    seed: int

    def begin(self, observation: Any) -> Any:  # noqa: ARG002
        raise PolicyError(
            f"the planner {self.solver} is not yet on a game: fogbound.api.bound(planner, game, player, {{}})"
        )

    def update(self, memory: Any, action: Any, observation: Any) -> Any:  # noqa: ARG002
        return self.begin(observation)

    def act(self, memory: Any, actions: Any) -> Any:  # noqa: ARG002
        return self.begin(None)
