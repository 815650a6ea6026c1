"""Between what the return of each player lies, whatever is played: what the rows of a journal are held against."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fogbound.core.contract import MOST_REWARD
from fogbound.core.errors import FormError, LimitError
from fogbound.forms.path_totals import path_totals
from fogbound.forms.table import Table
from fogbound.forms.topological_order import topological_order

SLACK = 1e-9  # of the width: sums of rewards are rounded
Ranges = list[list[float]]  # [players] the least and the most


def payoff_ranges(table: Callable[[], Table], players: int, most_steps: int) -> Ranges:
    """The least and the most that each player can be paid in one play.

    Parameters
    ----------
    table
        Makes the game's table, or raises LimitError where it is too large.
    players
        How many players there are.
    most_steps
        At how many steps a play is cut off.

    Returns
    -------
    list
        For each player two numbers: exact where every play ends, a bound where states recur, and the largest reward
        that any game may pay where the game cannot be enumerated.
    """
    try:
        form = table()
    except (FormError, LimitError):
        return [[-MOST_REWARD, MOST_REWARD]] * players
    if topological_order(form)[1] < 0:
        low, high = path_totals(form)[:, :players]
    else:
        steps = most_steps if form.discount >= 1 else min(most_steps, 1 / (1 - form.discount))
        low, high = form.reward.min(axis=0) * (steps + 1), form.reward.max(axis=0) * (steps + 1)
        low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
    slack = SLACK * np.maximum(1.0, high - low)
    return np.stack([low - slack, high + slack], axis=1).tolist()
