"""What linear programs need to know about a game and its bounds, laid out once and again only where it changed."""

from __future__ import annotations

import numpy as np

from fogbound.forms.table import Floats
from fogbound.solvers.lp_growing import Growing, empty, lines
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.stages.game import After, Steps, after_of, steps_of
from fogbound.solvers.one_sided.stages.stacked import Stacked

MOST_STAGES = 500  # kept at a time
MOST_HULLS = 500


class Ledger:
    """Stages, and what is known about partitions. Whoever adds to the bounds says where, with `changed`.

    Bounds only get better, so that something overlooked would cost tightness, not truth.
    """

    def __init__(self, bounded: Bounded) -> None:
        self.bounded = bounded
        self._stages: dict[int, Stacked] = {}
        self._after: dict[int, After] = {}
        self._hulls: dict[int, Hull] = {}
        self._records = -1

    def steps(self, partition: int) -> Steps:
        """The steps of a partition, which never change."""
        return self._stage(partition).steps

    def stage(self, partition: int) -> Stacked:
        """The stage of a partition, with the bounds as they are now."""
        stage = self._stage(partition)
        stage.follow({q: self.after(q) for q in stage.targets})
        return stage

    def _stage(self, partition: int) -> Stacked:
        if partition not in self._stages:
            if len(self._stages) >= MOST_STAGES:
                self._stages.clear()
            self._stages[partition] = Stacked(steps_of(self.bounded, partition))
        return self._stages[partition]

    def after(self, partition: int) -> After:
        """What is known about a partition now."""
        if self._records != int(self.bounded.arrays["used"][0]):  # somebody else added something somewhere
            self._after.clear()
            self._records = int(self.bounded.arrays["used"][0])
        if partition not in self._after:
            self._after[partition] = after_of(self.bounded, partition)
        return self._after[partition]

    def changed(self, partition: int) -> None:
        """Something was added to what is known about a partition, and nowhere else."""
        self._after.pop(partition, None)
        self._records = int(self.bounded.arrays["used"][0])

    def hull(self, partition: int) -> Hull:
        """The hull of a partition's points as they are now."""
        known = self.after(partition)
        if partition not in self._hulls or self._hulls[partition].after is not known:
            if len(self._hulls) >= MOST_HULLS:
                self._hulls.clear()
            self._hulls[partition] = Hull(known)
        return self._hulls[partition]


class Hull:
    """The upper bound at beliefs over a partition: the largest linear function that is nowhere above a point."""

    def __init__(self, after: After) -> None:
        self.after, size = after, after.beliefs.shape[1]
        zero, inner = np.zeros(size), after.values[size:]
        self.model = Growing(new_rows=False)
        self.model.add_columns(zero, zero, after.values[:size], empty(size))
        self.model.add_rows(np.full(len(inner), -np.inf), inner, lines(after.beliefs[size:]))

    def at(self, tau: Floats) -> tuple[float, Floats, Floats]:
        """(value, facet, [points] weights) at an unnormalised belief.

        Only costs differ from the last time, so few steps are left.
        """
        self.model.reprice(tau)
        facet, dual = self.model.solve()
        size = len(tau)
        weight = np.maximum(dual, 0.0)
        missing = np.maximum(tau - weight @ self.after.beliefs[size:], 0.0)
        value = weight @ self.after.values[size:] + missing @ self.after.values[:size]
        return float(value), np.maximum(facet, 0.0), weight
