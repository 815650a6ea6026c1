"""Walks through beliefs of the blind player: the heuristic search of PG-HSVI.

Horak, Bosansky and Pechoucek (2017); Horak, Bosansky, Kovarik and Kiekintveld (2023). A walk solves the two stage games
at a belief, goes on to where the gap exceeds most what may be left there, and comes back: closing a child does not
close its parent, since the other may reply differently, so stages are solved on the way down and again on the way up.

Two things are not in the papers. Points say little of beliefs around them and were found from worse ones, so two walks
of three lead through the beliefs of known points instead of new ones. And walks are short at first: what is far away
matters little as long as what is near is loose, so three walks of four stop after `SHALLOW` steps, three of four of the
others after twice as many, and so on, which leaves none too deep to be reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fogbound.forms.arrays import Floats
from fogbound.solvers.one_sided.bounds import STAGE_TOLERANCE, OneSidedBounds
from fogbound.solvers.one_sided.stages.solvers import stage_solver

SHALLOW, DEEPEST = 20, 200  # steps of most walks, and of any
TURN, SELDOM = 3, 4  # one walk of so many goes to new beliefs; goes deeper
Path = list[tuple[int, int]]  # partitions, each with the branch that was followed from it; -1: none


def explore(bounded: OneSidedBounds, gap: float, stage_tolerance: float = STAGE_TOLERANCE) -> None:
    """One walk from each partition in which play may begin, with compiled stages: see `TrialSearch.explore`."""
    TrialSearch(bounded).explore(gap, stage_tolerance)


class TrialSearch:
    """Walks through a game that add what they find to its bounds, with any of the ways to solve stage games."""

    def __init__(self, bounded: OneSidedBounds, kind: str = "compiled") -> None:
        self.bounded, self.kind = bounded, kind
        self.stages = stage_solver(bounded, kind, add=True)

    def explore(
        self, gap: float, stage_tolerance: float = STAGE_TOLERANCE, stopping: Callable[[], bool] = lambda: False
    ) -> list[Path]:
        """One walk from each partition in which play may begin, for a gap at the start of at most `gap`.

        Stage games are solved to a `share` of the gap. A walk may be stopped after any stage: what is known by then
        holds.
        """
        form, epsilon = self.bounded.form, gap / self.bounded.scaled.scale
        self.stages = stage_solver(self.bounded, self.kind, add=True)  # a resumed run knows no models of earlier walks
        self.bounded.arrays["walks"][0] += 1
        found = []
        for p in self.bounded.parts.tolist():
            start = form.start[form.first[p] : form.first[p + 1]]
            found.append(self._walk(p, start / start.sum(), epsilon, stage_tolerance * epsilon, stopping))
        return found

    def _walk(self, start: int, belief: Floats, epsilon: float, tolerance: float, stopping: Callable[[], bool]) -> Path:
        stages, discount, walks = self.stages, self.bounded.form.discount, self.bounded.walks
        tighten, deepest, p, left = bool((walks - 1) % TURN), depth(walks), start, epsilon
        above: list[tuple[int, Floats]] = []
        path: Path = []
        while not stopping():
            y, mixed = stages.both(p, belief, tolerance)
            left = (left - 0.5 * (1 - discount) * epsilon) / discount if discount > 0 else np.inf
            branch = stages.promising(p, y, mixed, left) if len(above) < deepest else -1
            path.append((p, branch))
            if branch < 0:
                break
            above.append((p, belief))
            belief = stages.after(p, y, branch, tighten)
            p = int(self.bounded.game.target[branch])
        for p, belief in reversed(above):
            if stopping():
                break
            stages.both(p, belief, tolerance)
        return path


def depth(walk: int) -> int:
    """How many steps a walk goes at most, by its number, from 1 on."""
    found = SHALLOW
    while walk % SELDOM == 0 and found < DEEPEST:
        found, walk = 2 * found, walk // SELDOM
    return min(found, DEEPEST)


# Bounds on a one-sided game brought together, walk by walk.


STRIDE = 0.5  # of the gap: what a walk aims at


def approach(
    known: OneSidedBounds,
    epsilon: float,
    stage_tolerance: float = STAGE_TOLERANCE,
    improve: Callable[[float, float], object] | None = None,
) -> Iterator[tuple[float, float]]:
    """The bounds, after ever more walks, until they are `aim` apart.

    Those with which it begins come first, unless they have walks behind them: then somebody has seen them already.
    """
    improve, reported = improve or TrialSearch(known).explore, known.walks > 0
    while True:
        lower, upper = known.bounds()
        if not reported or upper - lower <= epsilon:
            yield lower, max(lower, upper)
        if upper - lower <= epsilon:
            return
        reported = False
        improve(max(epsilon, STRIDE * (upper - lower)), stage_tolerance)
