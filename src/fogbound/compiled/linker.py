"""The fast way to compile kernels: each once, and with nothing that nobody asks for.

Numba makes every function ready to be called from Python, with its own copy of all that it calls, even when only other
functions ever call it. A kernel that kernels call is a part: it stays the code that numba made of it until it is
linked into what Python calls, which is optimised and made into machine code once, as a whole. When Python calls a
kernel itself, that kernel is such a whole, which is kept on disk.

How numba links code is its own affair and not promised to stay, so only numbas that this was tried with are asked to.
To try another: FOGBOUND_PLAIN_JIT=0 and the tests; if they hold, it belongs to `TRIED` in `compiled/kernel.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from fogbound.compiled.cache import kernel_cache

USUAL = {"nopython": True, "boundscheck": None, "no_cfunc_wrapper": True}  # of numba's options


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


class _Whole(CPUDispatcher):
    """A kernel for Python, with all that it calls."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, locals={}, targetoptions={**USUAL, **options}, pipeline_class=_Compiler)
        self._cache = kernel_cache(function, "linked")


class Linked(CPUDispatcher):
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
