"""What a perfect reasoner in one player would believe of an opponent whose level it does not know.

Every level is followed apart: how likely it is to have caused what was seen, and what may be hidden if it is the one.
Bayes' rule then weighs them with any prior. Level 0 does everything with some probability, so a prior that includes it
is never contradicted; where one is, all levels are put in its place, equally likely, and that is said.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError, SpecError
from fogbound.core.game import Observation
from fogbound.core.policy import AnyPolicy, Strategy, kinds
from fogbound.forms.bayes_filter import BayesFilter, Belief, Updated
from fogbound.forms.player_view import legal_by_state
from fogbound.forms.pomdp import POMDP, WAIT, pomdp
from fogbound.forms.table import Floats
from fogbound.forms.tree import History
from fogbound.inference.online.action_values import ActionValue, ActionValues, best_actions
from fogbound.inference.online.nested_belief import BeliefController, NestedBelief
from fogbound.policies.controller import Controller, controller
from fogbound.policies.equivalence import equivalent
from fogbound.policies.mixture import uniform_mixture
from fogbound.policies.uniform import Uniform
from fogbound.solvers.level_k.hierarchy import SolvedHierarchy

# What is believed about the other at one moment: its level, the state, and what it believes itself.


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
class TypePosterior:
    """Weights of the members of an inference, and what is believed of the state if the other is that member."""

    inference: OpponentInference = field(repr=False)
    prior: Floats  # [members] the one that was used
    weights: Floats  # [members]
    beliefs: tuple[Belief | None, ...] = field(repr=False)  # over the points of the inference's POMDP
    impossible_at: int | None  # the step that the first prior held impossible; then `prior` is the one put in its place

    @property
    def type_classes(self) -> tuple[TypeClass, ...]:
        """Classes of levels, as many as are in question."""
        found = []
        for members in self.inference.classes:
            before, now = (float(w[list(members)].sum()) for w in (self.prior, self.weights))
            if before > 0 or now > 0:
                found.append(TypeClass(self.inference.levels_of(members), before, now))
        return tuple(found)

    def _points(self) -> Iterator[tuple[int, int, float]]:
        """(member, point, probability) of all that may be."""
        for member, (weight, belief) in enumerate(zip(self.weights.tolist(), self.beliefs)):
            if weight > 0 and belief is not None:
                for point, p in zip(belief.states.tolist(), belief.weights.tolist()):
                    yield member, point, weight * p

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
        """The states that may be, the likeliest first, each with its probability jointly with every suspect."""
        home = {member: k for k, type_class in enumerate(self._classes()) for member in type_class}
        joint: dict[int, Floats] = {}
        for member, point, p in self._points():
            state = int(self.inference.point[point, 0])
            joint.setdefault(state, np.zeros(len(self.type_classes)))[home[member]] += p
        ranked = sorted(joint.items(), key=lambda entry: (-round(float(entry[1].sum()), 9), entry[0]))
        return [(self.inference.hierarchy.table.states[state], shares) for state, shares in ranked]

    def _classes(self) -> list[tuple[int, ...]]:
        """The members of every suspect."""
        of = (self.prior, self.weights)
        return [m for m in self.inference.classes if any(float(w[list(m)].sum()) > 0 for w in of)]

    def opponent_beliefs(self) -> list[OpponentBelief]:
        """What the other may believe, the likeliest first."""
        inference, found = self.inference, dict[tuple[int | None, NestedBelief | None], float]()
        asked = legal_by_state(inference.hierarchy.table, inference.other) >= 0
        for member, point, p in self._points():
            mind, (state, *memories) = inference.members[member], inference.point[point].tolist()
            level = inference.level_of(member)
            nested_belief = None
            if isinstance(mind, BeliefController) and memories[inference.other] >= 0:
                _, memory = inference.memories[memories[inference.other]]
                nested_belief = mind.nested_belief(memory, bool(asked[state]))
            found[level, nested_belief] = found.get((level, nested_belief), 0.0) + p
        ranked = sorted(found.items(), key=lambda entry: (-round(entry[1], 9), str(entry[0])))
        return [OpponentBelief(level, nested_belief, p) for (level, nested_belief), p in ranked]


# Every member of a crowd of suspects followed apart, as far as one player's eyes reach.
#
# A track says what may be hidden if the other is this member, and how likely this member was to cause all that was
# seen.
# Members are only weighed against each other afterwards, so any prior can be tried on the same tracks.


TypeTrack = tuple[Belief | None, float]  # what may be hidden, and the logarithm of how likely all that was seen was
IMPOSSIBLE: TypeTrack = (None, -math.inf)


class TypeFilter:
    """The tracks of all members in a POMDP; `member` says whose each of its states is, -1 where play is over."""

    def __init__(self, form: POMDP, member: NDArray[np.int64], many: int) -> None:
        self.form, self.member, self.many = form, member, many
        self.bayes = BayesFilter(form)

    def begin(self, seen: Observation) -> list[TypeTrack]:
        """After the first observation, which says as much about every member: nobody has moved yet."""
        belief, p = self.bayes.begin(seen)
        if belief is None:
            return [IMPOSSIBLE] * self.many
        own = self.member[belief.states]
        return [_tracked(_share(belief, (own == k) | (own < 0)), math.log(p)) for k in range(self.many)]

    def step(self, tracks: list[TypeTrack], action: Hashable | None, seen: Observation) -> list[TypeTrack]:
        """After an own action (None: not asked) and what was seen of it."""
        found = []
        for belief, log in self.asked(tracks, action is not None):
            found.append(IMPOSSIBLE if belief is None else _tracked(self.bayes.update(belief, action, seen), log))
        return found

    def asked(self, tracks: list[TypeTrack], asked: bool = True) -> list[TypeTrack]:
        """Being asked to move, or not, is news too."""
        return [IMPOSSIBLE if belief is None else self._asked(belief, log, asked) for belief, log in tracks]

    def _asked(self, belief: Belief, log: float, asked: bool) -> TypeTrack:
        form, first = self.form, self.form.row[belief.states]
        goes_on = form.row[belief.states + 1] > first
        waits = form.action[np.where(goes_on, first, 0)] == WAIT
        return _tracked(_share(belief, goes_on & (waits != asked)), log)

    def along(self, history: History, asked: bool) -> list[list[TypeTrack]]:
        """The tracks after each step of a history; with `asked` the player knows that it is to move in the end."""
        found = [self.begin(history[0])]
        for action, seen in history[1:]:
            found.append(self.step(found[-1], action, seen))
        return [*found[:-1], self.asked(found[-1])] if asked else found


def _share(belief: Belief, kept: NDArray[np.bool_]) -> Updated:
    """A belief given that the state is one of the kept ones, and how likely that was."""
    total = float(belief.weights[kept].sum())
    return (Belief(belief.states[kept], belief.weights[kept] / total), total) if total > 0 else (None, 0.0)


def _tracked(updated: Updated, log: float) -> TypeTrack:
    belief, p = updated
    return (belief, log + math.log(p)) if belief is not None and p > 0 else IMPOSSIBLE


class OpponentInference:
    """Levels 0 to `hierarchy.levels` of the other player as `player` may suspect them; the prior is the hierarchy's
    unless given.
    """

    def __init__(self, hierarchy: SolvedHierarchy, player: int, prior: Sequence[float] | None = None) -> None:
        if len(hierarchy.players) != 2:
            raise FormError(
                f"{hierarchy.spec}: {len(hierarchy.players)} players, expected 2: levels are those of one opponent"
            )
        self.hierarchy, self.player, self.other = hierarchy, player, 1 - player
        self.members: list[Strategy] = [hierarchy.zero[self.other]]
        self.members += [BeliefController(hierarchy, level, self.other) for level in range(1, hierarchy.levels + 1)]
        weights = list(hierarchy.weights(len(self.members)) if prior is None else prior)
        if len(weights) != len(self.members) or min(weights) < 0 or not math.isclose(sum(weights), 1.0):
            raise SpecError(f"fog: prior {weights}, expected {len(self.members)} probabilities that sum to 1")
        if not isinstance(self.members[0], Uniform):  # somebody must be able to do anything at all
            self.members, weights = [*self.members, Uniform()], [*weights, 0.0]
        self.prior = np.array(weights)
        self.form = pomdp(hierarchy.table, player, {self.other: uniform_mixture(self.members)})
        paired = self.form.product
        assert paired is not None  # it was made from a game
        self.point, self.memories = paired.point, paired.fixed[self.other].memories
        kinds = np.array([kind for kind, _ in self.memories] + [-1])
        self._tracks = TypeFilter(self.form, kinds[self.point[:, 1 + self.other]], len(self.members))

    @cached_property
    def classes(self) -> tuple[tuple[int, ...], ...]:
        """Members that play alike, class by class."""
        found: dict[int, list[int]] = {}
        for member in range(len(self.members)):
            level = self.level_of(member)
            found.setdefault(-1 if level is None else self.hierarchy.kind(level, self.other), []).append(member)
        return tuple(map(tuple, found.values()))

    def level_of(self, member: int) -> int | None:
        """The level of a member; None for somebody who is of no level."""
        return member if member <= self.hierarchy.levels else None

    def levels_of(self, members: Sequence[int]) -> tuple[int, ...]:
        """The levels among some members."""
        return tuple(member for member in members if self.level_of(member) is not None)

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

    def after(self, history: History, asked: bool = False) -> TypePosterior:
        """What is believed after a history: the first observation, then pairs (own action or None, sight).

        With `asked` the player also knows that it is to move now.
        """
        along = self._tracks.along(history, asked)
        prior, impossible_at = self.prior, None
        for step, tracks in enumerate(along):
            if impossible_at is None and not _possible(tracks, prior):
                prior, impossible_at = np.full(len(self.members), 1 / len(self.members)), step
        if not _possible(along[-1], prior):
            raise FormError(f"{self.form.spec}: by its rules nobody can have seen this")
        with np.errstate(divide="ignore"):
            logs = np.array([log for _, log in along[-1]]) + np.log(prior)
        weights = np.exp(logs - logs.max())
        beliefs = tuple(belief for belief, _ in along[-1])
        return TypePosterior(self, prior, weights / weights.sum(), beliefs, impossible_at)

    @cached_property
    def _action_values(self) -> ActionValues:
        return ActionValues(self.form)

    def action_values(self, posterior: TypePosterior) -> tuple[ActionValue, ...]:
        """What each move is worth, given what is believed; FormError where play need never end."""
        return self._action_values.at(posterior.belief)


def _possible(tracks: Sequence[TypeTrack], prior: Floats) -> bool:
    return any(log > -math.inf and p > 0 for (_, log), p in zip(tracks, prior.tolist()))


# What the moves of a game cost, in the light of what the player could know when it made them.


@dataclass(frozen=True)
class ReviewedMove:
    """A move that was made, with what it and the best ones were worth."""

    action: Hashable
    worth: ActionValue
    best: tuple[ActionValue, ...]

    @property
    def cost(self) -> tuple[float, float]:
        """At least and at most; nothing where it was as good as any."""
        if self.worth in self.best:
            return 0.0, 0.0
        top = self.best[0]
        return max(0.0, top.lower - self.worth.upper), max(0.0, top.upper - self.worth.lower)


def review(inference: OpponentInference, history: History) -> list[ReviewedMove]:
    """Every own move of a history, judged. FormError where play need never end and nothing is discounted."""
    found = []
    for step, (action, _) in enumerate(history[1:], 1):
        if action is not None:
            action_values = inference.action_values(inference.after(history[:step], asked=True))
            own = next(worth for worth in action_values if worth.action == action)
            found.append(ReviewedMove(action, own, tuple(best_actions(action_values))))
    return found
