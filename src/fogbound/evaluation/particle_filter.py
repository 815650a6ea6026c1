"""Beliefs by sampling: weighted states that agree with what was seen stand for all that might be true.

The filter is the bootstrap of Gordon, Salmond and Smith (1993): particles take a step, and those that do not show what
was seen are rejected. Particles are resampled systematically (Carpenter, Clifford and Fearnhead 1999). States too rare
to be hit by a sample come back in by reinvigoration (Silver and Veness 2010), here from the exact posterior of the
particles' own belief. It works for whatever can be a state: of a POMDP, of a game that nobody has enumerated, or a
state together with what the other players are and remember (the interactive particle filter of Doshi and
Gmytrasiewicz 2009).

Particles may run out: nobody shows what was seen. That is never hidden. The filter counts how often it happened
and says what was believed instead.

How sampled states step: through a form, all at once; through a game of one player, by asking its rules.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fogbound.core.contract import require_players
from fogbound.core.dist import Dist
from fogbound.core.errors import FormError, SpecError, many
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


COUNT, SHARE = 1_000, 0.02
ROUNDS = 16  # steps tried for each particle before their not showing what was seen counts as running out
SMALL = 1_000  # states up to which a form's exact belief is tracked beside the particles

NEVER = "the start never shows this: the belief is the start's without it"
EXACT = "no particle showed what was seen: drawn from the exact belief"
WIDE = "no particle showed what was seen: drawn from all that they could lead to, weighed exactly"
AGAIN = "no particle could show what was seen: drawn from what the start could lead to"
RESET = "nothing that is believed could show what was seen: back to the start's belief"
NO_BELIEF = "nothing that was tried shows what was seen: no belief is left"


@dataclass(frozen=True, eq=False)
class Particles(Generic[B]):
    """The particles at one time: a value, as all memory is."""

    belief: B | None  # the share of the particles that is in each state; None where nothing is believed any more
    deprived: int = 0  # how often no particle was left
    reason: str = ""  # what was done about it the last time
    revived: int = 0  # how often too few were left, and some were led on by trying everything
    exact: B | None = field(default=None, repr=False)  # tracked beside them where the form is small


Fallback = tuple[str, Callable[[], Any]]  # what to say, and how to find a belief (or None) when no particle is left


class ParticleFilter(Generic[B]):
    """A particle filter with `count` particles. Nothing is drawn but from the `rng` that is handed in.

    Parameters
    ----------
    source
        A POMDP, a game of one player, or any other `Sampler`.
    count
        How many particles there are.
    share
        The share of them that is reinvigorated in each step.
    small
        Up to so many states a form's exact belief is tracked beside the particles, to fall back on.
    exhaustive
        With at most so many joint moves a particle, all that may follow is weighed exactly instead of drawn, and all
        of it is kept while it fits into `count` states. 0: everything is always drawn.
    scarce
        When a smaller share than this survives a step, some particles are led on by trying everything.
    """

    def __init__(
        self,
        source: POMDP | AnyGame | Sampler[B],
        count: int = COUNT,
        share: float = SHARE,
        small: int = SMALL,
        exhaustive: float = 0.0,
        scarce: float = 0.0,
    ) -> None:
        if count < 1 or not 0 <= share <= 1:
            raise SpecError(f"particles: count {count} and share {share}, expected at least 1 and from 0 to 1")
        self.sampler = sampler(source)
        self.tracks = self.sampler.size is not None and self.sampler.size <= small
        self.count, self.share, self.exhaustive, self.scarce = count, share, exhaustive, scarce

    def label(self, state: Any) -> Any:
        """What a state of the beliefs stands for."""
        return self.sampler.label(state)

    def begin(
        self, observation: Observation, rng: np.random.Generator, fallbacks: Iterable[Fallback] | None = None
    ) -> Particles[B]:
        """Particles at the first observation; `fallbacks` as in `update`."""
        belief, _ = self.sampler.begin(observation)
        nothing = Particles[B](None)
        if belief is None:
            return self._instead(nothing, rng, [(NEVER, self.sampler.start)] if fallbacks is None else fallbacks)
        return self._after(nothing, belief, rng, belief)

    def update(
        self,
        before: Particles[B],
        action: Hashable | None,
        observation: Observation,
        rng: np.random.Generator,
        exact: B | None = None,
        fallbacks: Iterable[Fallback] | None = None,
    ) -> Particles[B]:
        """The particles after a step.

        Parameters
        ----------
        before
            The particles before it.
        action, seen
            The own action (None: not asked to move), and what was then observed.
        rng
            The only source of chance.
        exact
            The caller's own belief after the step, if it has one: used when no particle is left.
        fallbacks
            What to try in turn when no particle is left, in place of: the exact belief, all that the particles or the
            start could lead to, and the start itself. When none of them finds a belief, there is none.
        """
        if exact is None and before.exact is not None:
            exact = self._exactly(before.exact, action, observation)
        belief, revived = None, False
        if before.belief is not None:
            belief, revived = self.propagated(before.belief, action, observation, rng)
        if belief is None:
            usual = (
                (EXACT, lambda: exact),
                (WIDE, lambda: self._exactly(before.belief, action, observation)),
                (AGAIN, lambda: self._exactly(self.sampler.start(), action, observation)),
                (RESET, self.sampler.start),
            )
            return self._instead(before, rng, usual if fallbacks is None else fallbacks)
        return self._after(replace(before, revived=before.revived + revived), belief, rng, exact)

    def propagated(
        self, belief: B, action: Hashable | None, observation: Observation, rng: np.random.Generator
    ) -> tuple[B | None, bool]:
        """One step by the cheapest way that serves, and whether too few particles survived it."""
        if self.exhaustive and self.sampler.widths(belief.states).sum() <= self.exhaustive * self.count:
            return self._exactly(belief, action, observation), False
        survivors, many = self._survivors(belief, action, observation, rng)
        if survivors is None or many < self.scarce * self.count:
            if not self.scarce:
                return None, False
            some = self._exactly(self._some(belief, rng), action, observation)
            return some or survivors or self._exactly(belief, action, observation), True
        wide = self._exactly(belief, action, observation) if self.share else None
        return survivors if wide is None else self._reinvigorated(survivors, wide), False

    def _survivors(
        self, belief: B, action: Hashable | None, observation: Observation, rng: np.random.Generator
    ) -> tuple[B | None, int]:
        """Where steps drawn from the belief led that showed `seen`, and how many did.

        All particles step once, then as many more as it seems to need until `count` have survived.
        """
        kept, many, tried = [], 0, 0
        while many < self.count and tried < ROUNDS * self.count:
            trials = min(self.count, ceil((self.count - many) * tried / many)) if many else self.count
            states = np.repeat(belief.states, systematic(belief.weights, trials, rng))
            kept.append(self.sampler.drawn(states, action, observation, rng))
            many, tried = many + len(kept[-1]), tried + trials
        return (self.sampler.gathered(np.concatenate(kept)) if many else None), many

    def _reinvigorated(self, survivors: B, wide: B) -> B:
        """A mixture: `share` of it is the exact posterior of what was believed."""
        states = np.concatenate([survivors.states, wide.states])
        shares = [(1 - self.share) * survivors.weights, self.share * wide.weights]
        mixture: B = self.sampler.gathered(states, np.concatenate(shares))
        return mixture

    def _some(self, belief: B, rng: np.random.Generator) -> B:
        """States picked at random until trying everything there is as much work as rejection would be."""
        order = rng.permutation(len(belief.states))
        upto = np.cumsum(self.sampler.widths(belief.states[order]))
        picked = np.sort(order[: max(1, int(np.searchsorted(upto, ROUNDS * self.count, side="right")))])
        return _weighted(belief, picked, belief.weights[picked])

    def _exactly(self, belief: B | None, action: Hashable | None, observation: Observation) -> B | None:
        """Bayes' rule."""
        updated: B | None = None if belief is None else self.sampler.update(belief, action, observation)[0]
        return updated

    def _instead(self, before: Particles[B], rng: np.random.Generator, fallbacks: Iterable[Fallback]) -> Particles[B]:
        """What the first fallback that finds anything believes."""
        for reason, attempt in fallbacks:
            belief = attempt()
            if belief is not None:
                return self._after(replace(before, deprived=before.deprived + 1, reason=reason), belief, rng, belief)
        return replace(before, belief=None, deprived=before.deprived + 1, reason=NO_BELIEF, exact=None)

    def _after(self, before: Particles[B], belief: B, rng: np.random.Generator, exact: B | None) -> Particles[B]:
        return replace(before, belief=self.bounded(belief, rng), exact=exact if self.tracks else None)

    def bounded(self, belief: B, rng: np.random.Generator) -> B:
        """`count` particles drawn from what was found; all of it, where everything possible is kept and fits."""
        if self.exhaustive and len(belief.states) <= self.count:
            return belief
        times = systematic(belief.weights, self.count, rng)
        hit = np.flatnonzero(times)
        return _weighted(belief, hit, times[hit])


def systematic(weights: Floats, count: int, rng: np.random.Generator) -> Longs:
    """[n] how often each is drawn by `count` equally spaced marks along the running sum of the weights, from one random
    start: systematic resampling (Carpenter, Clifford and Fearnhead 1999)."""
    upto = np.cumsum(weights)
    marks = (np.arange(count) + rng.random()) * (upto[-1] / count)
    places = np.minimum(np.searchsorted(upto, marks, side="right"), len(weights) - 1)
    return np.bincount(places, minlength=len(weights)).astype(np.int64)


def _weighted(belief: B, places: Longs, weights: Floats | Longs) -> B:
    """Some states of a belief, in these proportions."""
    return replace(belief, states=belief.states[places], weights=weights / weights.sum())  # type: ignore[type-var]
