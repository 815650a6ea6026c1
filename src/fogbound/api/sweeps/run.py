"""`sweep`: games × solvers × seeds × limits, by whoever computes; what is done is kept, and the same call goes on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from typing import Any

from fogbound.api.naming import GameLike
from fogbound.api.sweeps.cell import failed_row, run_cell
from fogbound.api.sweeps.plan import SweepPlan, SweepWork, make_work
from fogbound.api.sweeps.result import SweepResult
from fogbound.api.sweeps.rows import KIND, check_rows
from fogbound.core.errors import SpecError, Stopped
from fogbound.driver.solver import AnySolver
from fogbound.parallel import Engine, LostJob, processes
from fogbound.parallel.journal import JournalContent, Row, Rows, RunJournal
from fogbound.parallel.shards import Shard

Stops = Sequence[Mapping[str, Any]]


def sweep(
    games: GameLike | Sequence[GameLike],
    solvers: str | AnySolver | Sequence[str | AnySolver],
    *,
    seeds: int | Iterable[int] = 1,
    gap: float | str | None = None,
    seconds: float | None = None,
    iterations: float | None = None,
    stops: Stops = (),
    player: int | str = 0,
    against: str | Sequence[str] = (),
    limit: int | None = None,
    certify: bool | None = None,
    times: bool = True,
    resume: str | os.PathLike[str] | None = None,
    shard: str | Shard | None = None,
    workers: int = 1,
    engine: Engine | None = None,
    watch: Callable[[int, int], None] | None = None,
) -> SweepResult:
    """Solve every game by every solver with every seed and within all limits, and tell how fast gaps close.

    A cell that fails is a row with its reason. With `resume` every row is kept as soon as it is there, and the same
    call goes on from them, whoever computes. Rows depend on nothing but their cell, times apart.

    Parameters
    ----------
    games
        One game or several: specs, model files, ``my_game.py:MyGame``, or games.
    solvers
        One solver or several: specs, ``my_solver.py:Hedge``, or objects of a class of one's own. Objects and own
        files are computed with on every engine alike.
    seeds
        How many runs each, with the seeds 0, 1, …; or a list of seeds.
    gap, seconds, iterations
        When each run stops, as `fogbound.solve` takes them.
    stops
        Several such limits instead, each a mapping: ``[{"iterations": 100}, {"seconds": 10}]``.
    player, against, limit, certify
        As `fogbound.solve` takes them; opponents are named by specs or files.
    times
        Whether rows say how long things took. Without, the same sweep gives the same bytes, and curves are over
        iterations alone.
    resume
        A journal, JSON lines: gone on from where it exists, and kept up as cells are done.
    shard
        Solve only a share of the cells, such as ``"2/8"``; `fogbound.merge` makes the journal of the whole sweep from
        those of all shares.
    workers
        In how many processes.
    engine
        Who computes instead, such as ``fogbound.parallel.ray("auto")``.
    watch
        Called with how many cells are done, and how many there are.

    Returns
    -------
    SweepResult
        With `rows`, `lines()`, `picture()`, `to_csv()`, `to_pandas()`, `to_html()` and `save(path)`.

    Raises
    ------
    SpecError
        Something that is named does not exist.
    FileError
        The journal is damaged, or of another sweep.

    Examples
    --------
    >>> import fogbound as fb
    >>> found = fb.sweep("kuhn", ["cfr", "cfr-plus"], seeds=2, iterations=50, times=False)
    >>> [(group.solver, len(group.solved)) for group in found.groups]
    [('cfr', 2), ('cfr-plus', 2)]
    >>> found.rows[0].stopped, found.rows[0].iterations
    ('iterations', 50)
    """
    work = make_work(
        games,
        solvers,
        seeds,
        _limits(stops, gap=gap, seconds=seconds, iterations=iterations),
        player=str(player),
        against=(against,) if isinstance(against, str) else tuple(map(os.fspath, against)),
        limit=limit,
        certify=certify,
        times=bool(times),
    )
    cells = _share(work.plan, shard, resume)
    about, kept = work.plan.about(), Rows()
    journal = RunJournal(resume, KIND, about, check_rows(about)) if resume is not None else nullcontext()
    with journal as written:
        known = dict(written.rows) if written is not None else {}
        stopped = _run(work, cells, known, kept, engine or processes(workers), written, watch)
        if written is not None:
            written.settle()
    return SweepResult.of(JournalContent(KIND, about, {**known, **kept}), stopped)


def _limits(stops: Stops, **single: float | str | None) -> list[Mapping[str, Any]]:
    """The limits of all runs: several, or the one that stands beside them."""
    given = {name: value for name, value in single.items() if value is not None}
    if given and stops:
        raise SpecError("sweep: limits stand in stops= and beside it, expected one of them")
    return list(stops) or [given]


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
