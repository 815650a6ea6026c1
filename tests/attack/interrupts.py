"""Ctrl-C at any moment of a command: an answer or a reason, and soon."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

LONG = [  # none of them ends by itself within the time
    ("leduc", "--with", "cfr-plus", "--iterations", "100000000"),
    ("leduc", "--with", "mccfr", "--iterations", "1000000000"),
    ("pursuit(columns=5)", "--with", "pg-hsvi", "--gap", "0.001", "--seconds", "600"),
    ("tag", "--with", "sarsop", "--gap", "0.001", "--seconds", "600"),
    ("tiger", "--with", "incremental-pruning", "--iterations", "100000"),
    ("po-nim(n=9)", "--with", "level-k", "--levels", "12"),
    ("card-poker(ranks=60)", "--with", "sequence-lp"),
]
PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where whoever starts us ignores it
from fogbound.__main__ import main
print("up", flush=True)  # until here it is Python that answers
sys.exit(main(sys.argv[1:]))
"""
SOON = 2.0  # seconds from the signal to the end
MOST = 30.0  # seconds, after which it is left


class Interrupted(NamedTuple):
    """How a command ended."""

    command: tuple[str, ...]
    after: float  # seconds: when it was interrupted
    took: float  # seconds: how long it then took
    busy: float  # seconds of a processor that it had meanwhile: fewer, where others use the machine as well
    code: int
    said: str

    @property
    def fault(self) -> str:
        """What is wrong with that; empty where nothing is."""
        if self.code == 0 and "value" in self.said:
            return ""  # it was done
        if self.code != 130:
            return f"exit code {self.code}: {self.said[-200:]!r}"
        if "Traceback" in self.said or not self.said.strip():
            return f"no word for people: {self.said[-200:]!r}"
        return "" if self.took <= SOON else f"took {self.took:.1f} s"


def interrupted(number: int, longest: float = 6.0) -> Interrupted:
    """One command, interrupted at a random time from the moment at which Fogbound listens: its first line."""
    rng = np.random.default_rng(number)
    command, after = LONG[number % len(LONG)], float(rng.random()) * longest
    with tempfile.TemporaryFile("w+") as told:
        child = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "solve", *command], stdout=subprocess.PIPE, stderr=told, env=os.environ
        )
        assert child.stdout is not None
        child.stdout.readline()  # it is up
        time.sleep(after)
        before = _processor(child.pid)
        os.kill(child.pid, signal.SIGINT)  # Popen would take note of an end that is ours to note
        began, ended = time.monotonic(), (0, 0, None)
        while not ended[0] and time.monotonic() < began + MOST:
            ended = os.wait4(child.pid, os.WNOHANG)  # type: ignore[assignment]
            time.sleep(0.005)
        took = time.monotonic() - began
        if not ended[0]:
            child.kill()
            ended = os.wait4(child.pid, 0)  # type: ignore[assignment]
        child.returncode, spent = os.waitstatus_to_exitcode(ended[1]), ended[2]
        told.seek(0)
        said = child.stdout.read().decode() + told.read()
        child.stdout.close()
        busy = spent.ru_utime + spent.ru_stime - before if spent else 0.0
    return Interrupted(command, after, took, busy, child.returncode, said)


def _processor(process: int) -> float:
    """Processor seconds that a process has had so far; 0 where the system does not say."""
    stat = Path(f"/proc/{process}/stat")
    times = stat.read_text().rpartition(")")[2].split()[11:13] if stat.exists() else ["0", "0"]
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
