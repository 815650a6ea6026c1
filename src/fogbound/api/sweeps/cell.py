"""One cell of a sweep: a game solved once, as a row of plain values. One that fails is a row with its reason."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fogbound.api.solving import solve
from fogbound.api.sweeps.plan import SweepCell, SweepPlan, read_limits
from fogbound.core.errors import FogboundError, Stopped, one_line, raised
from fogbound.driver.protocol import TraceEntry
from fogbound.driver.provenance import versions
from fogbound.driver.solution import Solution
from fogbound.driver.stops import StopReason
from fogbound.parallel.journal import Row

LEFT = (
    StopReason.INTERRUPTED,
    StopReason.TERMINATED,
    StopReason.CANCELLED,
)  # why a run ended that somebody wanted to end: no result
CLOSER, FURTHER = 0.99, 1.02  # a point of a curve: the gap is a hundredth less, or there are so many more iterations
MOST_POINTS = 300
MOMENT = 1.0  # seconds


_loaded = set[str]()  # names of the solvers that ran in this process


def run_cell(plan: SweepPlan, number: int) -> Row:
    """Solve one cell. What it raises is its reason, unless somebody wants all of it to stop."""
    cell = plan.cells[number]
    try:
        if plan.times:
            _load(plan, cell)
        return _row(cell, _solved(plan, cell, read_limits(cell.until), plan.certify), plan.times)
    except Stopped as stop:
        if stop.reason in LEFT:
            raise
        return failed_row(cell, str(stop))
    except FogboundError as error:
        return failed_row(cell, str(error))
    except MemoryError:
        return failed_row(cell, "out of memory")
    except Exception as error:  # a game's own code may raise anything
        return failed_row(cell, raised(error))


def _load(plan: SweepPlan, cell: SweepCell) -> None:
    """Run a solver for a moment, once a process: what it imports and loads is in nobody's time thereafter."""
    name = cell.solver.partition("(")[0]
    if name not in _loaded:
        _loaded.add(name)
        try:
            _solved(plan, cell, {"iterations": 1, "seconds": MOMENT}, certify=False)
        except Stopped as stop:
            if stop.reason in LEFT:
                raise


def _solved(plan: SweepPlan, cell: SweepCell, limits: dict[str, Any], certify: bool | None) -> Solution:
    solution = solve(
        cell.game,
        cell.solver,
        player=plan.player,
        against=list(plan.against) or None,
        seed=cell.seed,
        limit=plan.limit,
        certify=certify,
        **limits,
    )
    if solution.stopped in LEFT:
        raise Stopped(solution.stopped)
    return solution


def failed_row(cell: SweepCell, reason: str) -> Row:
    """The row of a cell that has a reason instead of an answer."""
    return {**cell._asdict(), "versions": versions(), "failed": one_line(reason, 500) or "it said nothing"}


def _row(cell: SweepCell, solution: Solution, times: bool) -> Row:
    return {
        **cell._asdict(),
        "versions": dict(solution.provenance["versions"]),
        "failed": "",
        "form": solution.provenance["form"],
        "form_sha256": solution.provenance["form_sha256"],
        **{name: _finite(getattr(solution, name)) for name in ("value", "lower", "upper", "gap")},
        "iterations": solution.iterations,
        "seconds": solution.seconds if times else None,
        "stopped": solution.stopped,
        "certified": solution.certified,
        "curve": [[e.iteration, e.seconds if times else None, max(0.0, e.gap)] for e in thinned(solution.trace)],
    }


def _finite(value: float) -> float | None:
    """JSON has no infinities."""
    return value if math.isfinite(value) else None


def thinned(trace: Sequence[TraceEntry]) -> list[TraceEntry]:
    """The entries that a curve needs, by gaps and iterations alone: the same whatever the clock said."""
    known = [entry for entry in trace if math.isfinite(entry.gap)]
    kept: list[TraceEntry] = []
    for entry in known:
        last = kept[-1] if kept else None
        if last is None or entry.gap < CLOSER * last.gap or entry.iteration > FURTHER * last.iteration:
            kept.append(entry)
    every = math.ceil(len(kept) / MOST_POINTS)
    kept = kept[:: max(1, every)]
    return kept if not known or kept[-1] is known[-1] else [*kept, known[-1]]
