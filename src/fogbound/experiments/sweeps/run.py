"""Run the cells of a sweep on an engine: each row is kept as soon as it is there, and the same call goes on."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext

from fogbound.core.errors import SpecError, Stopped
from fogbound.experiments.sweeps.cell import failed_row, run_cell
from fogbound.experiments.sweeps.plan import SweepPlan, SweepWork
from fogbound.experiments.sweeps.result import SweepResult
from fogbound.experiments.sweeps.rows import KIND, check_rows
from fogbound.parallel import Engine, LostJob
from fogbound.parallel.journal import JournalContent, Row, Rows, RunJournal
from fogbound.parallel.shards import Shard


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
