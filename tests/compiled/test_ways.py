"""The same answers whether kernels are linked, compiled one by one, checked, or not compiled at all."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compiled.small_solves import SOLVES, answers, answers_with


def agree(found, expected):
    """Up to the order in which a sum may be taken."""
    return all(
        math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) for name in expected for a, b in zip(found[name], expected[name])
    )


@pytest.mark.slow
def test_uncompiled_kernels_find_the_same_within_their_arrays():
    """In plain Python an index past the end of an array is an error."""
    assert agree(answers_with(SOLVES, NUMBA_DISABLE_JIT="1"), answers(SOLVES))


@pytest.mark.slow
def test_plain_njit_finds_the_same():
    some = ["pursuit", "poker by dcfr"]
    assert agree(answers_with(some, FOGBOUND_PLAIN_JIT="1"), answers(some))


@pytest.mark.slow
def test_checked_kernels_stay_within_their_arrays():
    """Negative indices too, which plain Python takes from the end."""
    assert agree(answers_with(["pursuit"], NUMBA_BOUNDSCHECK="1"), answers(["pursuit"]))


@pytest.mark.slow
def test_small_tests_of_beliefs_stay_within_their_arrays_uncompiled():
    """Those of POMDPs and one-sided games, as far as they get in the time that the plugin grants each."""
    where = ["tests/solvers/one_sided", "tests/solvers/pomdp"]
    command = [sys.executable, "-m", "pytest", "-n", "0", "-p", "tests.compiled.uncompiled", "-m", "not slow"]
    settings = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    root = Path(__file__).parents[2]
    told = subprocess.run([*command, *where], cwd=root, env=settings, capture_output=True, text=True)
    assert told.returncode == 0, told.stdout[-5000:]
    assert int(re.search(r"(\d+) passed", told.stdout)[1]) > 60
