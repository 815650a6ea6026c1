"""How kernels are compiled when there are many that call each other: only what is needed, and once.

`entry` is for those that Python calls. `inner` is for those that only kernels call: they have no way in from Python
(calling one from there crashes) and are not kept on disk, since what calls them holds a copy. `inlined` is for those
that stand between large kernels and are called at one place: they become part of their caller before it is compiled.

A function is compiled anew for every constant that it is called with, and for every constant that an argument may
still have where it was assigned: three times for `row = -1`, which a loop then changes. `NONE`, `ZERO` and `ONE` are
numbers that no function is compiled for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

_PYTHON: dict[str, Any] = {"no_cfunc_wrapper": True}
KERNELS: dict[str, Any] = {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}
entry = njit(cache=True, **_PYTHON)
inner = njit(**KERNELS)
inlined = njit(inline="always")

NONE, ZERO, ONE = np.int64(-1), np.int64(0), np.int64(1)
