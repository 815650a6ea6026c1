"""Sweeps of a linear fixed point, accelerated where they converge slowly.

Anderson acceleration (Anderson 1965), which for linear fixed points is GMRES in disguise (Walker and Ni 2011): the next
iterate is the combination of the last few that would leave the least residual. With a discount near 1 plain sweeps
take 1 / (1 - discount) times a few; these take some dozens. An accelerated iterate is no bound: its residual is owed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats

PLAIN = 5  # sweeps before they are accelerated
MEMORY = 12  # iterates that are combined
MOST_NUMBERS = 20_000_000  # that these may hold
WORSE = 10.0  # times the least residual so far: then the combination begins anew


def settle(
    sweep: Callable[[Floats], float], value: Floats, enough: float, most: int, in_time: Callable[[], bool]
) -> float:
    """Sweep `value` in place until a sweep changes it by at most `enough`; the change that is left.

    Parameters
    ----------
    sweep
        Applies the fixed point's map to its argument in place, and returns the largest change.
    value, enough, most
        Where to begin, the change that is small enough, and how many sweeps there may be.
    in_time
        Asked before each further sweep.
    """
    swept: list[Floats] = []
    residuals: list[Floats] = []
    least = change = np.inf
    for number in range(most):
        check()
        plain = number < PLAIN or 2 * MEMORY * len(value) > MOST_NUMBERS
        after = value if plain else value.copy()
        change = sweep(after)
        if change <= enough or not in_time():
            value[:] = after
            break
        if plain:
            continue
        if change > WORSE * least:
            swept, residuals, least = [], [], np.inf
        least = min(least, change)
        swept.append(after)
        residuals.append(after - value)
        del swept[:-MEMORY], residuals[:-MEMORY]
        value[:] = _combined(swept, residuals)
    return float(change)


def _combined(swept: list[Floats], residuals: list[Floats]) -> Floats:
    """The combination of swept iterates, with shares that add up to 1, whose residuals cancel best."""
    last = residuals[-1]
    if len(swept) == 1:
        return swept[-1]
    differences = np.stack([last - other for other in residuals[:-1]], axis=1)
    scale = np.sqrt((differences**2).sum(axis=0))
    scale[scale == 0] = 1.0
    differences /= scale
    shares = np.linalg.lstsq(differences.T @ differences, differences.T @ last, rcond=1e-14)[0] / scale
    value = swept[-1].copy()
    for share, other in zip(shares.tolist(), swept[:-1]):
        value += share * (other - swept[-1])
    return value
