"""Shapley's iteration: value iteration for two players who move at once.

Shapley, "Stochastic games" (1953): the operator T, which solves the matrix game of every state for given values of what
follows, is a contraction, so v, Tv, TTv, … tend to the value of the game, and playing optimally in every state's
matrix game against that value is optimal. Every sweep bounds the value on both sides (MacQueen 1966 for one player).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.policy import Strategy
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import ZERO_SUM, Scope, Solver
from fogbound.forms.markov import MarkovGame
from fogbound.solvers.markov.answers import ROUNDING, require_zero_sum, zero_sum_answer
from fogbound.solvers.markov.zero_sum import ShapleyOperator, start_values


@dataclass(frozen=True)
class Shapley(Solver[MarkovGame]):
    """Optimal Markov policies of two players with a constant sum, with both bounds after every sweep.

    Works on the Markov game: discounted, or sure to end (Shapley 1953). Each sweep shrinks the gap by the discount or
    faster: use hoffman-karp where that is close to 1.
    """

    name = "shapley"

    form: ClassVar[type[MarkovGame]] = MarkovGame
    finds: ClassVar[str] = "equilibrium"
    scope: ClassVar[Scope] = ZERO_SUM

    def remembers(self, form: MarkovGame, kept: Kept) -> None:
        kept.reals("value", (form.size,))

    def warm(self, form: MarkovGame, profile: Mapping[int, Strategy]) -> dict[str, NDArray[Any]]:
        """Values to begin from: those of the profile, which the first sweep bounds like any others."""
        return {"value": start_values(form, profile)}

    def run(self, form: MarkovGame, context: Context) -> Iterator[Progress]:
        require_zero_sum(form, self.name)
        operator = ShapleyOperator(form)
        value = context.arrays.setdefault("value", np.zeros(form.size))
        while True:
            after = operator(value)
            low, high = operator.bounds(value, after)
            done = operator.still(value, after, ROUNDING)
            yield zero_sum_answer(form, low, high, (operator.x.copy(), operator.y.copy()))
            if done:
                return
            value = context.arrays["value"] = after
