"""Many runs of consecutive numbers as one array: how rows of unequal length are gathered without a loop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


def spread(first: Indices, count: Indices) -> Indices:
    """The numbers from each of `first` on, `count` of them, one run after the other."""
    total = np.cumsum(count)
    return np.repeat(first - (total - count), count) + np.arange(total[-1] if len(total) else 0)
