"""Rows and matrices of numbers in a `.pomdp` file, read piece by piece so that a bad file stays cheap."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from fogbound.core.errors import FileError
from fogbound.files.cassandra_text import Source
from fogbound.files.numbers import number
from fogbound.forms.table import Floats

PIECE = 1 << 18  # characters that are taken apart at a time
SLACK = 1e-4  # how far from 1 a sum of probabilities may be: files round to a few digits
_LONE_SIGN = re.compile(r"(?<!\S)([+-])(\s+)(?=[0-9.])", re.ASCII)
_SPACE = re.compile(r"\s", re.ASCII)


def vector(source: Source, begin: int, end: int, size: int, what: str, probable: bool) -> Floats:
    """Exactly `size` numbers between two offsets; probabilities, where `probable`."""
    values = np.empty(min(size, (end - begin) // 2 + 1))
    filled = 0
    for start, words in _pieces(source, begin, end):
        known = {word: _value(word, probable) for word in set(words)}
        if None in known.values() or filled + len(words) > size:
            raise _fault(source, start, end, size - filled, size, what, probable)
        values[filled : filled + len(words)] = [known[word] for word in words]
        filled += len(words)
    if filled < size:
        found, at = source.next_word(end)
        raise source.fault(at, f"{found} after {filled:,} of {size:,} {what}", f"{size - filled:,} more")
    return values


def _pieces(source: Source, begin: int, end: int) -> Iterator[tuple[int, list[str]]]:
    """The words between two offsets in lots, and where each lot begins."""
    while begin < end:
        space = _SPACE.search(source.text, min(begin + PIECE, end), end)
        stop = space.start() if space else end
        piece = source.text[begin:stop]
        words = piece.split()
        if "+" in words or "-" in words:  # `- 5` is a number to the format
            words = _LONE_SIGN.sub(r"\2\1", piece).split()
        yield begin, words
        begin = stop


def _value(word: str, probable: bool) -> float | None:
    value = number(word)
    return None if value is None or (probable and not 0 <= value <= 1 + SLACK) else value


def _fault(source: Source, start: int, end: int, room: int, size: int, what: str, probable: bool) -> FileError:
    """What is wrong from `start` on: a word that is no number, or one number too many."""
    kind = "a probability, 0 to 1" if probable else "a number"
    sign, k = "", 0
    for word, at in source.words(start, end):
        if word in ("+", "-") and not sign:
            sign = word
            continue
        if _value(sign + word, probable) is None:
            return source.fault(at, repr(sign + word), kind)
        if k == room:
            return source.fault(at, f"{word!r} after {size:,} {what}", "the next section or the end of the text")
        sign, k = "", k + 1
    found, at = source.next_word(end)
    return source.fault(at, f"{found} after a sign", kind)
