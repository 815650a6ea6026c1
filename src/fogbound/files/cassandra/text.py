"""The text of a `.pomdp` file without its comments, cut into sections and numbers, and where in it something is wrong.

A section runs from one keyword with its colon to the next; lines mean nothing to the format, so line numbers
are counted only when a message needs one.

Rows and matrices of numbers in a `.pomdp` file, read piece by piece so that a bad file stays cheap.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import FileError
from fogbound.files.reading import SUM_WRONG, fault_at, finite_number, hint, read_text
from fogbound.forms.arrays import Floats

MOST_BYTES = 64 << 20
SECTIONS = ("discount", "values", "states", "actions", "observations", "start", "T", "O", "R")
_COMMENT = re.compile(r"#[^\n]*")
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_WORD = re.compile(r":|[^\s:]+", re.ASCII)
_FIRST_ENTRY = re.compile(r"(?<!\S)([TOR])\s*+:", re.ASCII)
COLON = r"\s*+:\s*+"


class Grammar:
    """What a dialect of the format is made of: its sections, and what an entry `T:`, `O:` or `R:` looks like.

    Parameters
    ----------
    sections
        The keywords that begin one.
    entry
        From a pattern that any keyword fits to one that a whole entry fits, but for its keyword: five groups.
    words
        What the groups of a match are: up to four fields, none for those not named, and what follows them.
    quoted
        Whether a keyword in quotes is a name.
    """

    def __init__(
        self,
        sections: tuple[str, ...],
        entry: Callable[[str], str],
        words: Callable[[re.Match[str]], Words],
        quoted: bool = False,
    ) -> None:
        self.sections, self.words = sections, words
        self.names = frozenset(f'"{section}"' for section in sections if quoted)
        spelt = {"start": r"start(?:\s+(?:include|exclude))?"}
        any_, plain = ("|".join(spelt.get(s, s) for s in which) for which in (sections, sections[:-3]))
        self.section = re.compile(rf"(?<!\S)({any_})\s*+:", re.ASCII)
        self.statement = re.compile(rf"(?<!\S)({plain})\s*+:", re.ASCII)
        self.entry = re.compile(rf"(?<!\S)(?:([TOR]){COLON}{entry(any_)}(?!\s*+:)|({any_})\s*+:)", re.ASCII)


Words = tuple[str, str | None, str | None, str | None, str]  # the fields, those not named are none, and the rest
_FIELD = r"([^\s:]++)"


def _pomdp_entry(keyword: str) -> str:
    fields = rf"{_FIELD}(?:{COLON}{_FIELD}(?:{COLON}{_FIELD}(?:{COLON}{_FIELD})?+)?+)?+"
    return fields + once(rf"(?:\s++(?!(?:{keyword})\s*+:)[^\s:]++)+", 6)


def once(pattern: str, group: int) -> str:
    """A group that is matched in one way and never in another, whatever follows, as `++` is meant to.

    Pythons before 3.11.5, Debian's 3.11.2 among them, go astray where what is repeated has alternatives inside
    (github.com/python/cpython/issues/106052). What was seen ahead is read again instead; `group` is its number.
    """
    return rf"(?=({pattern}))\{group}"


def _pomdp_words(match: re.Match[str]) -> Words:
    return match.group(2, 3, 4, 5, 6)  # type: ignore[return-value]  # the first and the last are there


POMDP_GRAMMAR = Grammar(SECTIONS, _pomdp_entry, _pomdp_words)


@dataclass(frozen=True)
class Source:
    """A file's text, in which comments have become nothing, line by line."""

    path: str
    text: str
    grammar: Grammar = POMDP_GRAMMAR

    @property
    def sections(self) -> tuple[str, ...]:
        """The keywords that may begin one."""
        return self.grammar.sections

    def fault(self, at: int, found: str, expected: str) -> FileError:
        """The error for what stands at offset `at`."""
        return fault_at(self.path, self.text.count("\n", 0, at) + 1, found, expected)

    def words(self, begin: int, end: int) -> Iterator[tuple[str, int]]:
        """The words and colons between two offsets, each with its own."""
        return ((match.group(), match.start()) for match in _WORD.finditer(self.text, begin, end))

    def nth(self, begin: int, end: int, index: int) -> int:
        """The offset of one of the words between two offsets, of the last one when there are fewer."""
        at = begin
        for _, at in islice(self.words(begin, end), index + 1):  # noqa: B007
            pass
        return at

    def last(self, begin: int, end: int) -> int:
        """The offset of the last character between two offsets that is no space."""
        return max(begin, begin + len(self.text[begin:end].rstrip()) - 1)

    def next_word(self, at: int) -> tuple[str, int]:
        """What stands at or after an offset, in words fit for a message, and where."""
        for word, start in self.words(at, len(self.text)):
            return repr(word), start
        return "the end of the text", self.last(0, len(self.text))

    def statements(self) -> Iterator[tuple[str, int, int]]:
        """The sections other than entries: keyword, and the offsets between which the content stands."""
        first = self.grammar.section.search(self.text)
        self._nothing_before(first.start() if first else len(self.text))
        for match in self.grammar.statement.finditer(self.text):
            following = self.grammar.section.search(self.text, match.end())
            yield match.group(1), match.end(), following.start() if following else len(self.text)

    def first_entry(self) -> tuple[str, int]:
        """The keyword of the first entry, T, O or R, and its offset: the end of the text when there is none."""
        match = _FIRST_ENTRY.search(self.text)
        return (match.group(1), match.start()) if match else ("", len(self.text))

    def _nothing_before(self, end: int) -> None:
        for word, at in self.words(0, end):
            wanted = ", ".join(section + ":" for section in self.sections)
            raise self.fault(at, repr(word), f"one of {wanted}{hint(word, self.sections)}")


