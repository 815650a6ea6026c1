"""Trials: the heuristic search of PG-HSVI through beliefs of the blind player.

Horak, Bosansky and Pechoucek (2017); Horak, Bosansky, Kovarik and Kiekintveld (2023). A trial solves the two stage
games at a belief, goes on to where the gap exceeds most what may be left there, and comes back: closing a child does
not close its parent, since the other may reply differently, so stages are solved on the way down and again on the way
up.

Two things are not in the papers. Points say little of beliefs around them and were found from worse ones, so two
trials of three lead through the beliefs of known points instead of new ones. And trials are short at first: what is far
away matters little as long as what is near is loose, so three trials of four stop after `SHALLOW` steps, three of four
of the others after twice as many, and so on, which leaves none too deep to be reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fogbound.driver.stops import StopReason
from fogbound.forms.arrays import Floats
from fogbound.solvers.one_sided.bounds import STAGE_TOLERANCE, OneSidedBounds
from fogbound.solvers.one_sided.stages.solvers import stage_solver

SHALLOW, DEEPEST = 20, 200  # steps of most trials, and of any
TURN, SELDOM = 3, 4  # one trial of so many goes to new beliefs; goes deeper
Path = list[tuple[int, int]]  # partitions, each with the successor that was followed from it; -1: none


class TrialSearch:
    """Trials in a game that add what they find to its bounds, with any of the ways to solve stage games."""

    def __init__(self, bounds: OneSidedBounds, kind: str = "compiled") -> None:
        self.bounds, self.kind = bounds, kind
        self.stages = stage_solver(bounds, kind, add=True)

    def explore(
        self, gap: float, stage_tolerance: float = STAGE_TOLERANCE, stopping: Callable[[], bool] | None = None
    ) -> list[Path]:
        """One trial from each partition in which play may begin, for a gap at the start of at most `gap`.

        Stage games are solved to `stage_tolerance` times the gap. A trial may be stopped after any stage: bounds hold
        at any time.
        """
        form, epsilon = self.bounds.form, gap / self.bounds.scaled.scale
        self.stages = stage_solver(self.bounds, self.kind, add=True)  # a resumed run knows no models of earlier trials
        self.bounds.arrays["trials"][0] += 1
        paths = []
        for p in self.bounds.parts.tolist():
            start = form.start[form.states_of(p)]
            paths.append(self._trial(p, start / start.sum(), epsilon, stage_tolerance * epsilon, stopping or _never))
        return paths

    def _trial(
        self, start: int, belief: Floats, epsilon: float, tolerance: float, stopping: Callable[[], bool]
    ) -> Path:
        stages, discount, trial = self.stages, self.bounds.form.discount, self.bounds.trials
        tighten, deepest, p, left = bool((trial - 1) % TURN), depth(trial), start, epsilon
        above: list[tuple[int, Floats]] = []
        path: Path = []
        while not stopping():
            y, mixed = stages.both(p, belief, tolerance)
            left = (left - 0.5 * (1 - discount) * epsilon) / discount if discount > 0 else np.inf
            successor = stages.promising(p, y, mixed, left) if len(above) < deepest else -1
            path.append((p, successor))
            if successor < 0:
                break
            above.append((p, belief))
            belief = stages.after(p, y, successor, tighten)
            p = int(self.bounds.game.target[successor])
        for p, belief in reversed(above):
            if stopping():
                break
            stages.both(p, belief, tolerance)
        return path


def _never() -> bool:
    return False


def depth(trial: int) -> int:
    """How many steps a trial goes at most, by its number, from 1 on."""
    steps = SHALLOW
    while trial % SELDOM == 0 and steps < DEEPEST:
        steps, trial = 2 * steps, trial // SELDOM
    return min(steps, DEEPEST)


STRIDE = 0.5  # of the gap: what a trial aims at
PATIENCE = 256  # trials, of which one goes as deep as any
STILL, FINE = 1e-6, 1e-6  # of the gap: what is no progress; of the scale: a gap that floats may leave for ever


def standstill(bounds: OneSidedBounds) -> bool:
    """Whether floats bring the bounds no closer: they nearly meet, and `PATIENCE` trials have made no difference.

    What it goes by is kept with the bounds, so that a run that was cut off ends where it would have.
    """
    lower, upper = bounds.interval()
    mark = bounds.arrays.setdefault("mark", np.array([upper - lower, bounds.trials], np.float64))
    if upper - lower < (1 - STILL) * mark[0]:
        mark[:] = upper - lower, bounds.trials
    return bool(bounds.trials - mark[1] >= PATIENCE and upper - lower <= FINE * bounds.scaled.scale)


def numerical_limit(bounds: OneSidedBounds, lower: float, upper: float, aim: float) -> StopReason | None:
    """Why trials end above the gap that they aim at, where they do."""
    return StopReason.NUMERICAL if upper - lower > aim and standstill(bounds) else None


def approach(
    bounds: OneSidedBounds,
    epsilon: float,
    stage_tolerance: float = STAGE_TOLERANCE,
    kind: str = "compiled",
    stopping: Callable[[], bool] | None = None,
) -> Iterator[tuple[float, float]]:
    """The bounds as they are, then after ever more trials, until they are `epsilon` apart or at a standstill.

    Parameters
    ----------
    bounds : OneSidedBounds
        They are improved in place.
    epsilon : float
        The gap that ends it, in units of the reward.
    stage_tolerance : float
        How exactly stage games are solved, as a share of the gap that a trial aims at.
    kind : str
        How stage games are solved, one of `stages.kinds.KINDS`.
    stopping : callable, optional
        Whether to stop, asked after every stage of a trial.

    Yields
    ------
    lower, upper : float
    """
    search = TrialSearch(bounds, kind)
    while True:
        lower, upper = bounds.interval()
        ended = upper - lower <= epsilon or standstill(bounds)
        yield lower, max(lower, upper)
        if ended:
            return
        search.explore(max(epsilon, STRIDE * (upper - lower)), stage_tolerance, stopping)
