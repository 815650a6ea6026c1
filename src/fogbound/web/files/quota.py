"""How much of what visitors send is kept: the newest files, up to a number and a size in all.

Models lie on the shelf, and a solution becomes a run. Both count; the oldest are removed once a new one could be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

MOST_FILES, MOST_BYTES = 100, 256 * 1024**2
RULE = f"The server keeps the last {MOST_FILES} files that were opened, {MOST_BYTES // 1024**2} MB in all."


@dataclass(frozen=True)
class Upload:
    """A file that somebody sent.

    Attributes
    ----------
    when
        When it was sent or used last: the oldest goes first.
    size
        Its size in bytes.
    remove
        Removes it.
    """

    when: float
    size: int
    remove: Callable[[], None]


def trim(kept: Iterable[Upload], most_files: int = MOST_FILES, most_bytes: int = MOST_BYTES) -> None:
    """Remove the oldest files until those that are left are few and small enough.

    Parameters
    ----------
    kept
        What is there, the file that came last included.
    most_files, most_bytes
        How many files there may be, and how large they may be together.

    Examples
    --------
    >>> removed = []
    >>> files = [Upload(when, 10, lambda when=when: removed.append(when)) for when in (3, 1, 2)]
    >>> trim(files, most_files=2)
    >>> trim(files, most_bytes=10)
    >>> removed
    [1, 1, 2]
    """
    rest = sorted(kept, key=lambda upload: upload.when, reverse=True)
    total = sum(upload.size for upload in rest)
    while rest and (len(rest) > most_files or total > most_bytes):
        oldest = rest.pop()
        oldest.remove()
        total -= oldest.size
