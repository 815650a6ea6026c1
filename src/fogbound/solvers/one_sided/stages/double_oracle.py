"""A stage game by a double oracle with HiGHS: its two restricted games are linear programs that grow.

The one of the upper bound is asked at one belief after the other and goes on from where it stood: a belief is a
bound of rows, actions stay, and new points are added.

The restricted stage game of the lower bound as a linear program that grows with the blind player's actions.

It is asked at one belief after the other and goes on from where it stood: a belief is a cost, and columns stay.

A stage game by a double oracle with HiGHS: the blind player has few actions, and is given what it misses.

McMahan, Gordon and Blum (2003). The other's mixture is found against the actions so far; the blind player's best
answers to it are added, until none is better. Below, an action comes with one vector after each observation and is a
column; above, it comes with all points after it. Nothing compiled is used, so that the kernels can be held against
it. Most of the time would go into setting up models, so a stage keeps its two and asks them at the next belief.
"""

from __future__ import annotations

import numpy as np

from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.linear_programs.highs import GrowingLP, dense_vectors, empty_vectors, sparse_vectors
from fogbound.solvers.one_sided.stages.dense import StageGame
from fogbound.solvers.one_sided.stages.stacked import CoverBlock, StackedStage


class RestrictedUpper:
    """The other one holds some actions down: min W, W >= the reward of an action and the cost of covering what follows.

    An action that is added brings a row for its value, a row for every state that must be covered after one of its
    successors, and a column for every point that may cover there. The duals of the rows of values are the blind
    player's mixture.
    """

    def __init__(self, model: GrowingLP, stage: StackedStage, belief: Floats) -> None:
        self.model, self.stage, self.belief, self.after = model, stage, belief, stage.after
        self.blocks: list[CoverBlock] = []
        self.given = np.zeros(len(stage.steps.actions), bool)
        owner = stage.steps.owner
        self._value_rows: list[int] = []  # the row of each block's value
        self._rows, self._columns = len(belief), 1 + len(owner)  # so far
        cost, least = np.zeros(self._columns), np.zeros(self._columns)
        cost[0], least[0] = -1.0, -np.inf
        spent = np.zeros((len(belief), self._columns))
        spent[owner, 1 + np.arange(len(owner))] = 1.0
        model.clear()
        model.add_columns(cost, least, np.full(len(cost), np.inf), empty_vectors(len(cost)))
        model.add_rows(belief, belief, sparse_vectors(spent))

    def ask(self, belief: Floats) -> bool:
        """At another belief, with the bounds as they are now; whether that can be had without beginning again."""
        self.belief = belief
        self.model.change_row_bounds(belief, belief)
        if self.after is not self.stage.after:
            self.after = self.stage.after
            for block in self.blocks:
                if not block.holds(self.after[self.stage.own(block.action)]):
                    return False
            for block, row in zip(self.blocks, self._value_rows, strict=True):
                self._learn(block, row)
        return True

    def add(self, actions: Longs) -> None:
        """More actions."""
        for action in actions.tolist():
            block, first = self.stage.block(action), self._rows
            row, many = np.zeros(1 + len(block.need)), len(block.corner)
            self.model.add_rows(row, row + np.inf, block.row_lines)
            self.model.add_columns(row[1:], row[1:], row[1:] + np.inf, block.surplus_lines, first)
            self._rows, self._columns = first + len(row), self._columns + many
            self._learn(block, first)
            self.blocks.append(block)
            self._value_rows.append(first)
        self.given[actions] = True

    def _learn(self, block: CoverBlock, first: int) -> None:
        before = len(block.price)
        lines = block.learn(self.after[self.stage.own(block.action)], self._columns)
        many = len(block.price) - before
        if many:
            zero = np.zeros(many)
            self.model.add_columns(zero, zero, zero + np.inf, lines, first)
            self._columns += many

    def solve(self) -> tuple[float, Floats]:
        """(what y should hold these actions to, y)."""
        self.primal, self.dual = self.model.solve()
        y = self.primal[1 : 1 + len(self.stage.steps.owner)]
        return float(self.primal[0]), self.stage.steps.balanced(y, self.belief)

    def measured(self, y: Floats, value: float, values: Floats) -> float:
        """What y really holds the blind player to, where no action brings more than its value in `values`."""
        worst = float(values.max(where=~self.given | (values <= value), initial=-np.inf))
        for block in self.blocks:
            if values[block.action] > value:
                after = block.cost(y, self.primal)
                worst = max(worst, float(self.stage.steps.reward[block.action] @ y) + after)
        return worst

    def mixture(self) -> Floats:
        """[actions of the stage] of the blind player."""
        weights = np.zeros(len(self.given))
        weights[[block.action for block in self.blocks]] = np.abs(self.dual[self._value_rows])
        shares: Floats = weights / weights.sum()
        return shares


