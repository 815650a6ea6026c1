"""An array as the files hold it: a dtype, a shape and little-endian bytes in C order.

Every Array is sound by construction (known dtype, bytes that fit the shape, finite floats), so the
rest of the checker never meets a NaN, for which every comparison would be false.
"""

import math
import sys
from array import array
from dataclasses import dataclass
from typing import Any

from .refused import Refused

SIZES = {"<f8": 8, "<i8": 8, "|u1": 1}
CODES = {"<f8": "d", "<i8": "q", "|u1": "B"}


@dataclass(frozen=True)
class Array:
    """One array; Refused when it is not sound."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes

    def __post_init__(self) -> None:
        if self.dtype not in SIZES:
            raise Refused(f"dtype {self.dtype!r} is not one of {', '.join(SIZES)}")
        if any(type(side) is not int or side < 0 for side in self.shape):
            raise Refused(f"shape {self.shape} is not made of counts")
        if math.prod(self.shape) * SIZES[self.dtype] != len(self.data):
            raise Refused(f"shape {self.shape} does not fit {len(self.data)} bytes of {self.dtype}")
        if self.dtype == "<f8" and not all(map(math.isfinite, self._items())):
            raise Refused("holds NaN or infinity")

    def _items(self) -> "array[Any]":
        items = array(CODES[self.dtype], self.data)
        if sys.byteorder == "big":
            items.byteswap()
        return items

    def values(self) -> list[Any]:
        """The entries in C order, as Python ints or floats."""
        return self._items().tolist()
