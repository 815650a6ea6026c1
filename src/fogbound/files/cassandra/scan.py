"""The entries of a `.pomdp` file as words, in lots: large files hold a million, and each must cost little.

One pattern finds an entry with its fields and what follows them; those of one keyword are collected, to be read
column by column. What the pattern does not fit, or is very long, comes alone. Where an entry stands is looked up
only when a message needs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from fogbound.files.cassandra.text import KEYWORD, Source
from fogbound.files.cassandra.vector import PIECE

LOT = 20_000  # entries
CHARACTERS = 1 << 20
Words = tuple[str, str | None, str | None, str | None, str]  # the fields, those not named are none, and the rest
_FIELD, _COLON = r"([^\s:]++)", r"\s*+:\s*+"
_ENTRY = re.compile(
    rf"(?<!\S)(?:([TOR]){_COLON}{_FIELD}(?:{_COLON}{_FIELD}(?:{_COLON}{_FIELD}(?:{_COLON}{_FIELD})?+)?+)?+"
    rf"((?:\s++(?!(?:{KEYWORD})\s*+:)[^\s:]++)++)(?!\s*+:)"
    rf"|({KEYWORD})\s*+:)",
    re.ASCII,
)
_FIRST, _OTHER = 2, 7  # groups: the first field, the keyword of what is no whole entry


@dataclass
class Lot:
    """Entries of one keyword, one after the other."""

    keyword: str
    number: int  # of the first of them, among the entries of this keyword
    begin: int  # an offset after which no other entry of this keyword comes before them
    words: list[Words] = field(default_factory=list)  # none: one entry, to be read alone


def entries(source: Source) -> Iterator[Lot]:
    """All entries of the file."""
    lots = {keyword: Lot(keyword, 0, 0) for keyword in "TOR"}
    for match in _ENTRY.finditer(source.text):
        other = match.lastindex == _OTHER
        keyword = match[_OTHER] if other else match[1]
        if keyword not in lots:
            continue
        lot, end = lots[keyword], match.end()
        if other or end - match.start() > PIECE:
            for waiting in lots.values():  # what comes before it goes first, and so does a fault in that
                yield from _handed_on(waiting, match.start())
            yield Lot(keyword, lot.number, match.start())
            lot.number, lot.begin = lot.number + 1, end
            continue
        lot.words.append(match.group(2, 3, 4, 5, 6))  # type: ignore[arg-type]  # the first and the last are there
        if len(lot.words) == LOT or end - lot.begin > CHARACTERS:
            yield from _handed_on(lot, end)
    for lot in lots.values():
        yield from _handed_on(lot, len(source.text))


def _handed_on(lot: Lot, end: int) -> Iterator[Lot]:
    """The lot, emptied for what comes after an offset; nothing when nothing is in it."""
    if lot.words:
        yield Lot(lot.keyword, lot.number, lot.begin, lot.words)
        lot.number, lot.begin, lot.words = lot.number + len(lot.words), end, []


def places(source: Source, keyword: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """The offsets between which each entry of a keyword stands, in their order, from an offset on."""
    begin = -1
    for match in _ENTRY.finditer(source.text, start):
        if begin >= 0:
            yield begin, match.start()
            begin = -1
        if match.lastindex == _OTHER:
            begin = match.end() if match[_OTHER] == keyword else -1
        elif match[1] == keyword:
            yield match.start(_FIRST), match.end()
    if begin >= 0:
        yield begin, len(source.text)
