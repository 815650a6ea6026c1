"""Bounds of a one-sided game as a file holds them: a policy once they are put on the game they were found for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from fogbound.core.errors import PolicyError

VECTORS = ("node_part", "node_value")
POINTS = ("corner", "point_start", "point_state", "point_weight", "point_value")


@dataclass(frozen=True, eq=False)
class StoredBounds:
    """The bound that a player of a one-sided game plays by, in the units of the game.

    The arrays have the names, and where there is a certificate the very numbers, of its evidence: so what is played is
    what is certified, and whoever doubts it compares them.

    Parameters
    ----------
    partially_informed : bool
        Whether it is the partially informed (blind) player, who plays by vectors, or else the fully informed one, who
        plays by points.
    arrays : dict
        Of the blind player `VECTORS`: each one's partition, and its values in all states of it, one vector after the
        other. Of the fully informed one `POINTS`: the value of each state that is seen; where each point's belief
        begins, its states, their weights; and each point's value.
    """

    partially_informed: bool
    arrays: dict[str, NDArray[Any]] = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """What the arrays are called."""
        return VECTORS if self.partially_informed else POINTS

    def begin(self, observation: Any) -> Any:  # noqa: ARG002
        raise PolicyError(
            "these bounds are not yet on a game: "
            "solvers.one_sided.play.profile.stored_strategy(bounds, one_sided(game))"
        )

    def update(self, memory: Any, action: Any, observation: Any) -> Any:  # noqa: ARG002
        return self.begin(observation)

    def act(self, memory: Any, actions: Any) -> Any:  # noqa: ARG002
        return self.begin(None)
