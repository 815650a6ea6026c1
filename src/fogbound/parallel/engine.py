"""Engines: one ordered map, here or over processes. Who computes never changes what is computed.

When a worker dies, the pool is rebuilt and what is missing is computed again. Whatever was running then is tried alone
first, so that it is known which item takes workers down with it; one that does so three times is named and refused.
Workers end with the process that made them, also when that one is killed.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from fogbound.core.cancel import cancelling_only, check
from fogbound.core.errors import FogboundError, SpecError

if TYPE_CHECKING:  # most calls need no other process, and none of the machinery for them
    from concurrent.futures import Future, ProcessPoolExecutor

TRIES = 3
AHEAD = 4  # items that each worker may be ahead of what was asked for
PR_SET_PDEATHSIG = 1  # of linux/prctl.h: the signal that a process gets when its parent ends
LOOK_UP = 0.1  # seconds between two looks at whether to stop, while a result is waited for
Item = TypeVar("Item")
Result = TypeVar("Result")
Done = Callable[[int, Any], None]  # called with an item's number and its result
Work = Callable[[Any, Item], Result]  # called with what all calls share and an item


class LostJob(FogboundError):
    """A job that ended its worker every time it was tried; `number` is the item's."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(number, message)  # both are kept by a pickle
        self.number = number

    def __str__(self) -> str:
        return str(self.args[1])


class Engine(Protocol):
    """Somewhere to compute."""

    @property
    def sends(self) -> bool:
        """Whether items travel to other processes, so that each should be worth the way."""

    def map(
        self, function: Work[Item, Result], items: Sequence[Item], shared: Any = None, done: Done | None = None
    ) -> Generator[Result, None, None]:
        """`function(shared, item)` of each item, in their order, as soon as it is there.

        Closing the generator ends what is still being computed: functions that take long call `core.cancel.check`.

        Parameters
        ----------
        function
            Of a module, so that other processes find it. Randomness comes from the item, or from its number (`rng_of`).
        items
            What it is called with, once each.
        shared
            What all calls have in common; it reaches each worker once.
        done
            Called with the number of an item and its result as soon as that is there, in whatever order: for journals,
            which keep what is done although an earlier item is not. Also when the map is left early.
        """


class Here:
    """One call after the other, in the thread that asks; each only when its result is wanted.

    Examples
    --------
    >>> from fogbound.parallel import here
    >>> list(here.map(lambda shared, item: shared + item, [1, 2], shared=10))
    [11, 12]
    """

    sends = False

    def map(
        self, function: Work[Item, Result], items: Sequence[Item], shared: Any = None, done: Done | None = None
    ) -> Generator[Result, None, None]:
        for number, item in enumerate(items):
            result = function(shared, item)
            if done:
                done(number, result)
            yield result

    def __repr__(self) -> str:
        return "here"


here = Here()


