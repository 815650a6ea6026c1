"""How sampled states step: through a form, all at once; through a game of one player, by asking its rules."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fogbound.core.contract import require_players
from fogbound.core.dist import Dist
from fogbound.core.errors import FormError, many
from fogbound.core.game import AnyGame, Observation, Outcome
from fogbound.core.simulator import RuleSimulator
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.bayes_filter import START, BayesFilter, Belief, Updated, weighted_rows
from fogbound.forms.pomdp import POMDP, WAIT, ModelGame

IMPOSSIBLE: Updated = (None, 0.0)


class WeightedStates(Protocol):
    """States of any kind with their probabilities: a `Belief`, where states are numbers. A dataclass of these two."""

    @property
    def states(self) -> NDArray[Any]: ...  # [n] distinct
    @property
    def weights(self) -> Floats: ...  # [n] that sum to 1


B = TypeVar("B", bound=WeightedStates)


@runtime_checkable
class Sampler(Protocol[B]):
    """What a particle filter asks of a model: Bayes' rule, and one step for each of many states."""

    @property
    def size(self) -> int | None: ...  # how many states there are; None where nobody has counted them
    def start(self) -> B: ...  # before the first observation
    def begin(self, observation: Observation, /) -> tuple[B | None, float]: ...
    def update(self, belief: B, action: Hashable | None, observation: Observation, /) -> tuple[B | None, float]: ...
    def drawn(
        self, states: NDArray[Any], action: Hashable | None, observation: Observation, rng: np.random.Generator, /
    ) -> NDArray[Any]: ...  # one step for each state; where those lead that show `seen`
    def widths(self, states: NDArray[Any], /) -> Longs: ...  # [n] joint moves that `update` tries in each state
    def gathered(self, states: NDArray[Any], weights: Floats | None = None, /) -> B: ...  # equal states added up
    def label(self, state: Any, /) -> Any: ...


def sampler(source: POMDP | AnyGame | Sampler[Any]) -> Sampler[Any]:
    """How states of a POMDP, or of a game of one player, step; what is a sampler already stays as it is."""
    model = source.form if isinstance(source, ModelGame) else source
    if isinstance(model, POMDP):
        return POMDPSampler(model)
    return model if isinstance(model, Sampler) else GameSampler(model)


class OutcomeDraws:
    """Outcomes drawn from a form's rows, by one search in the running sum of all probabilities.

    The sum grows to the number of rows, so a probability is met to about that many times 1e-16.
    """

    def __init__(self, form: POMDP) -> None:
        self.first, self.last = form.out[:-1].astype(np.int64), form.out[1:].astype(np.int64) - 1
        self.upto = np.concatenate([[0.0], np.cumsum(form.prob)])

    def __call__(self, rows: Longs, rng: np.random.Generator) -> Longs:
        """One outcome for each row."""
        first, last = self.first[rows], self.last[rows]
        low, high = self.upto[first], self.upto[last + 1]
        places = np.searchsorted(self.upto, low + rng.random(len(rows)) * (high - low), side="right") - 1
        kept: Longs = np.clip(places, first, last)
        return kept


@dataclass(frozen=True)
class POMDPLabels:
    """The words for a POMDP's numbers, for a `FixedPlayer` who is the POMDP's own player."""

    form: POMDP

    def legal_labels(self, legal: int) -> tuple[Hashable, ...]:
        return self.form.legal_sets[legal]

    def action_label(self, action: int) -> Hashable | None:
        return None if action == WAIT else self.form.actions[action]

    def observation_label(self, player: int, seen: int) -> Observation:  # noqa: ARG002
        return self.form.observations[seen][0]


