"""The side of a supervised process: its limits, what it is given, and the server's word to stop.

`python -m fogbound.web.processes.child` is a command of Fogbound as such a process: its words come with the limits.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO

GRACE = 3.0  # seconds to leave once the server is gone
ANSWERING = 80.0  # seconds, where the process was asked to stop before: it is about to write its answer
COMMAND = (sys.executable, "-m", "fogbound.web.processes.child")


def read_task() -> tuple[dict[str, Any], BinaryIO]:
    """What the server gives, and the input that its further lines come from; the limits apply from now on."""
    source = os.fdopen(os.dup(0), "rb", buffering=0)
    given: dict[str, Any] = json.loads(source.readline())
    confine(given.get("memory"), given.get("processor"))
    return given, source


def obey(source: BinaryIO, stop: Callable[[], object], leave: Callable[[], object]) -> None:
    """From a thread, call `stop` at the server's word and `leave` when it is gone, and end after a moment's grace."""

    def listening() -> None:
        grace = GRACE
        while line := source.readline():
            if line.strip() == b"stop":
                grace = ANSWERING
                stop()
        leave()
        time.sleep(grace)
        os._exit(0)

    threading.Thread(target=listening, daemon=True).start()


def _run_command() -> None:
    given, source = read_task()
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    obey(source, lambda: _signalled(signal.SIGINT), lambda: _signalled(signal.SIGTERM))
    sys.argv[1:] = given["words"]
    runpy.run_module("fogbound", run_name="__main__", alter_sys=True)


def _signalled(number: int) -> None:
    with suppress(OSError):
        os.kill(os.getpid(), number)


try:
    import resource
except ImportError:  # no such limits on this system: the server's own clock still ends what takes too long
    resource = None  # type: ignore[assignment]

GIB = 1024**3
LEAST = 2 * GIB  # bytes: less than the libraries themselves may want


def memory_for(workers: int) -> int:
    """Bytes of memory for each of `workers` processes: three quarters of the machine's, shared."""
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        machine = 8 * GIB
    return max(LEAST, machine * 3 // 4 // max(1, workers))


def confine(memory: int | None, processor: int | None = None) -> None:
    """Limit this process's memory in bytes and its processor time in seconds; it writes no core."""
    if resource is None:
        return
    for kind, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_CPU, processor)):
        if most is not None:
            _, hard = resource.getrlimit(kind)
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    _run_command()
