"""The bytes of a file that somebody else wrote: no more than can be wanted, and one line when there are none."""

from __future__ import annotations

import os
from pathlib import Path

from fogbound.core.errors import FileError, one_line


def read_bytes(path: str | os.PathLike[str], most: int, instead: str = "a smaller file") -> bytes:
    """All bytes of the file; FileError where it cannot be read or has more than `most`.

    The file is read and not asked for its size: what has none (a pipe, a device) is bounded too.
    """
    name = one_line(str(path), 200)
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