class POMDPSampler:
    """Steps through a POMDP, vectorised."""

    def __init__(self, form: POMDP) -> None:
        self.form, self.bayes, self.draws = form, BayesFilter(form), OutcomeDraws(form)
        self.begin, self.update, self.label, self.size = self.bayes.begin, self.bayes.update, form.label, form.size

    def start(self) -> Belief:
        first = slice(self.form.out[START], self.form.out[START + 1])
        return Belief.of(self.form.next[first], self.form.prob[first])

    gathered = staticmethod(Belief.of)

    def widths(self, states: Longs) -> Longs:
        return np.ones(len(states), np.int64)

    def drawn(
        self, states: Longs, action: Hashable | None, observation: Observation, rng: np.random.Generator
    ) -> Longs:
        if action not in self.bayes.actions or observation not in self.bayes.observations:
            return states[:0]
        alike = Belief(states, np.ones(len(states)))
        rows, _ = weighted_rows(self.form, alike, self.bayes.actions[action])
        outcomes = self.draws(rows, rng)
        matching = np.isin(self.form.obs[outcomes], self.bayes.observations[observation])
        return self.form.next[outcomes[matching]].astype(np.int64)


class GameSampler:
    """Steps through a game of one player that nobody has enumerated: states are numbered as they are met."""

    def __init__(self, game: AnyGame) -> None:
        require_players(game)
        if len(game.players) != 1:
            raise FormError(
                f"{game} has {many(len(game.players), 'player')}, expected 1; fix the others with forms.pomdp"
            )
        self.rules, self.size = RuleSimulator(game), None
        self.states: list[Any] = []
        self.numbers: dict[Any, int] = {}

    gathered = staticmethod(Belief.of)

    def widths(self, states: Longs) -> Longs:
        return np.ones(len(states), np.int64)

    def label(self, state: int) -> Any:
        return self.states[state]

    def start(self) -> Belief:
        pairs = [(self._number(outcome), p) for outcome, p in self.rules.opening()]
        return Belief.of([s for s, _ in pairs], [p for _, p in pairs])

    def begin(self, observation: Observation) -> Updated:
        observed = self.rules.observed
        return _belief(
            [(self._number(outcome), p) for outcome, p in self.rules.opening() if observed(outcome, 0) == observation]
        )

    def update(self, belief: Belief, action: Hashable | None, observation: Observation) -> Updated:
        pairs, asked, observed = [], 0.0, self.rules.observed
        for weight, outcomes in self._outcomes(belief.states, belief.weights, action):
            asked += weight
            pairs += [
                (self._number(outcome), weight * p) for outcome, p in outcomes if observed(outcome, 0) == observation
            ]
        return _belief(pairs, asked)

    def drawn(
        self, states: Longs, action: Hashable | None, observation: Observation, rng: np.random.Generator
    ) -> Longs:
        numbers: list[int] = []
        observed = self.rules.observed
        for count, outcomes in self._outcomes(*np.unique(states, return_counts=True), action):
            for (outcome, _), times in zip(outcomes, _times(outcomes, int(count), rng)):
                if times and observed(outcome, 0) == observation:
                    numbers += [self._number(outcome)] * times
        return np.array(numbers, np.int64)

    def _outcomes(
        self, states: Longs, weights: Any, action: Hashable | None
    ) -> Iterator[tuple[Any, Dist[Outcome[Any]]]]:
        """What the action leads to from each state in which it is legal, with the state's weight."""
        rules = self.rules
        for number, weight in zip(states.tolist(), weights.tolist()):
            state = self.states[number]
            actors = rules.actors(state)
            if actors and action in rules.legal(state, actors)[0]:
                yield weight, rules.outcomes(state, (action,))

    def _number(self, outcome: Outcome[Any]) -> int:
        number = self.numbers.setdefault(outcome.state, len(self.states))
        if number == len(self.states):
            self.states.append(outcome.state)
        return number


def _times(outcomes: Dist[Outcome[Any]], count: int, rng: np.random.Generator) -> list[int]:
    """How often each outcome comes up in `count` draws."""
    if len(outcomes) == 1:
        return [count]
    shares = np.array([p for _, p in outcomes])
    times: list[int] = rng.multinomial(count, shares / shares.sum()).tolist()
    return times


def _belief(pairs: list[tuple[int, float]], of: float = 1.0) -> Updated:
    """Weighted states as a belief, and their share of a weight `of` in all."""
    total = sum(p for _, p in pairs)
    return (Belief.of([s for s, _ in pairs], [p for _, p in pairs]), total / of) if total > 0 else IMPOSSIBLE
