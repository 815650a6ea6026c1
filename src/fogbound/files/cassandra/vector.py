"""Rows and matrices of numbers in a `.pomdp` file, read piece by piece so that a bad file stays cheap."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from fogbound.core.errors import FileError
from fogbound.files.cassandra.text import SECTIONS, Source, hint
from fogbound.files.numbers import number
from fogbound.files.tolerance import WRONG
from fogbound.forms.table import Floats

PIECE = 1 << 18  # characters that are taken apart at a time
_LONE_SIGN = re.compile(  # `- 5` is a number to the format
    r"(?<!\S)([+-])(\s+)(?=[0-9.])", re.ASCII
)
_SPACE = re.compile(r"\s", re.ASCII)


def vector(source: Source, begin: int, end: int, size: int, what: str, probable: bool) -> Floats:
    """Exactly `size` numbers between two offsets; probabilities, where `probable`."""
    values = np.empty(min(size, (end - begin) // 2 + 1))
    filled = 0
    for start, piece in _pieces(source, begin, end):
        words = piece.split()
        if filled + len(words) > size or any(value(word, probable) is None for word in set(words)):
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


def value(word: str, probable: bool) -> float | None:
    """The number that a word spells; none where it spells none, or no probability where one must stand."""
    found = number(word)
    return None if found is None or (probable and not 0 <= found <= 1 + WRONG) else found


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
            return source.fault(at, f"{word!r} after {so_many}", f"the next section{hint(word, SECTIONS)}")
        if value(sign + word, probable) is None:
            return source.fault(at, repr(sign + word), kind)
        sign, k = "", k + 1
    found, at = source.next_word(end)
    return source.fault(at, f"{found} after a sign", kind)
