"""Several rounds of simulated games as one estimate, small enough to be kept in a checkpoint."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.evaluate.simulate import Estimate
from fogbound.forms.table import Floats

Z95 = 1.959963984540054


@dataclass(frozen=True)
class Tally:
    """How many games, their mean pay, its squared deviations, and what the games that were cut may still add."""

    games: int = 0
    mean: float = 0.0
    squares: float = 0.0
    least: float = 0.0  # on average over all games
    most: float = 0.0

    def plus(self, more: Estimate) -> Tally:
        """Both together (Chan, Golub and LeVeque 1983)."""
        games = self.games + more.games
        share, step = more.games / games, more.mean - self.mean
        squares = self.squares + more.error**2 * more.games * (more.games - 1) + step**2 * self.games * share
        ends = (edge - inner for edge, inner in zip(more.interval, more.sampled))
        least, most = ((1 - share) * old + share * new for old, new in zip((self.least, self.most), ends))
        return Tally(games, self.mean + share * step, squares, least, most)

    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean, with all that the games that were cut might still have been paid."""
        half = Z95 * math.sqrt(self.squares / (self.games - 1) / self.games) if self.games > 1 else math.inf
        return self.mean - half + self.least, self.mean + half + self.most

    def array(self) -> Floats:
        return np.array(astuple(self), np.float64)

    @classmethod
    def of(cls, array: NDArray[Any]) -> Tally:
        """What `array` wrote."""
        games, *rest = array.tolist()
        return cls(int(games), *rest)
