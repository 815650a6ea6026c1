"""Stages of a one-sided game as dense arrays: what linear programs are written from.

Kept apart from the compiled stages on purpose: whatever these arrays and HiGHS find was found without the kernels.
Values are shifted and scaled as in `ShapedGame`, so that covering a belief is enough for the upper bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.shaping import ShapedGame


class SuccessorBounds(NamedTuple):
    """The bounds of a target partition."""

    vectors: Floats  # [n, states]
    beliefs: Floats  # [m, states] of points, corners first
    values: Floats  # [m] of points

    @property
    def gaps(self) -> Floats:
        """[m - states] how far the points lie above the corners: below 0."""
        corners = self.values[: self.beliefs.shape[1]]
        gaps: Floats = self.values[len(corners) :] - self.beliefs[len(corners) :] @ corners
        return gaps


@dataclass(frozen=True, eq=False)
class StageGame:
    """A partition's replies against its actions: what they bring and where they lead. It does not change."""

    owner: Longs  # [replies] the state, counted within the partition
    actions: Longs  # [actions] that the mask allows, counted within the partition
    reward: Floats  # [actions, replies]
    action: Longs  # [successors] after which of these actions
    target: list[int]  # [successors] the partition that follows
    step: list[Floats]  # [successors] of [replies, states of the target] probabilities

    @cached_property
    def counts(self) -> Longs:
        """[states] the replies of each."""
        return np.bincount(self.owner)

    def even(self, belief: Floats) -> Floats:
        """[replies] the fully informed player mixes evenly in every state."""
        y: Floats = (belief / self.counts)[self.owner]
        return y

    def balanced(self, y: Floats, belief: Floats) -> Floats:
        """A solver's y with the rounding taken out: replies of a state sum to its belief exactly enough to trust it."""
        kept = np.maximum(y, 0.0)
        total = np.bincount(self.owner, kept, len(belief))
        if np.count_nonzero(total) < len(total):
            kept += (total == 0)[self.owner]
            total += (total == 0) * self.counts
        weights: Floats = kept * (belief / total)[self.owner]
        return weights

    def guarantee(self, column: Floats) -> Floats:
        """[states] the least reply of each state: what a mixture with this column is sure of."""
        least: Floats = np.minimum.reduceat(column, np.cumsum(self.counts) - self.counts)
        return least

    def support(self, belief: Floats) -> tuple[Longs, Longs]:
        """The states that may be, and their replies: programs need no others."""
        return np.flatnonzero(belief > 0), np.flatnonzero(belief[self.owner] > 0)

    def shared(self, counts: list[int]) -> Floats:
        """[successors + 1, actions + vectors] sums that a mixture of actions, and of vectors after each, must keep.

        With `counts` vectors after each observation: their weights less the share of the action are 0; shares sum to 1.
        """
        actions, successors, weights = len(self.actions), len(counts), sum(counts)
        sums = np.zeros((successors + 1, actions + weights))
        sums[np.arange(successors), self.action] = -1.0
        sums[np.repeat(np.arange(successors), counts), actions + np.arange(weights)] = 1.0
        sums[successors, :actions] = 1.0
        return sums


def stage_game(scaled: ShapedGame, partition: int, mask: NDArray[np.bool_], discounted: bool = True) -> StageGame:
    """The steps of a partition with the actions that a mask allows."""
    form, game = scaled.form, scaled.game
    prob = game.prob if discounted else form.prob
    replies, every = form.replies_of(partition), np.array(form.actions_of(partition))
    allowed = every[mask[every]]
    many = replies.stop - replies.start
    reward = np.array([game.reward[game.reward_start[j] : game.reward_start[j] + many] for j in allowed])
    states = form.states_of(partition)
    owner = np.repeat(np.arange(states.stop - states.start), np.diff(form.reply_start[states.start : states.stop + 1]))
    action = np.repeat(np.arange(len(allowed)), np.diff(form.successor_start)[allowed])
    successors = [successor for j in allowed.tolist() for successor in form.successors_of(j)]
    target, step = form.target[successors].tolist(), []
    for successor, after in zip(successors, target, strict=True):
        own, states = slice(*form.transition_start[successor : successor + 2].tolist()), form.states_of(after)
        matrix = np.zeros((many, states.stop - states.start))
        np.add.at(matrix, (form.source[own] - replies.start, form.to[own] - states.start), prob[own])
        step.append(matrix)
    return StageGame(owner, allowed - every[0], reward, action, target, step)


def successor_bounds(bounds: OneSidedBounds, partition: int) -> SuccessorBounds:
    """The vectors and points of a partition, shifted and scaled again."""
    scaled = bounds.scaled
    least = scaled.least[bounds.form.states_of(partition)]
    beliefs, values = bounds.points(partition)
    return SuccessorBounds(
        bounds.scaled_vectors(partition), beliefs, (values - (beliefs * least).sum(axis=1)) / scaled.scale
    )
