"""Student's interval: how far the mean of independent blocks may be off."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

ERROR_RATE = 0.05  # of 95 % intervals
Interval = tuple[float, float]


def student(blocks: NDArray[np.float64], exact: bool = False, within: Interval = (-math.inf, math.inf)) -> Interval:
    """Student's 95 % interval for the mean of independent blocks."""
    mean, many = float(blocks.mean()), len(blocks)
    if exact:
        return mean, mean
    if many < 2:
        return within
    from scipy.special import stdtrit

    half = float(stdtrit(many - 1, 1 - ERROR_RATE / 2) * blocks.std(ddof=1) / math.sqrt(many))
    return max(within[0], mean - half), min(within[1], mean + half)
