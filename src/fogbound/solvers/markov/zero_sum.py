"""Two players, zero sum: Shapley's iteration, and Hoffman and Karp's.

Shapley, "Stochastic games" (1953): the operator T, which solves the matrix game of every state for given values of what
follows, is a contraction, so v, Tv, TTv, … tend to the value of the game, and playing optimally in every state's
matrix game against that value is optimal. Every sweep bounds the value on both sides (MacQueen 1966 for one player).

Hoffman and Karp, "On nonterminating stochastic games" (1966): fix what the maximiser plays in the stage games of the
values so far, and take what that guarantees, a decision process of the other alone, as the next values. They never
fall, and tend to the value of the game. Pollatschek and Avi-Itzhak (1969) fix both players and solve one linear
system, which is Newton's method for v = Tv: much faster where it works, and it need not. So it is tried first, and as
Filar and Tolwinski (1991) have it, with steps that are halved until the length of Tv - v falls; only where that takes
too short a step does the policy iteration that surely converges have its turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.policy import Strategy
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import ZERO_SUM, Scope
from fogbound.evaluation.markov import chain_values, guaranteed, joint_weights, markov_behaviour, steps_ahead
from fogbound.forms.arrays import Floats
from fogbound.forms.markov import MarkovGame
from fogbound.solvers.markov.answers import ROUNDING, MarkovSolver, require_zero_sum, zero_sum_answer


@dataclass(eq=False)
class ShapleyOperator:
    """T: values of what follows -> values of the stage games. Strategies x, y are those of the last application."""

    form: MarkovGame
    x: Floats = field(init=False)  # [choices of player 0]
    y: Floats = field(init=False)  # [choices of player 1]

    def __post_init__(self) -> None:
        form = self.form
        self.x, self.y = (played.copy() for played in form.uniform)
        self._rows, self._columns = (np.ascontiguousarray(form.width[:, i], np.int64) for i in (0, 1))
        self._reward = np.ascontiguousarray(form.reward[:, 0])
        self._out, self._next = form.out.astype(np.int64), form.next.astype(np.int64)
        most = int(form.width.max(initial=1))
        self._work = np.empty((most + 1, most + 1)), np.empty((2, 2 * most), np.int64)

    def __call__(self, value: Floats) -> Floats:
        """[S] the values of all stage games when `value` follows."""
        from fogbound.solvers.markov.kernels import shapley_sweep

        form, after = self.form, np.empty(self.form.size)
        shapley_sweep(
            *(form.discount, self._rows, self._columns, form.row, self._out, self._next, form.prob, self._reward),
            *(*form.first, value, after, self.x, self.y, *self._work),
        )
        return after

    @cached_property
    def steps(self) -> Floats:
        """[S] the most steps that can be expected to remain, where nothing is discounted."""
        return steps_ahead(self.form)

    def bounds(self, value: Floats, after: Floats) -> tuple[Floats, Floats]:
        """[S] and [S]: the values of the game lie between, where after = T value."""
        return sweep_bounds(self.form, value, after, self.steps if self.form.discount == 1 else None)

    def still(self, value: Floats, after: Floats, rounding: float) -> bool:
        """Whether another application would move nothing but the last digits."""
        scale = max(float(np.abs(after).max(initial=0.0)), float(np.abs(self._reward).max(initial=0.0)))
        return float(np.abs(after - value).max(initial=0.0)) <= rounding * scale


def sweep_bounds(form: MarkovGame, value: Floats, after: Floats, steps: Floats | None) -> tuple[Floats, Floats]:
    """[S] and [S]: the fixed point of T lies between, where after = T value.

    With d = T v - v and a discount g below 1: T v + g / (1 - g) [min d, max d]; where play can end, which no state
    stands for, also 0 counts among d. Without a discount, T v + [min(d, 0), max(d, 0)] (w - 1) with w the most `steps`
    that can be expected to remain.
    """
    live, moved = form.live, (after - value)[form.live]
    least, most = (float(moved.min()), float(moved.max())) if len(moved) else (0.0, 0.0)
    if steps is not None or not live.all():
        least, most = min(least, 0.0), max(most, 0.0)
    if steps is not None:
        ahead = np.maximum(steps - 1.0, 0.0)
    else:
        ahead = np.where(live, form.discount / (1.0 - form.discount), 0.0)
    return after + least * ahead, after + most * ahead


class _ZeroSumSolver(MarkovSolver):
    """A solver of two players with a constant sum that improves the values of all states."""

    scope: ClassVar[Scope] = ZERO_SUM

    def remembers(self, form: MarkovGame, kept: Kept) -> None:
        kept.reals("value", (form.size,))

    def warm(self, form: MarkovGame, profile: Mapping[int, Strategy]) -> dict[str, NDArray[Any]]:
        """Values to begin from: what the profile earns player 0, computed anew; they need not be right."""
        played = [markov_behaviour(form, i, profile[i]) for i in range(len(form.players))]
        return {"value": np.ascontiguousarray(chain_values(form, joint_weights(form, played))[:, 0])}


@dataclass(frozen=True)
class Shapley(_ZeroSumSolver):
    """Optimal Markov policies of two players with a constant sum, with both bounds after every sweep.

    Works on the Markov game: discounted, or sure to end (Shapley 1953). Each sweep shrinks the gap by the discount or
    faster: use hoffman-karp where that is close to 1.
    """

    name = "shapley"

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


SHORTEST = 2.0**-10  # part of a Newton step
ENOUGH = 0.25  # of what the linear model promises must be had


@dataclass(frozen=True)
class HoffmanKarp(_ZeroSumSolver):
    """Optimal Markov policies of two players with a constant sum, by policy iteration (Hoffman and Karp 1966).

    Works on the Markov game: discounted, or sure to end. Linear systems are sparse and solved directly; a Newton step
    (Pollatschek and Avi-Itzhak 1969), damped (Filar and Tolwinski 1991), is tried first and kept where it helps. Both
    bounds after every round.
    """

    name = "hoffman-karp"

    def remembers(self, form: MarkovGame, kept: Kept) -> None:
        super().remembers(form, kept)
        kept.integers("steps", (2,))

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
