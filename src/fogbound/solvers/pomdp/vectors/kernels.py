"""The linear program of pruning, as what it is: a small matrix game, solved by a dense simplex tableau.

Pruning asks thousands of tiny questions, and a general solver takes longer to be asked than to answer. The
belief picks a state, the others pick a vector, and the payoff is how far one vector is above the picked one. With
payoffs shifted to be positive, the vectors' side is a program whose slack variables are feasible at once (Dantzig
1951). Answers are not trusted: whoever asks measures what the two strategies guarantee.

The cheap first sieve of pruning: vectors that a single other one covers everywhere.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fogbound.compiled.kernel import kernel
from fogbound.forms.arrays import Floats, Longs

Undominated = Callable[[Floats, Longs, float, NDArray[np.int64]], tuple[int, float]]


def _undominated(vectors: Floats, order: Longs, margin: float, kept: NDArray[np.int64]) -> tuple[int, float]:
    """Fill `kept` with those that no kept one is within `margin` above everywhere; how many, and what that loses."""
    count, loss = 0, 0.0
    for k in order:
        nearest = np.inf
        for other in range(count):
            short = -np.inf
            for s in range(vectors.shape[1]):
                short = max(short, vectors[k, s] - vectors[kept[other], s])
                if short > margin:
                    break
            nearest = min(nearest, short)
            if nearest <= 0.0:
                break
        if nearest <= margin:
            loss = max(loss, nearest)
        else:
            kept[count] = k
            count += 1
    return count, loss


_compiled_undominated: Undominated = kernel(_undominated)


def undominated(vectors: Floats, margin: float) -> tuple[Longs, float]:
    """The vectors that no single other is above, up to `margin`, everywhere; and what dropping the rest may lose."""
    order = np.argsort(-vectors.sum(axis=1), kind="stable")
    kept = np.empty(len(vectors), np.int64)
    count, loss = _compiled_undominated(np.ascontiguousarray(vectors), order, margin, kept)
    return kept[:count], loss


SMALL = 1e-12  # entries of the tableau up to this count as zero
PATIENCE = 20  # pivots for each state and vector, after which it gives up
BLAND = 4  # pivots for each state after which the first improving column is taken, which cannot cycle


def _tableau(payoffs: Floats, shares: Floats, belief: Floats) -> bool:
    """max over beliefs of the least payoff: [vectors, states] in, both optimal mixtures out; False if it gave up.

    With A = payoffs - least + 1 > 0: maximise sum x subject to A'x <= 1 and x >= 0; shares are x, the belief the dual.
    """
    count, size = payoffs.shape
    least, reach = payoffs.min(), payoffs.max() - payoffs.min()
    table = np.zeros((size + 1, count + size + 1))
    for s in range(size):
        for k in range(count):
            table[s, k] = 1.0 + (payoffs[k, s] - least) / reach if reach > 0 else 1.0
        table[s, count + s] = 1.0
        table[s, count + size] = 1.0
    table[size, :count] = -1.0
    basis = np.arange(count, count + size)
    for turn in range(PATIENCE * (count + size)):
        enter, best = -1, -SMALL
        for k in range(count + size):
            if table[size, k] < best:
                enter, best = k, table[size, k]
                if turn > BLAND * size:
                    break
        if enter < 0:
            shares[:], belief[:] = 0.0, table[size, count : count + size]
            for s in range(size):
                if basis[s] < count:
                    shares[basis[s]] = table[s, count + size]
            return True
        leave, ratio = -1, np.inf
        for s in range(size):
            if table[s, enter] > SMALL:
                here = table[s, count + size] / table[s, enter]
                if here < ratio or (here == ratio and basis[s] < basis[leave]):
                    leave, ratio = s, here
        if leave < 0:
            return False
        table[leave] /= table[leave, enter]
        for s in range(size + 1):
            if s != leave and table[s, enter] != 0.0:
                table[s] -= table[s, enter] * table[leave]
        basis[leave] = enter
    return False


_compiled_tableau: Callable[[Floats, Floats, Floats], bool] = kernel(_tableau)


def matrix_game(payoffs: Floats) -> tuple[Floats, Floats] | None:
    """The shares of the rows, which want little, and of the columns, which want much; None if it gave up."""
    shares, belief = np.empty(payoffs.shape[0]), np.empty(payoffs.shape[1])
    if not _compiled_tableau(np.ascontiguousarray(payoffs), shares, belief):
        return None
    shares, belief = np.maximum(shares, 0.0), np.maximum(belief, 0.0)
    return shares / shares.sum(), belief / belief.sum()
