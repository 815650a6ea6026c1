"""Hoffman and Karp's iteration, with a Newton step tried first: few sweeps, however close the discount is to 1.

Hoffman and Karp, "On nonterminating stochastic games" (1966): fix what the maximiser plays in the stage games of the
values so far, and take what that guarantees, a decision process of the other alone, as the next values. They never
fall, and tend to the value of the game. Pollatschek and Avi-Itzhak (1969) fix both players and solve one linear
system, which is Newton's method for v = Tv: much faster where it works, and it need not. So it is tried first, and as
Filar and Tolwinski (1991) have it, with steps that are halved until the length of Tv - v falls; only where that takes
too short a step does the policy iteration that surely converges have its turn.
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
from fogbound.evaluation.markov import chain_values, guaranteed, joint_weights
from fogbound.forms.arrays import Floats
from fogbound.forms.markov import MarkovGame
from fogbound.solvers.markov.answers import ROUNDING, require_zero_sum, zero_sum_answer
from fogbound.solvers.markov.zero_sum import ShapleyOperator, start_values

SHORTEST = 2.0**-10  # part of a Newton step
ENOUGH = 0.25  # of what the linear model promises must be had


@dataclass(frozen=True)
class HoffmanKarp(Solver[MarkovGame]):
    """Optimal Markov policies of two players with a constant sum, by policy iteration (Hoffman and Karp 1966).

    Works on the Markov game: discounted, or sure to end. Linear systems are sparse and solved directly; a Newton step
    (Pollatschek and Avi-Itzhak 1969), damped (Filar and Tolwinski 1991), is tried first and kept where it helps. Both
    bounds after every round.
    """

    name = "hoffman-karp"

    form: ClassVar[type[MarkovGame]] = MarkovGame
    finds: ClassVar[str] = "equilibrium"
    scope: ClassVar[Scope] = ZERO_SUM

    def remembers(self, form: MarkovGame, kept: Kept) -> None:
        kept.reals("value", (form.size,))
        kept.integers("steps", (2,))

    def warm(self, form: MarkovGame, profile: Mapping[int, Strategy]) -> dict[str, NDArray[Any]]:
        """Values to begin from: those of the profile, which the first sweep bounds like any others."""
        return {"value": start_values(form, profile)}

    def run(self, form: MarkovGame, context: Context) -> Iterator[Progress]:
        require_zero_sum(form, self.name)
        operator = ShapleyOperator(form)
        value = context.arrays.setdefault("value", np.zeros(form.size))
        steps = context.arrays.setdefault("steps", np.zeros(2, np.int64))  # by Newton, by Hoffman and Karp
        after, least = operator(value), np.inf
        while True:
            played = operator.x.copy(), operator.y.copy()
            low, high = operator.bounds(value, after)
            yield zero_sum_answer(form, low, high, played, {"newton": int(steps[0]), "policy_iteration": int(steps[1])})
            left = float(np.abs(after - value).max(initial=0.0))
            if operator.still(value, after, ROUNDING) or (
                left >= least and operator.still(value, after, 1e3 * ROUNDING)
            ):
                return
            least = min(least, left)
            newton = _damped(operator, value, after, chain_values(form, joint_weights(form, played))[:, 0])
            kept = newton is not None
            if newton is None:
                held = guaranteed(form, played, 0, value)
                newton = held, operator(held)
            steps[int(not kept)] += 1
            value, after = newton
            context.arrays["value"] = value


def _damped(operator: ShapleyOperator, value: Floats, after: Floats, full: Floats) -> tuple[Floats, Floats] | None:
    """(v, Tv) after the longest part of the step to `full` that shortens Tv - v enough; None where it is too short."""
    left, part = float(np.linalg.norm(after - value)), 1.0
    while part >= SHORTEST:
        tried = value + part * (full - value)
        later = operator(tried)
        if float(np.linalg.norm(later - tried)) <= (1.0 - ENOUGH * part) * left:
            return tried, later
        part /= 2
    return None
