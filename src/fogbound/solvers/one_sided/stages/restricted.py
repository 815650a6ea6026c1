"""The restricted stage game of the lower bound as a linear program that grows with the blind player's actions.

It is asked at one belief after the other and goes on from where it stood: a belief is a cost, and columns stay.
"""

from __future__ import annotations

import numpy as np

from fogbound.forms.table import Floats
from fogbound.solvers.lp_growing import Growing, empty, full, lines
from fogbound.solvers.one_sided.stages.game import Steps


class Columns:
    """The blind player mixes columns g_j: max sum_s b(s) v(s), v(s) <= sum_j x_j g_j(k) in every row k of s."""

    def __init__(self, model: Growing, steps: Steps, belief: Floats) -> None:
        self.model, self.steps, self.belief = model, steps, belief
        many, rows = len(belief), len(steps.owner)
        self.columns = np.zeros((0, rows))
        free, below = np.full(many, np.inf), np.full(rows + 1, -np.inf)
        promised = np.zeros((rows + 1, many))
        promised[np.arange(rows), steps.owner] = below[-1] = 1.0
        model.clear()
        model.add_columns(belief, -free, free, empty(many))
        model.add_rows(below, (below == 1.0).astype(float), lines(promised))

    def ask(self, belief: Floats) -> None:
        """At another belief."""
        self.belief = belief
        self.model.reprice(belief)

    def add(self, columns: Floats) -> None:
        """More columns [n, rows]."""
        zero = np.zeros(len(columns))
        entries = np.ones((len(columns), len(self.steps.owner) + 1))
        entries[:, :-1] = -columns
        self.model.add_columns(zero, zero, zero + np.inf, full(entries))
        self.columns = np.concatenate([self.columns, columns])

    def solve(self) -> tuple[float, Floats, Floats]:
        """(value, y, shares of the columns)."""
        primal, dual = self.model.solve()
        many = len(self.belief)
        shares = np.maximum(primal[many:], 0.0)
        value = float(self.belief @ primal[:many])
        return value, self.steps.balanced(dual[:-1], self.belief), shares / shares.sum()
