"""Atomic writes: who reads the file finds the old one or the new one, never half of one.

A writer that is killed leaves its temporary file behind. Whoever writes next to the same name removes it: a writer
keeps its file locked, and the system takes the lock from the dead.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from fogbound.core.errors import FileError

try:
    import fcntl
except ImportError:  # no such locks here: what is left behind stays
    fcntl = None  # type: ignore[assignment]

RANDOM = r"[a-z0-9_]{8}"  # what `tempfile` puts into names


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Put `data` at `path` whole: a temporary file in the same folder, synced, then renamed over it."""
    target = Path(os.path.realpath(path))  # a link keeps pointing at what is written
    try:
        if target.exists() and not target.is_file():  # a pipe or a device takes the bytes as they come
            target.write_bytes(data)
            return
        _remove_left_behind(target)
        handle, lock, temporary = _temporary(target)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            mask = os.umask(0o077)  # what the user takes away from new files
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, target)
            _sync(target.parent)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        finally:
            os.close(lock)
    except OSError as error:
        raise FileError(f"{target}: cannot be written: {error.strerror or error}") from error


def _temporary(target: Path) -> tuple[int, int, str]:
    """A new file beside the target, to be written: a handle, another that keeps it locked, and its path."""
    import tempfile  # only here: it takes as long to import as the rest of core

    while True:
        handle, path = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
        if fcntl is not None:
            with suppress(OSError):  # a system without locks
                fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle, os.dup(handle), path
        os.close(handle)  # somebody took it for a dead one's before it was locked


def _remove_left_behind(target: Path) -> None:
    """Remove temporary files of the target that nobody writes any more."""
    if fcntl is None:
        return
    name = re.compile(rf"\.{re.escape(target.name)}\.{RANDOM}\.tmp")
    for path in [entry.path for entry in os.scandir(target.parent) if name.fullmatch(entry.name)]:
        with suppress(OSError):  # locked by whoever writes it, gone, or not ours
            handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(path)
            finally:
                os.close(handle)


def _sync(folder: Path) -> None:
    """Make the new name last through a crash, where the system can."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
