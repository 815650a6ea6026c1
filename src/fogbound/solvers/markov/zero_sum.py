"""Two players, zero sum: Shapley's operator on arrays, and the bounds that one application of it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fogbound.core.policy import Strategy
from fogbound.evaluation.markov import chain_values, joint_weights, markov_behaviour, steps_ahead
from fogbound.forms.arrays import Floats
from fogbound.forms.markov import MarkovGame


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
        from fogbound.solvers.markov.kernels.stage_games import sweep

        form, after = self.form, np.empty(self.form.size)
        sweep(
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


def start_values(form: MarkovGame, profile: Mapping[int, Strategy]) -> Floats:
    """[S] what a profile earns player 0 in each state, computed anew: values to begin from, which need not be right."""
    played = [markov_behaviour(form, i, profile[i]) for i in range(len(form.players))]
    return np.ascontiguousarray(chain_values(form, joint_weights(form, played))[:, 0])
