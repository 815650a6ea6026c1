"""Particle beliefs: the belief type of every planner, and the update that follows it along a history.

A belief is a value: a function of the seed and of what the player did and saw. One update leads it from a decision to
the next (`BeliefTracker.update`):

1. RESAMPLE particles of which few carry the weight (systematic resampling).
2. PROPAGATE every particle, and WEIGH its successor by how likely it shows what was observed: by its probability
   where the model lists all outcomes, by its density where outcomes are drawn, and where there is no density by
   rejection, with weight 1 if the particle shows just that observation and 0 otherwise.
3. REINVIGORATE where few successors have any weight: propagate more particles, drawn from those before the step.
4. SKIP an observation that no particle shows: the belief is all that may follow, and the skip is counted and reported.
   An exact belief, which holds all that is possible, is left empty instead: what was observed cannot be.
5. BOUND the number of particles, again by systematic resampling.

Three trackers take these steps in their models: compiled rules list all outcomes (`enumerated_belief`), generative
models draw them, in Python or compiled (`sampled_belief`), and rules with modelled others do both
(`interactive`, by the filter of `evaluation.particle_filter`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.dist import Rng
from fogbound.evaluation.particle_filter import systematic
from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.search.history import ActionObservationHistory
from fogbound.solvers.search.kernels.simulation import SearchRoot

MOST_PARTICLES = 1 << 16
STORED = 64  # beliefs of the latest histories
SCARCE = 0.1  # the share of particles that must carry weight, or more are drawn
EFFORT = 16  # times as many particles are drawn before an observation is skipped
EFFECTIVE = 0.5  # the share of effective particles below which they are resampled
NOTHING_FITS = "nothing that may be true fits what was seen: any legal action"
LET_GO = "an observation was let go before, which no particle could show"
REINVIGORATED = "reinvigorated"


@dataclass(frozen=True, eq=False)
class ParticleBelief:
    """Weighted particles; without any, nothing that may be true fits what was seen.

    Parameters
    ----------
    states : [particle]
        A list, an array of objects, or the rows of a matrix where the model is compiled.
    weights : [particle]
        In proportion to their probabilities.
    skipped
        Observations of the history that no particle showed.
    exact
        Whether these are all states that are possible, weighed by Bayes' rule.
    marks : [particle, player]
        What each player knows in each state, where compiled rules tell it.
    """

    states: Any = field(repr=False)
    weights: Floats = field(repr=False)
    skipped: int = 0
    exact: bool = False
    marks: Longs | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.weights)

    @cached_property
    def root(self) -> ParticleBelief | SearchRoot:
        """What a search draws from: the belief, or arrays for the kernels of compiled rules."""
        if self.marks is None:
            return self
        upto = np.cumsum(self.weights / self.weights.sum())
        upto[-1] = 1.0
        return SearchRoot(self.states, self.marks, upto)

    @cached_property
    def upto(self) -> list[float]:
        """Weights added up."""
        upto: list[float] = np.cumsum(self.weights).tolist()
        return upto

    def draw(self, rng: Rng) -> Any:
        """One of the states."""
        place = bisect_right(self.upto, rng.random() * self.upto[-1])
        return self.states[min(place, len(self.states) - 1)]

    @property
    def effective(self) -> float:
        """The effective number of particles, where weights add up to 1."""
        return float(1.0 / np.square(self.weights).sum())

    def resampled(self, count: int, rng: np.random.Generator) -> Any:
        """Systematic resampling: this many states, each about as often as it is likely."""
        return self.states_at(resampled_places(self.weights, count, rng))

    def states_at(self, places: Longs) -> Any:
        """The states at some places, as a list or an array like all of them."""
        return self.states[places] if isinstance(self.states, np.ndarray) else [self.states[place] for place in places]

    def given(self, keep: NDArray[np.bool_]) -> ParticleBelief:
        """The belief once it is known that the state is one to keep; its weights then add up to 1."""
        if keep.all():
            return self
        chosen = np.flatnonzero(keep)
        total = self.weights[chosen].sum()
        if not total > 0:
            return self.emptied()
        return replace(self, states=self.states_at(chosen), weights=self.weights[chosen] / total)

    def emptied(self) -> ParticleBelief:
        """No particle."""
        return replace(self, states=self.states[:0], weights=self.weights[:0], marks=None)

    def joined(self, more: ParticleBelief) -> ParticleBelief:
        """The particles of both."""
        arrays = isinstance(self.states, np.ndarray)
        states = np.concatenate([self.states, more.states]) if arrays else [*self.states, *more.states]
        return replace(self, states=states, weights=np.concatenate([self.weights, more.weights]))


def uniform_belief(states: Any, skipped: int = 0) -> ParticleBelief:
    """Particles of equal weight."""
    return ParticleBelief(states, np.full(len(states), 1 / max(len(states), 1)), skipped)


def resampled_places(weights: Floats, count: int, rng: np.random.Generator) -> Longs:
    """The places that systematic resampling draws, in order."""
    return np.repeat(np.arange(len(weights)), systematic(weights, count, rng))


class StepEvidence(NamedTuple):
    """What an update is told, in the words of the model: the own action, the observation, the history of both.

    `rng` is the generator of that history.
    """

    action: Any
    observation: Any
    rng: np.random.Generator
    history: ActionObservationHistory | None = None


class BeliefTracker(ABC):
    """Follows what one player believes along its history; the latest beliefs are stored, any other is made again.

    Parameters
    ----------
    seed
        What is drawn depends on it.
    count
        Particles, at most.
    stored
        How many beliefs are stored.
    """

    def __init__(self, seed: int, count: int, stored: int = STORED) -> None:
        self.seed, self.count = seed, count
        self.tally: Counter[str] = Counter()  # how often a belief had to be mended, by what was done about it
        self._most, self._stored = stored, dict[ActionObservationHistory, ParticleBelief]()

    def belief(self, history: ActionObservationHistory) -> ParticleBelief:
        """The belief after a history."""
        missing, part = list[ActionObservationHistory](), history
        while part not in self._stored and part.before is not None:
            missing.append(part)
            part = part.before
        believed = self._stored[part] if part in self._stored else self._store(part, self.first(part))
        for part in reversed(missing):
            believed = self._store(part, self.update(believed, self.evidence(part)))
        return believed

    def _store(self, part: ActionObservationHistory, believed: ParticleBelief) -> ParticleBelief:
        if len(self._stored) >= self._most:
            del self._stored[next(iter(self._stored))]
        self._stored[part] = believed
        return believed

    def update(self, believed: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:
        """The belief one step later: the update that the module describes.

        Parameters
        ----------
        believed
            The belief before the step.
        evidence
            The own action, and what was observed.

        Returns
        -------
        ParticleBelief
        """
        if not len(believed):
            return believed
        before = self.resample(believed, evidence)
        found = self.propagate(before, evidence)
        if self.scarce(found):
            found = self.reinvigorate(before, found, evidence)
        if not len(found) and not found.exact:
            return self.skip(believed, evidence)
        return self.bound(found, evidence)

    def evidence(self, history: ActionObservationHistory) -> StepEvidence:
        """The last step of a history."""
        return StepEvidence(history.action, history.seen, history.array_generator(self.seed, "update"), history)

    @abstractmethod
    def first(self, history: ActionObservationHistory) -> ParticleBelief:
        """The belief after a first observation."""

    def resample(self, believed: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:
        """1. RESAMPLE where the effective number of particles is small."""
        if believed.effective >= EFFECTIVE * self.count:
            return believed
        return uniform_belief(believed.resampled(self.count, evidence.rng), believed.skipped)

    @abstractmethod
    def propagate(self, before: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:
        """2. PROPAGATE and WEIGH: the successors that show what was observed."""

    def scarce(self, found: ParticleBelief) -> bool:
        """Whether so few particles are left that more are drawn."""
        return len(found) < SCARCE * self.count

    def reinvigorate(self, before: ParticleBelief, found: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:
        """3. REINVIGORATE: more successors of the particles before the step, until there are enough or it is vain."""
        for _ in range(EFFORT):
            drawn = before.resampled(self.count, evidence.rng)
            found = found.joined(self.propagate(uniform_belief(drawn), evidence))
            if not self.scarce(found):
                break
        self.tally[REINVIGORATED] += 1
        return found

    @abstractmethod
    def skip(self, believed: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:
        """4. SKIP the observation: all that may follow the action, whatever it shows, counted as skipped."""

    def bound(self, found: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:
        """5. BOUND the number of particles; the weights of fewer add up to 1."""
        if not len(found):
            return found
        if len(found) > self.count:
            return uniform_belief(found.resampled(self.count, evidence.rng), found.skipped)
        return replace(found, weights=found.weights / found.weights.sum())

    @abstractmethod
    def offered(self, believed: ParticleBelief, legal: Sequence[Any]) -> ParticleBelief:
        """The belief of a player who is offered exactly these actions: being asked is something that one knows."""

    def at_decision(self, history: ActionObservationHistory, legal: Sequence[Any]) -> ParticleBelief | None:
        """What a search draws from where exactly these actions are legal; None where nothing fits."""
        found = self.offered(self.belief(history), legal)
        self.tally.update([LET_GO] if len(found) and found.skipped else [] if len(found) else [NOTHING_FITS])
        return found if len(found) else None

    def skipped(self, history: ActionObservationHistory) -> int:
        """How many observations of a history no particle showed."""
        return self.belief(history).skipped
