"""One entry `T:`, `O:` or `R:` of a `.pomdp` file: its fields and what follows them.

Nearly all entries of large files name every field and end in one number; those are read in one go. All
others, and all that are wrong, are walked through word by word.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from fogbound.files.cassandra_names import Numbering
from fogbound.files.cassandra_numbers import SLACK, vector
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
    lenient: bool  # one number may stand for all that a row or a matrix would hold

    @property
    def probable(self) -> bool:
        return self.keyword != "R"


@dataclass(frozen=True)
class Entry:
    """The fields named, ANY for a wildcard, then one number, a row or a matrix flattened, or a word."""

    fields: tuple[int, ...]
    tail: float | Floats | str
    begin: int  # where the tail stands
    end: int


def quick(body: str, shape: Shape) -> tuple[list[int], float] | None:
    """An entry that names all its fields and ends in one number; none when it is anything else."""
    parts = body.split(":")
    if len(parts) != len(shape.fields):
        return None
    last = parts[-1].split()
    if len(last) != 2:
        return None
    parts[-1] = last[0]
    value = number(last[1])
    if value is None or (shape.probable and not 0 <= value <= 1 + SLACK):
        return None
    try:
        return [numbering[part.strip()] for numbering, part in zip(shape.fields, parts)], value
    except KeyError:
        return None


def entry(source: Source, shape: Shape, begin: int, end: int) -> Entry:
    """Any entry; FileError for what is none."""
    fields, at = _fields(source, shape, begin, end)
    words = source.words(at, end)
    first, second = next(words, None), next(words, None)
    wanted = WORDS.get((shape.keyword, len(fields)), ())
    size = math.prod(numbering.size for numbering in shape.fields[len(fields) :])
    what = "probabilities" if shape.probable else "rewards"
    expected = " or ".join((f"{size:,} {what}" if size > 1 else f"one of the {what}", *wanted))
    if first is None:
        found, place = source.next_word(end)
        raise source.fault(place, found, expected)
    if first[0] in wanted:
        if second:
            raise source.fault(second[1], repr(second[0]), f"nothing after {first[0]!r}")
        return Entry(fields, first[0], at, end)
    if first[0][0].isalpha():
        raise source.fault(first[1], repr(first[0]), expected)
    single = len(fields) == len(shape.fields) or (shape.lenient and second is None)
    values = vector(source, at, end, 1 if single else size, what, shape.probable)
    return Entry(fields, float(values[0]) if single else values, at, end)


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
