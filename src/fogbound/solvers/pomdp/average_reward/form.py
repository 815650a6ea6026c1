"""A POMDP judged by its average reward: the same model, another criterion."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import OTHERS, Described, Question


@dataclass(frozen=True, eq=False, repr=False)
class AverageReward(Described):
    """A POMDP in which play never ends, and in which the reward a step counts, not the discounted sum.

    Parameters
    ----------
    pomdp
        The model; its discount plays no part.
    """

    kind: ClassVar[str] = "average-reward"
    made_from: ClassVar[str] = "pomdp"
    against: ClassVar[str] = OTHERS
    certified_as: ClassVar[str] = "average"

    pomdp: POMDP = field(repr=False)

    def __post_init__(self) -> None:
        end = first_end(self.pomdp)
        if end >= 0:
            raise FormError(
                f"{self.spec}: play can end, in {self.pomdp.label(end)!r}, and a total that is paid once is nothing a "
                "step in the long run. Use the discounted criterion, with a solver such as sarsop"
            )

    @property
    def spec(self) -> str:
        return self.pomdp.spec

    @property
    def origin(self) -> POMDP:
        return self.pomdp

    @property
    def player(self) -> int:
        return self.pomdp.player

    @property
    def players(self) -> tuple[str, ...]:
        return self.pomdp.players

    @property
    def size(self) -> int:
        return self.pomdp.size

    @property
    def constant_sum(self) -> None:
        """Only one player's rewards are here."""

    @property
    def largest(self) -> float:
        """The largest reward of a step."""
        return float(np.abs(self.pomdp.reward[1:]).max(initial=0.0))

    def value_range(self) -> tuple[float, float]:
        """The least and the largest reward of a step: no average lies outside."""
        steps = self.pomdp.reward[1:]  # row 0 is paid before the first step
        return float(steps.min()), float(steps.max())

    def describe(self) -> str:
        return f"{self.pomdp.describe()}, by average reward"

    @classmethod
    def derive(cls, source: POMDP, question: Question) -> AverageReward:  # noqa: ARG003
        return cls(source)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The POMDP's."""
        return self.pomdp.arrays()


def first_end(pomdp: POMDP) -> int:
    """A state that play can reach and in which it is over; -1 where there is none."""
    reached = np.zeros(pomdp.size, bool)
    fresh = pomdp.next[pomdp.out[0] : pomdp.out[1]][pomdp.prob[pomdp.out[0] : pomdp.out[1]] > 0]
    while len(fresh):
        reached[fresh] = True
        rows = [row for s in fresh.tolist() for row in range(int(pomdp.row[s]), int(pomdp.row[s + 1]))]
        outcomes = np.concatenate([np.arange(pomdp.out[row], pomdp.out[row + 1]) for row in rows] or [fresh[:0]])
        after = np.unique(pomdp.next[outcomes][pomdp.prob[outcomes] > 0])
        over = np.flatnonzero(reached & (np.diff(pomdp.row) == 0))
        if len(over):
            return int(over[0])
        fresh = after[~reached[after]]
    return -1
