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
    def after(self, partition: int, y: Floats, branch: int, tighten: bool) -> Floats: ...


def stage_solver(bounded: OneSidedBounds, kind: str, add: bool) -> StageSolver:
    """Stages by a kind of `KINDS`, solved with the bounds as they are; `add` puts what is found into them."""
    if checked(kind, "stage: kind") == "compiled":
        return CompiledStages(bounded, add)
    return LinearStages(bounded, kind == "full", add)


@dataclass(frozen=True, eq=False)
class LowerStage:
    """What the blind player can be sure of: a vector over the partition, its worth at the belief, the other's y."""

    vector: Floats  # [states]
    value: float
    y: Floats  # [rows] sums to the belief over each state's rows


@dataclass(frozen=True, eq=False)
class UpperStage:
    """What the other can hold the blind player to at the belief, and the blind player's mixture there."""

    value: float
    mixture: Floats  # [slots of the partition]
    y: Floats  # [rows] that holds it to the value


class Stages:
    """Stage games of one kind in units of the pay."""

    def __init__(self, bounded: OneSidedBounds, kind: str, tolerance: float, add: bool) -> None:
        self.bounded, self.solver = bounded, stage_solver(bounded, kind, add)
        self.tolerance = tolerance / bounded.scaled.scale

    def lower(self, partition: int, belief: Floats) -> LowerStage:
        """The stage of the lower bound at a normalised belief over a partition."""
        value, vector, y = self.solver.lower(partition, belief, self.tolerance)
        least, scale = self._least(partition), self.bounded.scaled.scale
        return LowerStage(least + scale * vector, float(least @ belief) + scale * value, y)

    def upper(self, partition: int, belief: Floats) -> UpperStage:
        """The stage of the upper bound at a normalised belief over a partition."""
        value, y, mixed = self.solver.upper(partition, belief, self.tolerance)
        slot = self.bounded.game.slot
        mixture = np.zeros(int(slot[partition + 1] - slot[partition]))
        for chosen, share in mixed:
            mixture[chosen - slot[partition]] += share
        return UpperStage(float(self._least(partition) @ belief) + self.bounded.scaled.scale * value, mixture, y)

    def _least(self, partition: int) -> Floats:
        first = self.bounded.game.first
        return self.bounded.scaled.least[first[partition] : first[partition + 1]]


def stage(bounded: OneSidedBounds, kind: str = "compiled", tolerance: float = 1e-6, add: bool = False) -> Stages:
    """Stage games by a kind of `KINDS`, solved to a tolerance in units of the pay."""
    return Stages(bounded, kind, tolerance, add)


def compare(
    bounded: OneSidedBounds, beliefs: Iterable[tuple[int, Floats]], tolerance: float = 1e-2
) -> dict[str, tuple[float, float]]:
    """CPU seconds that each kind takes for the (lower, upper) stages at some (partition, belief), bounds unchanged.

    The first belief of each partition is not counted: what is loaded or laid out once serves many stages.
    """
    asked = list(beliefs)
    return {kind: _spent(twin(bounded), kind, asked, tolerance) for kind in KINDS}


def _spent(
    bounded: OneSidedBounds, kind: str, asked: list[tuple[int, Floats]], tolerance: float
) -> tuple[float, float]:
    """Each kind adds what it finds to bounds of its own, as in a walk."""
    bounded.grow()  # room is made before the clock starts
    solver, seconds, seen = stage(bounded, kind, tolerance, add=True), [0.0, 0.0], set[int]()
    for partition, belief in asked:
        for place, solve in enumerate((solver.lower, solver.upper)):
            begun = Clock.processor()
            solve(partition, belief)
            seconds[place] += (Clock.processor() - begun) * (partition in seen)
        seen.add(partition)
    return seconds[0], seconds[1]
