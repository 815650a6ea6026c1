"""What a process may take that computes for the server: memory and processor time, by the system's own limits."""

from __future__ import annotations

import os

try:
    import resource
except ImportError:  # no such limits on this system: the server's own clock still ends what takes too long
    resource = None  # type: ignore[assignment]

GIB = 1024**3
LEAST = 2 * GIB  # bytes: less than the libraries themselves may want


def memory_for(workers: int) -> int:
    """Bytes that each of so many processes may have: three quarters of the machine's, shared."""
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        machine = 8 * GIB
    return max(LEAST, machine * 3 // 4 // max(1, workers))


def confine(memory: int, processor: int | None = None) -> None:
    """Hold this process to so many bytes of memory and seconds of processor time; it writes no core."""
    if resource is None:
        return
    _limit(resource.RLIMIT_AS, memory)
    _limit(resource.RLIMIT_CORE, 0)
    if processor is not None:
        _limit(resource.RLIMIT_CPU, processor)


def _limit(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(kind, (most, most))
