"""Bounds on a one-sided game brought together, walk by walk."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fogbound.solvers.one_sided.bounded import SHARE, Bounded

STRIDE = 0.5  # of the gap: what a walk aims at


def approach(
    known: Bounded, aim: float, share: float = SHARE, explore: Callable[[float, float], object] | None = None
) -> Iterator[tuple[float, float]]:
    """The bounds, after ever more walks, until they are `aim` apart."""
    explore = explore or known.explore
    while True:
        lower, upper = known.bounds()
        yield lower, max(lower, upper)
        if upper - lower <= aim:
            return
        explore(max(aim, STRIDE * (upper - lower)), share)
