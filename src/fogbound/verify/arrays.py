"""Typed access to named arrays: the right dtype and the right shape, or Refused.

An array as the files hold it: a dtype, a shape and little-endian bytes in C order.

Every Array is sound by construction (known dtype, bytes that fit the shape, finite floats), so the
rest of the checker never meets a NaN, for which every comparison would be false.

Lists within lists, as flat arrays hold them.
"""

import itertools
import math
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar


class Refused(ValueError):
    """The input cannot be judged; the message is one line that says why.

    Not the same as a refuted claim: a refuted claim was understood and found false.
    """


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


class Reading(Mapping[str, Array]):
    """Named arrays that remember which of them were read; asking whether there is one reads nothing."""

    def __init__(self, arrays: Mapping[str, Array], prefix: str = "", read: set[str] | None = None) -> None:
        self.arrays, self.prefix, self.read = arrays, prefix, set() if read is None else read

    def __getitem__(self, name: str) -> Array:
        found = self.arrays[self.prefix + name]
        self.read.add(self.prefix + name)
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.prefix + name in self.arrays

    def __iter__(self) -> Iterator[str]:
        return (name.removeprefix(self.prefix) for name in self.arrays if name.startswith(self.prefix))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def beginning(self, prefix: str) -> "Reading":
        """Those whose names begin so, without that beginning."""
        return Reading(self.arrays, self.prefix + prefix, self.read)

    def unread(self) -> list[str]:
        """The names of the arrays that nothing has read, in their order."""
        return [name for name in self.arrays if name not in self.read]


def shape(arrays: Mapping[str, Array], name: str, sides: int) -> tuple[int, ...]:
    """The shape of a named array that must have so many sides."""
    shape = _named(arrays, name).shape
    if len(shape) != sides:
        raise Refused(f"{name!r} has shape {shape}, expected {sides} sides")
    return shape


def integers(arrays: Mapping[str, Array], name: str, *expected: int) -> list[int]:
    """The flat values of a named <i8 array of exactly this shape."""
    return _typed(arrays, name, "<i8", expected).values()


def floats(arrays: Mapping[str, Array], name: str, *expected: int) -> list[float]:
    """The flat values of a named <f8 array of exactly this shape."""
    return _typed(arrays, name, "<f8", expected).values()


def lines(flat: list[int], width: int, count: int) -> list[tuple[int, ...]]:
    """A flat table of `count` lines, cut into its lines."""
    return [tuple(flat[k * width : (k + 1) * width]) for k in range(count)]


def every_line(arrays: Mapping[str, Array], name: str, width: int) -> list[tuple[int, ...]]:
    """The lines of a named <i8 array that has any number of them, each so wide."""
    count, _ = shape(arrays, name, 2)
    return lines(integers(arrays, name, count, width), width, count)


def within(values: list[int], low: int, high: int, name: str) -> None:
    """Refuse unless low <= every value < high (Python's negative indices would otherwise wrap)."""
    if values and not (low <= min(values) and max(values) < high):
        raise Refused(f"{name!r} holds {min(values)} to {max(values)}, expected {low} to {high - 1}")


def _named(arrays: Mapping[str, Array], name: str) -> Array:
    if name not in arrays:
        raise Refused(f"array {name!r} is missing")
    return arrays[name]


def _typed(arrays: Mapping[str, Array], name: str, dtype: str, expected: tuple[int, ...]) -> Array:
    item = _named(arrays, name)
    if item.dtype != dtype:
        raise Refused(f"{name!r} has dtype {item.dtype}, expected {dtype}")
    if item.shape != expected:
        raise Refused(f"{name!r} has shape {item.shape}, expected {expected}")
    return item


T = TypeVar("T")


def cut(flat: Sequence[T], sizes: Sequence[int]) -> list[list[T]]:
    """A flat sequence as slices of these sizes."""
    ends = itertools.accumulate(sizes, initial=0)
    return [list(flat[a:b]) for a, b in itertools.pairwise(ends)]


def read_mixtures(
    certificate: Mapping[str, Array], name: str, of: str, count: int, most: int
) -> list[list[tuple[int, float]]]:
    """`count` weighted lists of numbers below `most`, from the arrays name_start, name_of and name_weight."""
    (size,) = shape(certificate, f"{name}_{of}", 1)
    which, weights = integers(certificate, f"{name}_{of}", size), floats(certificate, f"{name}_weight", size)
    within(which, 0, most, f"{name}_{of}")
    slices = pointers(certificate, f"{name}_start", count, size)
    return [list(zip(which[a:b], weights[a:b])) for a, b in slices]


def pointers(certificate: Mapping[str, Array], name: str, count: int, size: int) -> list[tuple[int, int]]:
    """Where each of `count` slices of a flat array begins and ends."""
    starts = integers(certificate, name, count + 1)
    if starts[0] != 0 or starts[-1] != size or any(a > b for a, b in itertools.pairwise(starts)):
        raise Refused(f"{name!r} must rise from 0 to {size}")
    return list(itertools.pairwise(starts))


def steps_left(arrays: Mapping[str, Array], count: int, needed: bool) -> list[float]:
    """The claimed steps until the end, one for each point; zeros where rewards are discounted, whatever is claimed."""
    if needed:
        return floats(arrays, "steps", count)
    arrays.get("steps")
    return [0.0] * count
