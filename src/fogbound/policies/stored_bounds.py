"""Bounds of a one-sided game as a file holds them: a policy once they are put on the game they were found for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import PolicyError

VECTORS = ("node_part", "node_value")
WHOLE = ("node_part", "point_start", "point_state")  # whole numbers; the others are values and weights
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

    def fault(self) -> str | None:
        """What is not valid, in words, or None: the arrays of its player, columns of one length, finite numbers."""
        if type(self.partially_informed) is not bool or {*self.arrays} != {*self.names}:
            return f"bounds with the arrays {', '.join(sorted(self.arrays))}, expected {', '.join(self.names)}"
        for name, array in self.arrays.items():
            whole = name in WHOLE
            if array.ndim != 1 or array.dtype.kind != ("i" if whole else "f"):
                return f"{name} is no column of {'whole ' if whole else ''}numbers"
            if not np.isfinite(array).all() or (whole and (array < 0).any()):
                return f"{name} has an entry that is {'below 0' if whole else 'not finite'}"
        return None if self.partially_informed else self._point_fault()

    def _point_fault(self) -> str | None:
        """Whether the points' beliefs are runs of weighted states, one belief for each value."""
        first, states, weights, values = (self.arrays[name] for name in POINTS[1:])
        rising = len(first) == len(values) + 1 and first[0] == 0 and bool((np.diff(first) >= 0).all())
        if not rising or not first[-1] == len(states) == len(weights):
            return "points of unequal length"
        return "a belief with a weight below 0" if (weights < 0).any() else None

    def begin(self, observation: Any) -> Any:  # noqa: ARG002
        raise PolicyError(
            "these bounds are not yet on a game: "
            "solvers.one_sided.play.profile.stored_strategy(bounds, one_sided(game))"
        )

    def update(self, memory: Any, action: Any, observation: Any) -> Any:  # noqa: ARG002
        return self.begin(observation)

    def act(self, memory: Any, actions: Any) -> Any:  # noqa: ARG002
        return self.begin(None)
