"""Kernels: what is compiled for whom, and what is kept on disk."""

from __future__ import annotations

import os
import subprocess
import sys

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


def test_options_are_numbas():
    @kernel
    def exact(number):
        return (number + 1e30) - 1e30

    @kernel(fastmath=True)
    def quick(number):
        return (number + 1e30) - 1e30

    assert (exact(1.0), quick(1.0)) == (0.0, 1.0)


def run(folder, **settings):
    """What a program that calls the kernels of two modules prints."""
    program = "from caller import total; print(total(3), sum(total.whole.stats.cache_hits.values()))"
    settings = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "kept"), **settings}
    told = subprocess.run([sys.executable, "-c", program], env=settings, cwd=folder, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    return told.stdout.split()


def test_what_was_kept_is_used_until_a_part_changes(tmp_path):
    """Though the file of what Python calls is as it was: numba looks at that file alone."""
    head = "from fogbound.compiled.kernel import kernel\n"
    part, caller = tmp_path / "part.py", tmp_path / "caller.py"
    part.write_text(head + "@kernel\ndef one(x):\n    return x + 1\n")
    caller.write_text(head + "from part import one\n@kernel\ndef total(x):\n    return 10 * one(x)\n")
    assert run(tmp_path) == ["40", "0"]
    assert run(tmp_path) == ["40", "1"]
    part.write_text(head + "@kernel\ndef one(x):\n    return x + 2\n")
    assert run(tmp_path) == ["50", "0"]
    assert run(tmp_path) == ["50", "1"]


def test_kernels_are_plain_functions_when_numba_is_switched_off():
    program = (
        "from fogbound.solvers.one_sided.kernels.model import dot; "
        "print(dot([9.0, 1.0, 2.0], 1, [3.0, 4.0], 2), type(dot))"
    )
    settings = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    told = subprocess.run([sys.executable, "-c", program], env=settings, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "11.0 <class 'function'>"
