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
from fogbound.solvers.one_sided.stages.dense import Successor
from fogbound.solvers.one_sided.stages.stacked import StackedStage


def full_lower(stage: StackedStage, belief: Floats) -> tuple[Floats, Floats]:
    """(the column of the blind player's best mixture, y): it mixes slots, and vectors after each observation."""
    steps = stage.steps
    support, rows = steps.support(belief)
    after = iter(stage.after)
    ways = [(a, way.matrix @ next(after).vectors.T) for a, ways in enumerate(steps.ways) for way in ways]
    gains = np.hstack([steps.reward.T, *(gain for _, gain in ways)])  # [rows, slots + weights]
    slots, weights, many = len(steps.slots), gains.shape[1] - len(steps.slots), len(support)
    place = np.searchsorted(support, steps.owner[rows])
    promised = sparse.csr_matrix((np.ones(len(rows)), (np.arange(len(rows)), place)), (len(rows), many))
    counts = [gain.shape[1] for _, gain in ways]
    taken = sparse.csr_matrix((-np.ones(len(ways)), (np.arange(len(ways)), [a for a, _ in ways])), (len(ways), slots))
    summed = sparse.block_diag([np.ones((1, n)) for n in counts]) if ways else sparse.csr_matrix((0, 0))
    once = sparse.csr_matrix((np.ones(slots), (np.zeros(slots, int), np.arange(slots))), (1, slots + weights))
    matrix = sparse.bmat(
        [[-sparse.csr_matrix(gains[rows]), promised], [sparse.hstack([taken, summed]), None], [once, None]]
    )
    below = np.concatenate([np.full(len(rows), -np.inf), np.zeros(len(ways)), [1.0]])
    above = np.concatenate([np.zeros(len(rows) + len(ways)), [1.0]])
    cost = np.concatenate([np.zeros(slots + weights), belief[support]])
    least = np.concatenate([np.zeros(slots + weights), np.full(many, -np.inf)])
    found = maximise(cost, least, np.full(len(cost), np.inf), matrix, below, above)
    mixture = np.maximum(found.primal[:slots], 0.0)
    mixture /= mixture.sum()
    shares = _shared(found.primal[slots : slots + weights], counts, [float(mixture[a]) for a, _ in ways])
    y = np.zeros(len(steps.owner))
    y[rows] = np.abs(found.dual[: len(rows)])
    return gains @ np.concatenate([mixture, shares]), steps.balanced(y, belief)


def _shared(weights: Floats, counts: list[int], totals: list[float]) -> Floats:
    """Weights of the vectors after each observation, made to sum to the share of the slot that leads there."""
    parts, at = [np.zeros(0)], 0
    for count, total in zip(counts, totals, strict=True):
        part = np.maximum(weights[at : at + count], 0.0)
        parts.append(part * (total / part.sum()) if part.sum() > 0 else np.full(count, total / count))
        at += count
    return np.concatenate(parts)


def full_upper(stage: StackedStage, belief: Floats) -> tuple[float, Floats, Floats]:
    """(value, y, mixture over the stage's slots): y covers what follows by points, at the least worst cost."""
    steps, after = stage.steps, stage.after
    _, rows = steps.support(belief)
    slots, counts = len(steps.slots), [len(known.values) for known in after]
    weights, runs = sum(counts), _runs(counts)
    price = np.zeros((slots, weights))
    for a, known, own in zip(stage.slot, after, runs, strict=True):
        price[a, own] = known.values
    worst = np.hstack([np.ones((slots, 1)), -steps.reward[:, rows], -price])
    spent = np.zeros((len(belief), 1 + len(rows) + weights))
    spent[steps.owner[rows], 1 + np.arange(len(rows))] = 1.0
    blocks = [sparse.csr_matrix(worst), sparse.csr_matrix(spent[belief > 0])]
    for way, known, own in zip(_ways(stage), after, runs, strict=True):
        covered = np.zeros((way.matrix.shape[1], 1 + len(rows) + weights))
        covered[:, 1 : 1 + len(rows)] = -way.matrix[rows].T
        covered[:, own.start + 1 + len(rows) : own.stop + 1 + len(rows)] = known.beliefs.T
        blocks.append(sparse.csr_matrix(covered))
    matrix, fixed = sparse.vstack(blocks), belief[belief > 0]
    below = np.concatenate([np.zeros(slots), fixed, np.zeros(matrix.shape[0] - slots - len(fixed))])
    above = np.where(np.arange(len(below)) < slots, np.inf, below)
    above[slots + len(fixed) :] = np.inf
    cost = np.zeros(matrix.shape[1])
    cost[0] = -1.0
    least = np.concatenate([[-np.inf], np.zeros(len(cost) - 1)])
    found = maximise(cost, least, np.full(len(cost), np.inf), matrix, below, above)
    y = np.zeros(len(steps.owner))
    y[rows] = found.primal[1 : 1 + len(rows)]
    mixture = np.abs(found.dual[:slots])
    held = steps.balanced(y, belief)
    shares = np.maximum(found.primal[1 + len(rows) :], 0.0)
    return _measured(stage, held, [shares[own] for own in runs]), held, mixture / mixture.sum()


def _measured(stage: StackedStage, y: Floats, shares: list[Floats]) -> float:
    """What y really holds the blind player to: corners pay for whatever rounding left uncovered."""
    worth = stage.steps.reward @ y
    for a, way, known, weight in zip(stage.slot, _ways(stage), stage.after, shares, strict=True):
        missing = np.maximum(y @ way.matrix - weight @ known.beliefs, 0.0)
        worth[a] += weight @ known.values + missing @ known.values[: len(missing)]
    return float(worth.max())


def _ways(stage: StackedStage) -> list[Successor]:
    return [way for ways in stage.steps.ways for way in ways]


def _runs(counts: list[int]) -> list[slice]:
    ends = np.cumsum([0, *counts]).tolist()
    return [slice(low, high) for low, high in pairwise(ends)]
