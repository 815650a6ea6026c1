"""Pipes in the place of files, for everything that reads one: an error at once, never a wait."""

from __future__ import annotations

import os
import signal

import pytest

from fogbound import files
from fogbound.cli.main import main
from fogbound.naming.games import MODELS

PATIENCE = 20  # seconds
GAMES = [*sorted(MODELS), ".py:Mine"]
READERS = [
    *(("solve", f"PIPE{ending}") for ending in GAMES),
    *(("match", "kuhn", f"PIPE{ending}", "uniform") for ending in (".csv", ".json", ".npz", ".py:Bot")),
    *(("evaluate", "tiger", f"PIPE{ending}") for ending in sorted(files.VECTORS)),
    ("show", "PIPE.npz"),
    ("verify", "kuhn", "PIPE.npz"),
    ("solve", "kuhn", "--with", "cfr", "--resume", "PIPE.npz"),
    ("merge", "PIPE.jsonl", "-o", "all.jsonl"),
    ("infer", "po-nim(n=2)", "PIPE.jsonl", "--player", "0"),
    ("sweep", "kuhn", "--with", "cfr", "--iterations", "2", "--resume", "PIPE.jsonl"),
    ("solve", "scotland-yard(map=PIPE.txt)"),
]


@pytest.mark.parametrize("words", READERS, ids=lambda words: " ".join(words))
def test_a_pipe_is_refused_at_once(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ending = next(word for word in words if "PIPE" in word).partition("PIPE")[2].partition(":")[0].removesuffix(")")
    os.mkfifo(f"PIPE{ending}")

    def waited(*_):
        raise AssertionError("it waits for a pipe")

    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(PATIENCE)
    try:
        code = main(list(words))
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert f"PIPE{ending}" in err
    assert len(err.splitlines()) == 1
