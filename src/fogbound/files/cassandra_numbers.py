"""Rows and matrices of numbers in a `.pomdp` file, read piece by piece so that a bad file stays cheap."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from fogbound.core.errors import FileError
from fogbound.files.cassandra_text import SECTIONS, Source, hint
from fogbound.files.numbers import number
from fogbound.forms.table import Floats

PIECE = 1 << 18  # characters that are taken apart at a time
SLACK = 1e-4  # how far from 1 a sum of probabilities may be: files round to a few digits
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
        if filled + len(words) > size or any(_value(word, probable) is None for word in set(words)):
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
        yield begin, _LONE_SIGN.sub(r"\2\1", piece) if "-" in piece or "+" in piece else piece
        begin = stop


def a_number(probable: bool) -> str:
    """What a message calls the number that it misses."""
    return "a probability, 0 to 1" if probable else "a number"


def _value(word: str, probable: bool) -> float | None:
    value = number(word)
    return None if value is None or (probable and not 0 <= value <= 1 + SLACK) else value


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
        if _value(sign + word, probable) is None:
            return source.fault(at, repr(sign + word), kind)
        sign, k = "", k + 1
    found, at = source.next_word(end)
    return source.fault(at, f"{found} after a sign", kind)
