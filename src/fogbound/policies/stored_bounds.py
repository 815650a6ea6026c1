"""Bounds of a one-sided game as a file holds them: a policy once they are put on the game they were found for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from fogbound.core.errors import PolicyError

ARRAYS = ("corner", "vectors", "facets", "points", "older", "at", "value", "used", "mask")


@dataclass(frozen=True, eq=False)
class StoredBounds:
    """The arrays of the bounds, and which of the two plays by them.

    Parameters
    ----------
    partially_informed : bool
        Whether it is the partially informed (blind) player, or else the fully informed one.
    arrays : dict
        By the names in `ARRAYS`, as `OneSidedBounds` keeps them.
    """

    partially_informed: bool
    arrays: dict[str, NDArray[Any]] = field(repr=False)

    def begin(self, observation: Any) -> Any:  # noqa: ARG002
        raise PolicyError(
            "these bounds are not yet on a game: "
            "solvers.one_sided.play.profile.stored_strategy(bounds, one_sided(game))"
        )

    def update(self, memory: Any, action: Any, observation: Any) -> Any:  # noqa: ARG002
        return self.begin(observation)

    def act(self, memory: Any, actions: Any) -> Any:  # noqa: ARG002
        return self.begin(None)
