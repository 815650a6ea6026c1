"""How the seeing player mixes at a belief: the stage game of the upper bound, solved beside the bounds.

Solving a stage adds to the bounds; a policy's answers must not depend on what it was asked before, so each stage is
solved on a copy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fogbound.forms.table import Floats
from fogbound.kernels import stage_model
from fogbound.kernels.stage_game import solve_stage
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.pools import LISTS, make_room

EXACT = 1e-9  # of the scale: how well stages are solved


def mixture(known: Bounded, partition: int, belief: Floats) -> Floats:
    """[rows of the partition] how likely each is: a state's rows add up to its belief."""
    known.work.belief[: len(belief)] = belief
    solve_stage(stage_model.Here(known.game, _copy(known), known.work), partition, EXACT, True)
    return known.work.y.copy()


def _copy(known: Bounded) -> stage_model.Bounds:
    """The bounds with room for all that one more stage can add. Reasons are left out: files do not hold them either."""
    records, values, _ = known.arrays["used"].tolist()
    lists = ("corner", "crown", *LISTS)
    parts: dict[str, Any] = {name: known.arrays[name].copy() for name in lists}
    parts |= {name: known.arrays[name][:records] for name in ("older", "at")}
    parts |= {"value": known.arrays["value"][:values], "why": np.full(records, -1)}
    parts |= {"link": np.zeros(0, np.int64), "weight": np.zeros(0), "used": np.array([records, values, 0])}
    make_room(parts, known.room)
    return stage_model.Bounds(**parts)
