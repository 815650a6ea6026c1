"""How often hands slip, fitted: the rate of greatest likelihood, and the interval that its profile gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fogbound.core.errors import FormError
from fogbound.inference.levels.mixture import fit_mixture
from fogbound.inference.levels.opponent import LogEvidence

GRID = (0.0, 0.001, 0.003, 0.01, 0.02, 0.04, 0.08, 0.15, 0.25, 0.4, 0.6, 0.8, 1.0)
DROP = 1.9207  # half the 95 % point of chi-squared with one degree of freedom (Wilks 1938)
FINE = 1e-2  # how exactly rates are found, relative to the stretch of the grid that they lie in
GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class SlipRate:
    """The likeliest rate of slips, its 95 % interval, and the log likelihood at every rate that was tried."""

    best: float
    low: float
    high: float
    profile: tuple[tuple[float, float], ...] = field(repr=False)  # (rate, log likelihood), by rate


def rate_of_one(evidence: LogEvidence) -> SlipRate:
    """The rate under which the logs are likeliest when each person's level is drawn from the prior."""
    prior = np.log(evidence.candidates.class_prior)
    return fitted(lambda rate: float(np.logaddexp.reduce(evidence.by_class(rate) + prior, axis=1).sum()))


def rate_of_many(evidence: LogEvidence) -> SlipRate:
    """The rate under which the logs of a population are likeliest, whatever the spread of its levels."""
    return fitted(lambda rate: fit_mixture(evidence.by_class(rate)).trace[-1])


def fitted(objective: Callable[[float], float]) -> SlipRate:
    """The rate at which a log likelihood is greatest: the best of a grid, refined; FormError means impossible."""
    tried: dict[float, float] = {}

    def at(rate: float) -> float:
        if rate not in tried:
            try:
                tried[rate] = objective(rate)
            except FormError:
                if rate > 0:  # only a hand that never slips can make a log impossible
                    raise
                tried[rate] = -np.inf
        return tried[rate]

    place = max(range(len(GRID)), key=lambda k: at(GRID[k]))
    best = _golden_section(at, GRID[max(0, place - 1)], GRID[place], GRID[min(len(GRID) - 1, place + 1)])
    floor = at(best) - DROP
    low = _crossing(at, floor, best, [rate for rate in reversed(GRID) if rate < best])
    high = _crossing(at, floor, best, [rate for rate in GRID if rate > best])
    return SlipRate(best, low, high, tuple(sorted(tried.items())))


def _golden_section(at: Callable[[float], float], low: float, middle: float, high: float) -> float:
    """Golden sections between the neighbours of the best of the grid."""
    enough = FINE * (high - low)
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    while high - low > enough:
        if at(left) >= at(right):
            high, right = right, left
            left = high - GOLDEN * (high - low)
        else:
            low, left = left, right
            right = low + GOLDEN * (high - low)
    return max((middle, left, right, low, high), key=at)


def _crossing(at: Callable[[float], float], floor: float, inside: float, outwards: list[float]) -> float:
    """Where the profile falls below `floor`, going outwards over the grid; the end of the grid if it never does."""
    for outside in outwards:
        if at(outside) < floor:
            enough = FINE * abs(outside - inside)
            while abs(outside - inside) > enough:
                middle = (inside + outside) / 2
                inside, outside = (inside, middle) if at(middle) < floor else (middle, outside)
            return inside
        inside = outside
    return inside
