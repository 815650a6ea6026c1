"""Compiled functions that only kernels call.

They have no wrapper for calls from Python, which would take longer to compile than many of them.

A function is compiled anew for every constant that it is called with, and for every constant that an argument may
still have where it was assigned: three times for `row = -1`, which a loop then changes. `NONE`, `ZERO` and `ONE` are
numbers that no function is compiled for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

WITHOUT: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
inner = njit(cache=True, **WITHOUT)

NONE, ZERO, ONE = np.int64(-1), np.int64(0), np.int64(1)
