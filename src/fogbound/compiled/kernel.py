"""How kernels are compiled: each way that it is used in, once, and with nothing that nobody asks for.

Numba makes every function ready to be called from Python, with its own copy of all that it calls, even when only other
functions ever call it. A `kernel` that kernels call is a part: it stays the code that numba made of it until it is
linked into what Python calls, which is optimised and made into machine code once, as a whole. When Python calls a
kernel itself, that kernel is such a whole, kept on disk as long as no kernel of its folder changes. `inlined` is for
those that stand between large kernels and are called at one place: they become part of their caller before it is
compiled.

A function is compiled anew for every constant that it is called with, and for every constant that an argument may
still have where it was assigned: three times for `row = -1`, which a loop then changes. `NONE`, `ZERO` and `ONE` are
numbers that no function is compiled for.

How numba links code is its own affair and not promised to stay: this was seen to work with 0.61 and with 0.68.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numba import config, njit
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from fogbound.compiled.listener import listen

listen()

NONE, ZERO, ONE = np.int64(-1), np.int64(0), np.int64(1)

USUAL = {"nopython": True, "boundscheck": None, "no_cfunc_wrapper": True}  # of numba's options

inlined = njit(inline="always")


class _Part(JITCodeLibrary):
    """Code that is linked into other code, and never called as it is."""

    @property
    def codegen(self) -> _Part:
        return self

    def set_env(self, _name: str, _env: object) -> None:
        """Nothing: what runs is a copy, and it has no address here to write to."""

    def get_pointer_to_function(self, _name: str) -> int:
        """None, for nothing was made that could be called; it is ready to be linked."""
        self._ensure_finalized()
        return 0

    def _optimize_final_module(self) -> None:
        """Later, together with what it is linked into."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _Compiler(Compiler):
    """The usual way to compile, less what looks for things that no kernel has: closures, and sums of whole arrays."""

    def define_pipelines(self) -> list[PassManager]:
        passes = PassManager("kernel")
        for step, why in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            if step not in (InlineClosureLikes, NopythonRewrites):
                passes.add_pass(step, why)
        passes.finalize()
        return [passes]


class _PartCompiler(_Compiler):
    """That way, into a part."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        self.state.library = _Part(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


class _Kept(FunctionCache):
    """Machine code on disk. Numba asks whether the function's own file is as it was: its parts may be in others."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file._source_stamp = _written(Path(function.__code__.co_filename).parent)


@cache
def _written(folder: Path) -> str:
    """What all modules of a folder say, in short."""
    text = hashlib.sha256()
    for module in sorted(folder.glob("*.py")):
        text.update(module.read_bytes())
    return text.hexdigest()


class _Whole(CPUDispatcher):
    """A kernel for Python, with all that it calls."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, locals={}, targetoptions={**USUAL, **options}, pipeline_class=_Compiler)
        self._cache = _Kept(function)


class _Kernel(CPUDispatcher):
    """A kernel for kernels, which is a part; when Python calls it, it hands over to the whole."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        told = {**USUAL, "no_cpython_wrapper": True, **options}
        super().__init__(function, locals={}, targetoptions=told, pipeline_class=_PartCompiler)
        self.options = options

    @cached_property
    def whole(self) -> _Whole:
        """What Python calls."""
        return _Whole(self.py_func, self.options)

    def __call__(self, *args: Any) -> Any:
        return self.whole(*args)


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function, when it is called, for those who call it; `options` are numba's."""
    if function is None:
        return lambda function: kernel(function, **options)
    return function if config.DISABLE_JIT else _Kernel(function, options)  # type: ignore[attr-defined]
