"""The states, actions and observations that a `.pomdp` file declares, and how its entries refer to them."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence

from fogbound.files.cassandra.text import SECTIONS, Source, hint
from fogbound.files.numbers import count

ANY = -1  # what the wildcard `*` stands for
MOST_NAMES = 1_000_000
RESERVED = {*SECTIONS, "uniform"}
_NAME = re.compile(r"[A-Za-z_][!-~]{0,199}")


class Numbering(dict[str, int]):
    """Words to numbers: names, the numbers themselves, `*`; made as they are met, so that a count costs nothing."""

    def __init__(self, kind: str, names: Sequence[str], size: int) -> None:
        super().__init__(zip(names, range(size)))
        self.kind, self.names, self.size = kind, names, size
        self["*"] = ANY

    def __missing__(self, word: str) -> int:
        index = count(word)
        if index is None or index >= self.size:
            raise KeyError(word)
        self[word] = index
        return index

    @property
    def labels(self) -> Sequence[Hashable]:
        """What the form calls them: their names, or their numbers where they have none."""
        return self.names if self.names else range(self.size)

    def number(self, word: str) -> int | None:
        """What a word refers to; none when it is nothing."""
        try:
            return self[word]
        except KeyError:
            return None

    def find(self, source: Source, word: str, at: int) -> int:
        """The number of what stands at offset `at`; the error names what is near."""
        found = self.number(word)
        if found is not None:
            return found
        if count(word) is not None:
            raise source.fault(at, f"{self.kind} {word}", f"a number from 0 to {self.size - 1}")
        wanted = f"the name of one of {self.size} {self.kind}s" if self.names else f"0 to {self.size - 1}"
        raise source.fault(at, repr(word), f"{wanted}{hint(word, self.names)}")


def declared(source: Source, kind: str, begin: int, end: int) -> Numbering:
    """What `states: 5` or `states: left right` declares."""
    words = source.words(begin, end)
    first, at = next(words, (None, begin))
    if first is None:
        found, at = source.next_word(end)
        raise source.fault(at, found, f"how many {kind}s there are, or their names")
    if first[0] in "0123456789+-.":
        return _counted(source, kind, first, at, next(words, None))
    names: dict[str, None] = {}
    for word, at in source.words(begin, end):
        _check_name(source, kind, word, at, next(reversed(names), ""))
        if word in names:
            raise source.fault(at, f"the {kind} {word!r} a second time", "names that differ")
        names[word] = None
        if len(names) > MOST_NAMES:
            raise source.fault(at, f"more than {MOST_NAMES:,} {kind}s", "fewer")
    return Numbering(kind, tuple(names), len(names))


def _counted(source: Source, kind: str, word: str, at: int, further: tuple[str, int] | None) -> Numbering:
    size = count(word)
    if size is None or not 1 <= size <= MOST_NAMES:
        raise source.fault(at, repr(word), f"from 1 to {MOST_NAMES:,} {kind}s, or their names")
    if further:
        raise source.fault(further[1], repr(further[0]), f"nothing after the number of {kind}s")
    return Numbering(kind, (), size)


def _check_name(source: Source, kind: str, word: str, at: int, before: str) -> None:
    if word == ":":
        raise source.fault(at, f"':' after {before!r}", f"names of {kind}s, or a keyword{hint(before, SECTIONS)}")
    if word in RESERVED:
        raise source.fault(at, f"the keyword {word!r}", f"names of {kind}s, or a colon after the keyword")
    if not _NAME.fullmatch(word) or "*" in word:
        raise source.fault(at, repr(word), f"names of {kind}s: a letter, then up to 199 letters, digits, - or _")
