"""What a perfect reasoner in one player would believe of an opponent whose level it does not know.

Every level is a type, followed apart: how likely it is to have caused what was seen, and what may be hidden if it is
the one. Bayes' rule then weighs them, so any prior can be tried on the same tracks. Level 0 does everything with some
probability, so a prior that includes it is never contradicted.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError, SpecError, many
from fogbound.core.game import Observation
from fogbound.core.policy import AnyPolicy, Strategy, kinds
from fogbound.forms.arrays import Floats
from fogbound.forms.bayes_filter import BayesFilter, Belief, Updated
from fogbound.forms.decisions import History
from fogbound.forms.player_view import legal_by_state
from fogbound.forms.pomdp import POMDP, pomdp
from fogbound.inference.online.nested_belief import BeliefController, NestedBelief
from fogbound.inference.online.own_belief import ActionValue, ActionValues, ReviewedMove, reviewed_moves
from fogbound.inference.type_posterior import OpponentTypes, TypePosterior
from fogbound.policies.controller import Controller, controller
from fogbound.policies.equivalence import equivalent
from fogbound.policies.mixture import uniform_mixture
from fogbound.policies.uniform import Uniform
from fogbound.solvers.level_k.hierarchy import SolvedHierarchy

TypeTrack = tuple[Belief | None, float]  # what may be hidden, and the logarithm of how likely all that was seen was
IMPOSSIBLE: TypeTrack = (None, -math.inf)


class TypeFilter:
    """The tracks of `types` types in a POMDP; `type_of` says whose each of its states is, -1 where play is over."""

    def __init__(self, form: POMDP, type_of: NDArray[np.int64], types: int) -> None:
        self.type_of, self.types = type_of, types
        self.bayes = BayesFilter(form)

    def begin(self, observation: Observation) -> list[TypeTrack]:
        """After the first observation, which says as much about every type: nobody has moved yet."""
        belief, p = self.bayes.begin(observation)
        if belief is None:
            return [IMPOSSIBLE] * self.types
        own = self.type_of[belief.states]
        return [_tracked((belief.given((own == k) | (own < 0))[0], p), 0.0) for k in range(self.types)]

    def step(self, tracks: list[TypeTrack], action: Hashable | None, observation: Observation) -> list[TypeTrack]:
        """After an own action (None: not asked) and what was seen of it."""
        updated = []
        for belief, log in self.asked(tracks, action is not None):
            updated.append(
                IMPOSSIBLE if belief is None else _tracked(self.bayes.update(belief, action, observation), log)
            )
        return updated

    def asked(self, tracks: list[TypeTrack], asked: bool = True) -> list[TypeTrack]:
        """Being asked to move, or not, is news too."""
        return [
            IMPOSSIBLE if belief is None else _tracked(self.bayes.asked(belief, asked), log) for belief, log in tracks
        ]

    def along(self, history: History, asked: bool) -> list[list[TypeTrack]]:
        """The tracks after each step of a history; with `asked` the player knows that it is to move in the end."""
        steps = [self.begin(history[0])]
        for action, seen in history[1:]:
            steps.append(self.step(steps[-1], action, seen))
        return [*steps[:-1], self.asked(steps[-1])] if asked else steps


def _tracked(updated: Updated, log: float) -> TypeTrack:
    belief, p = updated
    return (belief, log + math.log(p)) if belief is not None and p > 0 else IMPOSSIBLE


@dataclass(frozen=True)
class TypeClass:
    """A class of levels that play alike, before the game and now. No levels: somebody who plays at random."""

    levels: tuple[int, ...]
    before: float
    now: float


@dataclass(frozen=True)
class OpponentBelief:
    """What the other may believe, being of some level (None: at random), and how likely that is."""

    level: int | None
    nested_belief: NestedBelief | None  # None: it believes nothing
    probability: float


@dataclass(frozen=True, eq=False)
class JointPosterior(TypePosterior):
    """How probable each type is, and what is believed of the state if the other is of that type."""

    inference: OpponentInference = field(repr=False)
    beliefs: tuple[Belief | None, ...] = field(repr=False)  # by type, over the points of the inference's POMDP

    @cached_property
    def _considered(self) -> list[int]:
        """The classes in question: those that are not excluded both before and now."""
        before, now = self.types.by_class(self.prior), self.by_class
        return np.flatnonzero((before > 0) | (now > 0)).tolist()

    @property
    def type_classes(self) -> tuple[TypeClass, ...]:
        """Classes of levels, as many as are in question."""
        before, now = self.types.by_class(self.prior).tolist(), self.by_class.tolist()
        levels_of, classes = self.inference.levels_of, self.types.classes
        return tuple(TypeClass(levels_of(classes[k]), before[k], now[k]) for k in self._considered)

    def _points(self) -> Iterator[tuple[int, int, float]]:
        """(type, point, probability) of all that may be."""
        for kind, (weight, belief) in enumerate(zip(self.weights.tolist(), self.beliefs)):
            if weight > 0 and belief is not None:
                for point, p in zip(belief.states.tolist(), belief.weights.tolist()):
                    yield kind, point, weight * p

    @property
    def belief(self) -> Belief:
        """All of it over the points of the inference's POMDP."""
        listed = list(self._points())
        return Belief.of([point for _, point, _ in listed], [p for _, _, p in listed])

    @property
    def belief_of_states(self) -> Floats:
        """How likely each of the possible states is, the likeliest first."""
        return np.array([float(shares.sum()) for _, shares in self.states()])

    def states(self) -> list[tuple[Any, Floats]]:
        """The states that may be, the likeliest first, each with its probability jointly with every type class."""
        column = {kind: column for column, k in enumerate(self._considered) for kind in self.types.classes[k]}
        joint: dict[int, Floats] = {}
        for kind, point, p in self._points():
            state = int(self.inference.point[point, 0])
            joint.setdefault(state, np.zeros(len(self._considered)))[column[kind]] += p
        ranked = sorted(joint.items(), key=lambda entry: (-round(float(entry[1].sum()), 9), entry[0]))
        return [(self.inference.hierarchy.table.states[state], shares) for state, shares in ranked]

    def opponent_beliefs(self) -> list[OpponentBelief]:
        """What the other may believe, the likeliest first."""
        inference, weights = self.inference, dict[tuple[int | None, NestedBelief | None], float]()
        asked = legal_by_state(inference.hierarchy.table, inference.other) >= 0
        for kind, point, p in self._points():
            policy, (state, *memories) = self.types.policies[kind], inference.point[point].tolist()
            level, nested_belief = inference.level_of(kind), None
            if isinstance(policy, BeliefController) and memories[inference.other] >= 0:
                memory = inference.memories[memories[inference.other]].value
                nested_belief = policy.nested_belief(memory, bool(asked[state]))
            weights[level, nested_belief] = weights.get((level, nested_belief), 0.0) + p
        ranked = sorted(weights.items(), key=lambda entry: (-round(entry[1], 9), str(entry[0])))
        return [OpponentBelief(level, nested_belief, p) for (level, nested_belief), p in ranked]


