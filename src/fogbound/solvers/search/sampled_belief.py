"""Weighted particle beliefs over a generative model, followed along a history.

Each particle steps as the model draws, and is weighed by how likely it shows what was seen (by whether it shows just
that, where the model has no density). Particles are resampled when few of them carry the weight. Where few particles
are left more are drawn from those before the step: reinvigoration. Where none is left although more were drawn, the
observation is skipped, counted, and reported.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator

from fogbound.core.game import AnyGame
from fogbound.evaluation.particle_filter import systematic
from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.search.belief import KEPT, LET_GO, NOTHING_FITS, BeliefTracker
from fogbound.solvers.search.generative import GenerativeModel
from fogbound.solvers.search.history import ActionObservationHistory
from fogbound.solvers.search.interactive import InducedSimulator, InteractiveTracker

SCARCE = 0.1  # the share of particles that must carry weight, or more are drawn
EFFORT = 16  # times as many particles are drawn before an observation is skipped
EFFECTIVE = 0.5  # the share of effective particles below which they are resampled
REINVIGORATED = "reinvigorated"


@dataclass(frozen=True, eq=False)
class WeightedBelief:
    """States and their probabilities.

    Parameters
    ----------
    states
        Distinct or not; rows of a matrix where a compiled simulator has them.
    weights : [state]
        That sum to 1.
    let_go
        Observations of the history that no particle could show.
    """

    states: Any = field(repr=False)
    weights: Floats = field(repr=False)
    let_go: int = 0

    @property
    def root(self) -> WeightedBelief:
        """What a search draws from."""
        return self

    @cached_property
    def upto(self) -> list[float]:
        """Probabilities added up."""
        upto: list[float] = np.cumsum(self.weights).tolist()
        return upto

    def draw(self, rng: Generator) -> Any:
        """One of the states."""
        place = bisect_right(self.upto, rng.random() * self.upto[-1])
        return self.states[min(place, len(self.states) - 1)]

    @property
    def effective(self) -> float:
        """The effective number of particles."""
        return float(1.0 / np.square(self.weights).sum())

    def resampled(self, count: int, rng: Generator) -> Any:
        """Systematic resampling: this many states, each about as often as it is likely."""
        return chosen_states(self.states, resampled_places(self.weights, count, rng))


def chosen_states(states: Any, places: Longs) -> Any:
    """The states at some places, as a list or as rows of a matrix like all of them."""
    return states[places] if isinstance(states, np.ndarray) else [states[place] for place in places]


def resampled_places(weights: Floats, count: int, rng: Generator) -> Longs:
    """The places that systematic resampling draws, in order."""
    return np.repeat(np.arange(len(weights)), systematic(weights, count, rng))


def likelihood(model: GenerativeModel, state: Any, action: Hashable, step: Any, observation: Any) -> float:
    """How likely a step that was drawn shows what was seen; what is over shows nothing."""
    if step.done:
        return 0.0
    if model.has_density:
        return model.density(state, action, step.state, observation)
    return float(np.array_equal(step.observation, observation))


class WeightedTracker(BeliefTracker[WeightedBelief | None]):
    """Follows weighted particles of a generative model.

    Parameters
    ----------
    model
        The model.
    seed
        What is drawn depends on it.
    count
        How many particles.
    """

    def __init__(self, model: GenerativeModel, seed: int, count: int) -> None:
        super().__init__(KEPT)
        self.model, self.seed, self.count = model, seed, count

    def first(self, history: ActionObservationHistory) -> WeightedBelief:
        rng = history.array_generator(self.seed, "begin")
        return WeightedBelief([self.model.initial(rng) for _ in range(self.count)], np.full(self.count, 1 / self.count))

    def after(self, believed: WeightedBelief | None, history: ActionObservationHistory) -> WeightedBelief | None:
        if believed is None or history.action is None:
            return None
        rng, seen = history.array_generator(self.seed, "update"), self.model.observed(history.seen.public)
        return self.update(believed, history.action, seen, rng)

    def update(
        self, believed: WeightedBelief, action: Hashable, observation: Any, rng: Generator
    ) -> WeightedBelief | None:
        """The belief one step later."""
        before, prior = believed.states, believed.weights
        if believed.effective < EFFECTIVE * self.count:
            before, prior = believed.resampled(self.count, rng), np.full(self.count, 1 / self.count)
        states, weights = self._stepped(before, prior, action, observation, rng)
        positive = weights > 0
        for _ in range(EFFORT):
            if positive.sum() >= SCARCE * self.count:
                break
            drawn = WeightedBelief(before, prior).resampled(self.count, rng)
            more, weighed = self._stepped(drawn, np.full(self.count, 1 / self.count), action, observation, rng)
            states = np.concatenate([states, more]) if isinstance(states, np.ndarray) else [*states, *more]
            weights = np.concatenate([weights, weighed])
            positive = weights > 0
        if len(weights) > len(before):
            self.tally[REINVIGORATED] += 1
        if not positive.any():
            return self._skipped(believed, action, rng)
        places = np.flatnonzero(positive)
        if len(places) > self.count:
            places = places[resampled_places(weights[places], self.count, rng)]
            return WeightedBelief(chosen_states(states, places), np.full(self.count, 1 / self.count), believed.let_go)
        total = weights[places].sum()
        return WeightedBelief(chosen_states(states, places), weights[places] / total, believed.let_go)

    def _stepped(
        self, before: Any, prior: Floats, action: Hashable, observation: Any, rng: Generator
    ) -> tuple[Any, Floats]:
        """Each particle one step on, and its weight."""
        model, states, weights = self.model, [], np.zeros(len(before))
        for k, state in enumerate(before):
            step = model.step(state, action, rng) if action in model.legal(state) else None
            states.append(state if step is None else step.state)
            if step is not None:
                weights[k] = prior[k] * likelihood(model, state, action, step, observation)
        return states, weights

    def _skipped(self, believed: WeightedBelief, action: Hashable, rng: Generator) -> WeightedBelief | None:
        """The belief after an observation that no particle explains: all that may follow and is not over."""
        model = self.model
        drawn = [state for state in believed.resampled(self.count, rng) if action in model.legal(state)]
        alive = [step.state for state in drawn if not (step := model.step(state, action, rng)).done]
        if not alive:
            return None
        return WeightedBelief(alive, np.full(len(alive), 1 / len(alive)), believed.let_go + 1)

    def at_decision(self, history: ActionObservationHistory, legal: Sequence[Hashable]) -> WeightedBelief | None:
        believed, offered = self.belief(history), tuple(legal)
        if believed is not None:
            believed = _offered(self.model, believed, offered)
        self.tally.update([NOTHING_FITS] if believed is None else [LET_GO] if believed.let_go else [])
        return believed

    def skipped(self, history: ActionObservationHistory) -> int:
        believed = self.belief(history)
        return 0 if believed is None else believed.let_go


class RuleTracker(InteractiveTracker):
    """The same for the rules of a game: exact while that is cheap.

    Parameters
    ----------
    game
        A game of one player.
    seed
        What is drawn depends on it.
    count
        Particles, at most.
    """

    def __init__(self, game: AnyGame, seed: int, count: int) -> None:
        super().__init__(InducedSimulator(game, 0, {}), seed, count)

    def at_decision(self, history: ActionObservationHistory, legal: Sequence[Hashable]) -> Any:
        found = super().at_decision(history, legal)
        if found is None:
            return None
        return WeightedBelief([point.state for point in found.states], found.weights, self.skipped(history))


def _offered(model: GenerativeModel, believed: WeightedBelief, legal: tuple[Hashable, ...]) -> WeightedBelief | None:
    """What is believed once exactly these actions are offered."""
    keep = np.array([model.legal(state) == legal for state in believed.states])
    if keep.all():
        return believed
    total = believed.weights[keep].sum()
    if not total > 0:
        return None
    chosen = np.flatnonzero(keep).tolist()
    return WeightedBelief([believed.states[k] for k in chosen], believed.weights[chosen] / total, believed.let_go)
