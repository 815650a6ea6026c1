"""One entry `T:`, `O:` or `R:` of a `.pomdp` file: its fields and what follows them.

Entries that name every field and end in one number are read in lots, column by column. All others, and all
lots with anything wrong in them, are walked through word by word.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fogbound.files.cassandra_names import Numbering
from fogbound.files.cassandra_numbers import PIECE, SLACK, a_number, vector
from fogbound.files.cassandra_text import Source
from fogbound.files.numbers import number
from fogbound.forms.table import Floats

WORDS = {
    ("T", 1): ("uniform", "identity"),
    ("T", 2): ("uniform", "reset"),
    ("O", 1): ("uniform",),
    ("O", 2): ("uniform",),
}


@dataclass(frozen=True)
class Shape:
    """The fields that entries of one keyword have, and how many of them must be named."""

    keyword: str
    fields: tuple[Numbering, ...]
    least: int  # fields that may not be left out

    @property
    def probable(self) -> bool:
        """Whether the numbers are probabilities."""
        return self.keyword != "R"

    def tails(self, named: int) -> tuple[tuple[str, ...], int, str]:
        """What may follow when so many fields are named: words, or how many numbers, called what."""
        size = math.prod(numbering.size for numbering in self.fields[named:])
        return WORDS.get((self.keyword, named), ()), size, "probabilities" if self.probable else "rewards"

    def single(self, named: int, given: int) -> bool:
        """Whether one number is all there is to be: with all fields named; a reward may stand for many."""
        return named == len(self.fields) or (given == 1 and not self.probable)


class Entry(NamedTuple):
    """The fields named, ANY for a wildcard, then one number, a row or a matrix flattened, or a word."""

    fields: tuple[int, ...]
    tail: float | Floats | str


def lot(columns: list[tuple[str, ...]], shape: Shape) -> tuple[list[list[int]], list[float]] | None:
    """The fields and the numbers of entries that name all fields; none when any of them is wrong."""
    known = {word: number(word) for word in set(columns[-1])}
    values = [value for value in known.values() if value is not None]
    if len(values) < len(known) or (shape.probable and not (min(values) >= 0 and max(values) <= 1 + SLACK)):
        return None
    try:
        fields = [[numbering[word] for word in column] for numbering, column in zip(shape.fields, columns)]
    except KeyError:
        return None
    return fields, [known[word] for word in columns[-1]]  # type: ignore[misc]  # none is none


def entry(source: Source, shape: Shape, begin: int, end: int) -> Entry:
    """Any entry; FileError for what is none."""
    plain = _plain(source.text[begin:end], shape) if end - begin <= PIECE else None
    if plain:
        return plain
    fields, at = _fields(source, shape, begin, end)
    words = source.words(at, end)
    first, second = next(words, None), next(words, None)
    wanted, size, what = shape.tails(len(fields))
    expected = " or ".join((f"{size:,} {what}" if size > 1 else a_number(shape.probable), *wanted))
    if first is None:
        found, place = source.next_word(end)
        raise source.fault(place, found, expected)
    if first[0] in wanted and second:
        raise source.fault(second[1], repr(second[0]), f"nothing after {first[0]!r}")
    if first[0] in wanted:
        return Entry(fields, first[0])
    if first[0][0].isalpha():
        raise source.fault(first[1], repr(first[0]), expected)
    single = shape.single(len(fields), 1 if second is None else 2)
    values = vector(source, at, end, 1 if single else size, what, shape.probable)
    return Entry(fields, float(values[0]) if single else values)


def _plain(body: str, shape: Shape) -> Entry | None:
    """An entry in which nothing is wrong or odd; none for any other."""
    parts = body.split(":")
    last = parts[-1].split()
    if not shape.least <= len(parts) <= len(shape.fields) or len(last) < 2:
        return None
    parts[-1], tail = last[0], last[1:]
    try:
        fields = tuple([numbering[part.strip()] for numbering, part in zip(shape.fields, parts)])
    except KeyError:
        return None
    wanted, size, _ = shape.tails(len(fields))
    if len(tail) == 1 and tail[0] in wanted:
        return Entry(fields, tail[0])
    single = shape.single(len(fields), len(tail))
    values = [value for word in tail if (value := number(word)) is not None]
    if len(tail) != (1 if single else size) or len(values) < len(tail):
        return None
    if shape.probable and not (min(values) >= 0 and max(values) <= 1 + SLACK):
        return None
    return Entry(fields, values[0] if single else np.array(values))


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
