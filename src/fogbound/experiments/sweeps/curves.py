"""Several runs as one curve: at every place the geometric mean of their gaps, with Student's 95 % interval.

Gaps are positive and span powers of ten, so that their logarithms are what is averaged, over runs with different seeds.
A run that has ended keeps its last gap. These are statistics over seeds, never called bounds.

Runs that do not depend on their seed take the same steps, each in its own time. They are one curve over iterations;
over seconds each step stands at the mean of its times, without an interval: a clock's jitter is no sampling error.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from fogbound.arena.match import student
from fogbound.draw.gap_curves import SECONDS, GapPoint
from fogbound.experiments.sweeps.rows import RunPoint

CLOSED = 1e-12  # a gap that is less is closed: 0 has no logarithm
SHARED = 4  # every 4th point is shared by curves that were thinned differently
MOST_PLACES = 240  # more cannot be told apart in a picture


def gap_curve(runs: Sequence[Sequence[RunPoint]], over: str) -> tuple[GapPoint, ...]:
    """The curve of several runs over seconds or iterations; none before each of them has a first answer.

    Parameters
    ----------
    runs
        The points of each run.
    over
        ``"seconds"`` or ``"iterations"``.

    Returns
    -------
    tuple of GapPoint

    Examples
    --------
    >>> runs = [[RunPoint(1, None, 1.0), RunPoint(8, None, 0.1)], [RunPoint(2, None, 1.0)]]
    >>> [(point.place, round(point.gap, 4)) for point in gap_curve(runs, "iterations")]
    [(2, 1.0), (8, 0.3162)]
    """
    known = [run for run in runs if run]
    placed = [[_place(point, over) for point in run] for run in known]
    if not known:
        return ()
    if len(known) > 1 and same_steps(known):
        return tuple(GapPoint(place, gap, gap, gap) for place, gap in _mean_times(known, over))
    begins = max(places[0] for places in placed)
    wanted = _spread(sorted({place for places in placed for place in places if place >= begins}))
    curve = []
    for place in wanted:
        gaps = [run[bisect_right(places, place) - 1].gap for run, places in zip(known, placed)]
        curve.append(GapPoint(place, *mean_gap(gaps)))
    return tuple(curve)


def same_steps(runs: Sequence[Sequence[RunPoint]]) -> bool:
    """Whether several runs have the same gap at every iteration that they share: the seed changed nothing.

    Long curves are thinned, so that not all of their iterations are shared; where hardly any are, nothing is known.

    Examples
    --------
    >>> one, other = [RunPoint(1, 0.1, 1.0), RunPoint(2, 0.2, 0.5)], [RunPoint(1, 0.3, 1.0)]
    >>> same_steps([one, other]), same_steps([one, [RunPoint(1, 0.1, 0.9)]])
    (True, False)
    """
    known = [{point.iteration: point.gap for point in run} for run in runs]
    longest = max(known, key=len)
    for gaps in known:
        shared = gaps.keys() & longest.keys()
        if SHARED * len(shared) < len(gaps) or any(gaps[k] != longest[k] for k in shared):
            return False
    return True


def _mean_times(runs: Sequence[Sequence[RunPoint]], over: str) -> list[tuple[float, float]]:
    """Where each step of the same runs stands, and its gap; one that not all came to, no earlier than those before."""
    steps: dict[int, list[RunPoint]] = {}
    for run in runs:
        for point in run:
            steps.setdefault(point.iteration, []).append(point)
    found, reached = list[tuple[float, float]](), 0.0
    for _, points in sorted(steps.items()):
        reached = max(reached, sum(_place(point, over) for point in points) / len(points))
        found.append((reached, points[0].gap))
    kept = set(_spread([place for place, _ in found]))
    return [point for point in found if point[0] in kept]


def mean_gap(gaps: Sequence[float]) -> tuple[float, float, float]:
    """The geometric mean of gaps, and Student's 95 % interval around it; closed where there is one run alone.

    Examples
    --------
    >>> mean_gap([0.25]), mean_gap([0.0, 0.0]), [round(one, 3) for one in mean_gap([0.1, 1.0, 10.0])]
    ((0.25, 0.25, 0.25), (0.0, 0.0, 0.0), [1.0, 0.003, 304.886])
    """
    if min(gaps) == max(gaps):
        return gaps[0], gaps[0], gaps[0]
    logs = np.log(np.maximum(np.asarray(gaps, float), CLOSED))
    low, high = student(logs)
    return math.exp(float(logs.mean())), math.exp(low), math.exp(high)


def _place(point: RunPoint, over: str) -> float:
    return point.iteration if over != SECONDS else point.seconds or 0.0


def _spread(places: Sequence[float]) -> list[float]:
    """As many places as can be told apart, evenly in their logarithms; the first and the last among them."""
    if len(places) <= MOST_PLACES:
        return list(places)
    low, high = max(places[0], 1e-9), places[-1]
    marks = np.geomspace(low, max(low, high), MOST_PLACES).tolist()
    kept = {bisect_right(places, mark * (1 + 1e-12)) - 1 for mark in marks}
    return [places[k] for k in sorted({0, len(places) - 1, *(k for k in kept if k >= 0)})]
