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


@pytest.mark.one_in(6)
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


locked = pytest.mark.skipif(atomic.fcntl is None, reason="no locks on this system")


@pytest.mark.slow
@locked
def test_what_a_killed_writer_leaves_is_removed_by_the_next(tmp_path):
    path = tmp_path / "file"
    program = (
        "import os, signal, sys; from tests.core.test_atomic import *; "
        "atomic.os = Faulty(3, lambda: os.kill(os.getpid(), signal.SIGKILL)); atomic.write(sys.argv[1], NEW)"
    )
    for _ in range(2):
        subprocess.run([sys.executable, "-c", program, str(path)], check=False)
        assert len(list(tmp_path.iterdir())) == 1, "the second writer removes what the first one left"
    kept = [".file.abcdefgh.tmp.npz", ".file.short.tmp", ".other.abcdefgh.tmp", "file.abcdefgh.tmp"]
    for name in kept:
        (tmp_path / name).write_bytes(OLD)  # not ours
    atomic.write(path, NEW)
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([*kept, "file"])


def test_a_writer_that_lives_keeps_its_file(tmp_path):
    handle, lock, temporary = atomic._temporary(tmp_path / "file")
    atomic.write(tmp_path / "file", NEW)
    assert os.path.exists(temporary)
    os.close(handle)
    atomic.write(tmp_path / "file", OLD)  # the lock alone keeps it
    assert os.path.exists(temporary)
    os.close(lock)
    atomic.write(tmp_path / "file", NEW)
    assert not os.path.exists(temporary) or atomic.fcntl is None


@locked
def test_a_file_that_is_taken_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    real, taken = atomic.fcntl.flock, []

    def late(handle, how):
        if not taken:
            taken.append(next(tmp_path.glob(".file.*.tmp")))
            taken[0].unlink()
        real(handle, how)

    monkeypatch.setattr(atomic.fcntl, "flock", late)
    atomic.write(tmp_path / "file", NEW)
    assert taken
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_a_read_that_fails_is_told_in_a_line(tmp_path, monkeypatch):
    path = tmp_path / "file.npz"
    archive.write(path, archive.dumps("checkpoint", {}, {}))

    def broken(*_args, **_known):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(archive.zipfile.ZipFile, "open", broken)
    with pytest.raises(FileError, match="Input/output error"):
        archive.load(path, "checkpoint")