class RestrictedLower:
    """The blind player mixes columns g_j: max sum_s b(s) v(s), v(s) <= sum_j x_j g_j(k) in every reply k of s."""

    def __init__(self, model: GrowingLP, steps: StageGame, belief: Floats) -> None:
        self.model, self.steps, self.belief = model, steps, belief
        many, replies = len(belief), len(steps.owner)
        self.columns = np.zeros((0, replies))
        free, below = np.full(many, np.inf), np.full(replies + 1, -np.inf)
        secured = np.zeros((replies + 1, many))
        secured[np.arange(replies), steps.owner] = below[-1] = 1.0
        model.clear()
        model.add_columns(belief, -free, free, empty_vectors(many))
        model.add_rows(below, (below == 1.0).astype(float), sparse_vectors(secured))

    def ask(self, belief: Floats) -> None:
        """At another belief."""
        self.belief = belief
        self.model.change_costs(belief)

    def add(self, columns: Floats) -> None:
        """More columns [n, replies]."""
        zero = np.zeros(len(columns))
        entries = np.ones((len(columns), len(self.steps.owner) + 1))
        entries[:, :-1] = -columns
        self.model.add_columns(zero, zero, zero + np.inf, dense_vectors(entries))
        self.columns = np.concatenate([self.columns, columns])

    def solve(self) -> tuple[float, Floats, Floats]:
        """(value, y, shares of the columns)."""
        primal, dual = self.model.solve()
        many = len(self.belief)
        shares = np.maximum(primal[many:], 0.0)
        value = float(self.belief @ primal[:many])
        return value, self.steps.balanced(dual[:-1], self.belief), shares / shares.sum()


MOST_COLUMNS = 500  # when a stage gives up: what it has is a bound all the same
KEPT_COLUMNS = 60  # from one belief to the next; with more, only those that were mixed stay
KEPT_ACTIONS = 12
UNMIXED = 1e-9
NONE: Longs = np.zeros(0, np.int64)
AT_ONCE = 5  # answers that are added together: a few that are not needed cost less than solving once more


class DoubleOracle:
    """The two restricted games of a stage."""

    def __init__(self, stage: StackedStage) -> None:
        self.stage = stage
        self._columns: RestrictedLower | None = None
        self._covers: RestrictedUpper | None = None
        self._mixed_columns = np.zeros((0, len(stage.steps.owner)))  # when the stage was solved last
        self._mixed_actions = NONE

    def lower(self, belief: Floats, tolerance: float) -> tuple[Floats, Floats]:
        """(the column of the blind player's mixture, y)."""
        stage, game = self.stage, self._below(belief)
        value, y, shares = -np.inf, stage.steps.even(belief), np.zeros(0)
        if len(game.columns):
            value, y, shares = game.solve()
        while True:
            values, chosen = stage.lower(y)
            better = best(values, value + tolerance)
            if not len(better) or len(game.columns) >= MOST_COLUMNS:
                self._mixed_columns = game.columns[shares > UNMIXED]
                return shares @ game.columns, y
            game.add(np.array([stage.column(action, chosen) for action in better.tolist()]))
            value, y, shares = game.solve()

    def _below(self, belief: Floats) -> RestrictedLower:
        if self._columns is None:
            self._columns = RestrictedLower(GrowingLP(new_rows=False), self.stage.steps, belief)
        elif len(self._columns.columns) > KEPT_COLUMNS:
            self._columns = RestrictedLower(self._columns.model, self.stage.steps, belief)
            self._columns.add(self._mixed_columns)
        else:
            self._columns.ask(belief)
        return self._columns

    def upper(self, belief: Floats, tolerance: float) -> tuple[float, Floats, Floats]:
        """(value, y, mixture over the stage's actions). An action is given when a quick bound does not rule it out."""
        stage, game = self.stage, self._above(belief)
        while True:
            value, y = game.solve()
            values = stage.sawtooth(y)
            better = best(np.where(game.given, -np.inf, values), value + tolerance)
            if not len(better):
                mixture = game.mixture()
                self._mixed_actions = np.flatnonzero(mixture > UNMIXED)
                return game.measured(y, value, values), y, mixture
            game.add(better)

    def _above(self, belief: Floats) -> RestrictedUpper:
        game = self._covers
        if game is None or len(game.blocks) > KEPT_ACTIONS or not game.ask(belief):
            model = GrowingLP(new_rows=True) if game is None else game.model
            self._covers = game = RestrictedUpper(model, self.stage, belief)
            first = best(self.stage.sawtooth(self.stage.steps.even(belief)), -np.inf)
            game.add(self._mixed_actions if len(self._mixed_actions) else first)
        return game


def best(values: Floats, least: float) -> Longs:
    """The few best of those above `least`, the best one first."""
    if values.max(initial=-np.inf) <= least:
        return NONE
    order = (-values).argsort(kind="stable")[:AT_ONCE]
    return order[values[order] > least]
