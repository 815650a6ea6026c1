"""Stages of a one-sided game as dense arrays, and a stage as one linear program with everything in it.

Kept apart from the compiled stages on purpose: whatever these arrays and HiGHS find was found without the kernels.
Values are shifted and scaled as in `ShapedGame`, so that covering a belief is enough for the upper bound.

The one program has every action of the blind player, every vector or point after it: Horak, Bosansky, Kovarik and
Kiekintveld (2023), with their penalty for what points miss replaced by covering. The slowest way by far, and the one
with the least to go wrong: it is what the faster ones are held against.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fogbound.forms.arrays import Floats, Ints, Longs
from fogbound.solvers.linear_programs.highs import maximise
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.shaping import ShapedGame

Mixed = list[tuple[int, float]]  # actions with their shares, in the order in which they were found; one may come twice


class SuccessorBounds(NamedTuple):
    """The bounds of a target partition."""

    vectors: Floats  # [n, states]
    beliefs: Floats  # [m, states] of points, corners first
    values: Floats  # [m] of points

    @property
    def hull(self) -> PointHull:
        """The points, and the corners apart."""
        size = self.beliefs.shape[1]
        return PointHull(self.beliefs[size:], self.values[size:], self.values[:size], [])

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
        """A solver's y with the rounding taken out: replies of a state sum to its belief, evenly where it has none."""
        kept = np.maximum(y, 0.0)
        total = np.bincount(self.owner, kept, len(belief))
        even = total <= 0
        shares = kept / np.where(even, 1.0, total)[self.owner]
        weights: Floats = np.where(even[self.owner], 1.0 / self.counts[self.owner], shares) * belief[self.owner]
        return weights

    def guarantee(self, column: Floats) -> Floats:
        """[states] the least reply of each state: what a mixture with this column is sure of."""
        least: Floats = np.minimum.reduceat(column, np.cumsum(self.counts) - self.counts)
        return least

    def support(self, belief: Floats) -> tuple[Longs, Longs]:
        """The states that may be, and their replies: programs need no others."""
        return np.flatnonzero(belief > 0), np.flatnonzero(belief[self.owner] > 0)

    def columns(self, vectors: Sequence[Floats]) -> tuple[Floats, Floats, list[int]]:
        """What mixtures of actions, and of vectors [n, states] after each observation, bring and must keep.

        ([replies, actions + vectors] rewards, and what (successor, vector) add; [successors + 1, actions + vectors]
        sums: the weights of the vectors after an observation less the share of the action are 0, shares sum to 1;
        [successors] how many vectors).
        """
        later = [step @ own.T for step, own in zip(self.step, vectors, strict=True)]
        counts = [block.shape[1] for block in later]
        actions, successors, weights = len(self.actions), len(counts), sum(counts)
        sums = np.zeros((successors + 1, actions + weights))
        sums[np.arange(successors), self.action] = -1.0
        sums[np.repeat(np.arange(successors), counts), actions + np.arange(weights)] = 1.0
        sums[successors, :actions] = 1.0
        return np.hstack([self.reward.T, *later]), sums, counts


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


def full_lower(steps: StageGame, vectors: list[Floats], belief: Floats) -> tuple[Floats, Floats]:
    """(the column of the blind player's best mixture, y): it mixes actions, and vectors after each observation."""
    support, replies = steps.support(belief)
    gains, sums, counts = steps.columns(vectors)
    actions, mixed, many = len(steps.actions), gains.shape[1], len(support)
    place = np.searchsorted(support, steps.owner[replies])
    secured = sparse.csr_matrix((np.ones(len(replies)), (np.arange(len(replies)), place)), (len(replies), many))
    matrix = sparse.bmat([[-sparse.csr_matrix(gains[replies]), secured], [sparse.csr_matrix(sums), None]])
    below = np.concatenate([np.full(len(replies), -np.inf), np.zeros(len(counts)), [1.0]])
    above = np.concatenate([np.zeros(len(replies) + len(counts)), [1.0]])
    cost = np.concatenate([np.zeros(mixed), belief[support]])
    least = np.concatenate([np.zeros(mixed), np.full(many, -np.inf)])
    optimum = maximise(cost, least, np.full(len(cost), np.inf), matrix, below, above)
    mixture = np.maximum(optimum.primal[:actions], 0.0)
    mixture /= mixture.sum()
    shares = _shared(optimum.primal[actions:mixed], counts, mixture[steps.action].tolist())
    y = np.zeros(len(steps.owner))
    y[replies] = np.abs(optimum.dual[: len(replies)])
    return gains @ np.concatenate([mixture, shares]), steps.balanced(y, belief)


def _shared(weights: Floats, counts: list[int], totals: list[float]) -> Floats:
    """Weights of the vectors after each observation, made to sum to the share of the action that leads there."""
    parts, at = [np.zeros(0)], 0
    for count, total in zip(counts, totals, strict=True):
        part = np.maximum(weights[at : at + count], 0.0)
        parts.append(part * (total / part.sum()) if part.sum() > 0 else np.full(count, total / count))
        at += count
    return np.concatenate(parts)


