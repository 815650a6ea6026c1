"""The bytes of a file somebody else wrote: no more of them than can be wanted, and one line when there are none."""

from __future__ import annotations

import os
from pathlib import Path

from fogbound.core.errors import FileError, one_line
from fogbound.files.numbers import place


def contents(path: str | os.PathLike[str], most: int, instead: str = "a smaller file") -> bytes:
    """All bytes of the file; FileError where it cannot be read or has more than `most`."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"{one_line(str(path), 200)}: cannot be read: {reason}") from error
    if len(data) > most:
        raise place(path, 1, f"more than {most:,} bytes", instead)
    return data
