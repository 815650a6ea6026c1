"""Sweeps of a linear fixed point, accelerated where they converge slowly.

Anderson acceleration (Anderson 1965), which for linear fixed points is GMRES in disguise (Walker and Ni 2011): the next
iterate is the combination of the last few that would leave the least residual. With a discount near 1 plain sweeps
take 1 / (1 - discount) times a few; these take some dozens. An accelerated iterate is no bound: whoever needs one pays
for its residual.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats

MEMORY = 12  # iterates that are combined
MOST_NUMBERS = 20_000_000  # that these may hold
WORSE = 10.0  # times the least residual so far: then the combination begins anew


def settle(sweep: Callable[[Floats], float], value: Floats, enough: float, most: int, plain: int) -> bool:
    """Sweep `value` in place until a sweep changes it by at most `enough`; whether that was so within `most` sweeps.

    Parameters
    ----------
    sweep
        Applies the fixed point's map to its argument in place, and returns the largest change.
    value, enough, most, plain
        Where to begin, the change that is small enough, how many sweeps there may be, and how many of them come before
        acceleration.
    """
    if _plainly(sweep, value, enough, min(plain, most)):
        return True
    go_on = _plainly if 2 * MEMORY * len(value) > MOST_NUMBERS else _accelerated
    return go_on(sweep, value, enough, most - plain)


def _plainly(sweep: Callable[[Floats], float], value: Floats, enough: float, most: int) -> bool:
    for _ in range(most):
        check()
        if sweep(value) <= enough:
            return True
    return False


def _accelerated(sweep: Callable[[Floats], float], value: Floats, enough: float, most: int) -> bool:
    swept: list[Floats] = []
    residuals: list[Floats] = []
    least = np.inf
    for _ in range(most):
        check()
        after = value.copy()
        change = sweep(after)
        if change <= enough:
            value[:] = after
            return True
        if change > WORSE * least:
            swept, residuals, least = [], [], np.inf
        least = min(least, change)
        swept.append(after)
        residuals.append(after - value)
        del swept[:-MEMORY], residuals[:-MEMORY]
        value[:] = _combined(swept, residuals)
    return False


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
