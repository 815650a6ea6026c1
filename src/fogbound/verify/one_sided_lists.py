"""Lists within lists, as flat arrays hold them."""

import itertools
from collections.abc import Mapping, Sequence
from typing import TypeVar

from .array import Array
from .fields import floats, integers, shape, within
from .refused import Refused

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
    found = integers(certificate, name, count + 1)
    if found[0] != 0 or found[-1] != size or any(a > b for a, b in itertools.pairwise(found)):
        raise Refused(f"{name!r} must rise from 0 to {size}")
    return list(itertools.pairwise(found))
