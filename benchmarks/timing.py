"""Measuring: CPU seconds of a call in this process, wall seconds of a command."""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Timing:
    """What several rounds took, in seconds. Other processes only ever add time, so `best` is the figure to compare."""

    best: float
    median: float

    @classmethod
    def of(cls, seconds: Iterable[float]) -> Timing:
        listed = list(seconds)
        return cls(min(listed), statistics.median(listed))


def cpu(job: Callable[[], T]) -> tuple[float, T]:
    """CPU seconds (user and system, all threads) that `job` takes, and what it returns."""
    gc.collect()  # what earlier rounds left behind is not this job's work
    start = time.process_time()
    result = job()
    return time.process_time() - start, result


class CommandError(Exception):
    """A command that could not be run, with the last line it said."""


def wall(command: Sequence[str], extra: Mapping[str, str] | None = None) -> float:
    """Wall seconds of `command` run to its end, with `extra` in its environment."""
    start = time.perf_counter()
    try:
        done = subprocess.run(command, env=os.environ | dict(extra or {}), capture_output=True, text=True, check=False)
    except OSError as error:
        raise CommandError(str(error)) from error
    seconds = time.perf_counter() - start
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["nothing"]
        raise CommandError(f"exit code {done.returncode}: {said[-1]}")
    return seconds
