"""Stage games of one-sided games: CPU milliseconds by the way they are solved, at beliefs where walks have been."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.text import aligned
from fogbound import forms, games
from fogbound.driver.clock import Clock
from fogbound.forms.arrays import Floats
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.heuristic_search import TrialSearch
from fogbound.solvers.one_sided.stages.kinds import KINDS
from fogbound.solvers.one_sided.stages.solvers import Stages, copied_bounds

CASES = {"pursuit(columns=3)": 30, "pursuit(columns=4)": 30, "scotland-yard(map=18)": 20, "scotland-yard(map=12)": 10}
PARTITIONS, BELIEFS = 20, 6  # looked at, and in each of them
LEAST_GAP, SHARE = 0.1, 0.03
TIMES = 3  # that all is measured; the least counts, since whatever else the machine does only adds


def measure() -> list[dict[str, Any]]:
    """Seconds of the (lower, upper) stages of each kind, on average."""
    return [_measured(spec, walks) for spec, walks in CASES.items()]


def _measured(spec: str, walks: int) -> dict[str, Any]:
    known, gap = OneSidedBounds(forms.one_sided(games.make(spec))), np.inf
    for _ in range(walks):
        lower, upper = known.interval()
        gap = max(LEAST_GAP, 0.5 * (upper - lower))
        TrialSearch(known).explore(gap)
    asked = _asked(known)
    counted = len(asked) - len({partition for partition, _ in asked})
    spent = [compare(known, asked, SHARE * gap) for _ in range(TIMES)]
    least = {kind: min((found[kind] for found in spent), key=sum) for kind in KINDS}
    return {"stages": spec, "walks": walks, **{kind: [s / counted for s in least[kind]] for kind in KINDS}}


def compare(
    bounds: OneSidedBounds, asked: list[tuple[int, Floats]], tolerance: float = 1e-2
) -> dict[str, tuple[float, float]]:
    """CPU seconds that each kind takes for the (lower, upper) stages at some (partition, belief), bounds unchanged.

    The first belief of each partition is not counted: what is loaded or laid out once serves many stages.
    """
    return {kind: _spent(copied_bounds(bounds), kind, asked, tolerance) for kind in KINDS}


def _spent(bounds: OneSidedBounds, kind: str, asked: list[tuple[int, Floats]], tolerance: float) -> tuple[float, float]:
    """Each kind adds what it finds to bounds of its own, as in a trial."""
    bounds.make_room()  # room is made before the clock starts
    solver, seconds, seen = Stages(bounds, kind, tolerance, add=True), [0.0, 0.0], set[int]()
    for partition, belief in asked:
        for place, solve in enumerate((solver.lower, solver.upper)):
            begun = Clock.processor()
            solve(partition, belief)
            seconds[place] += (Clock.processor() - begun) * (partition in seen)
        seen.add(partition)
    return seconds[0], seconds[1]


def _asked(known: OneSidedBounds) -> list[tuple[int, Floats]]:
    """Beliefs of points, in partitions that have several: there stages have been solved."""
    found: dict[int, Floats] = {}
    for p in range(len(known.form.action_start) - 1):
        beliefs, _ = known.points(p)
        inner = beliefs[beliefs.shape[1] :]
        if len(inner) and len(beliefs) > 1:
            found[p] = np.concatenate([inner, beliefs[:1]])[:BELIEFS]
    chosen = np.random.default_rng(0).permutation(list(found))[:PARTITIONS].tolist()
    return [(p, belief) for p in sorted(chosen) for belief in found[p]]


def show(result: list[dict[str, Any]]) -> str:
    """The figures as text."""
    header = ("stage games: CPU ms, lower + upper", "walks before", *KINDS, "full / oracle", "full / compiled")
    return aligned(header, [_line(row) for row in result])


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    cells = [" + ".join(f"{1e3 * seconds:.2f}" for seconds in row[kind]) for kind in KINDS]
    ratios = [f"{sum(row['full']) / sum(row[kind]):.1f}" for kind in ("oracle", "compiled")]
    return row["stages"], str(row["walks"]), *cells, *ratios
