"""A stage game by a double oracle with HiGHS: the blind player has few actions, and is given what it misses.

McMahan, Gordon and Blum (2003). The other's mixture is found against the actions so far; the blind player's best
answers to it are added, until none is better. Below, an action comes with one vector after each branch and is a
column; above, it comes with all points after it. Nothing compiled is used, so that the kernels can be held against
it, and the models are kept and grow, since most of the time would go into setting them up.
"""

from __future__ import annotations

import numpy as np

from fogbound.forms.table import Floats
from fogbound.solvers.lp_growing import Growing
from fogbound.solvers.one_sided.program_game import Longs
from fogbound.solvers.one_sided.program_restricted import Columns, Covers
from fogbound.solvers.one_sided.program_stacked import Stacked

MOST_COLUMNS = 500
UNMIXED = 1e-9
AT_ONCE = 3  # answers that are added together: a few that are not needed cost less than solving once more


def oracle_lower(model: Growing, stage: Stacked, belief: Floats, tolerance: float) -> tuple[Floats, Floats]:
    """(the column of the blind player's mixture, y). It begins with the columns that were mixed last time."""
    game, columns = Columns(model, stage.steps, belief), stage.mixed_columns
    value, y, shares = -np.inf, stage.steps.even(belief), np.zeros(0)
    if len(columns):
        game.add(columns)
        value, y, shares = game.solve()
    while True:
        worth, chosen = stage.lower(y)
        better = best(worth, value + tolerance)
        if not len(better) or len(columns) >= MOST_COLUMNS:
            stage.mixed_columns = columns[shares > UNMIXED]
            return shares @ columns, y
        added = np.array([stage.column(slot, chosen) for slot in better.tolist()])
        game.add(added)
        columns = np.concatenate([columns, added])
        value, y, shares = game.solve()


def oracle_upper(model: Growing, stage: Stacked, belief: Floats, tolerance: float) -> tuple[float, Floats, Floats]:
    """(value, y, mixture over the stage's slots). An action is given when a quick bound does not rule it out.

    It begins with the actions that were mixed last time.
    """
    game, given = Covers(model, stage, belief), np.zeros(len(stage.steps.slots), bool)
    value, y, better = -np.inf, stage.steps.even(belief), stage.mixed_slots
    if not len(better):
        better = best(stage.sawtooth(y), value)
    while True:
        game.add(better)
        given[better] = True
        value, y = game.solve()
        worth = np.where(given, -np.inf, stage.sawtooth(y))
        better = best(worth, value + tolerance)
        if not len(better):
            held, mixture = game.measured(y)
            stage.mixed_slots = np.flatnonzero(mixture > UNMIXED)
            return max(held, float(worth.max())), y, mixture


def best(worth: Floats, least: float) -> Longs:
    """The few best of those worth more than `least`, the best one first."""
    order = np.argsort(-worth, kind="stable")[:AT_ONCE]
    return order[worth[order] > least]
