"""Runs that are killed at any moment, and gone on with to the same bytes."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from fogbound import archive
from tests.attack.families import differing, solved

SAME, OVER, NOTHING = "the same bytes", "was over already", "no checkpoint yet"


def killed(name: str, many: int, seed: int = 0) -> Counter[str]:
    """What became of `many` runs of a family that were killed: one of the words above, or the parts that differ.

    The run is forked, so that it begins at once and a kill falls anywhere in it: kernels, evidence, writing. A run
    whose last checkpoint is that of its end was over; going on from there is a longer run, and not compared.
    """
    rng, found = np.random.default_rng(seed), Counter[str]()
    whole = solved(name)
    with tempfile.TemporaryDirectory() as folder:
        timed = solved(name, checkpoint=Path(folder, "timed.npz"), every=0.0)
        length = 1.2 * timed.trace[-1].seconds  # what follows is evidence, which leaves the checkpoint alone
        for number in range(many):
            path = Path(folder, f"{number}.npz")
            _kill(name, path, float(rng.random()) * length, at_once=number % 4 == 0)
            if not path.exists():
                found[NOTHING] += 1
                continue
            _, arrays = archive.load(path, "checkpoint")  # whole, whenever it was killed
            if len(arrays["trace"]) >= len(whole.trace):
                found[OVER] += 1
                continue
            other = differing(whole, solved(name, resume=path, checkpoint=path, every=0.0))
            found[f"differ: {', '.join(other)}" if other else SAME] += 1
            left = [file.name for file in Path(folder).iterdir() if file.name.startswith(f".{number}.npz")]
            found["left a temporary file"] += len(left)
    return +found


def _kill(name: str, path: Path, after: float, at_once: bool) -> None:
    """Run a family with checkpoints in a process of its own, and kill it so long after its first one, or its start."""
    child = os.fork()
    if child == 0:
        try:
            solved(name, checkpoint=path, every=0.0)
        finally:
            os._exit(0)
    while not at_once and not path.exists() and os.waitpid(child, os.WNOHANG) == (0, 0):
        time.sleep(0.001)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
