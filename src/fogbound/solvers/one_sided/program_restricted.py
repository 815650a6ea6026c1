"""The two restricted stage games as linear programs that grow with the blind player's actions."""

from __future__ import annotations

import numpy as np

from fogbound.forms.table import Floats
from fogbound.solvers.lp_growing import Growing, empty, lines
from fogbound.solvers.one_sided.program_block import Block
from fogbound.solvers.one_sided.program_game import Longs, Steps
from fogbound.solvers.one_sided.program_stacked import Stacked


class Columns:
    """The blind player mixes columns g_j: max sum_s b(s) v(s), v(s) <= sum_j x_j g_j(k) in every row k of s."""

    def __init__(self, model: Growing, steps: Steps, belief: Floats) -> None:
        self.model, self.steps, self.belief = model, steps, belief
        states, self.rows = steps.support(belief)
        self.cost, many = belief[states], len(states)
        free = np.full(many, np.inf)
        promised = np.vstack([states == steps.owner[self.rows][:, None], np.zeros((1, many))])
        below = np.concatenate([np.full(len(self.rows), -np.inf), [1.0]])
        model.clear()
        model.add_columns(self.cost, -free, free, empty(many))
        model.add_rows(below, (below == 1.0).astype(float), lines(promised))

    def add(self, columns: Floats) -> None:
        """More columns [n, rows]."""
        zero = np.zeros(len(columns))
        entries = np.ones((len(columns), len(self.rows) + 1))
        entries[:, :-1] = -columns[:, self.rows]
        self.model.add_columns(zero, zero, zero + np.inf, lines(entries))

    def solve(self) -> tuple[float, Floats, Floats]:
        """(value, y, shares of the columns)."""
        primal, dual = self.model.solve()
        y = np.zeros(len(self.steps.owner))
        y[self.rows] = dual[:-1]
        many = len(self.cost)
        shares = np.maximum(primal[many:], 0.0)
        return float(self.cost @ primal[:many]), self.steps.balanced(y, self.belief), shares / shares.sum()


class Covers:
    """The other one holds some slots down: min W, W >= what a slot pays and what covering all that follows costs.

    A slot that is added brings a row for its worth, a row for every state that must be covered after one of its
    branches, and a column for every point that may cover there. The duals of the rows of worth are the blind
    player's mixture.
    """

    def __init__(self, model: Growing, stage: Stacked, belief: Floats) -> None:
        self.model, self.stage, self.belief = model, stage, belief
        states, self.rows = stage.steps.support(belief)
        self.begin = (len(states), 1 + len(self.rows))  # rows and columns before the slots' ones
        self.end = len(states)  # rows so far
        self.blocks: list[Block] = []
        cost, least = np.zeros(self.begin[1]), np.zeros(self.begin[1])
        cost[0], least[0] = -1.0, -np.inf
        spent = np.hstack([np.zeros((len(states), 1)), states[:, None] == stage.steps.owner[self.rows]])
        model.clear()
        model.add_columns(cost, least, np.full(len(cost), np.inf), empty(len(cost)))
        model.add_rows(belief[states], belief[states], lines(spent))

    def add(self, slots: Longs) -> None:
        """More slots."""
        for slot in slots.tolist():
            block = self.stage.block(slot, self.rows)
            zero, row = np.zeros(block.columns), np.zeros(1 + len(block.need))
            self.model.add_rows(row, row + np.inf, block.row_lines)
            self.model.add_columns(zero, zero, zero + np.inf, block.column_lines, self.end)
            self.blocks.append(block)
            self.end += len(row)

    def solve(self) -> tuple[float, Floats]:
        """(what y should hold these slots to, y)."""
        self.primal, self.dual = self.model.solve()
        y = np.zeros(len(self.stage.steps.owner))
        y[self.rows] = self.primal[1 : self.begin[1]]
        return float(self.primal[0]), self.stage.steps.balanced(y, self.belief)

    def measured(self, y: Floats) -> tuple[float, Floats]:
        """(what y really holds these slots to, the blind player's mixture)."""
        worst, mixture = -np.inf, np.zeros(len(self.stage.steps.slots))
        row, column = self.begin
        for block in self.blocks:
            after = block.cost(y[self.rows], self.primal[column : column + block.columns])
            worst = max(worst, float(self.stage.steps.reward[block.slot] @ y) + after)
            mixture[block.slot] = abs(self.dual[row])
            row, column = row + 1 + len(block.need), column + block.columns
        return worst, mixture / mixture.sum()
