"""How levels are spread over a population, from a log of each of its members, and how often hands slip.

Everybody's level is hidden, so the logs are data from a mixture with known components and unknown weights.
`fit_mixture` finds the weights that make the logs most likely; data augmentation (Tanner and Wong 1987) draws from
their posterior, for intervals. The rate of slips is the one of greatest likelihood, with the interval of its profile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import numpy as np

from fogbound.core.errors import FormError, SpecError
from fogbound.forms.arrays import Floats, Ints
from fogbound.inference.levels.opponent import Candidates, LogEvidence
from fogbound.inference.type_posterior import bayes

CLOSE, MOST = 1e-6, 20_000  # EM stops this near the greatest log likelihood; at the latest after so many steps


@dataclass(frozen=True, eq=False)
class MixtureFit:
    """The weights of greatest likelihood; `below` bounds how much greater the log likelihood could still be."""

    weights: Floats  # [C]
    trace: tuple[float, ...] = field(repr=False)  # the log likelihood after each step
    below: float


def fit_mixture(logs: Floats, close: float = CLOSE, most: int = MOST) -> MixtureFit:
    """Expectation-maximisation from equal weights, given [persons, C] log likelihoods. It never goes down.

    Where classes are hard to tell apart its steps become short. So after every two steps a longer one is tried in the
    direction that they show (Varadhan and Roland 2008), and kept only if it leads higher.
    """
    rows, times = np.unique(logs, axis=0, return_counts=True)
    peak = rows.max(axis=1, keepdims=True)
    mixture = _Likelihoods(np.exp(rows - peak), times)  # scaled a row at a time, which only moves the log likelihood
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
    return MixtureFit(weights, tuple(way), max(0.0, below))


class _Likelihoods(NamedTuple):
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
    weights = np.maximum(start + 2 * length * first + length**2 * bend, 0.01 * two)
    scaled: Floats = weights / weights.sum()
    return scaled


BURN, SWEEPS = 200, 4_000  # steps of the chain before a draw counts, and those that an interval is read from
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Population:
    """How classes are spread: maximum likelihood, posterior mean and 95 % intervals; and who is what."""

    candidates: Candidates = field(repr=False)
    persons: int
    rate: float
    mixture_fit: MixtureFit
    mean: Floats  # [C]
    low: Floats  # [C]
    high: Floats  # [C]
    members: Floats = field(repr=False)  # [persons, C] everybody's posterior, given the fitted shares

    @property
    def likeliest(self) -> Floats:
        """[C] the share of each class under maximum likelihood."""
        return self.mixture_fit.weights


def population(
    evidence: LogEvidence, rate: float, rng: np.random.Generator, concentration: float = 1.0, sweeps: int = SWEEPS
) -> Population:
    """The spread of classes over the persons of `evidence`; the prior is a Dirichlet with `concentration` a class."""
    logs = evidence.by_class(rate)
    top = fit_mixture(logs)
    drawn = np.array(list(islice(posterior_draws(logs, concentration, rng), BURN, BURN + sweeps)))
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    members = bayes(top.weights, logs)
    return Population(evidence.candidates, len(logs), rate, top, drawn.mean(axis=0), low, high, members)


def posterior_draws(logs: Floats, concentration: float, rng: np.random.Generator) -> Iterator[Floats]:
    """Weights from the posterior, for ever: draw what everybody is, then the weights given how many are what."""
    if not 0 < concentration < np.inf:
        raise SpecError(f"population: concentration is {concentration}, expected a positive number")
    persons, many = logs.shape
    weights = np.full(many, 1.0 / many)
    while True:
        upto = np.cumsum(bayes(weights, logs), axis=1)
        drawn = (rng.random((persons, 1)) * upto[:, -1:] >= upto).sum(axis=1)
        weights = rng.dirichlet(concentration + np.bincount(drawn, minlength=many))
        yield weights


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
