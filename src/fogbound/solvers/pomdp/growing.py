"""Going through what grows on the way, as an exploration does that numbers things as it meets them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


def growing_keys(numbers: Mapping[K, int]) -> Iterator[K]:
    """The keys of a dictionary that grows meanwhile, in the order of their coming."""
    done = 0
    while done < len(numbers):
        fresh = list(numbers)[done:]
        done += len(fresh)
        yield from fresh
