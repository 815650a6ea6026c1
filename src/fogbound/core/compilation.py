"""Who wants to know that a kernel is being compiled: it takes seconds, once, and nobody should wait unawares.

What compiles calls `announce`; whoever wants to hear of it in its own thread listens with `hearing`. Neither knows the
other, so that nothing has to be compiled, or even imported, to be ready to hear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Heard = Callable[[bool], None]

_listeners: ContextVar[tuple[Heard, ...]] = ContextVar("listeners", default=())
_depth: ContextVar[int] = ContextVar("depth", default=0)


def announce(begins: bool) -> None:
    """Say that a compilation begins, or ends; those inside another one are part of it and not told."""
    before = _depth.get()
    _depth.set(before + 1 if begins else before - 1)
    if before == (0 if begins else 1):
        for heard in _listeners.get():
            heard(begins)


@contextmanager
def hearing(heard: Heard) -> Iterator[None]:
    """Inside the block, and in this thread alone, `heard` is called with True when compiling begins, False after."""
    before = _listeners.set((*_listeners.get(), heard))
    try:
        yield
    finally:
        _listeners.reset(before)
