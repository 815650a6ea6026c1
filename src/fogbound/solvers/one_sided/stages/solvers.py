"""Stage games of a one-sided game in three ways that must agree: one linear program, a double oracle, compiled.

One step of the blind player against one who sees the state: what it adds to what is guaranteed (a vector), and to
what the other can hold it to (a point). The compiled way is what PG-HSVI uses; the others are there to be believed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fogbound.driver.clock import Clock
from fogbound.forms.arrays import Floats
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.stages.compiled import CompiledStages, Mixed, twin
from fogbound.solvers.one_sided.stages.kinds import KINDS, checked
from fogbound.solvers.one_sided.stages.linear import LinearStages


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
    """Stage games of one kind in units of the reward."""

    def __init__(self, bounds: OneSidedBounds, kind: str, tolerance: float, add: bool) -> None:
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


def stage(bounds: OneSidedBounds, kind: str = "compiled", tolerance: float = 1e-6, add: bool = False) -> Stages:
    """Stage games of a game and the bounds on it.

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

    Returns
    -------
    Stages
    """
    return Stages(bounds, kind, tolerance, add)


def compare(
    bounds: OneSidedBounds, beliefs: Iterable[tuple[int, Floats]], tolerance: float = 1e-2
) -> dict[str, tuple[float, float]]:
    """CPU seconds that each kind takes for the (lower, upper) stages at some (partition, belief), bounds unchanged.

    The first belief of each partition is not counted: what is loaded or laid out once serves many stages.
    """
    asked = list(beliefs)
    return {kind: _spent(twin(bounds), kind, asked, tolerance) for kind in KINDS}


def _spent(bounds: OneSidedBounds, kind: str, asked: list[tuple[int, Floats]], tolerance: float) -> tuple[float, float]:
    """Each kind adds what it finds to bounds of its own, as in a trial."""
    bounds.grow()  # room is made before the clock starts
    solver, seconds, seen = stage(bounds, kind, tolerance, add=True), [0.0, 0.0], set[int]()
    for partition, belief in asked:
        for place, solve in enumerate((solver.lower, solver.upper)):
            begun = Clock.processor()
            solve(partition, belief)
            seconds[place] += (Clock.processor() - begun) * (partition in seen)
        seen.add(partition)
    return seconds[0], seconds[1]
