"""Typed access to named arrays: the right dtype and the right shape, or Refused."""

from collections.abc import Mapping

from .array import Array
from .refused import Refused


def shape(arrays: Mapping[str, Array], name: str, sides: int) -> tuple[int, ...]:
    """The shape of a named array that must have so many sides."""
    found = _named(arrays, name).shape
    if len(found) != sides:
        raise Refused(f"{name!r} has shape {found}, expected {sides} sides")
    return found


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
