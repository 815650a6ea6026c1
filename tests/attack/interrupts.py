"""Ctrl-C at any moment of a command: an answer or a reason, and soon."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
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
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "solve", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ,
    )
    assert child.stdout is not None
    child.stdout.readline()  # it is up
    time.sleep(after)
    child.send_signal(signal.SIGINT)
    began = time.monotonic()
    try:
        said, _ = child.communicate(timeout=MOST)
    except subprocess.TimeoutExpired:
        child.kill()
        said = f"{child.communicate()[0]}\nstill there after {MOST:g} s"
    return Interrupted(command, after, time.monotonic() - began, child.returncode, said)