def full_upper(steps: StageGame, hulls: list[PointHull], belief: Floats) -> tuple[float, Floats, Floats]:
    """(value, y, mixture over the stage's actions): y covers what follows by points, at the least worst cost.

    The value is what y really holds the blind player to: corners cover whatever rounding left uncovered.
    """
    reply, weights, mixture = point_reply(steps, hulls, belief, 1.0)
    values = steps.reward @ reply.y
    for a, step, hull, weight in zip(steps.action, steps.step, hulls, weights, strict=True):
        missing = np.maximum(reply.y @ step - weight @ hull.beliefs, 0.0)
        values[a] += weight @ hull.values + missing @ hull.corner
    return float(values.max()), reply.y, mixture


TINY = 1e-11  # weights below this are noise


@dataclass(frozen=True, eq=False)
class PointHull:
    """Points of a partition, shifted so that no value is below 0, and its corners."""

    beliefs: Floats  # [points, states]
    values: Floats  # [points]
    corner: Floats  # [states]
    records: list[int]  # [points]


@dataclass(frozen=True, eq=False)
class PointReply:
    """The other's mixture at a point: how often each reply is played, and covers of what may follow."""

    y: Floats  # [replies of the partition] weights
    shares: Floats  # of the replies of its states, one state after the other
    covers: list[list[tuple[int, float]]] = field(default_factory=list)  # [successors] points of the evidence

    @classmethod
    def of(cls, own: StageGame, belief: Floats, y: Floats) -> PointReply:
        """The reply with these weights of replies."""
        return cls(y, (y / np.where(belief > 0, belief, 1.0)[own.owner])[belief[own.owner] > 0])


def point_reply(
    own: StageGame, hulls: list[PointHull], belief: Floats, discount: float
) -> tuple[PointReply, list[Floats], Floats]:
    """(The other's mixture at a belief, [successors] weights of points, [actions] the blind player's mixture).

    Points weigh nothing where the corners do as well.

    min W subject to W >= reward of each action and cost of its covers, covers that cover, and replies that add up.
    """
    replies = np.flatnonzero(belief[own.owner] > 0)
    columns = len(replies) + sum(len(hull.values) + len(hull.corner) for hull in hulls) + 1
    parts = [_action_costs(own, hulls, replies, discount, columns), _sums(own, belief, replies, columns)]
    if hulls:
        leads = sparse.vstack([sparse.csc_matrix(-step[replies].T) for step in own.step])
        blocks = sparse.block_diag([np.hstack([hull.beliefs.T, np.eye(len(hull.corner))]) for hull in hulls])
        parts.append(sparse.hstack([leads, blocks, sparse.csc_matrix((leads.shape[0], 1))]))
    matrix = sparse.vstack(parts)
    low, high = np.zeros(matrix.shape[0]), np.full(matrix.shape[0], np.inf)
    equal = slice(len(own.reward), len(own.reward) + len(belief))
    low[equal] = high[equal] = belief
    least, cost = np.zeros(columns), np.zeros(columns)
    least[-1], cost[-1] = -np.inf, -1.0
    optimum = maximise(cost, least, np.full(columns, np.inf), matrix, low, high)
    primal, y = optimum.primal, np.zeros(len(own.owner))
    y[replies] = primal[: len(replies)]
    y, chosen, at = own.balanced(y, belief), list[Floats](), len(replies)
    plain = _by_corners(own, hulls, y, discount)
    for action, hull in zip(own.action.tolist(), hulls):
        weights = primal[at : at + len(hull.values)]
        chosen.append(np.where((weights > TINY) & (plain[action] > primal[-1]), weights, 0.0))
        at += len(hull.values) + len(hull.corner)
    mixture = np.abs(optimum.dual[: len(own.reward)])
    return PointReply.of(own, belief, y), chosen, mixture / mixture.sum()


def _action_costs(own: StageGame, hulls: list[PointHull], replies: Ints, discount: float, columns: int) -> Any:
    """[actions, columns] W less the reward of an action, and the cost of its covers."""
    costs, at = np.zeros((len(own.reward), columns)), len(replies)
    costs[:, : len(replies)], costs[:, -1] = -own.reward[:, replies], 1.0
    for action, hull in zip(own.action.tolist(), hulls):
        cost = np.concatenate([hull.values, hull.corner])
        costs[action, at : at + len(cost)] = -discount * cost
        at += len(cost)
    return sparse.csc_matrix(costs)


def _sums(own: StageGame, belief: Floats, replies: Ints, columns: int) -> Any:
    """[states, columns] the weights of the replies of a state."""
    places = own.owner[replies], np.arange(len(replies))
    return sparse.csc_matrix((np.ones(len(replies)), places), (len(belief), columns))


def _by_corners(own: StageGame, hulls: list[PointHull], y: Floats, discount: float) -> Floats:
    """[actions] what an action comes to when only corners cover what follows."""
    values: Floats = own.reward @ y
    for action, step, hull in zip(own.action.tolist(), own.step, hulls):
        values[action] += discount * float(y @ step @ hull.corner)
    return values
