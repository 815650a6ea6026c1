"""Standard streams that were closed before the start (`2>&-`), for every command; Ctrl-C at every import."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys

import pytest

from fogbound.cli.main import COMMANDS, main

QUICK = {  # a short run of each command that ends by itself
    "games": [],
    "solvers": [],
    "check": ["king-ace"],
    "solve": ["king-ace", "--with", "cfr", "--iterations", "10", "--json"],
    "equilibria": ["rock-paper-scissors"],
    "dominance": ["rock-paper-scissors"],
    "show": ["king-ace"],
    "convert": ["king-ace", "out.efg"],
    "play": ["king-ace", "--seed", "0"],
    "evaluate": ["king-ace", "uniform", "uniform"],
    "match": ["king-ace", "uniform", "uniform", "--games", "5"],
    "tournament": ["king-ace", "uniform", "uniform", "--games", "5"],
    "sweep": ["king-ace", "--with", "cfr", "--iterations", "5", "--seeds", "1"],
    "merge": ["absent.jsonl", "-o", "all.jsonl"],
    "infer": ["po-nim(n=2)", "absent.jsonl", "--player", "0"],
    "verify": ["king-ace", "absent.npz"],
    "reproduce": ["absent"],
    "serve": ["--port", "99999999"],
    "completion": ["bash"],
    "demo": ["--help"],
}
CLOSING = "import os, sys; os.close(int(sys.argv[1])); os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"


def test_every_command_has_a_quick_run():
    assert QUICK.keys() == COMMANDS.keys()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("closed", ["stdin", "stdout", "stderr"])
def test_a_closed_stream_changes_neither_answer_nor_exit_code(command, closed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open(os.devnull, "r+") as null:
        with_null = outcome(command, {closed: null}, monkeypatch)
    assert outcome(command, {closed: None}, monkeypatch) == with_null


def outcome(command, streams, monkeypatch):
    """Exit code, output and messages (times left out) of a quick run with some streams replaced."""
    held = {"stdin": io.StringIO(""), "stdout": io.StringIO(), "stderr": io.StringIO()}
    for name, stream in (held | streams).items():
        monkeypatch.setattr(sys, name, stream)
    try:
        code = main([command, *QUICK[command]])
    except SystemExit as left:
        code = left.code
    told = ["" if name in streams else held[name].getvalue() for name in ("stdout", "stderr")]
    return code, [without_times(text) for text in told]


def without_times(text):
    """Without times, and without the widths of the columns that they are printed in."""
    untimed = re.sub(r'"seconds": [\d.e-]+|[\d.]+ m?s\b|[\d,.]+ (games|iterations) a second', "TIME", text)
    return re.sub(r" {2,}", "  ", untimed)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["solve", "match", "play"])
@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_descriptor_that_is_closed_at_the_start(command, closed, tmp_path):
    words = [sys.executable, "-c", CLOSING, str(closed), "-m", "fogbound", command, *QUICK[command]]
    done = subprocess.run(words, input="", capture_output=True, text=True, check=False, cwd=tmp_path, timeout=120)
    assert (done.returncode, bool(done.stdout)) == (0, closed != 1), done.stderr


INTERRUPTED = """
import os, signal, sys

class AtImport:  # sends SIGINT when the k-th module after the package is looked for
    left = int(sys.argv.pop(1))

    def find_spec(self, name, path=None, target=None):
        AtImport.left -= 1
        if not AtImport.left:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, AtImport())
from fogbound.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.one_in(8)
@pytest.mark.parametrize("place", [3, 4, 5, *range(6, 120, 6)])
def test_ctrl_c_at_any_import_is_one_line(place):
    """1 and 2 are the package and its `__main__`; from 3 on every import is answered."""
    words = [sys.executable, "-c", INTERRUPTED, str(place), "games"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (130, "fogbound: interrupted before there was an answer\n")


def test_the_package_imports_nothing_before_it_answers_ctrl_c():
    program = (
        "import sys; before = set(sys.modules); import fogbound.__main__; print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['fogbound', 'fogbound.__main__']"
