"""The weights of a mixture with known components that make data most likely.

The log likelihood is concave in the weights, so there is one summit, and the gradient bounds how far below it one
stands (Lindsay 1983). Expectation-maximisation (Dempster, Laird and Rubin 1977) climbs to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from fogbound.forms.table import Floats, Ints

CLOSE, MOST = 1e-6, 20_000  # EM stops this near the summit of the log likelihood; at the latest after so many steps


@dataclass(frozen=True, eq=False)
class Summit:
    """The weights of greatest likelihood; `below` bounds how much greater the log likelihood could still be."""

    weights: Floats  # [C]
    climb: tuple[float, ...] = field(repr=False)  # the log likelihood after each step
    below: float


def climb(logs: Floats, close: float = CLOSE, most: int = MOST) -> Summit:
    """Expectation-maximisation from equal weights, given [persons, C] log likelihoods. It never goes down.

    Where classes are hard to tell apart its steps become short. So after every two steps a longer one is tried in the
    direction that they show (Varadhan and Roland 2008), and kept only if it leads higher.
    """
    rows, times = np.unique(logs, axis=0, return_counts=True)
    peak = rows.max(axis=1, keepdims=True)
    mixture = _Mixture(np.exp(rows - peak), times)  # scaled a row at a time, which only moves the log likelihood
    lift = float(times @ peak[:, 0])
    weights = np.full(logs.shape[1], 1.0 / logs.shape[1])
    way: list[float] = []
    below = np.inf
    for _ in range(most):
        height, gain = mixture.at(weights)
        way.append(height + lift)
        below = len(logs) * float(np.log(gain.max()))
        if below <= close:
            break
        one = weights * gain
        two = one * mixture.at(one)[1]
        far = _further(weights, one, two)
        weights = max((two, far), key=lambda each: mixture.at(each)[0])
    return Summit(weights, tuple(way), max(0.0, below))


class _Mixture(NamedTuple):
    """R different rows of likelihoods, and how many persons have each."""

    likely: Floats  # [R, C]
    times: Ints  # [R]

    def at(self, weights: Floats) -> tuple[float, Floats]:
        """The log likelihood of weights, and by what factor an EM step multiplies each of them."""
        mixed = self.likely @ weights
        share = self.times / mixed
        return float(self.times @ np.log(mixed)), share @ self.likely / self.times.sum()


def _further(start: Floats, one: Floats, two: Floats) -> Floats:
    """Where steps that shrink by a steady factor would lead; no weight falls to zero, from which none comes back."""
    first, bend = one - start, two - 2 * one + start
    length = float(np.linalg.norm(first)) / max(float(np.linalg.norm(bend)), np.finfo(float).tiny)
    found = np.maximum(start + 2 * length * first + length**2 * bend, 0.01 * two)
    scaled: Floats = found / found.sum()
    return scaled
