"""Actions and observations as JSON and back: plain values only, each read back as the very value it was."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

from fogbound.core.errors import FileError, brief

MOST_DEPTH = 32


def to_json(value: Hashable) -> Any:
    """None, bool, int, float, str as they are; tuples and frozensets marked. FileError for anything else."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int) and type(value) is int:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, tuple):
        return {"tuple": [to_json(part) for part in value]}
    if isinstance(value, frozenset):
        return {"set": sorted((to_json(part) for part in value), key=repr)}
    raise FileError(
        f"the label {brief(value)} is a {type(value).__name__}, which files cannot hold: let actions and observations "
        f"be "
        "strings, numbers, None or tuples of these"
    )


def from_json(value: Any, depth: int = 0) -> Hashable:
    """The value that `to_json` wrote."""
    if value is None or isinstance(value, bool | str | int | float):
        return value
    if depth < MOST_DEPTH and isinstance(value, dict) and len(value) == 1:
        ((mark, parts),) = value.items()
        if mark in ("tuple", "set") and isinstance(parts, list):
            read = [from_json(part, depth + 1) for part in parts]
            return tuple(read) if mark == "tuple" else frozenset(read)
    raise FileError(f"found the label {brief(value)}, expected a plain value")
