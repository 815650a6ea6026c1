"""Stopping work from outside: a token that anybody may set, and an ambient one for code that is handed nothing.

A solver is lent a context and asks it. What builds a form is an ordinary function that knows nothing of drivers,
clocks or threads, and still must end when somebody presses Ctrl-C: its long loops call `check`, which costs next to
nothing and raises `Stopped` as soon as a token of the calling thread says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from fogbound.core.errors import Stopped


class Stoppable(Protocol):
    """Something that knows whether to stop."""

    @property
    def reason(self) -> str:
        """Why to stop now, in a word; empty = go on."""


class Cancel:
    """A token that stops work for good. It may be set from any thread, and from a signal's handler.

    Examples
    --------
    >>> cancel = Cancel()
    >>> cancel.reason
    ''
    >>> cancel.set()
    >>> cancel.set("too late: the first reason stays")
    >>> cancel.reason
    'cancelled'
    """

    def __init__(self) -> None:
        self._reasons: list[str] = []  # appending is atomic; a lock could be held when a signal's handler wants it

    def set(self, reason: str = "cancelled") -> None:
        """Stop what is watching this token."""
        self._reasons.append(reason)

    @property
    def reason(self) -> str:
        return self._reasons[0] if self._reasons else ""

    def __repr__(self) -> str:
        return f"Cancel({self.reason!r})"


_ambient: ContextVar[tuple[Stoppable, ...]] = ContextVar("ambient", default=())


def check() -> None:
    """Raise `Stopped` if a token around this call says so. For loops that may take long, every few hundred rounds."""
    if reason := stopping():
        raise Stopped(reason)


def stopping() -> str:
    """Why the tokens around this call want it to stop; empty where none does."""
    return next(filter(None, (token.reason for token in _ambient.get())), "")


def ambient() -> tuple[Stoppable, ...]:
    """The tokens around this call."""
    return _ambient.get()


@contextmanager
def cancelling(*tokens: Stoppable) -> Iterator[None]:
    """Inside the block, and in this thread alone, `check` also asks these tokens."""
    with cancelling_only(*ambient(), *tokens):
        yield


@contextmanager
def cancelling_only(*tokens: Stoppable) -> Iterator[None]:
    """Inside the block `check` asks these tokens and no others: the caller asks the tokens around it."""
    before = _ambient.set(tokens)
    try:
        yield
    finally:
        _ambient.reset(before)
