"""The vertices of a best-reply polyhedron, by the double description method in integers.

Motzkin, Raiffa, Thompson and Thrall (1953); Fukuda and Prodon (1996). The polyhedron of all (x, u) with x >= 0 and
u >= payoff of every reply to x is a cone, whose extreme rays other than u itself are its vertices once x is scaled to a
sum of 1. Replies are added one by one: rays that violate a new one are replaced by combinations with adjacent rays that
do not. Rays are integers without a common factor, so ties are seen as ties, however degenerate the game is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.errors import LimitError
from fogbound.solvers.matrix.exact import Integers
from fogbound.solvers.matrix.support_enumeration import Vertex

MOST_RAYS = 15_000  # about a minute
WORD = 64  # bits of a machine word
BLOCK = 2**22  # comparisons of rays at once
Sets = NDArray[np.uint64]  # [rays, words] the inequalities that are tight, as bits: x_i >= 0 first, then replies


def polyhedron_vertices(payoffs: Integers, name: str, equal: Sequence[int] = ()) -> list[Vertex]:
    """All mixed strategies that are vertices of the best-reply polyhedron; `payoffs` is [replies, strategies].

    With `equal` only those of the face on which these replies are all best.

    Raises
    ------
    LimitError
        There are too many; `name` says of what.
    """
    replies, strategies = payoffs.shape
    order = [*equal, *(r for r in range(replies) if r not in set(equal))]
    rays, tight = _first_cone(payoffs, order[0])
    if equal:
        rays, tight = rays[:-1], tight[:-1]
    for number, reply in enumerate(order[1:], 1):
        check()
        slack = rays[:, -1] - rays[:, :-1] @ payoffs[reply]
        positive, negative = np.flatnonzero(slack > 0), np.flatnonzero(slack < 0)
        fresh: list[tuple[int, int]] = []
        for p in positive.tolist():
            check()
            fresh += [(p, int(n)) for n in _adjacent(tight, p, negative, strategies - 1)]
            if len(positive) + len(fresh) > MOST_RAYS:
                raise LimitError(
                    f"equilibria: {name} has over {MOST_RAYS:,} vertices of best-reply polyhedra, {strategies} x "
                    f"{replies} undominated strategies. For one equilibrium: fogbound solve --with lemke-howson"
                )
        stay = np.flatnonzero(slack == 0 if number < len(equal) else slack >= 0)
        combined = [_primitive(slack[p] * rays[n] - slack[n] * rays[p]) for p, n in fresh]
        sets = [tight[p] & tight[n] for p, n in fresh]
        here = [slack[k] == 0 for k in stay.tolist()] + [True] * len(fresh)
        rays = np.concatenate([rays[stay], np.array(combined, object).reshape(len(fresh), strategies + 1)])
        tight = np.concatenate([tight[stay], np.array(sets, np.uint64).reshape(len(fresh), tight.shape[1])])
        _mark(tight, strategies + reply, np.array(here, bool))
    return [_vertex(ray, bits) for ray, bits in zip(rays, tight) if any(ray[:-1])]


def _first_cone(payoffs: Integers, reply: int) -> tuple[Integers, Sets]:
    """The rays of x >= 0 and one reply: every pure strategy, and u alone."""
    replies, strategies = payoffs.shape
    rays: Integers = np.zeros((strategies + 1, strategies + 1), object)
    tight = np.zeros((strategies + 1, -(-(strategies + replies) // WORD)), np.uint64)
    for k in range(strategies):
        rays[k, k], rays[k, -1] = 1, int(payoffs[reply, k])
        _mark(tight, k, np.arange(strategies + 1) != k)
    rays[-1, -1] = 1
    _mark(tight, strategies + reply, np.arange(strategies + 1) < strategies)
    return rays, tight


def _mark(tight: Sets, inequality: int, where: NDArray[np.bool_]) -> None:
    word, bit = divmod(inequality, WORD)
    tight[where, word] |= np.uint64(1 << bit)


def _adjacent(tight: Sets, one: int, others: NDArray[np.int64], least: int) -> NDArray[np.int64]:
    """The rays of `others` that share a face of two dimensions with a ray: no third ray is tight where both are."""
    common = tight[others] & tight[one]
    likely = np.flatnonzero(np.bitwise_count(common).sum(axis=1) >= least)
    found = []
    step = max(1, BLOCK // len(tight))
    for start in range(0, len(likely), step):
        part = likely[start : start + step]
        within = np.ones((len(part), len(tight)), bool)
        for word in range(tight.shape[1]):
            own = common[part, word]
            within &= (tight[None, :, word] & own[:, None]) == own[:, None]
        found.append(others[part[within.sum(axis=1) == 2]])
    return np.concatenate(found) if found else others[:0]


def _primitive(ray: Integers) -> Integers:
    """A ray without a common factor."""
    return ray // math.gcd(*ray.tolist())


def _vertex(ray: Integers, bits: NDArray[np.uint64]) -> Vertex:
    weights = [int(v) for v in ray[:-1]]
    total = sum(weights)
    whole = sum(int(word) << (WORD * k) for k, word in enumerate(bits))
    support = sum(1 << k for k, w in enumerate(weights) if w)
    return Vertex(tuple(Fraction(w, total) for w in weights), support, whole >> len(weights))
