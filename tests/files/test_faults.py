"""Disks that are full or broken: at whichever write or read, one clear line, and no file that is half of anything."""

from __future__ import annotations

import errno
import io
import subprocess
import sys

import pytest

import fogbound as fb
from fogbound import archive, files, forms
from fogbound.cli.main import main
from fogbound.core import atomic
from fogbound.core.errors import FileError
from tests.core.test_atomic import Faulty, no_space

OLD = b"what was there"
CODE = 2  # of whatever is told in one line
FULL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))  # what is longer meets a full disk
from fogbound.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def tiger():
    return forms.pomdp(fb.game("tiger"))


@pytest.fixture(scope="module")
def solution():
    return fb.solve("tiger", "sarsop", iterations=20)


def writers(tiger, solution):
    """By the ending of what they write: everything that writes files."""
    vectors = fb.solve("tiger", "qmdp", iterations=3).policy(0)
    return {
        "npz": lambda path: files.save(solution, path),
        "pomdp": lambda path: files.write_model(tiger, path),
        "pomdpx": lambda path: files.write_model(tiger, path),
        "osposg": lambda path: files.write_one_sided(forms.one_sided(fb.game("pursuit(columns=2)")), path),
        "alpha": lambda path: files.write_vectors(vectors, path),
        "policy": lambda path: files.write_vectors(vectors, path),
        "svg": lambda path: fb.draw.tree(fb.game("king-ace")).save(path),
    }


def fault_of(function, path):
    """What it has to say against a file; nothing where all went well."""
    try:
        function(path)
    except FileError as error:
        return str(error)
    return ""


ENDINGS = ["npz", "pomdp", "pomdpx", "osposg", "alpha", "policy", "svg"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_write_that_fails_leaves_the_old_file_or_the_new_one(ending, tiger, solution, tmp_path, monkeypatch):
    write, path, found = writers(tiger, solution)[ending], tmp_path / f"file.{ending}", []
    for nth in range(1, 20):
        path.write_bytes(OLD)
        faulty = Faulty(nth, no_space)
        with monkeypatch.context() as patch:
            patch.setattr(atomic, "os", faulty)
            told = fault_of(write, path)
        assert not told or ("No space left on device" in told and "\n" not in told)
        assert [file.name for file in tmp_path.iterdir()] == [path.name]
        found.append(path.read_bytes())
        if faulty.left > 0:
            break
    assert found[0] == OLD
    assert set(found) == {OLD, found[-1]}
    assert found[-1] != OLD


@pytest.mark.parametrize("nth", range(1, 7))
def test_an_answer_is_printed_on_a_full_disk_and_its_file_is_whole_or_not_there(nth, tmp_path, monkeypatch, capsys):
    path = tmp_path / "answer.npz"
    with monkeypatch.context() as patch:
        patch.setattr(atomic, "os", Faulty(nth, no_space))
        code = main(["solve", "king-ace", "--with", "sequence-lp", "-o", str(path)])
    out, err = capsys.readouterr()
    assert "value    0 for first" in out
    assert code == CODE
    assert err.strip().splitlines()[-1] == f"fogbound: {path}: cannot be written: No space left on device"
    assert "saved" not in out
    if path.exists():  # only the folder was not synced
        assert bool(fb.verify(path, "king-ace"))
    assert [file.name for file in tmp_path.iterdir()] in ([], [path.name])


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["npz", "pomdp"])
def test_a_disk_that_is_really_full(ending, tmp_path):
    path = tmp_path / f"file.{ending}"
    path.write_bytes(OLD)
    solve = ["solve", "tiger", "--with", "sarsop", "--gap", "1", "-o", str(path)]
    words = solve if ending == "npz" else ["convert", "rock-sample", str(path)]
    done = subprocess.run([sys.executable, "-c", FULL, *words], capture_output=True, text=True, check=False)
    assert done.returncode == CODE
    assert "cannot be written: File too large" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == OLD


class Worn:
    """A file whose n-th read fails."""

    left = 0

    def __init__(self, file) -> None:
        self.file = file

    def __getattr__(self, name):
        return getattr(self.file, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def read(self, *size):
        Worn.left -= 1
        if Worn.left == 0:
            raise OSError(errno.EIO, "Input/output error")
        return self.file.read(*size)


def readers():
    """By the ending of what they read."""
    return {
        "npz": files.load,
        "pomdp": files.read_model,
        "pomdpx": files.read_model,
        "osposg": files.read_one_sided,
        "alpha": lambda path: files.read_vectors(path, forms.pomdp(fb.game("tiger"))),
        "policy": lambda path: files.read_vectors(path, forms.pomdp(fb.game("tiger"))),
    }


@pytest.mark.parametrize("ending", readers())
def test_a_read_that_fails_is_told_in_a_line(ending, tiger, solution, tmp_path, monkeypatch):
    path, opened = tmp_path / f"file.{ending}", io.open
    writers(tiger, solution)[ending](path)
    for nth in range(1, 200):
        Worn.left = nth
        with monkeypatch.context() as patch:
            patch.setattr(io, "open", lambda file, *mode, **more: Worn(opened(file, *mode, **more)))
            told = fault_of(readers()[ending], path)
        if Worn.left > 0:
            break
        assert told.startswith(f"{path}: ")
        assert "Input/output error" in told
        assert "\n" not in told
    assert told == ""
    assert nth > 1


def test_a_checkpoint_that_cannot_be_read_is_told_in_a_line(tmp_path, monkeypatch):
    path, opened = tmp_path / "run.npz", io.open
    archive.write(path, archive.dumps("checkpoint", {}, {}))
    Worn.left = 1
    monkeypatch.setattr(io, "open", lambda file, *mode, **more: Worn(opened(file, *mode, **more)))
    with pytest.raises(FileError, match="Input/output error"):
        fb.solve("tiger", "sarsop", resume=path)
