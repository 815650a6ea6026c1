"""Between what the return of each player lies, whatever is played: journals and strengths are held against it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fogbound.core.errors import FormError, LimitError
from fogbound.forms.path_totals import return_ranges
from fogbound.forms.table import Table

SLACK = 1e-9  # of the width: sums of rewards are rounded
Ranges = list[list[float]]  # [players] the least and the most


def largest_lead(ranges: Ranges) -> float:
    """How far a player's return can be from the mean of all players' returns, at most.

    Examples
    --------
    >>> largest_lead([[-2.0, 2.0], [-2.0, 2.0]])
    2.0
    """
    low, high = np.array(ranges, float).T
    above, below = (high - high / len(high)), (low - low / len(low))
    most = above - (low.sum() - low) / len(low)
    least = below - (high.sum() - high) / len(high)
    return float(np.abs([most, least]).max())


def payoff_ranges(table: Callable[[], Table], most_steps: int) -> Ranges | None:
    """The least and the most that each player can be paid in one play.

    Parameters
    ----------
    table
        Makes the game's table, or raises LimitError where it is too large.
    most_steps
        At how many steps a play is cut off.

    Returns
    -------
    list
        For each player two numbers, exact where every play ends, a bound where states recur; None where the game
        cannot be enumerated.
    """
    try:
        form = table()
    except (FormError, LimitError):
        return None
    found = return_ranges(form, most_steps)
    if found is None:
        return None
    low, high = found
    slack = SLACK * np.maximum(1.0, high - low)
    ranges: Ranges = np.stack([low - slack, high + slack], axis=1).tolist()
    return ranges
