"""Small problems, solved with every family of kernels: `python -m tests.compiled.small_solves NAME …` prints answers.

How kernels are compiled, or whether at all, must not show in them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import fogbound as fb
from tests.pomdps import random_flat

SOLVES = {
    "tiger by sarsop": lambda: fb.solve("tiger", "sarsop", iterations=20),
    "tiger by hsvi": lambda: fb.solve("tiger", "hsvi", iterations=20),
    "a random POMDP by sarsop": lambda: fb.solve(random_flat(7, 0.9), "sarsop", iterations=12),
    "a random POMDP by vectors": lambda: fb.solve(random_flat(7, 0.9), "incremental-pruning", iterations=3),
    "pursuit": lambda: fb.solve("pursuit(columns=2)", "pg-hsvi", gap=1.0),
    "levels of po-nim": lambda: fb.solve("po-nim(n=2)", "level-k(levels=3)"),
    "zero-sum states": lambda: fb.solve("random-markov(zero_sum=true)", "hoffman-karp", gap=1e-9),
    "states of general sum": lambda: fb.solve("random-markov(seed=3, choices=2)", "markov-nash"),
    "poker by resolve": lambda: fb.solve("card-poker(ranks=3)", "resolve(budget=300)"),
    "poker by oos": lambda: fb.solve("card-poker(ranks=3)", "oos(walks=50)"),
    "poker by dcfr": lambda: fb.solve("card-poker(ranks=3)", "dcfr", iterations=20),
}


def answers(names) -> dict[str, list[float]]:
    """(value, lower, upper) of each."""
    found = {name: SOLVES[name]() for name in names}
    return {name: [solution.value, solution.lower, solution.upper] for name, solution in found.items()}


def answers_with(names, **settings: str) -> dict[str, list[float]]:
    """What another process finds, with settings in its environment."""
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "tests.compiled.small_solves", *names]
    told = subprocess.run(command, cwd=root, env={**os.environ, **settings}, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


if __name__ == "__main__":
    json.dump(answers(sys.argv[1:]), sys.stdout)
