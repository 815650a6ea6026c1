"""A stage game by a double oracle with HiGHS: the blind player has few actions, and is given what it misses.

McMahan, Gordon and Blum (2003). The other's mixture is found against the actions so far; the blind player's best
answers to it are added, until none is better. Below, an action comes with one vector after each branch and is a
column; above, it comes with all points after it. Nothing compiled is used, so that the kernels can be held against
it. Most of the time would go into setting up models, so a stage keeps its two and asks them at the next belief.
"""

from __future__ import annotations

import numpy as np

from fogbound.forms.table import Floats
from fogbound.solvers.lp_growing import Growing
from fogbound.solvers.one_sided.stages.covers import Covers
from fogbound.solvers.one_sided.stages.game import Longs
from fogbound.solvers.one_sided.stages.restricted import Columns
from fogbound.solvers.one_sided.stages.stacked import Stacked

MOST_COLUMNS = 500  # when a stage gives up: what it has is a bound all the same
KEPT_COLUMNS = 60  # from one belief to the next; with more, only those that were mixed stay
KEPT_SLOTS = 12
UNMIXED = 1e-9
NONE: Longs = np.zeros(0, np.int64)
AT_ONCE = 5  # answers that are added together: a few that are not needed cost less than solving once more


class Oracle:
    """The two restricted games of a stage."""

    def __init__(self, stage: Stacked) -> None:
        self.stage = stage
        self._columns: Columns | None = None
        self._covers: Covers | None = None
        self._mixed_columns = np.zeros((0, len(stage.steps.owner)))  # when the stage was solved last
        self._mixed_slots = NONE

    def lower(self, belief: Floats, tolerance: float) -> tuple[Floats, Floats]:
        """(the column of the blind player's mixture, y)."""
        stage, game = self.stage, self._below(belief)
        value, y, shares = -np.inf, stage.steps.even(belief), np.zeros(0)
        if len(game.columns):
            value, y, shares = game.solve()
        while True:
            worth, chosen = stage.lower(y)
            better = best(worth, value + tolerance)
            if not len(better) or len(game.columns) >= MOST_COLUMNS:
                self._mixed_columns = game.columns[shares > UNMIXED]
                return shares @ game.columns, y
            game.add(np.array([stage.column(slot, chosen) for slot in better.tolist()]))
            value, y, shares = game.solve()

    def _below(self, belief: Floats) -> Columns:
        if self._columns is None:
            self._columns = Columns(Growing(new_rows=False), self.stage.steps, belief)
        elif len(self._columns.columns) > KEPT_COLUMNS:
            self._columns = Columns(self._columns.model, self.stage.steps, belief)
            self._columns.add(self._mixed_columns)
        else:
            self._columns.ask(belief)
        return self._columns

    def upper(self, belief: Floats, tolerance: float) -> tuple[float, Floats, Floats]:
        """(value, y, mixture over the stage's slots). An action is given when a quick bound does not rule it out."""
        stage, game = self.stage, self._above(belief)
        while True:
            value, y = game.solve()
            worth = stage.sawtooth(y)
            better = best(np.where(game.given, -np.inf, worth), value + tolerance)
            if not len(better):
                mixture = game.mixture()
                self._mixed_slots = np.flatnonzero(mixture > UNMIXED)
                return game.measured(y, value, worth), y, mixture
            game.add(better)

    def _above(self, belief: Floats) -> Covers:
        game = self._covers
        if game is None or len(game.blocks) > KEPT_SLOTS or not game.ask(belief):
            model = Growing(new_rows=True) if game is None else game.model
            self._covers = game = Covers(model, self.stage, belief)
            first = best(self.stage.sawtooth(self.stage.steps.even(belief)), -np.inf)
            game.add(self._mixed_slots if len(self._mixed_slots) else first)
        return game


def best(worth: Floats, least: float) -> Longs:
    """The few best of those worth more than `least`, the best one first."""
    if worth.max(initial=-np.inf) <= least:
        return NONE
    order = (-worth).argsort(kind="stable")[:AT_ONCE]
    return order[worth[order] > least]
