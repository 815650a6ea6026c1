"""One player who knows the state: a Markov decision process, by value iteration or by policy iteration.

Bellman (1957) applies one step of looking ahead again and again; each application bounds the optimal values on both
sides (MacQueen 1966). Howard (1960) evaluates what is best by the values so far, by one linear system, until nothing is
better: few rounds, however close the discount is to 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fogbound.core.errors import FormError
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Scope
from fogbound.evaluation.markov import linear_values, steps_ahead
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.markov import MarkovGame, require_discounted
from fogbound.solvers.markov.answers import ROUNDING, MarkovSolver, first_best, policies
from fogbound.solvers.markov.zero_sum import sweep_bounds


@dataclass(frozen=True)
class _DecisionProcess:
    """Looking one step ahead in a Markov game of one player."""

    form: MarkovGame

    def __call__(self, value: Floats) -> tuple[Floats, Longs]:
        """([S] the best that a step and `value` after it bring, [live states] the row that brings it)."""
        form, after = self.form, np.zeros(self.form.size)
        if not form.live.any():
            return after, np.zeros(0, np.int64)
        ahead = form.reward[:, 0] + form.discount * (form.moves @ value)
        begins = form.row[:-1][form.live]
        rows = first_best(ahead, begins, np.diff(form.row)[form.live])
        after[form.live] = ahead[rows]
        return after, rows

    def value_of(self, rows: Longs) -> Floats:
        """[S] the value of taking one row in each state in which play goes on."""
        form, taken = self.form, np.zeros(self.form.size, np.int64)
        if not form.live.any():
            return np.zeros(form.size)
        taken[form.live] = rows
        reward = np.where(form.live, form.reward[taken, 0], 0.0)
        return linear_values(form.moves[taken], reward, form.discount, form.live)

    def answer(self, low: Floats, high: Floats, rows: Longs) -> Progress:
        """Bounds [S] and the policy; the gap is the widest of any state."""
        form, played = self.form, np.zeros(len(self.form.reward))
        played[rows] = 1.0
        lower, upper = (float(form.paid[0] + form.start @ bound) for bound in (low, high))
        gap = float((high - low).max(initial=0.0))
        return Progress(lower, lower, upper, lambda: policies(form, [played]), gap=gap, values=(lower,), best=(upper,))


def _begun(form: MarkovGame, context: Context, who: str) -> tuple[_DecisionProcess, Floats, Floats | None, float]:
    """The process, values to begin with, steps ahead where nothing is discounted, what counts as rounding."""
    if len(form.players) != 1:
        other = "shapley" if form.constant_sum is not None else "markov-nash"
        raise FormError(f"{who}: {form.spec} has {len(form.players)} players, expected 1; use {other}")
    require_discounted(form, who)
    value = context.arrays.setdefault("value", np.zeros(form.size))
    steps = steps_ahead(form) if form.discount == 1 else None
    return _DecisionProcess(form), value, steps, ROUNDING * max(form.largest, np.finfo(float).tiny)


class _OnePlayerSolver(MarkovSolver):
    """A solver of Markov games of one player, whose values are all that it remembers."""

    finds: ClassVar[str] = "policy"
    scope: ClassVar[Scope] = Scope(1, 1)

    def remembers(self, form: MarkovGame, kept: Kept) -> None:
        kept.reals("value", (form.size,))


@dataclass(frozen=True)
class ValueIteration(_OnePlayerSolver):
    """The optimal policy of one player who knows the state, by value iteration with both bounds after every sweep.

    Works on the Markov game of one player: discounted, or sure to end (Bellman 1957, MacQueen 1966).
    """

    name = "value-iteration"

    def run(self, form: MarkovGame, context: Context) -> Iterator[Progress]:
        look_ahead, value, steps, tiny = _begun(form, context, self.name)
        while True:
            after, rows = look_ahead(value)
            low, high = sweep_bounds(form, value, after, steps)
            done = float(np.abs(after - value).max(initial=0.0)) <= tiny
            yield look_ahead.answer(low, high, rows)
            if done:
                return
            value = context.arrays["value"] = after


@dataclass(frozen=True)
class PolicyIteration(_OnePlayerSolver):
    """The optimal policy of one player who knows the state, by policy iteration (Howard 1960).

    Works on the Markov game of one player: discounted, or sure to end. The lower bound is the value of the policy, the
    upper one what looking one step ahead leaves open.
    """

    name = "policy-iteration"

    def run(self, form: MarkovGame, context: Context) -> Iterator[Progress]:
        look_ahead, before, steps, tiny = _begun(form, context, self.name)
        _, rows = look_ahead(before)
        while True:
            value = look_ahead.value_of(rows)
            after, better = look_ahead(value)
            _, high = sweep_bounds(form, value, after, steps)
            yield look_ahead.answer(value, np.maximum(high, value), rows)
            gained = (after - value)[form.live] > tiny
            if not gained.any():
                return
            rows = np.where(gained, better, rows)
            context.arrays["value"] = value
