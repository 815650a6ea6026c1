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

# One partition of a one-sided game as dense matrices, for the few stage games that evidence needs solved again.


@dataclass(frozen=True, eq=False)
class DenseStage:
    """Pay and steps of a partition, shifted and scaled; probabilities are not discounted."""

    state: NDArray[np.int64]  # [rows] which of the partition's states
    pay: Floats  # [slots, rows]
    slot: NDArray[np.int64]  # [branches] which of the partition's slots
    target: list[int]  # [branches]
    step: list[Floats]  # [branches] of [rows, states of the target]

    @property
    def rows(self) -> int:
        return len(self.state)


def dense_stage(scaled: ShapedGame, partition: int) -> DenseStage:
    """The matrices of a partition."""
    form, game = scaled.form, scaled.game
    states = np.arange(form.first[partition], form.first[partition + 1])
    low, high = int(form.row[states[0]]), int(form.row[states[-1] + 1])
    slots = slice(int(form.slot[partition]), int(form.slot[partition + 1]))
    begin, end = int(form.branch[slots.start]), int(form.branch[slots.stop])
    pay = game.reward[form.pay[slots.start] : form.pay[slots.stop]].reshape(-1, high - low)
    steps, targets = [], form.target[begin:end].tolist()
    for branch, after in zip(range(begin, end), targets):
        own = slice(int(form.entry[branch]), int(form.entry[branch + 1]))
        first = int(form.first[after])
        step = np.zeros((high - low, int(form.first[after + 1]) - first))
        np.add.at(step, (form.source[own] - low, form.to[own] - first), form.prob[own])
        steps.append(step)
    slot = np.repeat(np.arange(slots.stop - slots.start), np.diff(form.branch[slots.start : slots.stop + 1]))
    state = np.repeat(np.arange(len(states)), np.diff(form.row[states[0] : states[-1] + 2]))
    return DenseStage(state, pay, slot, targets, steps)


class Successor(NamedTuple):
    """What may follow a slot: one observation's target partition, and how its states are reached."""

    target: int
    matrix: Floats  # [rows, states of the target] discounted probabilities


class SuccessorBounds(NamedTuple):
    """What is known about a target partition."""

    vectors: Floats  # [n, states]
    beliefs: Floats  # [m, states] of points, corners first
    values: Floats  # [m] of points

    @property
    def gaps(self) -> Floats:
        """[m - states] how far the points lie above the corners: below 0."""
        corners = self.values[: self.beliefs.shape[1]]
        found: Floats = self.values[len(corners) :] - self.beliefs[len(corners) :] @ corners
        return found


@dataclass(frozen=True, eq=False)
class StageGame:
    """A partition's rows against its slots: what they pay and where they lead. It does not change."""

    owner: Longs  # [rows] the state, counted within the partition
    slots: Longs  # [slots] that the mask allows, counted within the partition
    reward: Floats  # [slots, rows]
    ways: list[list[Successor]]  # of each slot

    @cached_property
    def counts(self) -> Longs:
        """[states] the rows of each."""
        return np.bincount(self.owner)

    def even(self, belief: Floats) -> Floats:
        """[rows] the seeing player mixes evenly in every state."""
        y: Floats = (belief / self.counts)[self.owner]
        return y

    def balanced(self, y: Floats, belief: Floats) -> Floats:
        """A solver's y with the rounding taken out: rows of a state sum to its belief exactly enough to trust it."""
        kept = np.maximum(y, 0.0)
        total = np.bincount(self.owner, kept, len(belief))
        if np.count_nonzero(total) < len(total):
            kept += (total == 0)[self.owner]
            total += (total == 0) * self.counts
        found: Floats = kept * (belief / total)[self.owner]
        return found

    def guarantee(self, column: Floats) -> Floats:
        """[states] the least row of each state: what a mixture with this column is sure of."""
        least: Floats = np.minimum.reduceat(column, np.cumsum(self.counts) - self.counts)
        return least

    def support(self, belief: Floats) -> tuple[Longs, Longs]:
        """The states that may be, and their rows: programs need no others."""
        return np.flatnonzero(belief > 0), np.flatnonzero(belief[self.owner] > 0)


def stage_game(bounded: OneSidedBounds, partition: int) -> StageGame:
    """The steps of a partition."""
    game = bounded.game
    low, high = int(game.row[game.first[partition]]), int(game.row[game.first[partition + 1]])
    states = np.arange(game.first[partition], game.first[partition + 1])
    owner = np.repeat(np.arange(len(states)), np.diff(game.row)[states])
    every = np.arange(game.slot[partition], game.slot[partition + 1])
    slots = every[bounded.mask[every]]
    reward = np.array([game.reward[game.pay[j] : game.pay[j] + high - low] for j in slots])
    ways = [
        [_successor(bounded, branch, low, high) for branch in range(*game.branch[j : j + 2].tolist())] for j in slots
    ]
    return StageGame(owner, slots - every[0], reward, ways)


def _successor(bounded: OneSidedBounds, branch: int, low: int, high: int) -> Successor:
    game, target = bounded.game, int(bounded.game.target[branch])
    own = slice(game.entry[branch], game.entry[branch + 1])
    matrix = np.zeros((high - low, int(game.first[target + 1] - game.first[target])))
    np.add.at(matrix, (game.source[own] - low, game.to[own] - game.first[target]), game.prob[own])
    return Successor(target, matrix)


def successor_bounds(bounded: OneSidedBounds, partition: int) -> SuccessorBounds:
    """The vectors and points of a partition, shifted and scaled again."""
    game, scaled = bounded.game, bounded.scaled
    least = scaled.least[game.first[partition] : game.first[partition + 1]]
    beliefs, values = bounded.points(partition)
    vectors = (bounded.vectors(partition) - least) / scaled.scale
    return SuccessorBounds(vectors, beliefs, (values - (beliefs * least).sum(axis=1)) / scaled.scale)
