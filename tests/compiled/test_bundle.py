"""Bundles: arrays that kernels take as one pointer, and what is compiled for them."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from numba import njit

from fogbound.compiled.bundle import Bundle


@dataclass(frozen=True, eq=False)
class Small(Bundle):
    whole: np.ndarray
    real: np.ndarray
    flags: np.ndarray
    table: np.ndarray


@dataclass(frozen=True, eq=False)
class Pair(Bundle):
    one: Small
    two: Small


def small(kind=np.int64):
    return Small(np.arange(5, dtype=kind), np.linspace(0, 1, 3), np.array([True, False]), np.arange(6.0).reshape(2, 3))


def touched(bundle, places):
    """Read and write everything that a kernel can."""
    total = 0.0
    for k in range(places):
        total += bundle.whole[k]
        bundle.whole[k] += 2
    row = bundle.table[1]
    row[0] = 7
    bundle.table[0, 2] = bundle.real[1] if bundle.flags[0] else -1.0
    bundle.flags[1] = not bundle.flags[1]
    bundle.real[0], bundle.real[2] = bundle.real[2], row[2]
    return total, row[1], bundle.flags[1]


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_kernels_do_with_a_bundle_what_python_does(kind):
    plain, compiled = small(kind), small(kind)
    assert touched(plain, 5) == njit(touched)(compiled, 5)
    for name in ("whole", "real", "flags", "table"):
        assert np.array_equal(getattr(plain, name), getattr(compiled, name))
    assert plain.table.tolist() == [[0, 1, 0.5], [7, 4, 5]]


def test_bundles_may_hold_bundles():
    @njit
    def moved(pair, k):
        one, two = pair.one, pair.two
        two.real[k] = one.whole[k] + pair.one.table[1, k]
        return two.real[k]

    pair = Pair(small(), small())
    assert moved(pair, 2) == 7 == pair.two.real[2]
    assert pair.one.real[2] == 1


def test_a_column_is_handed_on():
    @njit
    def add(column, place, more):
        column[place] += more

    @njit
    def both(bundle):
        add(bundle.real, 0, 1.5)
        add(bundle.table[1], 2, 2.0)

    bundle = small()
    both(bundle)
    assert (bundle.real[0], bundle.table[1, 2]) == (1.5, 7)


def test_a_kernel_may_ask_how_long_an_array_is():
    @njit
    def lengths(bundle):
        return len(bundle.whole), len(bundle.flags), len(bundle.table), len(bundle.table[1])

    assert lengths(small()) == (5, 2, 2, 3)


@pytest.mark.parametrize(
    "place", ["whole[5]", "whole[-1]", "table[2, 0]", "table[0, 3]", "table[-1, 0]", "table[2][0]"]
)
@pytest.mark.parametrize("use", ["return float(bundle.{})", "bundle.{} = 1"])
def test_places_that_are_not_there_are_refused_where_kernels_are_checked(place, use):
    text = f"def out(bundle):\n    {use.format(place)}\n"
    names = {}
    exec(text, names)
    with pytest.raises(IndexError):
        njit(boundscheck=True)(names["out"])(small())


COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda bundle: pickle.loads(pickle.dumps(bundle)),  # noqa: S301
}


@njit
def marked(pair):
    pair.one.table[0, 0] = 5.0
    pair.two.real[1] += 1.0
    return pair.one.table[0, 0] + pair.two.real[1] + pair.two.whole[4]


@pytest.mark.parametrize("how", COPIES)
def test_a_kernel_that_is_handed_a_copy_works_on_the_copy(how):
    """Not on what the bundle it was copied from holds, or held."""
    pair = Pair(small(), small())
    copied = COPIES[how](pair)
    own = how != "copy"  # a shallow copy has the same bundles
    assert copied is not pair
    assert (copied.one.table is not pair.one.table) == own
    assert marked(copied) == 10.5
    assert (copied.one.table[0, 0], copied.two.real[1]) == (5.0, 1.5)
    assert (pair.one.table[0, 0], pair.two.real[1]) == ((0.0, 0.5) if own else (5.0, 1.5))


def test_a_shallow_copy_outlives_what_it_was_copied_from():
    one = small()
    copied = copy.copy(one)
    assert copied.table is one.table
    assert copied._address != one._address


def test_what_is_no_array_is_refused():
    with pytest.raises(ValueError, match=r"Small\.table: expected a bundle, or a contiguous .*, found list$"):
        Small(np.zeros(1), np.zeros(1), np.zeros(1), [1.0])


@pytest.mark.parametrize("wrong", [np.zeros((4, 4))[:, 1], np.zeros((2, 2, 2)), np.zeros((3, 2)).T])
def test_arrays_that_a_kernel_could_not_follow_are_refused(wrong):
    with pytest.raises(ValueError, match=r"Small\.table: expected a bundle, or a contiguous array"):
        Small(np.zeros(1), np.zeros(1), np.zeros(1), wrong)


def test_a_name_that_a_bundle_has_not_is_refused():
    with pytest.raises(Exception, match="Unknown attribute 'length'"):
        njit(lambda bundle: bundle.length)(small())


COMPILED = """
import copy
import json
from numba.core import event
from fogbound import forms, games
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.heuristic_search import TrialSearch
seen = []
with event.install_recorder("numba:compile") as recorder:
    known = OneSidedBounds(forms.one_sided(games.make("pursuit(columns=2)")))
    for _ in range(3):
        TrialSearch(known).explore(0.1)
for _, found in recorder.buffer:
    compiled = found.data["dispatcher"].py_func
    if found.is_start and compiled.__module__.startswith("fogbound"):
        seen.append([compiled.__name__, [str(kind) for kind in found.data["args"]]])
print(json.dumps(seen))
"""


@pytest.mark.slow
def test_a_cold_start_compiles_each_kernel_once(tmp_path):
    """For no constant, and for no second type: that is what cold starts were long for."""
    settings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    told = subprocess.run([sys.executable, "-c", COMPILED], env=settings, capture_output=True, text=True, check=True)
    seen = json.loads(told.stdout)
    names = [name for name, _ in seen]
    assert {"solve_stage", "hull", "promising", "find_blocks", "lay_out"} <= set(names)
    assert sorted(names) == sorted(set(names))
    assert not [name for name, kinds in seen if any("Literal" in kind for kind in kinds)]