def rng_of(seed: int, number: int) -> np.random.Generator:
    """The random numbers of one item among many: the same whoever computes it, and in whatever company.

    Parameters
    ----------
    seed
        Of all items together.
    number
        Which item.

    Returns
    -------
    numpy.random.Generator

    Examples
    --------
    >>> from fogbound.parallel import rng_of
    >>> rng_of(7, 3).random() == rng_of(7, 3).random() != rng_of(7, 4).random()
    True
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))


def processes(workers: int) -> Engine:
    """The engine of so many processes; with one, no other process is needed.

    Parameters
    ----------
    workers
        How many, at least 1.

    Returns
    -------
    Engine
        An ordered map: the same results in the same order, whatever the number of workers.

    Raises
    ------
    SpecError
        `workers` is below 1.

    Examples
    --------
    >>> from fogbound import parallel
    >>> parallel.processes(4), parallel.processes(1)
    (Processes(workers=4), here)
    """
    if workers < 1:
        raise SpecError(f"workers is {workers!r}, expected at least 1")
    return Processes(workers) if workers > 1 else here


@dataclass(frozen=True)
class Processes:
    """Worker processes on this machine, forked where that can be done: made for one map, and gone after it.

    Parameters
    ----------
    workers
        How many processes.
    """

    workers: int

    sends = True

    def map(
        self, function: Work[Item, Result], items: Sequence[Item], shared: Any = None, done: Done | None = None
    ) -> Generator[Result, None, None]:
        if len(items) <= 1:
            yield from here.map(function, items, shared, done)
            return
        from concurrent.futures import Future
        from concurrent.futures.process import BrokenProcessPool

        results: dict[int, Result] = {}
        suspects, ended, given = list[int](), [0] * len(items), 0
        while given < len(items):
            if not suspects and given in results:
                yield results.pop(given)
                given += 1
                continue
            alone, missing = suspects[:1], [k for k in range(given, len(items)) if k not in results]
            with _pool(1 if alone else min(self.workers, len(missing)), function, shared, len(items)) as (
                pool,
                running,
            ):
                futures, waiting = dict[int, Future[Result]](), iter(alone or missing)
                try:
                    for k in alone or range(given, len(items)):
                        room = AHEAD * self.workers - len(futures) - len(results)
                        for soon in islice(waiting, max(room, int(k not in futures and k not in results))):
                            futures[soon] = pool.submit(_call, soon, items[soon])
                        while k not in results:
                            _await(futures[k])
                            _collect(futures, results, done)
                            fault = futures[k].exception() if k in futures and futures[k].done() else None
                            if fault is not None:
                                raise fault
                        if alone:
                            suspects = suspects[1:]
                        else:
                            given = k + 1
                            yield results.pop(k)
                except BrokenProcessPool:
                    _collect(futures, results, done)
                    at_work = [j for j in missing if running[j] and j not in results] or [k]
                    suspects = suspects or at_work
                    if len(at_work) == 1:
                        ended[at_work[0]] += 1
                        _refuse_worn(at_work[0], ended)
                finally:
                    _collect(futures, results, done)  # what is done is kept, whoever leaves


def _refuse_worn(job: int, ended: list[int]) -> None:
    """Give up on a job that has ended too many workers."""
    if ended[job] >= TRIES:
        raise LostJob(job, f"job {job + 1} of {len(ended)} ended {TRIES} workers; it may need too much memory")


def _await(future: Future[Any]) -> None:
    """Wait a moment for a call; meanwhile the caller may want to stop."""
    from concurrent.futures import wait

    if not wait((future,), LOOK_UP).done:
        check()


def _collect(futures: dict[int, Future[Result]], results: dict[int, Result], done: Done | None) -> None:
    """Take what calls have returned to the results; what one of them raised waits for its turn."""
    for k in [k for k, future in futures.items() if future.done() and not future.cancelled()]:
        if futures[k].exception() is None:
            results[k] = futures.pop(k).result()
            if done:
                done(k, results[k])


@contextmanager
def _pool(
    workers: int, function: Work[Item, Result], shared: Any, jobs: int
) -> Iterator[tuple[ProcessPoolExecutor, Any]]:
    """Workers that stop at their next `check` when the block is left early; and [jobs] whether each is running."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else None)
    ended, running = context.RawValue("b", 0), context.RawArray("b", jobs)  # no lock: who is killed might hold it
    pool = ProcessPoolExecutor(workers, context, _adopt, (ended, running, function, shared))
    try:
        yield pool, running
    finally:
        ended.value = 1
        pool.shutdown(wait=True, cancel_futures=True)


_adopted: tuple[Any, Any, Callable[[Any, Any], Any], Any]


@dataclass(frozen=True)
class _Ended:
    """Whether those who wanted the results have gone."""

    ended: Any

    @property
    def reason(self) -> str:
        return "cancelled" if self.ended.value else ""


def _adopt(ended: Any, running: Any, function: Callable[[Any, Any], Any], shared: Any) -> None:
    global _adopted
    _adopted = ended, running, function, shared
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group: who asked decides what it means
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _end_with_parent()


def _end_with_parent() -> None:
    """End this worker when its parent is gone: nobody wants its results, and it holds what its parent held open."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is None:
        return
    if sys.platform == "linux":  # at once, even inside a kernel that holds the interpreter's lock
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _call(job: int, item: Any) -> Any:
    running = _adopted[1]
    running[job] = 1
    try:
        return Context().run(_called, item)  # what was around the call in the process that forked is not its affair
    finally:
        running[job] = 0  # who dies never comes here


def _called(item: Any) -> Any:
    ended, _, function, shared = _adopted
    with cancelling_only(_Ended(ended)):
        check()
        return function(shared, item)
