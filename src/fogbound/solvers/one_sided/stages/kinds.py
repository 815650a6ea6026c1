"""The ways to solve a stage game, by name; apart, so that naming one loads nothing."""

from __future__ import annotations

from fogbound.core.errors import SpecError

KINDS = ("compiled", "oracle", "full")


def checked(kind: str, whose: str) -> str:
    """The kind, when there is such a one."""
    if kind not in KINDS:
        raise SpecError(f"{whose} is {kind!r}, expected one of {', '.join(KINDS)}")
    return kind
