"""Limits of memory and processor time for a process that computes for the server, by the system's own limits."""

from __future__ import annotations

import os

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