def source(path: str | os.PathLike[str], largest: int = MOST_BYTES, grammar: Grammar = POMDP_GRAMMAR) -> Source:
    """The text of a file; FileError where it is none.

    Bytes are taken as Latin-1, since comments come in any encoding; outside comments only ASCII can stand.
    """
    name, text = str(path), read_text(path, largest, "latin-1")
    plain = Source(name, _COMMENT.sub("", text) if "#" in text else text, grammar)
    if foreign := _FOREIGN.search(plain.text):
        raise plain.fault(foreign.start(), f"the byte 0x{ord(foreign.group()):02x}", "ASCII outside comments")
    return plain


PIECE = 1 << 18  # characters that are taken apart at a time
_LONE_SIGN = re.compile(  # `- 5` is a number to the format
    r"(?<!\S)([+-])(\s+)(?=[0-9.])", re.ASCII
)
_SPACE = re.compile(r"\s", re.ASCII)


def read_numbers(source: Source, begin: int, end: int, size: int, what: str, probable: bool) -> Floats:
    """Exactly `size` numbers between two offsets; probabilities, where `probable`."""
    values = np.empty(min(size, (end - begin) // 2 + 1))
    filled = 0
    for start, piece in _pieces(source, begin, end):
        words = piece.split()
        if filled + len(words) > size or any(spelt_number(word, probable) is None for word in set(words)):
            raise _fault(source, start, end, size - filled, size, probable)
        values[filled : filled + len(words)] = np.fromstring(piece, sep=" ")
        filled += len(words)
    if filled < size:
        found, at = source.next_word(end)
        raise source.fault(at, f"{found} after {filled:,} of {size:,} {what}", f"{size - filled:,} more")
    return values


def _pieces(source: Source, begin: int, end: int) -> Iterator[tuple[int, str]]:
    """The text between two offsets in pieces that cut no word, and where each begins."""
    while begin < end:
        check()
        space = _SPACE.search(source.text, min(begin + PIECE, end), end)
        stop = space.start() if space else end
        piece = source.text[begin:stop]
        yield begin, joined_signs(piece) if "-" in piece or "+" in piece else piece
        begin = stop


def joined_signs(text: str) -> str:
    """The text with every sign that stands alone moved to its number."""
    return _LONE_SIGN.sub(r"\2\1", text)


def a_number(probable: bool) -> str:
    """What a message calls the number that it misses."""
    return "a probability, 0 to 1" if probable else "a number"


def spelt_number(word: str, probable: bool) -> float | None:
    """The number that a word spells; none where it spells none, or no probability where one must stand."""
    value = finite_number(word)
    return None if value is None or (probable and not 0 <= value <= 1 + SUM_WRONG) else value


def _fault(source: Source, start: int, end: int, room: int, size: int, probable: bool) -> FileError:
    """What is wrong from `start` on: a word that is no number, or one number too many."""
    kind = a_number(probable)
    sign, k = "", 0
    for word, at in source.words(start, end):
        if word in ("+", "-") and not sign:
            sign = word
            continue
        if k == room:
            so_many = "1 number" if size == 1 else f"{size:,} numbers"
            return source.fault(at, f"{word!r} after {so_many}", f"the next section{hint(word, source.sections)}")
        if spelt_number(sign + word, probable) is None:
            return source.fault(at, repr(sign + word), kind)
        sign, k = "", k + 1
    found, at = source.next_word(end)
    return source.fault(at, f"{found} after a sign", kind)
