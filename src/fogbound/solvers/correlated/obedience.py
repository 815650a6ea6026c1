"""The linear program of a game in normal form whose solutions are what a mediator may recommend (Aumann 1974, 1987).

One variable a cell of the matrix: how likely the mediator draws it. A player who is told its strategy must not gain by
another, strategy for strategy; coarsely (Moulin and Vial 1978), one who is told nothing must not gain by any one
strategy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fogbound.core.errors import LimitError, many
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.normal import shape
from fogbound.solvers.linear_programs import highs

MOST_ENTRIES = 4_000_000  # numbers in the program
DRAWN = 1e-12  # probabilities below are rounding


def recommended(
    payoff: Floats, worth: Floats, coarse: bool = False, stopping: Callable[[], bool] | None = None
) -> Floats:
    """[cells] the correlated equilibrium of a matrix [J0, …, n] that is best by `worth` [cells]."""
    from scipy.sparse import csr_matrix, vstack

    scaled = payoff / highs.power_of_two(payoff)
    blocks = [_obedience(scaled[..., i], i, coarse) for i in range(payoff.shape[-1])]
    once: Any = csr_matrix(np.ones((1, worth.size)))
    matrix = vstack([once, *blocks]).tocsr()
    low, high = np.zeros(matrix.shape[0]), np.full(matrix.shape[0], np.inf)
    low[0] = high[0] = 1.0
    cost = worth / highs.power_of_two(worth)
    found = highs.maximise(cost, np.zeros(worth.size), np.ones(worth.size), matrix, low, high, stopping=stopping)
    weights = np.where(found.primal > DRAWN, found.primal, 0.0)
    return np.asarray(weights / weights.sum())


def _entries(widths: tuple[int, ...], coarse: bool) -> int:
    """How many numbers the program has."""
    cells = int(np.prod(widths, dtype=object))
    return sum(cells * (wide if coarse else wide - 1) for wide in widths)


def require_small(spec: str, widths: tuple[int, ...], coarse: bool) -> None:
    """Refuse a program that would not fit."""
    if _entries(widths, coarse) > MOST_ENTRIES:
        raise LimitError(
            f"correlated: {spec} has {many(shape(list(widths)), 'strategy')}, a program of "
            f"{shape([_entries(widths, coarse)])} numbers, over the limit of {MOST_ENTRIES:,}. For two "
            "players without chance: correlated(extensive=true)"
        )


def _obedience(payoff: Floats, player: int, coarse: bool) -> Any:
    """Rows that must not be negative: what obeying brings more than doing something else instead."""
    from scipy.sparse import csr_matrix

    own = np.moveaxis(payoff, player, 0).reshape(payoff.shape[player], -1)  # [strategies, others' cells]
    places: Longs = np.moveaxis(np.arange(payoff.size).reshape(payoff.shape), player, 0).reshape(own.shape)
    many, rest = own.shape
    more = own[:, None, :] - own[None, :, :]  # [told, does, others' cells]
    told, does = np.indices((many, many))
    keep = np.ones((many, many), bool) if coarse else told != does
    row = does if coarse else told * many + does
    columns = np.broadcast_to(places[:, None, :], more.shape)[keep].ravel()
    rows = np.repeat(row[keep], rest)
    shape = (many if coarse else many * many, payoff.size)
    return csr_matrix((more[keep].ravel(), (rows, columns)), shape=shape)
