"""Random numbers whose state is an array that is handed in: the same in every process, and in plain Python.

SplitMix64 (Steele, Lea and Flood 2014): a counter and a mixing function, so that a stream is one number, streams of
different seeds do not meet in practice, and a plain program can follow draw for draw.
"""

from __future__ import annotations

from math import cos, log, pi, sqrt
from typing import Any

import numpy as np

from fogbound.compiled.kernel import kernel

STEP = np.int64(-7046029254386353131)  # 0x9E3779B97F4A7C15
FIRST = np.int64(-4658895280553007687)  # 0xBF58476D1CE4E5B9
SECOND = np.int64(-7723592293110705685)  # 0x94D049BB133111EB
UNIT = 1.0 / 9007199254740992.0  # 2**-53


@kernel
def mixed(word: Any) -> Any:
    """A word whose bits all depend on all bits of the given one."""
    word = (word ^ ((word >> 30) & 0x3FFFFFFFF)) * FIRST
    word = (word ^ ((word >> 27) & 0x1FFFFFFFFF)) * SECOND
    return word ^ ((word >> 31) & 0x1FFFFFFFF)


@kernel
def uniform(random: Any) -> Any:
    """A number from 0 to below 1, and one step on in the stream."""
    random[0] += STEP
    return ((mixed(random[0]) >> 11) & 0x1FFFFFFFFFFFFF) * UNIT


@kernel
def below(random: Any, count: Any) -> Any:
    """A whole number from 0 to below `count`; nothing is drawn where there is no choice."""
    return int(uniform(random) * count) if count > 1 else 0


@kernel
def standard_normal(random: Any) -> Any:
    """A standard normal number, by Box and Muller: two steps on in the stream."""
    radius = sqrt(-2.0 * log(1.0 - uniform(random)))
    return radius * cos(2.0 * pi * uniform(random))


@kernel
def weighted_place(upto: Any, point: Any) -> Any:
    """The first place whose weights added up exceed a number, by bisection; the last where none does."""
    low, high = 0, len(upto) - 1
    while low < high:
        middle = (low + high) // 2
        if upto[middle] > point:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def draw_place(random: Any, weights: Any, count: Any) -> Any:
    """A place in `weights`, whose first `count` add up to 1; nothing is drawn where there is one."""
    if count <= 1:
        return 0
    left = uniform(random)
    for place in range(count - 1):
        left -= weights[place]
        if left < 0:
            return place
    return count - 1