class OpponentInference:
    """Levels 0 to `hierarchy.levels` of the other player as the types that `player` may face.

    The prior is the hierarchy's unless given. Where level 0 is not random play, somebody who plays at random joins them
    with prior 0: someone must be able to do anything at all.
    """

    def __init__(self, hierarchy: SolvedHierarchy, player: int, prior: Sequence[float] | None = None) -> None:
        if len(hierarchy.players) != 2:
            raise FormError(
                f"{hierarchy.spec}: {many(len(hierarchy.players), 'player')}, expected 2: levels are "
                "those of one opponent"
            )
        self.hierarchy, self.player, self.other = hierarchy, player, 1 - player
        policies: list[Strategy] = [hierarchy.zero[self.other]]
        policies += [BeliefController(hierarchy, level, self.other) for level in range(1, hierarchy.levels + 1)]
        weights = list(hierarchy.weights(len(policies)) if prior is None else prior)
        if len(weights) != len(policies) or min(weights) < 0 or not math.isclose(sum(weights), 1.0):
            raise SpecError(
                f"opponent inference: prior {weights}, expected {len(policies)} probabilities that sum to 1"
            )
        if not isinstance(policies[0], Uniform):
            policies, weights = [*policies, Uniform()], [*weights, 0.0]
        self.form = pomdp(hierarchy.table, player, {self.other: uniform_mixture(policies)})
        self.types = OpponentTypes(self.form.spec, tuple(policies), np.array(weights), self._classes(len(policies)))
        paired = self.form.product
        assert paired is not None  # it was made from a game
        self.point, self.memories = paired.point, paired.fixed[self.other].memories
        type_of = np.array([memory.type for memory in self.memories] + [-1])
        self._filter = TypeFilter(self.form, type_of[self.point[:, 1 + self.other]], len(policies))

    def _classes(self, many: int) -> tuple[tuple[int, ...], ...]:
        """Types that play alike, class by class."""
        classes: dict[int, list[int]] = {}
        for kind in range(many):
            level = self.level_of(kind)
            classes.setdefault(-1 if level is None else self.hierarchy.kind(level, self.other), []).append(kind)
        return tuple(map(tuple, classes.values()))

    def level_of(self, kind: int) -> int | None:
        """The level of a type; None for somebody who is of no level."""
        return kind if kind <= self.hierarchy.levels else None

    def levels_of(self, members: Sequence[int]) -> tuple[int, ...]:
        """The levels among some types."""
        return tuple(kind for kind in members if self.level_of(kind) is not None)

    def levels_like(self, policy: AnyPolicy) -> tuple[int, ...]:
        """The levels that play as a policy does. LimitError where it remembers too much to be compared."""
        levels: list[Strategy] = [
            self.hierarchy.policy(level, self.other) for level in range(self.hierarchy.levels + 1)
        ]
        if not isinstance(policy, Controller | Uniform):  # all in the same words: whoever is lost says so, too
            table, other = self.hierarchy.table, self.other
            policy = controller(table, other, policy)
            levels = [controller(table, other, kind) for each in levels for kind in kinds(each).support()]
        return tuple(level for level, own in enumerate(levels) if equivalent(own, policy))

    def after(self, history: History, asked: bool = False) -> JointPosterior:
        """What is believed after a history: the first observation, then pairs (own action or None, observation).

        With `asked` the player also knows that it is to move now. FormError where the rules do not allow the history.
        """
        along = self._filter.along(history, asked)
        posterior = self.types.posterior(np.array([[log for _, log in tracks] for tracks in along]))
        of_types = posterior.prior, posterior.log_likelihood, posterior.weights, posterior.impossible_at
        return JointPosterior(self.types, *of_types, self, tuple(belief for belief, _ in along[-1]))

    @cached_property
    def _action_values(self) -> ActionValues:
        return ActionValues(self.form)

    def action_values(self, posterior: JointPosterior) -> tuple[ActionValue, ...]:
        """The value of each move, given what is believed; FormError where play need never end."""
        return self._action_values.at(posterior.belief)


def review(inference: OpponentInference, history: History) -> list[ReviewedMove]:
    """Every own move of a history, judged. FormError where play need never end and nothing is discounted."""
    return reviewed_moves(history, lambda past: inference.action_values(inference.after(past, asked=True)))
