"""Stage games of a one-sided game in three ways that must agree: one linear program, a double oracle, compiled.

One step of the blind player against one who sees the state: what it adds to what is guaranteed (a vector), and to
what the other can hold it to (a point). The compiled way is what PG-HSVI uses; the others are there to be believed:
nothing of them is compiled but the keeping of records. What linear programs need to know about a game and its bounds is
laid out once, and again only where it changed.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from fogbound.forms.arrays import Floats
from fogbound.solvers.linear_programs.highs import GrowingLP, empty_vectors, sparse_vectors
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.kernels import stage_game as kernels
from fogbound.solvers.one_sided.kernels.model import GameArrays, StageArrays
from fogbound.solvers.one_sided.kernels.upper_bound import keep_point
from fogbound.solvers.one_sided.stages.dense import (
    Mixed,
    StageGame,
    SuccessorBounds,
    full_lower,
    full_upper,
    stage_game,
    successor_bounds,
)
from fogbound.solvers.one_sided.stages.double_oracle import DoubleOracle
from fogbound.solvers.one_sided.stages.kinds import checked
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
        if self.full:
            steps, after = self._alone(partition)
            column, y = full_lower(steps, [bounds.vectors for bounds in after], belief)
        else:
            stage = self.ledger.stage(partition)
            steps, (column, y) = stage.steps, self._oracle(partition, stage).lower(belief, tolerance)
        if self.add:
            self.bounds.make_room()
            work = self.bounds.work
            work.belief[: len(belief)], work.columns[0, : len(column)], work.shares[0] = belief, column, 1.0
            kernels.keep_vector(self.bounds.here, partition, 1, False)  # evidence solves the stage again
            self.ledger.changed(partition)
        vector = steps.guarantee(column)
        return float(vector @ belief), vector, y

    def upper(self, partition: int, belief: Floats, tolerance: float) -> tuple[float, Floats, Mixed]:
        """(value, y, the blind player's mixture)."""
        if self.full:
            steps, after = self._alone(partition)
            value, y, mixture = full_upper(steps, [bounds.hull for bounds in after], belief)
        else:
            stage = self.ledger.stage(partition)
            steps, (value, y, mixture) = stage.steps, self._oracle(partition, stage).upper(belief, tolerance)
        if self.add:
            self.bounds.make_room()
            self.bounds.work.belief[: len(belief)] = belief
            keep_point(self.bounds.here, partition, value, -1)
            self.ledger.changed(partition)
        actions = steps.actions + self.bounds.game.action_start[partition]
        return value, y, list(zip(actions.tolist(), mixture.tolist(), strict=True))

    def _alone(self, partition: int) -> tuple[StageGame, list[SuccessorBounds]]:
        """A stage and the bounds that follow it, read anew: with nothing carried over there is less to go wrong."""
        steps = stage_game(self.bounds.scaled, partition, self.bounds.mask)
        return steps, [successor_bounds(self.bounds, after) for after in steps.target]

    def both(self, partition: int, belief: Floats, tolerance: float) -> tuple[Floats, Mixed]:
        """(the other's y in the lower stage, the blind player's mixture in the upper one)."""
        _, _, y = self.lower(partition, belief, tolerance)
        _, _, mixed = self.upper(partition, belief, tolerance)
        self.bounds.touch(mixed)
        return y, mixed

    def promising(self, partition: int, y: Floats, mixed: Mixed, left: float) -> int:
        """The successor with the largest weighted excess of the gap over `left`; -1 when there is none."""
        game, most, best = self.bounds.game, 0.0, -1
        for action, share in mixed:
            for successor in (
                range(*game.successor_start[action : action + 2].tolist()) if share > kernels.UNMIXED else ()
            ):
                tau, total = unnormalised_belief(game, partition, successor, y)
                if total > kernels.UNLIKELY:
                    low, high = self.at(int(game.target[successor]), tau)
                    excess = share * (high - low - left * total)
                    if excess > most:
                        most, best = excess, successor
        return best

    def after(self, partition: int, y: Floats, successor: int, tighten: bool) -> Floats:
        """What to believe after an observation; to tighten bounds, the belief of the heaviest point that covers it."""
        tau, total = unnormalised_belief(self.bounds.game, partition, successor, y)
        heaviest = self._heaviest(int(self.bounds.game.target[successor]), tau) if tighten else None
        return tau / total if heaviest is None else heaviest

    def at(self, partition: int, tau: Floats) -> tuple[float, float]:
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

    def _oracle(self, partition: int, stage: StackedStage) -> DoubleOracle:
        if partition not in self._oracles or self._oracles[partition].stage is not stage:
            if len(self._oracles) >= MOST_ORACLES:
                self._oracles.clear()
            self._oracles[partition] = DoubleOracle(stage)
        return self._oracles[partition]


def unnormalised_belief(game: GameArrays, partition: int, successor: int, y: Floats) -> tuple[Floats, float]:
    """What the blind player is left with after an observation, not normalised, and its sum: added one by one."""
    target, own = int(game.target[successor]), slice(*game.transition_start[successor : successor + 2].tolist())
    first, size = game.state_start[target], int(game.state_start[target + 1] - game.state_start[target])
    base = game.reply_start[game.state_start[partition]]
    weight = y[game.source[own] - base] * game.prob[own]
    tau = np.bincount(game.to[own] - first, weight, size).astype(np.float64)  # no transitions: whole numbers
    return tau, float(sum(weight.tolist()))


class CompiledStages:
    """Stages by kernels; values are shifted and scaled."""

    def __init__(self, bounds: OneSidedBounds, add: bool) -> None:
        self.bounds, self.add = bounds, add

    def lower(self, partition: int, belief: Floats, tolerance: float) -> tuple[float, Floats, Floats]:
        """(value, vector, y). When there is a vector that is nowhere below the new one, that one is the answer."""
        here = self._here()
        records, work, many, before = here.bounds, here.work, len(belief), int(here.bounds.used[0])
        work.belief[:many] = belief
        value, _ = kernels.solve_stage(here, partition, tolerance, False)
        if records.used[0] == before:
            vectors = self.bounds.record_numbers("vectors", partition)
            before = max(vectors, key=lambda number: float(records.value[records.at[number] :][:many] @ belief))
        at = int(records.at[before])
        return float(value), records.value[at : at + many].copy(), work.lower_y[: self._replies(partition)].copy()

    def upper(self, partition: int, belief: Floats, tolerance: float) -> tuple[float, Floats, Mixed]:
        """(value, y, the blind player's mixture)."""
        here, work = self._here(), self.bounds.work
        here.work.belief[: len(belief)] = belief
        value, used = kernels.solve_stage(here, partition, tolerance, True)
        return float(value), work.y[: self._replies(partition)].copy(), self._mixed(used)

    def both(self, partition: int, belief: Floats, tolerance: float) -> tuple[Floats, Mixed]:
        """(the other's y in the lower stage, the blind player's mixture in the upper one)."""
        here, work = self._here(), self.bounds.work
        work.belief[: len(belief)] = belief
        kernels.solve_stage(here, partition, tolerance, False)
        _, used = kernels.solve_stage(here, partition, tolerance, True)
        mixed = self._mixed(used)
        self.bounds.touch(mixed)
        return work.lower_y[: self._replies(partition)].copy(), mixed

    def promising(self, partition: int, y: Floats, mixed: Mixed, left: float) -> int:
        """The successor with the largest weighted excess of the gap over `left`; -1 when there is none."""
        work, used = self.bounds.work, len(mixed)
        work.lower_y[: len(y)] = y
        work.picks[:used, 0], work.shares[:used] = zip(*mixed, strict=True)
        return int(kernels.promising(self.bounds.here, partition, used, left))

    def after(self, partition: int, y: Floats, successor: int, tighten: bool) -> Floats:
        """What to believe after an observation; to tighten bounds, the belief of the heaviest point that covers it."""
        here = self.bounds.here
        game, records, work = here.game, here.bounds, here.work
        q = int(game.target[successor])
        many = int(game.state_start[q + 1] - game.state_start[q])
        work.lower_y[: len(y)] = y
        total = kernels.forward(here, partition, successor)
        if tighten:
            kernels.bounds_at(here, q)
            number = kernels.heaviest(here, q)
            if number >= 0:
                at = int(records.at[number])
                return records.value[at : at + many].copy()
        belief: Floats = work.tau[:many] / total
        return belief

    def _mixed(self, used: int) -> Mixed:
        work = self.bounds.work
        return list(zip(work.picks[:used, 0].tolist(), work.shares[:used].tolist(), strict=True))

    def _replies(self, partition: int) -> int:
        game = self.bounds.game
        return int(game.reply_start[game.state_start[partition + 1]] - game.reply_start[game.state_start[partition]])

    def _here(self) -> StageArrays:
        """Where results go: the bounds, or a copy that is thrown away; with room for what a stage may add."""
        bounds = self.bounds if self.add else copied_bounds(self.bounds)
        bounds.make_room()
        return replace(bounds.here, work=self.bounds.work) if bounds is not self.bounds else bounds.here


def copied_bounds(bounds: OneSidedBounds) -> OneSidedBounds:
    """The same bounds in arrays of their own."""
    other = copy.copy(bounds)
    other.arrays = {name: np.array(array) for name, array in bounds.arrays.items()}
    other.work, other._here = bounds.scaled.work(), None
    return other


class StageSolver(Protocol):
    """Stages in values that are shifted and scaled, at normalised beliefs over a partition."""

    def lower(self, partition: int, belief: Floats, tolerance: float) -> tuple[float, Floats, Floats]: ...
    def upper(self, partition: int, belief: Floats, tolerance: float) -> tuple[float, Floats, Mixed]: ...
    def both(self, partition: int, belief: Floats, tolerance: float) -> tuple[Floats, Mixed]: ...
    def promising(self, partition: int, y: Floats, mixed: Mixed, left: float) -> int: ...
    def after(self, partition: int, y: Floats, successor: int, tighten: bool) -> Floats: ...


def stage_solver(bounds: OneSidedBounds, kind: str, add: bool) -> StageSolver:
    """Stages by a kind of `KINDS`, solved with the bounds as they are; `add` puts what is found into them."""
    if checked(kind, "stage: kind") == "compiled":
        return CompiledStages(bounds, add)
    return LinearStages(bounds, kind == "full", add)


@dataclass(frozen=True, eq=False)
class LowerStage:
    """What the blind player can be sure of: a vector over the partition, its value at the belief, the other's y."""

    vector: Floats  # [states]
    value: float
    y: Floats  # [replies] sums to the belief over each state's replies


@dataclass(frozen=True, eq=False)
class UpperStage:
    """What the other can hold the blind player to at the belief, and the blind player's mixture there."""

    value: float
    mixture: Floats  # [actions of the partition]
    y: Floats  # [replies] that holds it to the value


class Stages:
    """Stage games of one kind in units of the reward.

    Parameters
    ----------
    bounds : OneSidedBounds
        What follows a step is valued by them.
    kind : str
        How stages are solved, one of `KINDS`.
    tolerance : float
        How exactly, in units of the reward.
    add : bool
        Whether vectors and points that are found are added to the bounds.
    """

    def __init__(
        self, bounds: OneSidedBounds, kind: str = "compiled", tolerance: float = 1e-6, add: bool = False
    ) -> None:
        self.bounds, self.solver = bounds, stage_solver(bounds, kind, add)
        self.tolerance = tolerance / bounds.scaled.scale

    def lower(self, partition: int, belief: Floats) -> LowerStage:
        """The stage of the lower bound at a normalised belief over a partition."""
        value, vector, y = self.solver.lower(partition, belief, self.tolerance)
        least, scale = self._least(partition), self.bounds.scaled.scale
        return LowerStage(least + scale * vector, float(least @ belief) + scale * value, y)

    def upper(self, partition: int, belief: Floats) -> UpperStage:
        """The stage of the upper bound at a normalised belief over a partition."""
        value, y, mixed = self.solver.upper(partition, belief, self.tolerance)
        action = self.bounds.game.action_start
        mixture = np.zeros(int(action[partition + 1] - action[partition]))
        for chosen, share in mixed:
            mixture[chosen - action[partition]] += share
        return UpperStage(float(self._least(partition) @ belief) + self.bounds.scaled.scale * value, mixture, y)

    def _least(self, partition: int) -> Floats:
        return self.bounds.scaled.least[self.bounds.form.states_of(partition)]
