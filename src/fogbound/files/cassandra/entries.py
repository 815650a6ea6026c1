"""The entries `T:`, `O:` and `R:` of a `.pomdp` file: found in lots, read column by column, one by one where
something is wrong.

The entries of a `.pomdp` file as words, in lots: large files hold a million, and each must cost little.

One pattern finds an entry with its fields and what follows them; those of one keyword are collected, to be read
column by column. What the pattern does not fit, or is very long, comes alone. Where an entry stands is looked up
only when a message needs it.

What an entry `T:`, `O:` or `R:` of a `.pomdp` file may look like: which fields, and what may follow them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.files.cassandra.preamble import Numbering
from fogbound.files.cassandra.text import PIECE, Source, Words, a_number, joined_signs, read_numbers, spelt_number
from fogbound.forms.arrays import Floats, Longs


class EntryBatch(NamedTuple):
    """Entries that name equally many fields and go on alike: one number each, a row or matrix each, a word each."""

    numbers: Longs  # [n] which of the entries of their keyword
    fields: NDArray[np.int32]  # [named, n] ANY for a wildcard
    tails: Floats | list[str]  # [n], [n, size] rows or matrices flattened, or words


LOT = 20_000  # entries
CHARACTERS = 1 << 20
_FIRST, _OTHER = 2, 7  # groups: the first field, the keyword of what is no whole entry


@dataclass
class EntryLot:
    """Entries of one keyword, one after the other."""

    keyword: str
    number: int  # of the first of them, among the entries of this keyword
    begin: int  # an offset after which no other entry of this keyword comes before them
    words: list[Words] = field(default_factory=list)  # none: one entry, to be read alone


def entry_lots(source: Source) -> Iterator[EntryLot]:
    """All entries of the file."""
    lots = {keyword: EntryLot(keyword, 0, 0) for keyword in "TOR"}
    words = source.grammar.words
    for match in source.grammar.entry.finditer(source.text):
        other = match.lastindex == _OTHER
        keyword = match[_OTHER] if other else match[1]
        if keyword not in lots:
            continue
        lot, end = lots[keyword], match.end()
        if other or end - match.start() > PIECE:
            for waiting in lots.values():  # what comes before it goes first, and so does a fault in that
                yield from _handed_on(waiting, match.start())
            yield EntryLot(keyword, lot.number, match.start())
            lot.number, lot.begin = lot.number + 1, end
            continue
        lot.words.append(words(match))
        if len(lot.words) == LOT or end - lot.begin > CHARACTERS:
            yield from _handed_on(lot, end)
    for lot in lots.values():
        yield from _handed_on(lot, len(source.text))


def _handed_on(lot: EntryLot, end: int) -> Iterator[EntryLot]:
    """The lot, emptied for what comes after an offset; nothing when nothing is in it."""
    if lot.words:
        yield EntryLot(lot.keyword, lot.number, lot.begin, lot.words)
        lot.number, lot.begin, lot.words = lot.number + len(lot.words), end, []


def entry_places(source: Source, keyword: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """The offsets between which each entry of a keyword stands, in their order, from an offset on."""
    begin = -1
    for match in source.grammar.entry.finditer(source.text, start):
        if begin >= 0:
            yield begin, match.start()
            begin = -1
        if match.lastindex == _OTHER:
            begin = match.end() if match[_OTHER] == keyword else -1
        elif match[1] == keyword:
            yield match.start(_FIRST), match.end()
    if begin >= 0:
        yield begin, len(source.text)


WORDS = {
    ("T", 1): ("uniform", "identity"),
    ("T", 2): ("uniform", "reset"),
    ("O", 1): ("uniform",),
    ("O", 2): ("uniform",),
}


@dataclass(frozen=True)
class EntryShape:
    """The fields that entries of one keyword have, and how many of them must be named."""

    keyword: str
    fields: tuple[Numbering, ...]
    least: int  # fields that may not be left out

    @classmethod
    def of(cls, actions: Numbering, states: Numbering, observations: Numbering) -> dict[str, Self]:
        """By keyword, the entries of a file that has these actions, states and observations."""
        return {
            "T": cls("T", (actions, states, states), 1),
            "O": cls("O", (actions, states, observations), 1),
            "R": cls("R", (actions, states, states, observations), 2),
        }

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

    def named(self, source: Source, begin: int, end: int) -> tuple[tuple[int, ...], int]:
        """The fields that an entry between two offsets names, and the offset at which they end."""
        words = source.words(begin, end)
        fields: list[int] = []
        while True:
            numbering = self.fields[len(fields)]
            word, at = next(words, (":", -1))
            if word == ":":
                seen, at = ("':'", at) if at >= 0 else source.next_word(end)
                raise source.fault(at, seen, f"one of the {numbering.kind}s, or *")
            fields.append(numbering.find(source, word, at))
            stop = at + len(word)
            word, at = next(words, ("", end))
            if word != ":":
                break
            if len(fields) == len(self.fields):
                raise source.fault(at, "':'", f"a number after {len(fields)} fields")
        if len(fields) < self.least:
            seen, at = source.next_word(stop)
            raise source.fault(at, seen, f"a colon and one of the {self.fields[len(fields)].kind}s")
        return tuple(fields), stop


def read_entries(source: Source, shapes: Mapping[str, EntryShape]) -> Iterator[tuple[str, EntryBatch]]:
    """Every entry of the file, with its keyword."""
    for lot in entry_lots(source):
        check()
        shape = shapes[lot.keyword]
        for batch in _read_together(lot, shape) or _read_one_by_one(source, shape, lot):
            yield lot.keyword, batch


def _read_one_by_one(source: Source, shape: EntryShape, lot: EntryLot) -> Iterator[EntryBatch]:
    """The entries of a lot, each by itself; FileError for the first that is none."""
    places = islice(entry_places(source, shape.keyword, lot.begin), max(len(lot.words), 1))
    return (_entry(source, shape, lot.number + k, begin, end) for k, (begin, end) in enumerate(places))


def _entry(source: Source, shape: EntryShape, number: int, begin: int, end: int) -> EntryBatch:
    fields, at = shape.named(source, begin, end)
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
        return EntryBatch(numbers, named, [first])
    if first[0].isalpha():
        raise source.fault(words[0][1], repr(first), expected)
    single = shape.single(len(fields), len(words) - (first in ("+", "-")))
    values = read_numbers(source, at, end, 1 if single else size, what, shape.probable)
    return EntryBatch(numbers, named, values if single else values[None])


MOST_FIELDS = 4


def _read_together(lot: EntryLot, shape: EntryShape) -> list[EntryBatch]:
    """The entries of a lot; an empty list when any of them is wrong, or when it is to be read alone."""
    batches: list[EntryBatch] = []
    for named, numbers, words in _by_fields(lot.words):
        if not shape.least <= named <= len(shape.fields):
            return []
        columns = list(zip(*words))
        try:
            numbered = [[names[word] for word in column] for names, column in zip(shape.fields, columns[:named])]
        except KeyError:
            return []
        alike = _by_tails(columns[-1], named, shape)
        if not alike:
            return []
        fields = np.array(numbered, np.int32)
        batches += [EntryBatch(lot.number + numbers[group], fields[:, group], tails) for group, tails in alike]
    return batches


def _by_fields(words: list[Words]) -> Iterator[tuple[int, Longs, list[Words]]]:
    """Entries that name equally many fields: how many, which entries, and their words."""
    names = np.array([MOST_FIELDS - word.count(None) for word in words], np.int64)
    for named in np.unique(names).tolist():
        group = np.flatnonzero(names == named)
        yield named, group, words if len(group) == len(words) else [words[k] for k in group.tolist()]


def _by_tails(texts: tuple[str, ...], named: int, shape: EntryShape) -> list[tuple[Longs, Floats | list[str]]]:
    """What follows the fields, where it is alike: which entries, and what they say; nothing when any is wrong."""
    different = {text: k for k, text in enumerate(dict.fromkeys(texts))}
    read = [_tail(text, named, shape) for text in different]
    if None in read:
        return []
    sizes = np.array([0 if isinstance(tail, str) else len(tail) for tail in read if tail is not None])
    which = np.array([different[text] for text in texts], np.int64)
    groups: list[tuple[Longs, Floats | list[str]]] = []
    for size in np.unique(sizes).tolist():
        group = np.flatnonzero(sizes[which] == size)
        if size == 0:
            groups.append((group, [str(read[k]) for k in which[group].tolist()]))
            continue
        values = np.array([tail for tail, long in zip(read, sizes) if long == size], np.float64)
        values = values[(np.cumsum(sizes == size) - 1)[which[group]]]
        groups.append((group, values[:, 0] if shape.single(named, size) else values))
    return groups


def _tail(text: str, named: int, shape: EntryShape) -> list[float] | str | None:
    """What follows the fields: a word that may stand there, or as many numbers as must; none for anything else."""
    words = text.split()
    wanted, size, _ = shape.tails(named)
    if len(words) == 1 and words[0] in wanted:
        return words[0]
    if "-" in text or "+" in text:
        words = joined_signs(text).split()
    if len(words) != (1 if shape.single(named, len(words)) else size):
        return None
    spelt = {word: spelt_number(word, shape.probable) for word in set(words)}
    values = [number for word in words if (number := spelt[word]) is not None]
    return values if len(values) == len(words) else None
