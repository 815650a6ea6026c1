"""How a function becomes compiled code: `@kernel` on every one that is compiled, whoever calls it.

With a numba that the linker knows (`compiled/linker.py`) what only kernels call is compiled once, as a part of what
Python calls. With any other, or with FOGBOUND_PLAIN_JIT=1, every kernel is numba's own `njit`: the same answers after
a longer first run. `inlined` is for those that stand between large kernels and are called at one place: they become
part of their caller before it is compiled.

A function is compiled anew for every constant that it is called with, and for every constant that an argument may
still have where it was assigned: three times for `row = -1`, which a loop then changes. `NONE`, `ZERO` and `ONE` are
numbers that no function is compiled for.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numba
import numpy as np
from numba import config, njit
from numba.core.event import Listener, register

from fogbound.core.compilation import announce


class _Announcer(Listener):
    """Announces that something is being compiled, and not only read from disk."""

    def on_start(self, event: Any) -> None:  # noqa: ARG002
        announce(begins=True)

    def on_end(self, event: Any) -> None:  # noqa: ARG002
        announce(begins=False)


register("numba:compile", _Announcer())

NONE, ZERO, ONE = np.int64(-1), np.int64(0), np.int64(1)
TRIED = [(0, minor) for minor in range(61, 69)]  # the numbas that the linker was seen to work with

Way = Callable[[Callable[..., Any], dict[str, Any]], Any]

inlined = njit(inline="always")


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function, when it is called, for those who call it; `options` are numba's."""
    if function is None:
        return lambda function: kernel(function, **options)
    return function if config.DISABLE_JIT else _way()(function, options)  # type: ignore[attr-defined]


@cache
def _way() -> Way:
    """The linker with a numba that it was tried with, else njit; FOGBOUND_PLAIN_JIT asks for njit (1) or for it (0)."""
    asked = os.environ.get("FOGBOUND_PLAIN_JIT", "")
    if asked not in ("", "0", "1"):
        raise ValueError(f"FOGBOUND_PLAIN_JIT: expected 0 or 1, found {asked!r}")
    if asked == "1":
        return partial(_plain, why="")
    if not asked and numba.version_info[:2] not in TRIED:
        return partial(_plain, why=f"numba {numba.__version__} is none that kernels were linked with")
    try:
        from fogbound.compiled.linker import Linked
    except ImportError as error:
        return partial(_plain, why=f"kernels cannot be linked with numba {numba.__version__} ({error})")
    return Linked


def _plain(function: Callable[..., Any], options: dict[str, Any], why: str) -> Any:
    """Numba's own way, said once where something is compiled if it was not asked for.

    Where numba's cache cannot be told of all kernels nothing is kept, since it would go on with what a change left old.
    """
    compiled = njit(**options)(function)
    try:
        from fogbound.compiled.cache import kernel_cache

        missed = partial(_say, f"{why}: a first run takes longer") if why else None
        compiled._cache = kernel_cache(function, "plain", missed)
    except (ImportError, AttributeError) as error:
        _say(f"{why or 'kernels'}: compiled anew in every process, since numba's cache is another ({error})")
    return compiled


@cache
def _say(text: str) -> None:
    warnings.warn(text, stacklevel=3)
