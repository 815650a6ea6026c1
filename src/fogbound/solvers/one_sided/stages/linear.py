"""Stages by linear programs, and what they find added to the bounds: nothing compiled but the keeping of records.

What linear programs need to know about a game and its bounds, laid out once and again only where it changed.
"""

from __future__ import annotations

import numpy as np

from fogbound.forms.arrays import Floats
from fogbound.solvers.linear_programs.highs import GrowingLP, empty_vectors, sparse_vectors
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.kernels.lower_bound import keep_vector
from fogbound.solvers.one_sided.kernels.upper_bound import keep_point
from fogbound.solvers.one_sided.stages.compiled import Mixed
from fogbound.solvers.one_sided.stages.dense import StageGame, SuccessorBounds, stage_game, successor_bounds
from fogbound.solvers.one_sided.stages.double_oracle import DoubleOracle
from fogbound.solvers.one_sided.stages.full import full_lower, full_upper
from fogbound.solvers.one_sided.stages.selection import promising, successor_belief
from fogbound.solvers.one_sided.stages.stacked import StackedStage

MOST_STAGES = 500  # kept at a time
MOST_HULLS = 500


class StageCache:
    """Stages, and the bounds of partitions. Whoever adds to the bounds says where, with `changed`.

    Bounds only get better, so that something overlooked would cost tightness, not truth.
    """

    def __init__(self, bounds: OneSidedBounds) -> None:
        self.bounds = bounds
        self._stages: dict[int, StackedStage] = {}
        self._after: dict[int, SuccessorBounds] = {}
        self._hulls: dict[int, HullProgram] = {}
        self._records = -1

    def steps(self, partition: int) -> StageGame:
        """The steps of a partition, which never change."""
        return self._stage(partition).steps

    def stage(self, partition: int) -> StackedStage:
        """The stage of a partition, with the bounds as they are now."""
        stage = self._stage(partition)
        stage.follow({q: self.after(q) for q in stage.targets})
        return stage

    def _stage(self, partition: int) -> StackedStage:
        if partition not in self._stages:
            if len(self._stages) >= MOST_STAGES:
                self._stages.clear()
            self._stages[partition] = StackedStage(stage_game(self.bounds.scaled, partition, self.bounds.mask))
        return self._stages[partition]

    def after(self, partition: int) -> SuccessorBounds:
        """The bounds of a partition as they are now."""
        if self._records != int(self.bounds.arrays["used"][0]):  # somebody else added something somewhere
            self._after.clear()
            self._records = int(self.bounds.arrays["used"][0])
        if partition not in self._after:
            self._after[partition] = successor_bounds(self.bounds, partition)
        return self._after[partition]

    def changed(self, partition: int) -> None:
        """Something was added to the bounds of a partition, and nowhere else."""
        self._after.pop(partition, None)
        self._records = int(self.bounds.arrays["used"][0])

    def hull(self, partition: int) -> HullProgram:
        """The hull of a partition's points as they are now."""
        after = self.after(partition)
        if partition not in self._hulls or self._hulls[partition].after is not after:
            if len(self._hulls) >= MOST_HULLS:
                self._hulls.clear()
            self._hulls[partition] = HullProgram(after)
        return self._hulls[partition]


class HullProgram:
    """The upper bound at beliefs over a partition: the largest linear function that is nowhere above a point."""

    def __init__(self, after: SuccessorBounds) -> None:
        self.after, size = after, after.beliefs.shape[1]
        zero, inner = np.zeros(size), after.values[size:]
        self.model = GrowingLP(new_rows=False)
        self.model.add_columns(zero, zero, after.values[:size], empty_vectors(size))
        self.model.add_rows(np.full(len(inner), -np.inf), inner, sparse_vectors(after.beliefs[size:]))

    def at(self, tau: Floats) -> tuple[float, Floats, Floats]:
        """(value, facet, [points] weights) at an unnormalised belief.

        Only costs differ from the last time, so few steps are left.
        """
        self.model.change_costs(tau)
        facet, dual = self.model.solve()
        size = len(tau)
        weight = np.maximum(dual, 0.0)
        missing = np.maximum(tau - weight @ self.after.beliefs[size:], 0.0)
        value = weight @ self.after.values[size:] + missing @ self.after.values[:size]
        return float(value), np.maximum(facet, 0.0), weight


