"""The fast way to compile kernels: each once, and with nothing that no caller uses.

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
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.lowering import Lower
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from fogbound.compiled.cache import LINKED, kernel_cache

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


class _Lower(Lower):
    """The usual code, less what lets go of variables that hold on to nothing: numbers, bundles, places in them.

    Numba loads every variable that is written again or no longer needed, to count who refers to what it held, and
    clears it. That would be a fifth of the instructions of a kernel, all of which come to nothing.
    """

    def _counted(self, name: str) -> bool:
        """Whether somebody counts who refers to what the variable holds, as with arrays that a kernel makes."""
        counted: bool = self.context.data_model_manager[self.typeof(name)].contains_nrt_meminfo()
        return counted

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        if argidx is not None or name in self._singly_assigned_vars or self._counted(name):
            super().storevar(value, name, argidx)
        else:
            self._alloca_var(name, self.typeof(name))
            self.builder.store(value, self.getvar(name))

    def delvar(self, name: str) -> None:
        if self._counted(name):
            super().delvar(name)


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):
    """From numba's own representation to LLVM's."""

    _name = "kernel_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        return _Lower


class _Compiler(Compiler):
    """The usual way to compile, less what looks for things that no kernel has: closures, and sums of whole arrays."""

    def define_pipelines(self) -> list[PassManager]:
        passes = PassManager("kernel")
        for step, why in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            if step not in (InlineClosureLikes, NopythonRewrites):
                passes.add_pass(_Lowering if step is NativeLowering else step, why)
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
        self._cache = kernel_cache(function, LINKED)


class Linked(CPUDispatcher):
    """A kernel for kernels, which is a part; when Python calls it, it hands over to the whole."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        choices = {**USUAL, "no_cpython_wrapper": True, **options}
        super().__init__(function, locals={}, targetoptions=choices, pipeline_class=_PartCompiler)
        self.options = options

    @cached_property
    def whole(self) -> _Whole:
        """What Python calls."""
        return _Whole(self.py_func, self.options)

    def __call__(self, *args: Any) -> Any:
        return self.whole(*args)
