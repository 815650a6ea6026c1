"""The one place below the command line where the time is read.

Solvers, certificates and hierarchies ask the clock that they are handed, so that what a limit covers is decided once.
"""

from __future__ import annotations

import time
from collections.abc import Callable


def deadline(seconds: float) -> Callable[[], bool] | None:
    """Whether the deadline, this many seconds from now, has passed; None for 0: there is no deadline."""
    if not seconds:
        return None
    until = time.monotonic() + seconds
    return lambda: time.monotonic() >= until


class Deadline:
    """A token that stops work once its seconds are over."""

    def __init__(self, seconds: float) -> None:
        self._late = deadline(seconds)

    @property
    def reason(self) -> str:
        return "seconds" if self._late is not None and self._late() else ""


class Clock:
    """Seconds since it was made, less those in which it was paused; and the processor's, which are only compared.

    Parameters
    ----------
    before
        Seconds that count though they were over when it was made: a program's start.
    """

    def __init__(self, before: float = 0.0) -> None:
        self.before = before
        self._began = time.monotonic() - before
        self._paused: float | None = None  # since when

    def elapsed(self) -> float:
        """Seconds so far."""
        return (time.monotonic() if self._paused is None else self._paused) - self._began

    def put_forward(self, seconds: float) -> None:
        """Count what an earlier run took, which this one goes on with."""
        self._began -= seconds

    def pause(self, paused: bool) -> None:
        """Stop counting, or go on: a first compilation takes nobody's time."""
        now = time.monotonic()
        if paused:
            self._paused = now
        elif self._paused is not None:
            self._began += now - self._paused
            self._paused = None

    @staticmethod
    def processor() -> float:
        """Processor seconds of the calling thread since some moment: the difference of two of them means something."""
        return time.thread_time()
