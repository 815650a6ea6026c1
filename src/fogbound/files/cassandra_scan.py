"""The entries of a `.pomdp` file, those of one keyword in their order, the common ones in lots.

Large files consist almost wholly of entries that name every field and end in one number. One pattern finds
those, and a lot of them is read column by column; any other entry comes as the section it is. Where an entry
stands is looked up only when a message needs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fogbound.files.cassandra_text import KEYWORD, Source

LOT = 20_000
_FIELD, _COLON = r"([^\s:]++)", r"\s*+:\s*+"
_END = rf"(?=\s++(?:{KEYWORD})\s*+:|\s*+\Z)"
_ENTRY = re.compile(
    rf"(?<!\S)(?:([TO]){_COLON}{_COLON.join([_FIELD] * 3)}\s++{_FIELD}{_END}"
    rf"|(R){_COLON}{_COLON.join([_FIELD] * 4)}\s++{_FIELD}{_END}"
    rf"|({KEYWORD})\s*+:)",
    re.ASCII,
)
_CELL_GROUP, _REWARD_GROUP, _OTHER_GROUP = 5, 11, 12  # the last group of each of the three alternatives


@dataclass(frozen=True)
class Lot:
    """Entries that name every field and end in one number: a column of words for each field and the number."""

    keyword: str
    number: int  # of the first of them, among the entries of this keyword
    columns: list[tuple[str, ...]]


@dataclass(frozen=True)
class Single:
    """Any other entry, and the offsets between which it stands."""

    keyword: str
    number: int
    begin: int
    end: int


class _Waiting:
    """Entries of one keyword that were found and not yet handed on."""

    def __init__(self, keyword: str) -> None:
        self.keyword, self.number = keyword, 0
        self.words: list[tuple[str, ...]] = []

    def lot(self) -> Iterator[Lot]:
        if self.words:
            yield Lot(self.keyword, self.number, list(zip(*self.words)))
            self.number += len(self.words)
            self.words = []

    def single(self, begin: int, end: int) -> Iterator[Lot | Single]:
        yield from self.lot()
        yield Single(self.keyword, self.number, begin, end)
        self.number += 1


def entries(source: Source) -> Iterator[Lot | Single]:
    """All entries of the file."""
    waiting = {keyword: _Waiting(keyword) for keyword in "TOR"}
    open_, begin = None, 0
    for match in _ENTRY.finditer(source.text):
        if open_:
            yield from open_.single(begin, match.start())
            open_ = None
        group = match.lastindex
        if group == _OTHER_GROUP:
            open_, begin = waiting.get(match[group]), match.end()
            continue
        mine = waiting[match[1] if group == _CELL_GROUP else "R"]
        mine.words.append(match.group(2, 3, 4, 5) if group == _CELL_GROUP else match.group(7, 8, 9, 10, 11))
        if len(mine.words) == LOT:
            yield from mine.lot()
    if open_:
        yield from open_.single(begin, len(source.text))
    for mine in waiting.values():
        yield from mine.lot()


def places(source: Source, keyword: str) -> Iterator[tuple[int, int]]:
    """The offsets between which each entry of a keyword stands, in their order."""
    begin = -1
    for match in _ENTRY.finditer(source.text):
        if begin >= 0:
            yield begin, match.start()
            begin = -1
        if match.lastindex == _OTHER_GROUP:
            begin = match.end() if match[_OTHER_GROUP] == keyword else -1
        elif (match[1] or "R") == keyword:
            yield match.start(2 if match[1] else 7), match.end()
    if begin >= 0:
        yield begin, len(source.text)
