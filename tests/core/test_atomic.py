"""Files that are written whole or not at all, whichever step of the writing fails or is the last one."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import sys

import pytest

from fogbound import archive
from fogbound.core import atomic
from fogbound.core.errors import FileError

OLD, NEW = b"what was there" * 100, b"what is put there" * 100
STEPS = ("open", "fdopen", "fsync", "chmod", "replace", "close")  # of `os`, which all writing goes through


class Faulty:
    """The module `os`, one of whose calls fails: the n-th of those that touch a disk."""

    def __init__(self, nth: int, fail) -> None:
        self.left, self.fail = nth, fail

    def __getattr__(self, name):
        found = getattr(os, name)
        return self.counted(found) if name in STEPS else found

    def counted(self, function):
        def call(*args, **known):
            self.left -= 1
            if self.left == 0:
                self.fail()
            return function(*args, **known)

        return call


def no_space():
    raise OSError(errno.ENOSPC, "No space left on device")


def fails_at(nth, path, monkeypatch):
    """Whether the n-th step is there to fail."""
    faulty = Faulty(nth, no_space)
    with monkeypatch.context() as patched:
        patched.setattr(atomic, "os", faulty)
        with contextlib.suppress(FileError):
            atomic.write(path, NEW)
    return faulty.left <= 0


def test_a_step_that_fails_leaves_the_old_file_or_the_new_one(tmp_path, monkeypatch):
    path, outcomes = tmp_path / "file", []
    for nth in range(1, 20):
        path.write_bytes(OLD)
        failed = fails_at(nth, path, monkeypatch)
        outcomes.append(path.read_bytes())
        assert [file.name for file in tmp_path.iterdir()] == ["file"]
        if not failed:
            break
    assert set(outcomes) == {OLD, NEW}
    assert outcomes == sorted(outcomes, key=[OLD, NEW].index)  # the old one, up to some step
    assert len(outcomes) > 5


@pytest.mark.parametrize("nth", [1, 2, 3, 4, 5, 6])
def test_a_process_that_ends_at_any_step_leaves_the_old_file_or_the_new_one(tmp_path, nth):
    path = tmp_path / "file"
    path.write_bytes(OLD)
    program = (
        "import os, sys; from tests.core.test_atomic import *; "
        f"atomic.os = Faulty({nth}, lambda: os._exit(7)); atomic.write(sys.argv[1], NEW)"
    )
    ended = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert ended.returncode == 7
    assert path.read_bytes() in (OLD, NEW)


def test_a_read_that_fails_is_told_in_a_line(tmp_path, monkeypatch):
    path = tmp_path / "file.npz"
    archive.save(path, "checkpoint", {}, {})

    def broken(*_args, **_known):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(archive.zipfile.ZipFile, "open", broken)
    with pytest.raises(FileError, match="Input/output error"):
        archive.load(path, "checkpoint")
