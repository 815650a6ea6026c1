"""Run the cells of a sweep on an engine: each row is kept as soon as it is there, and the same call goes on.

One cell of a sweep: a game solved once, as a row of plain values. One that fails is a row with its reason.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from typing import Any

from fogbound.core.errors import FogboundError, SpecError, Stopped, one_line, raised
from fogbound.driver.protocol import TraceEntry
from fogbound.driver.solution import Solution
from fogbound.driver.solve import versions
from fogbound.driver.stops import StopReason
from fogbound.experiments.sweeps.plan import (
    KIND,
    SweepCell,
    SweepPlan,
    SweepWork,
    check_rows,
    contradiction,
    read_limits,
)
from fogbound.experiments.sweeps.result import SweepResult
from fogbound.naming.solvers import solver
from fogbound.parallel import Engine, LostJob
from fogbound.parallel.journal import JournalContent, Row, Rows, RunJournal
from fogbound.parallel.shards import Shard

LEFT = (
    StopReason.INTERRUPTED,
    StopReason.TERMINATED,
    StopReason.CANCELLED,
)  # why a run ended that somebody wanted to end: no result
CLOSER, FURTHER = 0.99, 1.02  # a point of a curve: the gap is a hundredth less, or there are so many more iterations
MOST_POINTS = 300
WARM_UP = 20  # iterations: past the first, after which other kernels run
WARM_UP_SECONDS = (1.0, 2.0, 4.0)  # tries: a cold start may use up the first before there is an answer
SAME = 1e-9  # of the largest bound: gaps that differ by less are one


_warm = set[tuple[str, str]]()  # the games and solvers that ran in this process


def run_cell(work: SweepWork, number: int) -> Row:
    """Solve one cell. What it raises is its reason, unless somebody wants all of it to stop."""
    plan, cell = work.plan, work.plan.cells[number]
    try:
        if plan.times:
            _warm_up(work, cell)
        solution = _solved(work, cell, read_limits(cell.until), plan.certify)
        row = {**_row(cell, solution, plan.times), "samples": solver(work.solver(cell.solver)).samples}
        fault = contradiction(row)
        return failed_row(cell, f"its answer contradicts itself: {fault}") if fault else row
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


def _warm_up(work: SweepWork, cell: SweepCell) -> None:
    """Solve for a moment, once a process for each game and solver: imports and kernels are in no cell's time."""
    if (cell.game, cell.solver) not in _warm:
        _warm.add((cell.game, cell.solver))
        for seconds in WARM_UP_SECONDS:
            try:
                solution = _solved(work, cell, {"iterations": WARM_UP, "seconds": seconds}, certify=False)
            except Stopped as stop:
                if stop.reason in LEFT:
                    raise
                continue
            if solution.stopped != "seconds":
                break


def _solved(work: SweepWork, cell: SweepCell, limits: Mapping[str, Any], certify: bool | None) -> Solution:
    plan = work.plan
    solution = work.solve(
        work.game(cell.game),
        work.solver(cell.solver),
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
        "claimed": ", ".join(solution.claimed),
        "curve_claimed": curve_claimed(solution),
        "curve": _curve(solution, times),
    }


def curve_claimed(solution: Solution) -> bool:
    """Whether the gaps of a trace are the solver's word: the last is less than the reported gap, or that is claimed.

    The reported gap is recomputed from the profile. A solver whose last gap agrees with it computes gaps the same way.
    """
    last, gap = solution.trace[-1].gap, solution.gap
    scale = max(1.0, *(abs(bound) for bound in (solution.lower, solution.upper) if math.isfinite(bound)), 0.0)
    return bool(solution.claimed) or last < gap - SAME * scale


def _curve(solution: Solution, times: bool) -> list[list[float | None]]:
    """The gaps as they closed, as the solver told them; the last one is the reported one."""
    points = [[e.iteration, e.seconds if times else None, max(0.0, e.gap)] for e in thinned_trace(solution.trace)]
    if points and math.isfinite(solution.gap):
        points[-1][2] = max(0.0, solution.gap)
    return points


def _finite(value: float) -> float | None:
    """JSON has no infinities."""
    return value if math.isfinite(value) else None


def thinned_trace(trace: Sequence[TraceEntry]) -> list[TraceEntry]:
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


def run_sweep(
    work: SweepWork,
    *,
    resume: str | os.PathLike[str] | None,
    shard: str | Shard | None,
    engine: Engine,
    watch: Callable[[int, int], None] | None,
) -> SweepResult:
    """Solve the cells of a plan that its journal does not have yet; the results, and why it ended."""
    cells = _share(work.plan, shard, resume)
    about, kept = work.plan.about(), Rows()
    journal = RunJournal(resume, KIND, about, check_rows(about)) if resume is not None else nullcontext()
    with journal as written:
        known = dict(written.rows) if written is not None else {}
        stopped = _run(work, cells, known, kept, engine, written, watch)
        if written is not None:
            written.settle()
    return SweepResult.of(JournalContent(KIND, about, {**known, **kept}), stopped)


def _share(plan: SweepPlan, shard: str | Shard | None, resume: object) -> list[int]:
    """The cells that are to be solved here: all of them, or a share that can be merged with the others'."""
    share = None if shard is None else Shard.parse(shard)
    if share is not None and resume is None:
        raise SpecError("sweep: a shard needs resume=, a journal of its own that can be merged with the others'")
    return [number for number in range(len(plan)) if share is None or share.has(number)]


def _run(
    work: SweepWork,
    cells: Sequence[int],
    known: Rows,
    kept: Rows,
    engine: Engine,
    written: RunJournal | None,
    watch: Callable[[int, int], None] | None,
) -> str:
    """Solve the cells that are not known, and keep what each comes to; why it ended."""

    def keep(number: int, row: Row) -> None:
        kept[number] = row
        if written is not None:
            written.add({number: row})
        if watch:
            watch(sum(cell in known or cell in kept for cell in cells), len(cells))

    try:
        while left := [number for number in cells if number not in known and number not in kept]:
            _run_some(work, left, engine, keep)
    except Stopped as stop:
        return stop.reason
    except KeyboardInterrupt as interrupt:
        return str(interrupt) or "interrupted"
    return "finished"


def _run_some(work: SweepWork, left: Sequence[int], engine: Engine, keep: Callable[[int, Row], None]) -> None:
    """Solve cells, all of them or until one takes its workers down with it: that is the reason of its row."""

    def done(place: int, row: Row) -> None:
        keep(left[place], row)

    try:
        with closing(engine.map(run_cell, left, work, done)) as rows:
            for _ in rows:  # each was told when it was done
                continue
    except LostJob as lost:
        number = left[lost.number]
        keep(number, failed_row(work.plan.cells[number], f"it ended its worker every time; out of memory? ({lost})"))
