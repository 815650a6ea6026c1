"""What workers of other machines are asked to do in tests: functions of a module, which they import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
from numba import njit

from fogbound.core.errors import SpecError
from fogbound.parallel import rng_of


def drawn(shared, number):
    return shared, number, rng_of(7, number).random()


def dying_once(path, job):
    """Job 3 kills its worker the first time it is tried; job 6 raises."""
    mark = path / f"{job}"
    if job == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if job == 6:
        raise SpecError(f"{job} is wrong")
    return job * job


def dying(_shared, job):
    if job == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return job


def patient(_path, item):
    """Sleeps for so many seconds."""
    time.sleep(item)
    return item


def announced(folder, seconds):
    """Says by which process it is done, then sleeps."""
    (Path(folder) / "workers" / f"{os.getpid()}").touch()
    time.sleep(seconds)


def lingering(told, number):
    """A number drawn for this job. On a node that is to be lost, a job says that it runs and is never done; others wait
    until there is such a job."""
    folder, spared = told
    import ray

    if ray.is_initialized() and ray.get_runtime_context().get_node_id() != spared:
        (folder / f"{number}").touch()
        time.sleep(600)
    for _ in range(800):
        if any(folder.iterdir()):
            break
        time.sleep(0.05)
    return number, rng_of(7, number).random()


def node_of(_shared, _item):
    """On which node a job runs."""
    import ray

    return ray.get_runtime_context().get_node_id()


@njit
def times(one, other, out):
    for k in range(len(out)):
        out[k] = one[k] * other[k]


def compiled_once(shared, item):
    """The product, how often the kernel was compiled for it, and which of the arrays may be written."""
    out = np.empty(len(item))
    times(shared[0], item, out)
    return out, len(times.signatures), (shared[0].flags.writeable, shared[1].flags.writeable, item.flags.writeable)


def surroundings(_shared, _item):
    """Where the head listens, and what a worker knows of its secret."""
    import ray

    return (
        ray.get_runtime_context().gcs_address,
        os.environ.get("RAY_AUTH_MODE", ""),
        os.environ.get("RAY_AUTH_TOKEN", ""),
    )
