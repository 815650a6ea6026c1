"""Memory: how much of this machine's is available, and what to advise where a form needs more or less than that."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

GIGABYTE = 1e9
SPARE = 0.8  # of what is available, how much advice lets a form take


class Cost(NamedTuple):
    """What one state of a form takes to be enumerated, about: memory, and time on a usual machine."""

    bytes: float
    seconds: float


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


def raised_limit(each: Cost, limit: int, free: float | None) -> str:
    """How far a limit may be raised where the size of the whole is not known, as the beginning of advice.

    Examples
    --------
    >>> raised_limit(Cost(400, 2e-5), 1_000_000, 16e9)
    'Each takes about 0.4 kB, so 16 GB hold 32,000,000 (after about 11 minutes): raise limit= up to that, '
    >>> raised_limit(Cost(400, 2e-5), 1_000_000, 1e8)
    'Each takes about 0.4 kB, too much for more of them in the 100 MB that are available: '
    """
    told = f"Each takes about {_written(each.bytes)}"
    if free is None:
        return f"{told}: raise limit=, "
    fits = int(float(f"{SPARE * free / each.bytes:.2g}"))
    if fits <= limit:
        return f"{told}, too much for more of them in the {_written(free)} that are available: "
    lasting = _lasting(fits * each.seconds)
    return f"{told}, so {_written(free)} hold {fits:,} (after about {lasting}): raise limit= up to that, "


def object_bytes(value: object) -> int:
    """About the memory of one object with what it holds; numbers and text are mostly shared, and count nothing."""
    if isinstance(value, str | int | float | None):
        return 0
    held = value if isinstance(value, tuple | frozenset) else ()
    return sys.getsizeof(value) + sum(map(object_bytes, held))


def _lasting(seconds: float) -> str:
    """A duration in the unit that suits it."""
    for unit, size in (("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(1, seconds):.0f} s"


def _written(count: float) -> str:
    """Bytes with two digits, in megabytes or gigabytes."""
    amount, unit = count / GIGABYTE, "GB"
    if amount < 1:
        amount, unit = (1e3 * amount, "MB") if amount >= 1e-3 else (1e6 * amount, "kB")
    return f"{amount:,.0f} {unit}" if amount >= 10 else f"{amount:.2g} {unit}"
