"""Policies as a file holds them, which play once they are put on their game: bounds of a one-sided game, a planner."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import PolicyError, SpecError, brief
from fogbound.core.spec import parse

VECTORS = ("node_part", "node_value")
WHOLE = ("node_part", "point_start", "point_state")  # whole numbers; the others are values and weights
POINTS = ("corner", "point_start", "point_state", "point_weight", "point_value")


class NotOnGame:
    """A policy that is not yet on its game: asked to play, it says how to put it there."""

    not_on_game: ClassVar[str]

    def begin(self, observation: Any) -> Any:  # noqa: ARG002
        raise PolicyError(self.not_on_game.format(self))

    def update(self, memory: Any, action: Any, observation: Any) -> Any:  # noqa: ARG002
        return self.begin(observation)

    def act(self, memory: Any, actions: Any) -> Any:  # noqa: ARG002
        return self.begin(None)


@dataclass(frozen=True, eq=False)
class StoredBounds(NotOnGame):
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

    not_on_game: ClassVar[str] = (
        "these bounds are not yet on a game: solvers.one_sided.play.profile.stored_strategy(bounds, one_sided(game))"
    )

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


@dataclass(frozen=True)
class StoredPlanner(NotOnGame):
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

    not_on_game: ClassVar[str] = (
        "the planner {0.solver} is not yet on a game: fogbound.api.bound(planner, game, player, {{}})"
    )

    def fault(self) -> str | None:
        """What is not valid, in words, or None: the solver is a spec, the seed a whole number from 0."""
        if type(self.seed) is not int or self.seed < 0:
            return f"a planner with the seed {brief(self.seed)}, expected a whole number from 0"
        try:
            parse(self.solver)
        except SpecError as error:
            return f"a planner whose solver is no spec: {error}"
        return None
