"""Memory: how much of this machine's is available, and what to advise where a form needs more or less than that."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

GIGABYTE = 1e9


def available() -> float | None:
    """Bytes that can be taken without swapping; None where the system does not say."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * int(line.split()[1])
    with suppress(OSError, ValueError, AttributeError):  # no Linux: what is free, without what could be freed
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES"))
    return None


def advice(needed: float, limit: int, free: float | None) -> str:
    """Whether a larger limit would help, as the beginning of a sentence of advice.

    Parameters
    ----------
    needed
        Bytes that the whole form would take.
    limit
        The limit that would admit it.
    free
        What `available` says.

    Examples
    --------
    >>> advice(2.2e9, 9_000_000, 16e9)
    'It would take about 2.2 GB of memory, of which 16 GB are available: raise limit= to 9,000,000, '
    >>> advice(5e12, 9_000_000, 16e9)
    'It would take about 5,000 GB of memory, of which 16 GB are available: '
    """
    has = "" if free is None else f", of which {_written(free)} are available"
    raised = f"raise limit= to {limit:,}, " if free is None or needed < free else ""
    return f"It would take about {_written(needed)} of memory{has}: {raised}"


def _written(count: float) -> str:
    """Bytes with two digits, in megabytes or gigabytes."""
    amount, unit = (count / GIGABYTE, "GB") if count >= GIGABYTE else (1000 * count / GIGABYTE, "MB")
    return f"{amount:,.0f} {unit}" if amount >= 10 else f"{amount:.2g} {unit}"
