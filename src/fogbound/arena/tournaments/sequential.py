"""When it is decided who is ahead: evidence that may be looked at after every block.

Looking at an interval of fixed size again and again until it excludes equality errs far more often than it says. A bet
against equality does not: whoever bets a share of what he has, at odds that are fair if the mean is m, gets rich with
probability at most alpha / his gain (Ville 1939). So the mean of blocks in [0, 1] lies above m once such a bettor has
multiplied his stake by 2 / alpha, whenever that is, and all m that no bettor has refuted are a confidence sequence:
with probability 1 - alpha it holds the mean at all times together. Waudby-Smith and Ramdas, "Estimating means of
bounded random variables by betting" (2024), with a mixture of constant shares, which needs no tuning.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SHARES = np.geomspace(1 / 1024, 0.9, 24)  # of what one has; small edges need small bets, and many blocks
EVEN = 0.5
ALPHA = 0.05
ROUNDS = 50  # of bisection


def log_wealth(blocks: Floats, mean: float) -> float:
    """The logarithm of what a bettor on more than `mean` has, who began with 1 spread evenly over `SHARES`.

    Examples
    --------
    >>> log_wealth(np.full(10, 0.9), 0.5) > 0 > log_wealth(np.full(10, 0.3), 0.5)
    True
    """
    met, often = np.unique(blocks, return_counts=True)  # blocks have few different results
    grown = np.log1p(SHARES[:, None] * (met / mean - 1)) @ often
    return float(np.logaddexp.reduce(grown) - np.log(len(SHARES)))


def confidence_sequence(blocks: Sequence[float] | Floats, alpha: float = ALPHA) -> tuple[float, float]:
    """An interval for the mean of independent blocks in [0, 1] that holds at all times with probability 1 - alpha.

    Parameters
    ----------
    blocks
        One number from 0 to 1 for each block so far.
    alpha
        How often the interval may fail, ever.

    Returns
    -------
    (float, float)
        The means that no bettor has refuted.

    Examples
    --------
    >>> low, high = confidence_sequence([1, 0.5, 1, 1] * 50)
    >>> low > 0.5, high < 1
    (True, True)
    >>> confidence_sequence([])
    (0.0, 1.0)
    """
    listed = np.asarray(blocks, float)
    if not len(listed):
        return 0.0, 1.0
    return _least(listed, alpha), 1.0 - _least(1.0 - listed, alpha)


def _least(blocks: Floats, alpha: float) -> float:
    """The lowest mean that is not refuted from below. Wealth falls as the mean rises, so it is found by bisection."""
    rich = np.log(2 / alpha)
    low, high = 0.0, 1.0
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        low, high = (middle, high) if log_wealth(blocks, middle) >= rich else (low, middle)
    return low


class Race:
    """Pairs of entrants, block by block: decided once a bettor on either side is rich, and for good.

    All pairs together err with probability at most `alpha`: each is held to alpha / pairs (Bonferroni).

    Parameters
    ----------
    pairs
        How many pairs there are.
    alpha
        How often it may be said of any two equal ones, ever, that one is ahead.

    Examples
    --------
    >>> race = Race(pairs=1)
    >>> race.add(np.array([1.0]))
    >>> race.decided()
    False
    >>> for _ in range(20):
    ...     race.add(np.array([1.0]))
    >>> race.decided()
    True
    """

    def __init__(self, pairs: int, alpha: float = ALPHA) -> None:
        self.logs: Floats = np.zeros((2, pairs, len(SHARES)))  # [for the first or the second, pair, share]
        self.open = np.ones(pairs, bool)
        self.rich = np.log(2 * max(pairs, 1) / alpha) + np.log(len(SHARES))

    def add(self, block: Floats) -> None:
        """How far each pair's first was ahead in a block: from 0, behind, to 1."""
        edge = np.stack([block, 1 - block]) / EVEN - 1
        self.logs += np.log1p(SHARES * edge[..., None])
        self.open &= (np.logaddexp.reduce(self.logs, axis=2) < self.rich).all(axis=0)

    def decided(self) -> bool:
        """Whether it is known of every pair who is ahead."""
        return not self.open.any()
