"""The cheap first sieve of pruning: vectors that a single other one covers everywhere."""

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
