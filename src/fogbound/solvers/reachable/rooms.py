"""Arrays that grow: kernels write into what there is, and say when it is full."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=tuple[Any, ...])
SLOTS = "slot"  # the name of a hash table, which is filled again when it grows


def larger(arrays: T, used: Mapping[str, int], rehash: Callable[[T], None]) -> T:
    """A named tuple of arrays in which those more than half full have twice the room; all of them, if none is.

    `used` says how many entries of each array are taken.
    """
    named = dict(zip(arrays._fields, arrays))  # type: ignore[attr-defined]
    full = [name for name, array in named.items() if 2 * used[name] >= len(array)] or list(named)
    for name in full:
        fresh = np.full(2 * len(named[name]), -1, np.int64) if name == SLOTS else doubled(named[name])
        named[name] = fresh
    grown: T = type(arrays)(**named)
    if SLOTS in full:
        rehash(grown)
    return grown


def doubled(array: NDArray[Any]) -> NDArray[Any]:
    """The same entries with as much room again, zeroed."""
    room = np.zeros(2 * len(array), array.dtype)
    room[: len(array)] = array
    return room


def size_of(arrays: tuple[Any, ...]) -> int:
    """Bytes."""
    return sum(array.nbytes for array in arrays)
