"""When it is decided who is ahead: evidence that may be looked at after every block.

Looking at an interval of fixed size again and again until it excludes equality errs far more often than it says. A bet
against equality does not: whoever bets a share of what he has, at odds that are fair if the mean is m, gets rich with
probability at most alpha / his gain (Ville 1939). So the mean of blocks in [0, 1] lies above m once such a bettor has
multiplied his stake by 2 / alpha, whenever that is, and all m that no bettor has refuted are a confidence sequence:
with probability 1 - alpha it holds the mean at all times together. Waudby-Smith and Ramdas, "Estimating means of
bounded random variables by betting" (2024), with a mixture of constant shares, which needs no tuning.

Scores have no bounds that are known beforehand. For them there is the same in the limit of many blocks, a confidence
sequence of the width of a central limit theorem that holds at all times: Waudby-Smith, Arbour, Sinha, Kennedy and
Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences" (2024). It is silent at first: looked at
from 200 blocks to 2,000, it called equals different in 3 of 100 runs where differences were even, in 5 where one loss
of 13 made up for 13 gains of 1, and still in 13 where one of 49 did: rare disasters need more blocks than that.
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
FEWEST, NARROWEST = 200, 300  # blocks before anything is said of scores, and for which the sequence is narrowest


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


def asymptotic_sequence(blocks: Sequence[float] | Floats, alpha: float = ALPHA) -> tuple[float, float]:
    """An interval for the mean of independent blocks without bounds, valid at all times in the limit of many blocks.

    Nothing is said before there are `FEWEST` blocks.

    Examples
    --------
    >>> asymptotic_sequence([3.0] * 10)
    (-inf, inf)
    >>> low, high = asymptotic_sequence([3.0, -1.0] * 200)
    >>> 0 < low < 1 < high
    True
    """
    listed = np.asarray(blocks, float)
    if len(listed) < FEWEST:
        return -np.inf, np.inf
    half = float(listed.std() * asymptotic_width(len(listed), alpha))
    return float(listed.mean()) - half, float(listed.mean()) + half


def asymptotic_width(blocks: int, alpha: float) -> float:
    """Half the width of the asymptotic sequence, in standard deviations: narrowest at about `NARROWEST` blocks."""
    rho = (-2 * np.log(alpha) + np.log(1 - 2 * np.log(alpha))) / NARROWEST
    grown = blocks * rho + 1
    return float(np.sqrt(2 * grown / (blocks**2 * rho) * np.log(np.sqrt(grown) / alpha)))


class Race:
    """Pairs of entrants, block by block: decided while a bettor on either side is rich.

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
        self.open = (np.logaddexp.reduce(self.logs, axis=2) < self.rich).all(axis=0)

    def decided(self) -> bool:
        """Whether it is known of every pair who is ahead."""
        return not self.open.any()


class ScoreRace:
    """The same by differences of scores, which have no bounds: valid in the limit of many blocks.

    Parameters
    ----------
    pairs
        How many pairs there are.
    alpha
        How often it may be said of any two equal ones, ever, that one is ahead.

    Examples
    --------
    >>> race = ScoreRace(pairs=1)
    >>> for _ in range(100):
    ...     race.add(np.array([1.5]))
    ...     race.add(np.array([-0.5]))
    >>> race.decided()
    True
    """

    def __init__(self, pairs: int, alpha: float = ALPHA) -> None:
        self.blocks, self.alpha = 0, alpha / max(pairs, 1)
        self.mean, self.squares = np.zeros(pairs), np.zeros(pairs)  # Welford's sums
        self.open = np.ones(pairs, bool)

    def add(self, block: Floats) -> None:
        """How much more each pair's first scored in a block."""
        self.blocks += 1
        before = block - self.mean
        self.mean = self.mean + before / self.blocks
        self.squares = self.squares + before * (block - self.mean)
        if self.blocks >= FEWEST:
            half = np.sqrt(self.squares / self.blocks) * asymptotic_width(self.blocks, self.alpha)
            self.open = np.abs(self.mean) <= half

    def decided(self) -> bool:
        """Whether it is known of every pair who scores more."""
        return not self.open.any()
