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

SAME, OVER, NOTHING = "the same bytes", "the same bytes, after its end", "killed before a checkpoint"


def killed(name: str, many: int, seed: int = 0) -> Counter[str]:
    """What became of `many` runs of a family that were killed and gone on with: words above, or what differs.

    The run is forked, so that it begins at once and a kill falls anywhere in it: kernels, evidence, writing. Runs that
    had no checkpoint yet are counted beside; one that was over when it was killed goes on to the same bytes as well.
    """
    rng, found = np.random.default_rng(seed), Counter[str]()
    whole = solved(name)
    with tempfile.TemporaryDirectory() as folder:
        timed = solved(name, checkpoint=Path(folder, "timed.npz"), every=0.0)
        length = timed.trace[-1].seconds  # what follows is evidence, which leaves the checkpoint alone
        number = 0
        while found.total() - found[NOTHING] < many and number < 2 * many:
            path = Path(folder, f"{number}.npz")
            _kill(name, path, float(rng.random()) * length, at_once=number % 8 == 0)
            number += 1
            if not path.exists():
                found[NOTHING] += 1
                continue
            _, arrays = archive.load(path, "checkpoint")  # whole, whenever it was killed
            over = len(arrays["trace"]) >= len(whole.trace)
            other = differing(whole, solved(name, resume=path, checkpoint=path, every=0.0))
            found[f"differ: {', '.join(other)}" if other else OVER if over else SAME] += 1
            left = [file.name for file in Path(folder).iterdir() if file.name.startswith(f".{path.name}.")]
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
