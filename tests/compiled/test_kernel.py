"""Kernels: what is compiled for whom, and by whom."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys

import numpy as np
import pytest
from numba.core import types
from numba.core.caching import NullCache
from numba.core.runtime import _nrt_python, rtsys
from numba.core.runtime.context import NRTContext

from fogbound import compiled
from fogbound.compiled.kernel import kernel


def fresh():
    """A kernel that calls another, as if nobody had called them yet."""

    @kernel
    def half(number):
        return number / 2

    @kernel
    def quarter(number):
        return half(half(number))

    return half, quarter


def test_kernels_do_what_python_does():
    half, quarter = fresh()
    assert (half(3.0), quarter(3.0)) == (1.5, 0.75)
    assert half.py_func(3.0) == 1.5


def test_what_only_kernels_call_is_not_compiled_for_python():
    half, quarter = fresh()
    quarter(3.0)
    assert (len(half.overloads), len(half.whole.overloads)) == (1, 0)
    assert (len(quarter.overloads), len(quarter.whole.overloads)) == (0, 1)
    half(3.0)
    assert (len(half.overloads), len(half.whole.overloads)) == (1, 1)


def test_a_part_is_not_made_into_machine_code():
    half, quarter = fresh()
    quarter(3.0)
    (part,), (whole,) = half.overloads.values(), quarter.whole.overloads.values()
    assert part.library.get_pointer_to_function(part.fndesc.llvm_func_name) == 0
    assert whole.library.get_pointer_to_function(whole.fndesc.llvm_func_name) != 0


def shrinking(size):
    """A variable of each kind that is written again, and one that is left on one of two ways."""
    total, turned, held = 0.0, np.complex64(1), np.ones(size)
    for k in range(size, 0, -1):
        held = np.ones(k)
        if k % 2:
            rest = held[: k // 2]
            total += rest.sum()
        turned = np.complex64(-turned)
        total += held[k - 1] * turned.real
    return total


def test_only_variables_that_hold_arrays_are_let_go(monkeypatch):
    """The others would be loaded and cleared in vain: a fifth of the instructions of a kernel."""
    let_go, decref = [], NRTContext.decref

    def noted(self, builder, kind, value):
        let_go.append(kind)
        return decref(self, builder, kind, value)

    monkeypatch.setattr(NRTContext, "decref", noted)
    linked = kernel(shrinking)
    linked.whole._cache = NullCache()  # compiled here, whatever was kept
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    assert linked(9) == shrinking(9)
    after = rtsys.get_allocation_stats()
    _nrt_python.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free > 9
    assert any(isinstance(kind, types.Array) for kind in let_go)
    assert types.complex64 not in let_go  # a type that nothing of numba's own uses here


def test_options_are_numbas():
    @kernel
    def exact(number):
        return (number + 1e30) - 1e30

    @kernel(fastmath=True)
    def quick(number):
        return (number + 1e30) - 1e30

    assert (exact(1.0), quick(1.0)) == (0.0, 1.0)


def test_kernels_are_plain_functions_when_numba_is_switched_off():
    program = (
        "from fogbound.solvers.one_sided.kernels.model import record_dot; "
        "print(record_dot([9.0, 1.0, 2.0], 1, [3.0, 4.0], 2), type(record_dot))"
    )
    settings = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    told = subprocess.run([sys.executable, "-c", program], env=settings, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "11.0 <class 'function'>"


def told(program, **settings):
    """What a program with two kernels prints, and what it warns of."""
    settings = {**os.environ, **settings}
    done = subprocess.run([sys.executable, str(program)], env=settings, capture_output=True, text=True)
    return done.stdout.strip(), done.stderr


TWO = """
from fogbound import compiled
from fogbound.compiled.kernel import kernel

@kernel
def half(number):
    return number / 2

@kernel
def quarter(number):
    return half(half(number))

print(quarter(3.0), half(3.0), type(quarter).__name__)
"""


def program(folder, before):
    """A program with two kernels, and numba as it is after `before`."""
    file = folder / "two.py"
    file.write_text(before + TWO)
    return file


OTHER = "import numba; numba.version_info = numba.version_info._replace(major=9, minor=1)\n"


@pytest.mark.slow
def test_with_a_numba_that_it_was_not_tried_with_every_kernel_is_njit(tmp_path):
    """Said where something has to be compiled, once; and not when it was asked for."""
    kept = {"NUMBA_CACHE_DIR": str(tmp_path)}
    printed, warned = told(program(tmp_path, OTHER), **kept)
    assert printed == "0.75 1.5 CPUDispatcher"
    assert warned.count("is none that kernels were linked with: a first run takes longer") == 1
    assert told(program(tmp_path, OTHER), **kept) == (printed, "")
    assert told(program(tmp_path, OTHER + "\n"), **kept, FOGBOUND_PLAIN_JIT="1") == (printed, "")
    assert told(program(tmp_path, OTHER), **kept, FOGBOUND_PLAIN_JIT="0") == ("0.75 1.5 Linked", "")


@pytest.mark.slow
def test_with_a_numba_that_lacks_what_the_linker_needs_every_kernel_is_njit(tmp_path):
    lacks = "import numba.core.codegen; del numba.core.codegen.JITCodeLibrary\n"
    printed, warned = told(program(tmp_path, lacks))
    assert printed == "0.75 1.5 CPUDispatcher"
    assert warned.count("kernels cannot be linked with numba") == 1


@pytest.mark.slow
def test_where_the_cache_cannot_be_stamped_nothing_is_kept(tmp_path):
    lacks = "import numba.core.caching; del numba.core.caching.IndexDataCacheFile\n"
    printed, warned = told(program(tmp_path, lacks), NUMBA_CACHE_DIR=str(tmp_path / "kept"))
    assert printed == "0.75 1.5 CPUDispatcher"
    assert warned.count("compiled anew in every process") == 1
    assert not [*tmp_path.rglob("*.nbi")]


def test_what_cannot_be_meant_is_refused(tmp_path):
    _, said = told(program(tmp_path, ""), FOGBOUND_PLAIN_JIT="yes")
    assert "FOGBOUND_PLAIN_JIT: expected 0 or 1, found 'yes'" in said


def test_the_example_of_how_to_write_a_kernel_holds():
    assert doctest.testmod(compiled).failed == 0
