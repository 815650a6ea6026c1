"""Arrays that grow: kernels write into what there is, and say when it is full."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=tuple[Any, ...])


def larger(arrays: T, slots: str, rehash: Callable[[T, int], None], used: int) -> T:
    """A named tuple of arrays with twice the room each; the hash table called `slots` is filled again."""
    kept = {}
    for name, array in zip(arrays._fields, arrays):  # type: ignore[attr-defined]
        kept[name] = np.full(2 * len(array), -1, array.dtype) if name == slots else doubled(array)
    grown: T = type(arrays)(**kept)
    rehash(grown, used)
    return grown


def doubled(array: NDArray[Any]) -> NDArray[Any]:
    """The same entries with as much room again, zeroed."""
    room = np.zeros(2 * len(array), array.dtype)
    room[: len(array)] = array
    return room
