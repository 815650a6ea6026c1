"""Which vectors of a set are best somewhere: Lark's filter, by linear programs.

White (1991), section 2, describes the filter and names Lark; Cassandra, Littman and Zhang (1997) build incremental
pruning on it. What a linear program says is not taken on trust: a vector is dropped for a mixture of others that the
dual names, how much that mixture falls short of it is measured, and the largest shortfall is handed back as `loss`.
So bounds built on pruned sets are true whatever the tolerances of the program were.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_matrix

from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.linear_programs import highs
from fogbound.solvers.markov.kernels import matrix_strategies
from fogbound.solvers.pomdp.vectors.kernels import undominated

TINY = 1e-9  # being best by less than this share of the largest entry is not worth a vector
SURE = 1e-11  # how close the two sides of a program must come to count as solved, in shares of its largest entry
TIE = 1e-12  # vectors this close at a point count as equally good there
inf = np.inf


@dataclass(frozen=True, eq=False)
class Pruned:
    """The vectors that are kept, a belief for each where it is best, and how much the maximum may have lost."""

    keep: Longs  # [k]
    points: Floats  # [k, n]
    loss: float


@dataclass(frozen=True, eq=False)
class Lead:
    """How far a vector gets above the maximum of others."""

    gain: float  # at `belief`: it gets at least so far
    most: float  # it gets nowhere further
    belief: Floats
    mixture: Floats  # of the others: nowhere more than `most` below the vector


def lead(vector: Floats, others: Floats, stopping: Callable[[], bool]) -> Lead:
    """max over beliefs b of (vector - max of others) . b: a linear program, its two answers made exact bounds.

    It is a small matrix game: the belief picks a state, the others a vector. Pruning asks thousands of them, and a
    general solver takes longer to be asked than to answer, so the simplex of stage games is asked first, and HiGHS
    where its two answers lie further apart than rounding explains.
    """
    if stopping():
        raise highs.Cancelled("pruning was stopped before it was done")
    above = vector - others
    belief, shares = matrix_strategies(above.T)
    first = _measured(vector, others, shares, belief)
    if first.most - first.gain <= SURE * float(np.abs(above).max()):
        return first
    return _measured(vector, others, *_by_highs(above))


def _measured(vector: Floats, others: Floats, shares: Floats, belief: Floats) -> Lead:
    mixture = shares @ others
    gain = float(((vector - others) @ belief).min())
    return Lead(gain, float((vector - mixture).max()), belief, mixture)


def _by_highs(payoffs: Floats) -> tuple[Floats, Floats]:
    """Shares of the rows and the belief of the matrix game by HiGHS: maximise t such that payoffs . belief >= t."""
    count, size = payoffs.shape
    rows = np.zeros((count + 1, size + 1))
    rows[:count, :size], rows[:count, size], rows[count, :size] = payoffs / highs.power_of_two(payoffs), -1.0, 1.0
    cost, least = np.append(np.zeros(size), 1.0), np.append(np.zeros(size), -inf)
    row_least, row_most = np.append(np.zeros(count), 1.0), np.append(np.full(count, inf), 1.0)
    optimum = highs.maximise(cost, least, np.full(size + 1, inf), csc_matrix(rows), row_least, row_most, "simplex")
    belief, shares = np.maximum(optimum.primal[:size], 0.0), np.abs(optimum.dual[:count])
    return shares / shares.sum(), belief / belief.sum()


def prune(vectors: Floats, points: Floats, margin: float, stopping: Callable[[], bool]) -> Pruned:
    """Keep what is best somewhere by more than `margin`, or than rounding explains.

    `points` are beliefs at which to look first: each spares a linear program.
    """
    margin = max(margin, TINY * float(np.abs(vectors).max(initial=0.0)))
    waiting, alone = undominated(vectors, margin)
    kept: list[int] = []
    where: list[Floats] = []
    for belief in np.concatenate([np.eye(vectors.shape[1]), points]):
        best = _best(vectors, waiting, belief)
        if best not in kept:
            kept.append(best)
            where.append(belief)
    waiting = waiting[~np.isin(waiting, kept)]
    mixed = 0.0
    while len(waiting):
        first = lead(vectors[waiting[0]], vectors[kept], stopping)
        if first.gain > margin:
            best = _best(vectors, waiting, first.belief)
            kept.append(best)
            where.append(first.belief)
            waiting = waiting[waiting != best]
        else:  # the mixture that stands in for this one may stand in for others too
            short = (vectors[waiting] - first.mixture).max(axis=1)
            gone = short <= max(short[0], 0.0)
            mixed = max(mixed, float(short[gone].max()))
            waiting = waiting[~gone]
    return Pruned(np.array(kept, np.int64), np.array(where), alone + mixed)


def _best(vectors: Floats, among: Longs, belief: Floats) -> int:
    """The best vector at a belief; of equally good ones the greatest in dictionary order, which is best nearby."""
    values = vectors[among] @ belief
    top = float(values.max())
    near = among[values >= top - TIE * abs(top)]
    return int(near[0]) if len(near) == 1 else int(max(near, key=lambda k: tuple(vectors[k])))


def rise(new: Floats, old: Floats, stopping: Callable[[], bool]) -> float:
    """A bound on how far the maximum of `new` is above that of `old` at most; below 0 where it is below everywhere."""
    single = np.array([(vector - old).max(axis=1).min() for vector in new])  # above the nearest single vector
    most = -inf
    for k in np.argsort(-single, kind="stable"):
        if single[k] <= most:
            break
        most = max(most, min(float(single[k]), lead(new[k], old, stopping).most))
    return most
