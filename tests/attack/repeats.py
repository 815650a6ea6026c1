"""The same run in other processes: hash seeds, threads and workers must leave no trace in the answer."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys

from tests.attack.families import FAMILIES

PROGRAM = """
import json, sys
from tests.attack.families import digest, solved
names, workers = sys.argv[2:], int(sys.argv[1])
print(json.dumps({name: digest(solved(name, workers)) for name in names}))
"""
SETTINGS = [*itertools.product(("0", "1", "2"), (1, 2)), ("0", 1)]  # the last is the first once more


def digests(hash_seed: str, workers: int, names: list[str]) -> dict[str, str]:
    """The digests of families, from a process of its own."""
    threads = {name: str(workers) for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    environment = {**os.environ, **threads, "PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-c", PROGRAM, str(workers), *names]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def different(names: list[str] | None = None, settings: list[tuple[str, int]] | None = None) -> dict[str, int]:
    """How many different answers each family gave over all settings: 1 is right."""
    chosen = names or list(FAMILIES)
    found = [digests(*setting, chosen) for setting in settings or SETTINGS]
    return {name: len({digest[name] for digest in found}) for name in chosen}
