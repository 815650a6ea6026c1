"""A stage game by a double oracle with HiGHS: the compiled stages' method with a solver that is not ours.

McMahan, Gordon and Blum (2003). The blind player's best answer to y is the next column of the restricted game.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from fogbound.forms.table import Floats
from fogbound.solvers.lp import maximise
from fogbound.solvers.one_sided.program_game import StageGame, Way

MOST_COLUMNS = 500
Answer = tuple[float, int, Floats]  # a bound on what any slot is worth; the next column's slot (-1: none) and column


def master(stage: StageGame, belief: Floats, columns: Floats) -> tuple[float, Floats, Floats]:
    """(value, y, shares of the columns) of the game restricted to some columns [n, rows]."""
    support = np.flatnonzero(belief > 0)
    rows = np.flatnonzero(belief[stage.owner] > 0)
    promised = np.zeros((len(rows), len(support)))
    promised[np.arange(len(rows)), np.searchsorted(support, stage.owner[rows])] = 1.0
    once = np.concatenate([np.ones(len(columns)), np.zeros(len(support))])
    matrix = sparse.csr_matrix(np.vstack([np.hstack([-columns[:, rows].T, promised]), once]))
    below = np.concatenate([np.full(len(rows), -np.inf), [1.0]])
    above = np.concatenate([np.zeros(len(rows)), [1.0]])
    cost = np.concatenate([np.zeros(len(columns)), belief[support]])
    least = np.concatenate([np.zeros(len(columns)), np.full(len(support), -np.inf)])
    found = maximise(cost, least, np.full(len(cost), np.inf), matrix, below, above)
    y = np.zeros(len(stage.owner))
    y[rows] = np.abs(found.dual[:-1])
    shares = np.maximum(found.primal[: len(columns)], 0.0)
    return found.value, stage.balanced(y, belief), shares / shares.sum()


def hull(way: Way, tau: Floats) -> tuple[float, Floats]:
    """(value, facet): the largest linear function of beliefs at tau that is nowhere above a point, and not below 0."""
    matrix, points = sparse.csr_matrix(way.beliefs), len(way.values)
    zeros = np.zeros(len(tau))
    found = maximise(tau, zeros, np.full(len(tau), np.inf), matrix, np.full(points, -np.inf), way.values)
    weight = np.abs(found.dual)
    missing = np.maximum(tau - weight @ way.beliefs, 0.0)
    return float(weight @ way.values + missing @ way.values[: len(tau)]), np.maximum(found.primal, 0.0)


def sawtooth(way: Way, tau: Floats) -> float:
    """A quick bound from above on the hull: the corners, and the one point that takes most off them."""
    corners, inner = way.values[: len(tau)], slice(len(tau), None)
    beliefs = way.beliefs[inner]
    gaps = np.minimum(way.values[inner] - beliefs @ corners, 0.0)
    ratios = np.divide(tau, beliefs, out=np.full_like(beliefs, np.inf), where=beliefs > 0)
    return float(corners @ tau + (gaps * ratios.min(axis=1)).min(initial=0.0))


def oracle_lower(stage: StageGame, belief: Floats, tolerance: float) -> tuple[Floats, Floats]:
    """(the column of the blind player's mixture, y)."""

    def answer(y: Floats, worth: float) -> Answer:
        best, found, column = -np.inf, -1, np.zeros(0)
        for a, ways in enumerate(stage.ways):
            chosen = [way.vectors[int(np.argmax(way.vectors @ (y @ way.matrix)))] for way in ways]
            own = stage.reward[a] + sum(way.matrix @ vector for way, vector in zip(ways, chosen, strict=True))
            if y @ own > best:
                best, found, column = float(y @ own), a, own
        return best, found if best > worth + tolerance else -1, column

    _, y, columns, shares, _ = _played(stage, belief, answer)
    return shares @ columns, y


def oracle_upper(stage: StageGame, belief: Floats, tolerance: float) -> tuple[float, Floats, Floats]:
    """(value, y, mixture over the stage's slots). Facets found before are tried first, then the hull itself."""
    facets = [[np.zeros((1, way.matrix.shape[1])) for way in ways] for ways in stage.ways]

    def column(a: int, y: Floats) -> Floats:
        total: Floats = stage.reward[a].copy()
        for way, known in zip(stage.ways[a], facets[a], strict=True):
            total += way.matrix @ known[int(np.argmax(known @ (y @ way.matrix)))]
        return total

    def exact(a: int, y: Floats) -> float:
        total = float(stage.reward[a] @ y)
        for place, way in enumerate(stage.ways[a]):
            value, facet = hull(way, y @ way.matrix)
            facets[a][place] = np.vstack([facets[a][place], facet])
            total += value
        return total

    def answer(y: Floats, worth: float) -> Answer:
        known = [column(a, y) for a in range(len(stage.ways))]
        best = max(range(len(known)), key=lambda a: float(y @ known[a]))
        if y @ known[best] > worth + tolerance:
            return np.inf, best, known[best]
        most, top, found = -np.inf, worth + tolerance, -1
        for a, ways in enumerate(stage.ways):
            value = float(stage.reward[a] @ y) + sum(sawtooth(way, y @ way.matrix) for way in ways)
            if value > worth + tolerance:
                value = exact(a, y)
                if value > top:
                    top, found = value, a
            most = max(most, value)
        return most, found, column(found, y) if found >= 0 else np.zeros(0)

    value, y, _, shares, slots = _played(stage, belief, answer)
    mixture = np.zeros(len(stage.slots))
    np.add.at(mixture, slots, shares)
    return value, y, mixture


def _played(
    stage: StageGame, belief: Floats, answer: Callable[[Floats, float], Answer]
) -> tuple[float, Floats, Floats, Floats, list[int]]:
    """(bound, y, columns, shares, slots of the columns) when no answer is better than the restricted game."""
    _, slot, column = answer(stage.even(belief), -np.inf)
    columns, slots = column[None], [slot]
    while True:
        worth, y, shares = master(stage, belief, columns)
        bound, slot, column = answer(y, worth)
        if slot < 0 or len(columns) >= MOST_COLUMNS:
            return bound, y, columns, shares, slots
        columns, slots = np.vstack([columns, column]), [*slots, slot]
