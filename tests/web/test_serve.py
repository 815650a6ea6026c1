"""`fogbound serve` as a process: its first page is soon there, and it leaves with a word on what is kept."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from urllib.request import urlopen

import pytest

from fogbound.cli.serve import _listening
from fogbound.web.processes.looker import Looker

SOON = 2.0  # seconds on a quiet machine


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_solve_is_soon_there_and_leaving_says_what_is_kept(tmp_path, number):
    words = [sys.executable, "-m", "fogbound", "serve", "--port", "0", "--folder", str(tmp_path / "kept")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        address = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())[0]
        began = time.monotonic()
        assert "card-poker" in urlopen(f"{address}/solve", timeout=60).read().decode()
        took = time.monotonic() - began
        process.send_signal(number)
        said = process.stdout.read()
    assert process.returncode == 0
    assert said.startswith("Fogbound has left. Games and runs are kept in ")
    assert str(tmp_path / "kept") in said
    assert len(said.splitlines()) == 1
    assert took < SOON * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def test_a_question_asked_ahead_is_answered_when_somebody_asks(monkeypatch):
    looker, asked = Looker(), []
    monkeypatch.setattr(looker, "_answer", lambda key, _seconds: asked.append(key) or {"players": ["x"]})
    looker.begin(about="game", game="tiger")
    assert looker.ask(about="game", game="tiger") == {"players": ["x"]}
    assert len(asked) == 1


def test_a_page_is_not_held_back_until_its_head_is_acknowledged():
    with _listening("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
