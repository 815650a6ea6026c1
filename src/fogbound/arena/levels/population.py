"""How levels are spread over a population, from a log of each of its members.

Everybody's level is hidden, so the logs are data from a mixture with known components and unknown weights. `summit`
finds the weights that make the logs most likely; data augmentation (Tanner and Wong 1987) draws from their posterior,
for intervals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from fogbound.arena.levels.candidates import Candidates
from fogbound.arena.levels.evidence import Evidence, normalised
from fogbound.arena.levels.summit import Summit, climb
from fogbound.core.errors import SpecError
from fogbound.forms.table import Floats

BURN, SWEEPS = 200, 4_000  # steps of the chain before a draw counts, and those that an interval is read from
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Population:
    """How classes are spread: maximum likelihood, posterior mean and 95 % intervals; and who is what."""

    candidates: Candidates = field(repr=False)
    persons: int
    rate: float
    summit: Summit
    mean: Floats  # [C]
    low: Floats  # [C]
    high: Floats  # [C]
    members: Floats = field(repr=False)  # [persons, C] everybody's posterior at the summit

    @property
    def likeliest(self) -> Floats:
        """[C] the share of each class under maximum likelihood."""
        return self.summit.weights


def population(
    evidence: Evidence, rate: float, rng: np.random.Generator, concentration: float = 1.0, sweeps: int = SWEEPS
) -> Population:
    """The spread of classes over the persons of `evidence`; the prior is a Dirichlet with `concentration` a class."""
    logs = evidence.by_class(rate)
    top = climb(logs)
    drawn = np.array(list(islice(chain(logs, concentration, rng), BURN, BURN + sweeps)))
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    with np.errstate(divide="ignore"):
        members = normalised(logs + np.log(top.weights))
    return Population(evidence.candidates, len(logs), rate, top, drawn.mean(axis=0), low, high, members)


def chain(logs: Floats, concentration: float, rng: np.random.Generator) -> Iterator[Floats]:
    """Weights from the posterior, for ever: draw what everybody is, then the weights given how many are what."""
    if not 0 < concentration < np.inf:
        raise SpecError(f"population: concentration is {concentration}, expected a positive number")
    persons, many = logs.shape
    weights = np.full(many, 1.0 / many)
    while True:
        with np.errstate(divide="ignore"):
            upto = np.cumsum(normalised(logs + np.log(weights)), axis=1)
        drawn = (rng.random((persons, 1)) * upto[:, -1:] >= upto).sum(axis=1)
        weights = rng.dirichlet(concentration + np.bincount(drawn, minlength=many))
        yield weights
