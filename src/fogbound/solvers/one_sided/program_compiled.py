"""The compiled stages behind the interface of the linear programs, so that the two can be held against each other."""

from __future__ import annotations

import numpy as np

from fogbound.forms.table import Floats
from fogbound.kernels.stage_lower import MOST_COLUMNS, lower_stage
from fogbound.kernels.stage_model import Bounds, best_record
from fogbound.kernels.stage_upper import upper_stage
from fogbound.solvers.one_sided.bounded import Bounded


def compiled_lower(
    bounded: Bounded, known: Bounds, partition: int, belief: Floats, tolerance: float
) -> tuple[float, Floats, Floats]:
    """(value, vector, y), shifted and scaled; the vector is added to `known`.

    When one that is nowhere below it is known already, it is not added, and that one is the answer.
    """
    scaled, many, before = bounded.scaled, len(belief), int(known.used[0])
    tau, y, padded = np.zeros(scaled.wide), np.zeros(scaled.rows), np.zeros(scaled.wide)
    padded[:many] = belief
    value = lower_stage(bounded.game, known, partition, padded, tolerance, tau, y, bounded.mask)
    at = int(known.at[before])
    if known.used[0] == before:
        _, at = best_record(known, known.vectors, partition, many, padded)
    return float(value), known.value[at : at + many].copy(), y[: _rows(bounded, partition)]


def compiled_upper(
    bounded: Bounded, known: Bounds, partition: int, belief: Floats, tolerance: float
) -> tuple[float, Floats, Floats]:
    """(value, y, mixture over the partition's slots), shifted and scaled; the point is added to `known`."""
    game, scaled = bounded.game, bounded.scaled
    padded, tau, facet = np.zeros(scaled.wide), np.zeros(scaled.wide), np.zeros(scaled.wide)
    padded[: len(belief)] = belief
    y, shares, actions = np.zeros(scaled.rows), np.zeros(MOST_COLUMNS), np.zeros(MOST_COLUMNS, np.int64)
    value, used = upper_stage(game, known, partition, padded, tolerance, tau, y, facet, shares, actions, bounded.mask)
    mixture = np.zeros(int(game.slot[partition + 1] - game.slot[partition]))
    np.add.at(mixture, actions[:used] - game.slot[partition], shares[:used])
    return float(value), y[: _rows(bounded, partition)], mixture


def _rows(bounded: Bounded, partition: int) -> int:
    game = bounded.game
    return int(game.row[game.first[partition + 1]] - game.row[game.first[partition]])