MOST_ORACLES = 200  # kept at a time: each holds two models, which take about half a megabyte together


class LinearStages:
    """Stages by one linear program each (`full`), or by a double oracle; values are shifted and scaled."""

    def __init__(self, bounds: OneSidedBounds, full: bool, add: bool) -> None:
        self.bounds, self.full, self.add = bounds, full, add
        self.ledger = StageCache(bounds)
        self._oracles: dict[int, DoubleOracle] = {}

    def lower(self, partition: int, belief: Floats, tolerance: float) -> tuple[float, Floats, Floats]:
        """(value, vector, y)."""
        stage = self._stage(partition)
        if self.full:
            column, y = full_lower(stage, belief)
        else:
            column, y = self._oracle(partition, stage).lower(belief, tolerance)
        if self.add:
            self.bounds.grow()
            work = self.bounds.work
            work.belief[: len(belief)], work.columns[0, : len(column)], work.shares[0] = belief, column, 1.0
            keep_vector(self.bounds.here, partition, 1, False)  # whoever asks why solves the stage again
            self.ledger.changed(partition)
        vector = stage.steps.guarantee(column)
        return float(vector @ belief), vector, y

    def upper(self, partition: int, belief: Floats, tolerance: float) -> tuple[float, Floats, Mixed]:
        """(value, y, the blind player's mixture)."""
        stage = self._stage(partition)
        if self.full:
            value, y, mixture = full_upper(stage, belief)
        else:
            value, y, mixture = self._oracle(partition, stage).upper(belief, tolerance)
        if self.add:
            self.bounds.grow()
            self.bounds.work.belief[: len(belief)] = belief
            keep_point(self.bounds.here, partition, value, -1)
            self.ledger.changed(partition)
        actions = stage.steps.actions + self.bounds.game.action_start[partition]
        return value, y, list(zip(actions.tolist(), mixture.tolist(), strict=True))

    def both(self, partition: int, belief: Floats, tolerance: float) -> tuple[Floats, Mixed]:
        """(the other's y in the lower stage, the blind player's mixture in the upper one)."""
        _, _, y = self.lower(partition, belief, tolerance)
        _, _, mixed = self.upper(partition, belief, tolerance)
        self.bounds.touch(mixed)
        return y, mixed

    def promising(self, partition: int, y: Floats, mixed: Mixed, left: float) -> int:
        """The successor with the largest weighted excess of the gap over `left`; -1 when there is none."""
        return promising(self.bounds.game, partition, y, mixed, left, self._at)

    def after(self, partition: int, y: Floats, successor: int, tighten: bool) -> Floats:
        """What to believe after an observation; to tighten bounds, the belief of the heaviest point that covers it."""
        tau, total = successor_belief(self.bounds.game, partition, successor, y)
        heaviest = self._heaviest(int(self.bounds.game.target[successor]), tau) if tighten else None
        return tau / total if heaviest is None else heaviest

    def _at(self, partition: int, tau: Floats) -> tuple[float, float]:
        """(lower, upper) at an unnormalised belief."""
        low = float((self.ledger.after(partition).vectors @ tau).max())
        return low, max(low, self.ledger.hull(partition).at(tau)[0])

    def _heaviest(self, partition: int, tau: Floats) -> Floats | None:
        """The belief of the point that weighs most in the upper bound at tau."""
        after = self.ledger.after(partition)
        _, _, weight = self.ledger.hull(partition).at(tau)
        inner = after.beliefs[len(tau) :]
        gaps = weight * (after.values[len(tau) :] - (inner @ after.vectors.T).max(axis=1, initial=0.0))
        best = int(np.argmax(gaps)) if len(gaps) else -1
        return inner[best] if best >= 0 and gaps[best] > 0 else None

    def _stage(self, partition: int) -> StackedStage:
        """With one program each nothing is carried over from stage to stage, so that there is less to go wrong."""
        return (StageCache(self.bounds) if self.full else self.ledger).stage(partition)

    def _oracle(self, partition: int, stage: StackedStage) -> DoubleOracle:
        if partition not in self._oracles or self._oracles[partition].stage is not stage:
            if len(self._oracles) >= MOST_ORACLES:
                self._oracles.clear()
            self._oracles[partition] = DoubleOracle(stage)
        return self._oracles[partition]
