"""One entry of a `.pomdp` file walked through word by word: the slow way, which finds what is wrong and where."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from fogbound.files.cassandra.batch import Batch
from fogbound.files.cassandra.scan import Lot, places
from fogbound.files.cassandra.shape import Shape
from fogbound.files.cassandra.text import Source
from fogbound.files.cassandra.vector import a_number, vector


def one_by_one(source: Source, shape: Shape, lot: Lot) -> Iterator[Batch]:
    """The entries of a lot, each by itself; FileError for the first that is none."""
    found = islice(places(source, shape.keyword, lot.begin), max(len(lot.words), 1))
    return (_entry(source, shape, lot.number + k, begin, end) for k, (begin, end) in enumerate(found))


def _entry(source: Source, shape: Shape, number: int, begin: int, end: int) -> Batch:
    fields, at = _fields(source, shape, begin, end)
    words = [word for word, _ in zip(source.words(at, end), range(3))]
    wanted, size, what = shape.tails(len(fields))
    expected = " or ".join((f"{size:,} {what}" if size > 1 else a_number(shape.probable), *wanted))
    numbers, named = np.array([number]), np.array(fields, np.int32)[:, None]
    if not words:
        found, place = source.next_word(end)
        raise source.fault(place, found, expected)
    first = words[0][0]
    if first in wanted and len(words) > 1:
        raise source.fault(words[1][1], repr(words[1][0]), f"nothing after {first!r}")
    if first in wanted:
        return Batch(numbers, named, [first])
    if first[0].isalpha():
        raise source.fault(words[0][1], repr(first), expected)
    single = shape.single(len(fields), len(words) - (first in ("+", "-")))
    values = vector(source, at, end, 1 if single else size, what, shape.probable)
    return Batch(numbers, named, values if single else values[None])


def _fields(source: Source, shape: Shape, begin: int, end: int) -> tuple[tuple[int, ...], int]:
    """The fields named, and the offset at which they end."""
    words = source.words(begin, end)
    found: list[int] = []
    while True:
        numbering = shape.fields[len(found)]
        word, at = next(words, (":", -1))
        if word == ":":
            seen, at = ("':'", at) if at >= 0 else source.next_word(end)
            raise source.fault(at, seen, f"one of the {numbering.kind}s, or *")
        found.append(numbering.find(source, word, at))
        stop = at + len(word)
        word, at = next(words, ("", end))
        if word != ":":
            break
        if len(found) == len(shape.fields):
            raise source.fault(at, "':'", f"a number after {len(found)} fields")
    if len(found) < shape.least:
        seen, at = source.next_word(stop)
        raise source.fault(at, seen, f"a colon and one of the {shape.fields[len(found)].kind}s")
    return tuple(found), stop
