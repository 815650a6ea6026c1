"""Hears from numba that something is being compiled (and not only read from disk), and announces it."""

from __future__ import annotations

from typing import Any

from numba.core.event import Listener, register

from fogbound.core.compilation import announce


class _Announcer(Listener):
    def on_start(self, event: Any) -> None:  # noqa: ARG002
        announce(begins=True)

    def on_end(self, event: Any) -> None:  # noqa: ARG002
        announce(begins=False)


def listen() -> None:
    """Announce every compilation of this process from now on."""
    register("numba:compile", _Announcer())
