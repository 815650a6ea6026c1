"""What a relation is, and the answers that it compares."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fogbound.driver.protocol import Until
from fogbound.driver.solution import Solution
from fogbound.solvers import make
from tests.run import solve

Relation = Callable[[int], bool]  # a seed: whether it holds
GAP = 0.02


def bounds(form: object, solver: str, gap: float = GAP) -> Solution:
    """A certified answer as close as it was asked for; what the search itself said must agree with the proof."""
    found = solve(make(solver), form, Until(gap=gap, iterations=3_000))
    assert found.certified == "both", found
    assert found.lower <= found.upper <= found.lower + 2 * gap, found
    own, slack = found.trace[-1], 1e-9 * form.largest
    assert own.lower <= found.upper + slack, found
    assert found.lower <= own.upper + slack, found
    return found


def same_figures(one: Solution, other: Solution) -> bool:
    """Whether two answers say the same, to the bit."""
    figures = [(s.value, s.lower, s.upper, s.gap, s.iterations) for s in (one, other)]
    return figures[0] == figures[1]


def never_loosens(form: object, solver: str) -> bool:
    trace = solve(make(solver), form, Until(gap=GAP, iterations=200), certified=False).trace
    lows, highs = [m.lower for m in trace], [m.upper for m in trace]
    scale = 1e-12 * max(map(abs, (*lows, *highs)))
    return bool((np.diff(lows) >= -scale).all() and (np.diff(highs) <= scale).all())
