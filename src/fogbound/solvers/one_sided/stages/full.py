"""A stage game as one linear program: every action of the blind player, every vector or point after it.

Horak, Bosansky, Kovarik and Kiekintveld (2023), with their penalty for what points miss replaced by covering. The
slowest way by far, and the one with the least to go wrong: it is what the faster ones are held against.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy import sparse

from fogbound.forms.arrays import Floats
from fogbound.solvers.linear_programs.highs import maximise
from fogbound.solvers.one_sided.stages.stacked import StackedStage


def full_lower(stage: StackedStage, belief: Floats) -> tuple[Floats, Floats]:
    """(the column of the blind player's best mixture, y): it mixes actions, and vectors after each observation."""
    steps = stage.steps
    support, replies = steps.support(belief)
    later = [step @ after.vectors.T for step, after in zip(steps.step, stage.after, strict=True)]
    gains = np.hstack([steps.reward.T, *later])  # [replies, actions + weights]
    actions, mixed, many = len(steps.actions), gains.shape[1], len(support)
    place = np.searchsorted(support, steps.owner[replies])
    secured = sparse.csr_matrix((np.ones(len(replies)), (np.arange(len(replies)), place)), (len(replies), many))
    counts = [gain.shape[1] for gain in later]
    matrix = sparse.bmat(
        [[-sparse.csr_matrix(gains[replies]), secured], [sparse.csr_matrix(steps.shared(counts)), None]]
    )
    below = np.concatenate([np.full(len(replies), -np.inf), np.zeros(len(later)), [1.0]])
    above = np.concatenate([np.zeros(len(replies) + len(later)), [1.0]])
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


def full_upper(stage: StackedStage, belief: Floats) -> tuple[float, Floats, Floats]:
    """(value, y, mixture over the stage's actions): y covers what follows by points, at the least worst cost."""
    steps, after = stage.steps, stage.after
    _, replies = steps.support(belief)
    actions, counts = len(steps.actions), [len(bounds.values) for bounds in after]
    weights, runs = sum(counts), _runs(counts)
    price = np.zeros((actions, weights))
    for a, bounds, own in zip(stage.action, after, runs, strict=True):
        price[a, own] = bounds.values
    worst = np.hstack([np.ones((actions, 1)), -steps.reward[:, replies], -price])
    spent = np.zeros((len(belief), 1 + len(replies) + weights))
    spent[steps.owner[replies], 1 + np.arange(len(replies))] = 1.0
    blocks = [sparse.csr_matrix(worst), sparse.csr_matrix(spent[belief > 0])]
    for step, bounds, own in zip(steps.step, after, runs, strict=True):
        covered = np.zeros((step.shape[1], 1 + len(replies) + weights))
        covered[:, 1 : 1 + len(replies)] = -step[replies].T
        covered[:, own.start + 1 + len(replies) : own.stop + 1 + len(replies)] = bounds.beliefs.T
        blocks.append(sparse.csr_matrix(covered))
    matrix, fixed = sparse.vstack(blocks), belief[belief > 0]
    below = np.concatenate([np.zeros(actions), fixed, np.zeros(matrix.shape[0] - actions - len(fixed))])
    above = np.where(np.arange(len(below)) < actions, np.inf, below)
    above[actions + len(fixed) :] = np.inf
    cost = np.zeros(matrix.shape[1])
    cost[0] = -1.0
    least = np.concatenate([[-np.inf], np.zeros(len(cost) - 1)])
    optimum = maximise(cost, least, np.full(len(cost), np.inf), matrix, below, above)
    y = np.zeros(len(steps.owner))
    y[replies] = optimum.primal[1 : 1 + len(replies)]
    mixture = np.abs(optimum.dual[:actions])
    held = steps.balanced(y, belief)
    shares = np.maximum(optimum.primal[1 + len(replies) :], 0.0)
    return _measured(stage, held, [shares[own] for own in runs]), held, mixture / mixture.sum()


def _measured(stage: StackedStage, y: Floats, shares: list[Floats]) -> float:
    """What y really holds the blind player to: corners cover whatever rounding left uncovered."""
    values = stage.steps.reward @ y
    for a, step, bounds, weight in zip(stage.action, stage.steps.step, stage.after, shares, strict=True):
        missing = np.maximum(y @ step - weight @ bounds.beliefs, 0.0)
        values[a] += weight @ bounds.values + missing @ bounds.values[: len(missing)]
    return float(values.max())


def _runs(counts: list[int]) -> list[slice]:
    ends = np.cumsum([0, *counts]).tolist()
    return [slice(low, high) for low, high in pairwise(ends)]
