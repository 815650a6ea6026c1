"""Stages by linear programs, and what they find added to the bounds: nothing compiled but the keeping of records."""

from __future__ import annotations

import numpy as np

from fogbound.forms.table import Floats
from fogbound.kernels.stage_lower import keep_vector
from fogbound.kernels.stage_points import keep_point
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.stages.compiled import Mixed, spacious
from fogbound.solvers.one_sided.stages.full import full_lower, full_upper
from fogbound.solvers.one_sided.stages.ledger import Ledger
from fogbound.solvers.one_sided.stages.oracle import Oracle
from fogbound.solvers.one_sided.stages.stacked import Stacked

MOST_ORACLES = 200  # kept at a time: each holds two models, which take about half a megabyte together
NO_REASON = np.zeros((0, 0), np.int64)  # is kept: whoever asks solves the stage again


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
            known = spacious(self.bounded)
            keep_vector(self.bounded.game, known, partition, belief, column[None], np.ones(1), 1, NO_REASON)
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
            keep_point(self.bounded.game, spacious(self.bounded), partition, belief, value, -1)
            self.ledger.changed(partition)
        slots = stage.steps.slots + self.bounded.game.slot[partition]
        return value, y, list(zip(slots.tolist(), mixture.tolist(), strict=True))

    def at(self, partition: int, tau: Floats) -> tuple[float, float]:
        """(lower, upper) at an unnormalised belief."""
        low = float((self.ledger.after(partition).vectors @ tau).max())
        return low, max(low, self.ledger.hull(partition).at(tau)[0])

    def heaviest(self, partition: int, tau: Floats) -> Floats | None:
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
