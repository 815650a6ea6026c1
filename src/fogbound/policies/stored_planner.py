"""A planner as a file holds it: who searches, and its seed. A policy once it is put on a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fogbound.core.errors import PolicyError, SpecError, brief
from fogbound.core.spec import parse


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

    def fault(self) -> str | None:
        """What is not valid, in words, or None: the solver is a spec, the seed a whole number from 0."""
        if type(self.seed) is not int or self.seed < 0:
            return f"a planner with the seed {brief(self.seed)}, expected a whole number from 0"
        try:
            parse(self.solver)
        except SpecError as error:
            return f"a planner whose solver is no spec: {error}"
        return None

    def begin(self, observation: Any) -> Any:  # noqa: ARG002
        raise PolicyError(
            f"the planner {self.solver} is not yet on a game: fogbound.api.bound(planner, game, player, {{}})"
        )

    def update(self, memory: Any, action: Any, observation: Any) -> Any:  # noqa: ARG002
        return self.begin(observation)

    def act(self, memory: Any, actions: Any) -> Any:  # noqa: ARG002
        return self.begin(None)
