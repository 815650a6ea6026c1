"""Atomic writes: who reads the file finds the old one or the new one, never half of one."""

from __future__ import annotations

import os
from pathlib import Path

from fogbound.core.errors import FileError


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Put `data` at `path` whole: a temporary file in the same folder, synced, then renamed over it."""
    import tempfile  # only here: it takes as long to import as the rest of core

    target = Path(os.path.realpath(path))  # a link keeps pointing at what is written
    try:
        if target.exists() and not target.is_file():  # a pipe or a device takes the bytes as they come
            target.write_bytes(data)
            return
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, target)
            _sync(target.parent)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FileError(f"{target}: cannot be written: {error.strerror or error}") from error


def _umask() -> int:
    """What the user takes away from new files."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _sync(folder: Path) -> None:
    """Make the new name last through a crash, where the system can."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
