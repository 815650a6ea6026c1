"""Compiled functions that only kernels call.

They have no wrapper for calls from Python: for those who take a whole game and its bounds, that would take longer to
compile than what they do.
"""

from __future__ import annotations

from typing import Any

from numba import njit

WITHOUT: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
inner = njit(cache=True, **WITHOUT)
