"""One ordered map over processes: the same results, in the same order, whatever the number of workers.

Jobs carry their own seeds, so who runs them cannot matter. When a worker dies, the pool is rebuilt and the
missing jobs are run again; a job that takes three workers down with it is named and refused.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from fogbound.core.errors import FogboundError

Job = TypeVar("Job")
Result = TypeVar("Result")
TRIES = 3
_shared: Any = None


def ordered_map(
    function: Callable[[Any, Job], Result], shared: Any, jobs: Sequence[Job], workers: int = 1
) -> list[Result]:
    """[function(shared, job) for job in jobs]. `shared` reaches each worker once, without being copied per job."""
    if workers <= 1 or len(jobs) <= 1:
        return [function(shared, job) for job in jobs]
    results: dict[int, Result] = {}
    tries = [0] * len(jobs)
    while len(results) < len(jobs):
        missing = [k for k in range(len(jobs)) if k not in results]
        worn = next((k for k in missing if tries[k] >= TRIES), None)
        if worn is not None:
            raise FogboundError(f"job {worn + 1} of {len(jobs)} ended {TRIES} workers; it may need too much memory")
        _round(function, shared, jobs, missing, workers, results, tries)
    return [results[k] for k in range(len(jobs))]


def _round(
    function: Callable[[Any, Job], Result],
    shared: Any,
    jobs: Sequence[Job],
    missing: list[int],
    workers: int,
    results: dict[int, Result],
    tries: list[int],
) -> None:
    """Run the missing jobs in one pool, until all are done or the pool breaks."""
    context = multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else None)
    with ProcessPoolExecutor(workers, context, _adopt, (shared,)) as pool:
        futures: dict[int, Future[Result]] = {k: pool.submit(_call, function, jobs[k]) for k in missing}
        for k, future in futures.items():
            try:
                results[k] = future.result()
            except BrokenProcessPool:
                tries[k] += 1


def _adopt(shared: Any) -> None:
    global _shared
    _shared = shared


def _call(function: Callable[[Any, Job], Result], job: Job) -> Result:
    return function(_shared, job)
