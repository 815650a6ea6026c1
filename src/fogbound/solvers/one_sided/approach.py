"""Bounds on a one-sided game brought together, walk by walk."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fogbound.solvers.one_sided.bounded import SHARE, Bounded
from fogbound.solvers.one_sided.walk import Walker

STRIDE = 0.5  # of the gap: what a walk aims at


def approach(
    known: Bounded, aim: float, share: float = SHARE, improve: Callable[[float, float], object] | None = None
) -> Iterator[tuple[float, float]]:
    """The bounds, after ever more walks, until they are `aim` apart.

    Those with which it begins come first, unless they have walks behind them: then somebody has seen them already.
    """
    improve, told = improve or Walker(known).explore, known.walks > 0
    while True:
        lower, upper = known.bounds()
        if not told or upper - lower <= aim:
            yield lower, max(lower, upper)
        if upper - lower <= aim:
            return
        told = False
        improve(max(aim, STRIDE * (upper - lower)), share)
