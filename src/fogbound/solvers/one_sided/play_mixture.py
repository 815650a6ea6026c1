"""How the seeing player mixes at a belief: the stage game of the upper bound, solved beside the bounds.

Solving a stage adds to the bounds; a policy's answers must not depend on what it was asked before, so each stage is
solved on a copy.
"""

from __future__ import annotations

import numpy as np

from fogbound.forms.table import Floats
from fogbound.kernels import stage_model, stage_upper
from fogbound.kernels.stage_lower import MOST_COLUMNS
from fogbound.solvers.one_sided.bounded import Bounded

EXACT = 1e-9  # of the scale: how well stages are solved


def mixture(known: Bounded, partition: int, belief: Floats) -> Floats:
    """[rows of the partition] how likely each is: a state's rows add up to its belief."""
    scaled = known.scaled
    tau, facet, rows = np.zeros(scaled.wide), np.zeros(scaled.wide), np.zeros(scaled.rows)
    full = np.zeros(scaled.wide)
    full[: len(belief)] = belief
    shares, slots = np.zeros(MOST_COLUMNS), np.zeros(MOST_COLUMNS, np.int64)
    stage_upper.upper_stage(
        *(known.game, _copy(known, partition), partition, full, EXACT, tau, rows, facet, shares, slots, known.mask)
    )
    return rows


def _copy(known: Bounded, partition: int) -> stage_model.Bounds:
    """The bounds with room for all that one more stage can add: a facet for each branch and column, and a point."""
    bounds, form = known.known, known.form
    ways = int(form.branch[form.slot[partition + 1]] - form.branch[form.slot[partition]])
    room = (MOST_COLUMNS + 1) * ways + 1
    records, values = int(bounds.used[0]), int(bounds.used[1])
    parts = {name: getattr(bounds, name).copy() for name in ("corner", "vectors", "facets", "points", "used")}
    for name in ("older", "at"):
        parts[name] = np.concatenate([getattr(bounds, name)[:records], np.zeros(room, np.int64)])
    parts["value"] = np.concatenate([bounds.value[:values], np.zeros(room * (known.scaled.wide + 2))])
    return stage_model.Bounds(**parts)
