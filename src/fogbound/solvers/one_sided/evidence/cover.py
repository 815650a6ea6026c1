"""How the player who sees replies at a point of the upper bound, and by a linear program where that was not kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from fogbound.forms.table import Floats, Ints
from fogbound.solvers.lp import maximise
from fogbound.solvers.one_sided.evidence.stage import Stage

TINY = 1e-11  # weights below this are noise


@dataclass(frozen=True, eq=False)
class Hull:
    """Points of a partition, shifted so that nothing is worth less than 0, and its corners."""

    beliefs: Floats  # [points, states]
    values: Floats  # [points]
    corner: Floats  # [states]
    records: list[int]  # [points]


@dataclass(frozen=True, eq=False)
class Reply:
    """The other's mixture at a point: how often each row is played, and covers of what may follow."""

    y: Floats  # [rows of the partition] weights
    shares: Floats  # of the rows of its states, one state after the other
    covers: list[list[tuple[int, float]]] = field(default_factory=list)  # [branches] points of the evidence

    @classmethod
    def of(cls, own: Stage, belief: Floats, y: Floats) -> Reply:
        """The reply with these weights of rows."""
        return cls(y, (y / np.where(belief > 0, belief, 1.0)[own.state])[belief[own.state] > 0])


def reply(own: Stage, hulls: list[Hull], belief: Floats, discount: float) -> tuple[Reply, list[Floats]]:
    """The other's mixture at a belief, and [branches] weights of points: none where the corners do as well.

    min W subject to W >= what each slot pays and its covers cost, covers that cover, and rows that add up.
    """
    rows = np.flatnonzero(belief[own.state] > 0)
    columns = len(rows) + sum(len(hull.values) + len(hull.corner) for hull in hulls) + 1
    parts = [_pays(own, hulls, rows, discount, columns), _sums(own, belief, rows, columns)]
    if hulls:
        leads = sparse.vstack([sparse.csc_matrix(-step[rows].T) for step in own.step])
        blocks = sparse.block_diag([np.hstack([hull.beliefs.T, np.eye(len(hull.corner))]) for hull in hulls])
        parts.append(sparse.hstack([leads, blocks, sparse.csc_matrix((leads.shape[0], 1))]))
    matrix = sparse.vstack(parts)
    low, high = np.zeros(matrix.shape[0]), np.full(matrix.shape[0], np.inf)
    equal = slice(len(own.pay), len(own.pay) + len(belief))
    low[equal] = high[equal] = belief
    least, cost = np.zeros(columns), np.zeros(columns)
    least[-1], cost[-1] = -np.inf, -1.0
    primal = maximise(cost, least, np.full(columns, np.inf), matrix, low, high).primal
    y, chosen, at = mixture(own, belief, rows, primal[: len(rows)]), [], len(rows)
    plain = _by_corners(own, hulls, y, discount)
    for slot, hull in zip(own.slot.tolist(), hulls):
        weights = primal[at : at + len(hull.values)]
        chosen.append(np.where((weights > TINY) & (plain[slot] > primal[-1]), weights, 0.0))
        at += len(hull.values) + len(hull.corner)
    return Reply.of(own, belief, y), chosen


def _pays(own: Stage, hulls: list[Hull], rows: Ints, discount: float, columns: int) -> Any:
    """[slots, columns] W less what a slot pays, and what its covers cost."""
    pays, at = np.zeros((len(own.pay), columns)), len(rows)
    pays[:, : len(rows)], pays[:, -1] = -own.pay[:, rows], 1.0
    for slot, hull in zip(own.slot.tolist(), hulls):
        cost = np.concatenate([hull.values, hull.corner])
        pays[slot, at : at + len(cost)] = -discount * cost
        at += len(cost)
    return sparse.csc_matrix(pays)


def _sums(own: Stage, belief: Floats, rows: Ints, columns: int) -> Any:
    """[states, columns] the weights of the rows of a state."""
    places = own.state[rows], np.arange(len(rows))
    return sparse.csc_matrix((np.ones(len(rows)), places), (len(belief), columns))


def _by_corners(own: Stage, hulls: list[Hull], y: Floats, discount: float) -> Floats:
    """[slots] what a slot comes to when only corners cover what follows."""
    found: Floats = own.pay @ y
    for slot, step, hull in zip(own.slot.tolist(), own.step, hulls):
        found[slot] += discount * float(y @ step @ hull.corner)
    return found


def mixture(own: Stage, belief: Floats, rows: Ints, primal: Floats) -> Floats:
    """Weights of all rows that add up to the belief in every state."""
    y = np.zeros(own.rows)
    y[rows] = np.maximum(primal, 0.0)
    total = np.bincount(own.state, y, len(belief))
    count = np.bincount(own.state, minlength=len(belief))
    even = total <= 0
    y = np.where(even[own.state], 1.0 / count[own.state], y / np.where(even, 1.0, total)[own.state])
    found: Floats = y * belief[own.state]
    return found
