"""The bytes of a file that somebody else wrote: no more than can be wanted, and one line when there are none."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from fogbound.core.errors import FileError, one_line


def read_bytes(path: str | os.PathLike[str], most: int, instead: str = "a smaller file") -> bytes:
    """All bytes of a regular file; FileError where it is none, cannot be read or has more than `most`.

    A pipe or a device is refused: opening or reading it may block for ever.
    """
    name = one_line(str(path), 200)
    require_regular(path)
    try:
        with Path(path).open("rb") as file:
            data = file.read(most + 1)
    except FileNotFoundError:
        raise FileError(f"{name}: cannot be read: there is no such file") from None
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        raise FileError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if len(data) > most:
        raise FileError(f"{name}:1: found more than {most:,} bytes, expected {instead}")
    return data


def require_regular(path: str | os.PathLike[str]) -> None:
    """Refuse a pipe, a socket or a device; a file that is absent, or a directory, has its own error when it is read."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise FileError(
            f"{one_line(str(path), 200)}: cannot be read: found a pipe, a socket or a device, expected a regular file"
        )
