"""Stages by linear programs, and what they find added to the bounds: nothing compiled but the keeping of records."""

from __future__ import annotations

import numpy as np

from fogbound.forms.table import Floats
from fogbound.kernels.stage_points import keep_point
from fogbound.kernels.stage_vectors import keep_vector
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.stages import plain
from fogbound.solvers.one_sided.stages.compiled import Mixed
from fogbound.solvers.one_sided.stages.full import full_lower, full_upper
from fogbound.solvers.one_sided.stages.ledger import Ledger
from fogbound.solvers.one_sided.stages.oracle import Oracle
from fogbound.solvers.one_sided.stages.stacked import Stacked

MOST_ORACLES = 200  # kept at a time: each holds two models, which take about half a megabyte together


class Linear:
    """Stages by one linear program each (`full`), or by a double oracle; values are shifted and scaled."""

    def __init__(self, bounded: Bounded, full: bool, add: bool) -> None:
        self.bounded, self.full, self.add = bounded, full, add
        self.ledger = Ledger(bounded)
        self._oracles: dict[int, Oracle] = {}

    def lower(self, partition: int, belief: Floats, tolerance: float) -> tuple[float, Floats, Floats]:
        """(value, vector, y)."""
        stage = self._stage(partition)
        if self.full:
            column, y = full_lower(stage, belief)
        else:
            column, y = self._oracle(partition, stage).lower(belief, tolerance)
        if self.add:
            self.bounded.grow()
            work = self.bounded.work
            work.belief[: len(belief)], work.columns[0, : len(column)], work.shares[0] = belief, column, 1.0
            keep_vector(self.bounded.here, partition, 1, False)  # whoever asks why solves the stage again
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
            self.bounded.grow()
            self.bounded.work.belief[: len(belief)] = belief
            keep_point(self.bounded.here, partition, value, -1)
            self.ledger.changed(partition)
        slots = stage.steps.slots + self.bounded.game.slot[partition]
        return value, y, list(zip(slots.tolist(), mixture.tolist(), strict=True))

    def both(self, partition: int, belief: Floats, tolerance: float) -> tuple[Floats, Mixed]:
        """(the other's y in the lower stage, the blind player's mixture in the upper one)."""
        _, _, y = self.lower(partition, belief, tolerance)
        _, _, mixed = self.upper(partition, belief, tolerance)
        self.bounded.touch(mixed)
        return y, mixed

    def promising(self, partition: int, y: Floats, mixed: Mixed, left: float) -> int:
        """The branch with the largest weighted excess of the gap over `left`; -1 when there is none."""
        return plain.promising(self.bounded.game, partition, y, mixed, left, self._at)

    def after(self, partition: int, y: Floats, branch: int, tighten: bool) -> Floats:
        """What to believe after a branch; to tighten bounds, the belief of the heaviest point that covers it."""
        tau, total = plain.spread(self.bounded.game, partition, branch, y)
        known = self._heaviest(int(self.bounded.game.target[branch]), tau) if tighten else None
        return tau / total if known is None else known

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

    def _stage(self, partition: int) -> Stacked:
        """With one program each nothing is carried over from stage to stage, so that there is less to go wrong."""
        return (Ledger(self.bounded) if self.full else self.ledger).stage(partition)

    def _oracle(self, partition: int, stage: Stacked) -> Oracle:
        if partition not in self._oracles or self._oracles[partition].stage is not stage:
            if len(self._oracles) >= MOST_ORACLES:
                self._oracles.clear()
            self._oracles[partition] = Oracle(stage)
        return self._oracles[partition]
