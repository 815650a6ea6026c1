"""Bayes' rule over a POMDP, in one place: what may be true after an own action and what was seen of it.

A belief is sparse, since after a few observations most states are ruled out. What the model holds impossible is a
result like any other, (None, 0.0): people play moves that no model foresaw, and whoever tracks a belief has to
decide what then, not this file.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fogbound.core.game import Observation
from fogbound.forms.arrays import Floats, Longs, owned_ranges
from fogbound.forms.pomdp import POMDP, WAIT

START = 0  # the row that leads into the game


@dataclass(frozen=True, eq=False)
class Belief:
    """The states that are possible, in increasing order, and their probabilities."""

    states: Longs  # [n]
    weights: Floats  # [n] that sum to 1

    def given(self, kept: NDArray[np.bool_]) -> Updated:
        """The belief once the state is known to be one of the kept ones [n], and how likely that was."""
        if kept.all():
            return self, 1.0
        total = float(self.weights[kept].sum())
        return (Belief(self.states[kept], self.weights[kept] / total), total) if total > 0 else (None, 0.0)

    @classmethod
    def of(cls, states: ArrayLike, weights: ArrayLike | None = None) -> Belief:
        """From states in any order, also repeated; without weights each listing counts alike (particles)."""
        kept, place = np.unique(np.asarray(states, np.int64), return_inverse=True)
        counts = np.bincount(place, None if weights is None else np.asarray(weights, np.float64), len(kept))
        return cls(kept, counts / counts.sum())


Updated = tuple[Belief | None, float]  # the belief after what was seen, and how likely it was to be seen


@dataclass(frozen=True, eq=False)
class BayesFilter:
    """Bayes' rule in the words of the game: labels of actions, and observations as a player has them.

    A observation does not always tell whether one is asked to move. Being asked is news too, so an own action
    conditions on the states that ask, and None, for a step of the others, on those that do not.
    """

    form: POMDP = field(repr=False)

    @cached_property
    def actions(self) -> dict[Hashable | None, int]:
        """The number of each action; None is to wait."""
        return {None: WAIT} | {action: number for number, action in enumerate(self.form.actions)}

    @cached_property
    def observations(self) -> dict[Observation, Longs]:
        """The observations that show an observation: one for each list of legal actions that it may come with."""
        numbers_of: dict[Observation, list[int]] = {}
        for number, (seen, _) in enumerate(self.form.observations):
            numbers_of.setdefault(seen, []).append(number)
        return {seen: np.array(numbers) for seen, numbers in numbers_of.items()}

    def begin(self, observation: Observation) -> Updated:
        """The belief after the first observation."""
        if observation not in self.observations:
            return None, 0.0
        return condition(self.form, np.array([START]), np.ones(1), self.observations[observation])

    def update(self, belief: Belief, action: Hashable | None, observation: Observation) -> Updated:
        """The belief after a step; an action or an observation that the model does not know is impossible."""
        if action not in self.actions or observation not in self.observations:
            return None, 0.0
        rows, weights = weighted_rows(self.form, belief, self.actions[action])
        return condition(self.form, rows, weights, self.observations[observation])

    def along(self, history: tuple[Any, ...]) -> Iterator[Updated]:
        """The belief after each observation of a history (the first observation, then pairs of own action and
        observation) and how likely it was; nothing from the first on that the model holds impossible."""
        if not history:
            return
        belief, p = self.begin(history[0])
        yield belief, p
        for action, observation in history[1:]:
            belief, p = (None, 0.0) if belief is None else self.update(belief, action, observation)
            yield belief, p

    def asked(self, belief: Belief, asked: bool = True) -> Updated:
        """The belief once the player knows that it is to move, or that it is not and play goes on."""
        form, first = self.form, self.form.row[belief.states]
        kept = form.row[belief.states + 1] > first
        kept[kept] = (form.action[first[kept]] != WAIT) == asked
        return belief.given(kept)


def weighted_rows(form: POMDP, belief: Belief, action: int) -> tuple[Longs, Floats]:
    """The rows of an action in the possible states, weighted; states that lack it are out of the question.

    States that a player cannot tell apart list the same actions in the same order, so its place in one state
    is mostly its place in all, and only where that fails are all rows looked through.
    """
    first, last = form.row[belief.states], form.row[belief.states + 1]
    if not len(first):
        return first.astype(np.int64), belief.weights
    places = np.flatnonzero(form.action[first[0] : last[0]] == action)
    if len(places):
        rows = first.astype(np.int64) + places[0]
        if (rows < last).all() and (form.action[rows] == action).all():
            return rows, belief.weights
    rows, owner = owned_ranges(first, last - first)
    kept = form.action[rows] == action
    weights = belief.weights[owner[kept]]
    total = weights.sum()
    return (rows[kept], weights / total) if total > 0 else (rows[:0], weights[:0])


def condition(form: POMDP, rows: Longs, weights: Floats, observations: Longs) -> Updated:
    """Where weighted rows lead, given that one of `observations` was made, and how likely that was."""
    outcomes, owner = owned_ranges(form.out[rows], form.out[rows + 1] - form.out[rows])
    obs = form.obs[outcomes]
    kept = obs == observations[0] if len(observations) == 1 else np.isin(obs, observations)
    outcomes, owner = outcomes[kept], owner[kept]
    belief, total = _merged(form.next[outcomes], weights[owner] * form.prob[outcomes])
    return (belief, total) if total > 0 else (None, 0.0)


def belief_successors(form: POMDP, belief: Belief, action: int) -> dict[int, tuple[Belief, float]]:
    """Each observation that may follow, in increasing order, with the belief it leaves and its probability."""
    rows, weights = weighted_rows(form, belief, action)
    outcomes, owner = owned_ranges(form.out[rows], form.out[rows + 1] - form.out[rows])
    joint = weights[owner] * form.prob[outcomes]
    order = np.argsort(form.obs[outcomes], kind="stable")
    outcomes, joint = outcomes[order], joint[order]
    seen, starts = np.unique(form.obs[outcomes], return_index=True)
    ends = [*starts[1:].tolist(), len(outcomes)]
    beliefs = {}
    for z, start, end in zip(seen.tolist(), starts.tolist(), ends):
        belief, total = _merged(form.next[outcomes[start:end]], joint[start:end])
        if total > 0:
            beliefs[z] = belief, total
    return beliefs


def _merged(states: NDArray[np.int32], joint: Floats) -> tuple[Belief, float]:
    """Weighted states as a belief, equal ones added up, and the sum of the weights."""
    kept, place = np.unique(states, return_inverse=True)
    weights: Floats = np.bincount(place, joint, len(kept)).astype(np.float64)
    total = float(weights.sum())
    return Belief(kept.astype(np.int64), weights / total if total > 0 else weights), total
