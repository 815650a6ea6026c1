"""The compiled stages behind the interface of the linear programs, so that the two can be held against each other."""

from __future__ import annotations

import copy

import numpy as np

from fogbound.forms.table import Floats
from fogbound.kernels.stage_columns import MOST_COLUMNS
from fogbound.kernels.stage_lower import lower_stage
from fogbound.kernels.stage_model import Bounds, best_record, new_work
from fogbound.kernels.stage_search import gap_at, heaviest
from fogbound.kernels.stage_upper import upper_stage
from fogbound.solvers.one_sided.bounded import Bounded

Mixed = list[tuple[int, float]]  # slots with their shares, in the order in which they were found; one may come twice


class Compiled:
    """Stages by kernels; values are shifted and scaled."""

    def __init__(self, bounded: Bounded, add: bool) -> None:
        self.bounded, self.add = bounded, add

    def lower(self, partition: int, belief: Floats, tolerance: float) -> tuple[float, Floats, Floats]:
        """(value, vector, y). When a vector that is nowhere below the new one is known, that one is the answer."""
        known = self._known()
        scaled, many, before = self.bounded.scaled, len(belief), int(known.used[0])
        y, padded, work = np.zeros(scaled.rows), self._padded(belief), self.bounded.work
        value = lower_stage(self.bounded.game, known, partition, padded, tolerance, work, y, self.bounded.mask)
        if known.used[0] == before:
            _, before = best_record(known, known.vectors, partition, many, padded)
        at = int(known.at[before])
        return float(value), known.value[at : at + many].copy(), y[: self._rows(partition)]

    def upper(self, partition: int, belief: Floats, tolerance: float) -> tuple[float, Floats, Mixed]:
        """(value, y, the blind player's mixture)."""
        scaled, padded, known = self.bounded.scaled, self._padded(belief), self._known()
        y = np.zeros(scaled.rows)
        shares, actions = np.zeros(MOST_COLUMNS), np.zeros(MOST_COLUMNS, np.int64)
        value, used = upper_stage(
            *(self.bounded.game, known, partition, padded, tolerance),
            *(self.bounded.work, y, shares, actions, self.bounded.mask),
        )
        mixed = list(zip(actions[:used].tolist(), shares[:used].tolist(), strict=True))
        return float(value), y[: self._rows(partition)], mixed

    def at(self, partition: int, tau: Floats) -> tuple[float, float]:
        """(lower, upper) at an unnormalised belief."""
        self.bounded.work.tau[:] = self._padded(tau)
        low, high = gap_at(self.bounded.game, self.bounded.known, partition, self.bounded.work)
        return float(low), float(high)

    def heaviest(self, partition: int, tau: Floats) -> Floats | None:
        """The belief of the point that weighs most in the upper bound at tau."""
        self.bounded.work.tau[:] = self._padded(tau)
        known = self.bounded.known
        number = heaviest(self.bounded.game, known, partition, self.bounded.work)
        at = int(known.at[number])
        return known.value[at : at + len(tau)].copy() if number >= 0 else None

    def _padded(self, belief: Floats) -> Floats:
        padded = np.zeros(self.bounded.scaled.wide)
        padded[: len(belief)] = belief
        return padded

    def _rows(self, partition: int) -> int:
        game = self.bounded.game
        return int(game.row[game.first[partition + 1]] - game.row[game.first[partition]])

    def _known(self) -> Bounds:
        """Where results go: the bounds, or a copy that is thrown away."""
        return spacious(self.bounded if self.add else twin(self.bounded))


def spacious(bounded: Bounded) -> Bounds:
    """The bounds, with room for what a stage may add."""
    bounded.grow()
    return bounded.known


def twin(bounded: Bounded) -> Bounded:
    """The same bounds in arrays of their own."""
    found = copy.copy(bounded)
    found.arrays = {name: np.array(array) for name, array in bounded.arrays.items()}
    found.work = new_work(bounded.scaled.wide)
    return found
