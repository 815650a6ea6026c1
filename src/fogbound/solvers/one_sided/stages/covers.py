"""The restricted stage game of the upper bound as a linear program that grows with the blind player's actions.

It is asked at one belief after the other and goes on from where it stood: a belief is a bound of rows, slots stay, and
points that became known are added.
"""

from __future__ import annotations

import numpy as np

from fogbound.forms.table import Floats
from fogbound.solvers.lp_growing import Growing, empty, lines
from fogbound.solvers.one_sided.stages.block import Block
from fogbound.solvers.one_sided.stages.game import Longs
from fogbound.solvers.one_sided.stages.stacked import Stacked


class Covers:
    """The other one holds some slots down: min W, W >= what a slot pays and what covering all that follows costs.

    A slot that is added brings a row for its worth, a row for every state that must be covered after one of its
    branches, and a column for every point that may cover there. The duals of the rows of worth are the blind
    player's mixture.
    """

    def __init__(self, model: Growing, stage: Stacked, belief: Floats) -> None:
        self.model, self.stage, self.belief, self.after = model, stage, belief, stage.after
        self.blocks: list[Block] = []
        self.given = np.zeros(len(stage.steps.slots), bool)
        owner = stage.steps.owner
        self._worth: list[int] = []  # the row of each block's worth
        self._rows, self._columns = len(belief), 1 + len(owner)  # so far
        cost, least = np.zeros(self._columns), np.zeros(self._columns)
        cost[0], least[0] = -1.0, -np.inf
        spent = np.zeros((len(belief), self._columns))
        spent[owner, 1 + np.arange(len(owner))] = 1.0
        model.clear()
        model.add_columns(cost, least, np.full(len(cost), np.inf), empty(len(cost)))
        model.add_rows(belief, belief, lines(spent))

    def ask(self, belief: Floats) -> bool:
        """At another belief, with what is known now; whether that can be had without beginning again."""
        self.belief = belief
        self.model.rebound(belief, belief)
        if self.after is not self.stage.after:
            self.after = self.stage.after
            for block in self.blocks:
                if not block.holds(self.after[self.stage.own(block.slot)]):
                    return False
            for block, row in zip(self.blocks, self._worth, strict=True):
                self._learn(block, row)
        return True

    def add(self, slots: Longs) -> None:
        """More slots."""
        for slot in slots.tolist():
            block, first = self.stage.block(slot), self._rows
            row, many = np.zeros(1 + len(block.need)), len(block.corner)
            self.model.add_rows(row, row + np.inf, block.row_lines)
            self.model.add_columns(row[1:], row[1:], row[1:] + np.inf, block.surplus_lines, first)
            self._rows, self._columns = first + len(row), self._columns + many
            self._learn(block, first)
            self.blocks.append(block)
            self._worth.append(first)
        self.given[slots] = True

    def _learn(self, block: Block, first: int) -> None:
        before = len(block.price)
        found = block.learn(self.after[self.stage.own(block.slot)], self._columns)
        many = len(block.price) - before
        if many:
            zero = np.zeros(many)
            self.model.add_columns(zero, zero, zero + np.inf, found, first)
            self._columns += many

    def solve(self) -> tuple[float, Floats]:
        """(what y should hold these slots to, y)."""
        self.primal, self.dual = self.model.solve()
        y = self.primal[1 : 1 + len(self.stage.steps.owner)]
        return float(self.primal[0]), self.stage.steps.balanced(y, self.belief)

    def measured(self, y: Floats, value: float, worth: Floats) -> float:
        """What y really holds the blind player to, where no slot pays more than its `worth`."""
        worst = float(worth.max(where=~self.given | (worth <= value), initial=-np.inf))
        for block in self.blocks:
            if worth[block.slot] > value:
                after = block.cost(y, self.primal)
                worst = max(worst, float(self.stage.steps.reward[block.slot] @ y) + after)
        return worst

    def mixture(self) -> Floats:
        """[slots of the stage] of the blind player."""
        found = np.zeros(len(self.given))
        found[[block.slot for block in self.blocks]] = np.abs(self.dual[self._worth])
        shares: Floats = found / found.sum()
        return shares
