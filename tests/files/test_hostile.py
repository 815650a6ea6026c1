"""Files that are wrong, through the command line: exit code 2, one line that names the file, little time and memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fogbound.cli.main import main
from fogbound.core import FogboundError
from fogbound.files import VECTORS, read_model

MALFORMED = Path(__file__).parent / "malformed"
BAD = [path for folder in ("pomdp", "pomdpx") for path in sorted((MALFORMED / folder).iterdir())]
BAD = [path for path in BAD if path.suffix != ".json"]
SECONDS, BYTES = 20.0, 512 << 20  # five seconds are meant; a busy machine may take longer


def words_for(path: Path, folder: Path) -> list[str]:
    """The command that reads a file: vectors are no game, so they are converted."""
    if path.suffix in VECTORS:
        return ["convert", str(path), str(folder / f"out{path.suffix}"), "--model", "tiger"]
    return ["solve", str(path), "--with", "sarsop"]


def check(code: int, out: str, err: str, path: Path) -> None:
    assert (code, out) == (2, "")
    *waited, last = err.splitlines()
    assert last.startswith(f"fogbound: {path}"), err
    assert all(line.endswith("reading …") for line in waited)  # said where it takes over two seconds
    assert err.endswith("\n")
    assert "Traceback" not in err


def test_there_are_many():
    assert sum(path.suffix == ".pomdp" for path in BAD) >= 100
    assert sum(path.parent.name == "pomdpx" for path in BAD) >= 60


@pytest.mark.one_in(3)
@pytest.mark.parametrize("path", BAD, ids=lambda path: path.name)
def test_every_malformed_file_costs_one_line(path, tmp_path, capsys):
    code = main(words_for(path, tmp_path))
    check(code, *capsys.readouterr(), path)
    assert not list(tmp_path.iterdir())


def spent(words: list[str]) -> tuple[int, str, str, float, int]:
    """Exit code, output, errors, seconds of processor time and bytes of memory of a command in its own process."""
    given = [sys.executable, "-m", "fogbound.cli.main", *words]
    process = subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stderr
    with process.stdout, process.stderr:
        out, err = process.stdout.read(), process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    inherited = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # a child's peak starts from its parent's
    peak = used.ru_maxrss if used.ru_maxrss > inherited else 0
    return process.returncode, out, err, used.ru_utime + used.ru_stime, peak * 1024


HEAD = "discount: 0.9\nstates: 2\nactions: 2\nobservations: 2\nT: * identity\nO: * uniform\n"
LARGE = {  # what a file consists of, and the line at its end that is wrong
    "reward": ("R:0:0:0:0 1\n", "R:0:0:0:0 x\n"),
    "short-reward": ("R:0:0 1\n", "R:0:0 x\n"),
    "reward-row": ("R:0:0:0 1 2\n", "R:0:0:0 1 2 3\n"),
    "signed": ("R:0:0:0:0 - 5\n", "R:0:0:0:0 - x\n"),
    "cell": ("T:0:0:0 1\n", "T:0:0:0 2\n"),
    "row": ("T:0:0\n1 0\n", "T:0:0\n1\n"),
    "matrix": ("T:0\n1 0\n0 1\n", "T:0\n1 0\n0 0.5\n"),
    "word": ("T:0 uniform\n", "T:0 uniformly\n"),
    "mixed": ("T:0:0:0 1\nT:0 uniform\nT:*:0:* 0\nT:*:*:0 1\nR:0:0 1\n", "T:0 : : 1\n"),
    "sum": ("O:*:0:0 1\n", "O:*:0:1 1\n"),
}


def large(path: Path, kind: str, size: int) -> Path:
    piece, wrong = LARGE[kind]
    path.write_text(HEAD + piece * (size // len(piece)) + wrong)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("kind", LARGE)
def test_a_fault_at_the_end_of_a_large_file_is_found_soon(kind, tmp_path):
    path = large(tmp_path / "a.pomdp", kind, 2_000_000)
    began = time.process_time()
    with pytest.raises(FogboundError) as caught:
        read_model(path)
    assert time.process_time() - began < SECONDS
    last = path.read_text().count("\n")
    assert int(str(caught.value).removeprefix(f"{path}:").split(":")[0]) >= last - 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["pomdp/bytes_compressed.pomdp", "pomdpx/entity-bomb.pomdpx", "pomdpx/huge-count.pomdpx"]
)
def test_a_process_that_meets_a_bad_file_leaves_soon(name, tmp_path):
    path = MALFORMED / name
    assert path.exists()
    code, out, err, seconds, memory = spent(words_for(path, tmp_path))
    check(code, out, err, path)
    assert seconds < SECONDS
    assert memory < BYTES


@pytest.mark.slow
def test_a_process_that_meets_a_large_bad_file_leaves_soon(tmp_path):
    path = large(tmp_path / "a.pomdp", "short-reward", 3_000_000)
    code, out, err, seconds, memory = spent(words_for(path, tmp_path))
    check(code, out, err, path)
    assert seconds < SECONDS
    assert memory < BYTES


@pytest.mark.slow
def test_a_process_that_meets_a_large_bad_document_leaves_soon(tmp_path):
    path = tmp_path / "a.pomdpx"
    text = (MALFORMED / "pomdpx" / "row-off.pomdpx").read_text()
    piece = text[text.index("<Entry>") : text.index("</Entry>") + len("</Entry>")]
    path.write_text(text.replace(piece, piece * (3_000_000 // len(piece)), 1))
    code, out, err, seconds, memory = spent(words_for(path, tmp_path))
    check(code, out, err, path)
    assert seconds < SECONDS
    assert memory < BYTES
