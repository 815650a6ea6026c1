"""The lines of an `.osposg` file: sections of one kind of line each, read many lines at a time.

A section of numbers is held against one pattern and handed to numpy whole; words are looked at one by one only to
say which of them is wrong.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.errors import FileError
from fogbound.files.reading import MOST_COUNT, MOST_DIGITS, NUMBER, count, fault_at, finite_number, read_text
from fogbound.forms.arrays import run_of

MOST_BYTES = 256 << 20
LOOK_UP = 4096  # lines between two looks at whether to stop
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_BREAK = re.compile("\n")


@dataclass(frozen=True)
class TextLines:
    """A file's text, and where each of its lines begins; the last number is the end of the text."""

    path: str
    text: str
    begin: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.begin) - 1

    def each(self, first: int, many: int) -> Iterator[int]:
        """The numbers of `many` lines, one after the other; whoever goes through them can be stopped."""
        for line in range(first, first + many):
            if not line % LOOK_UP:
                check()
            yield line

    def words(self, line: int) -> list[str]:
        """The words of a line, counted from 0."""
        return self.text[self.begin[line] : self.begin[line + 1]].split()

    def fault(self, line: int, found: str, expected: str) -> FileError:
        """The error for what stands in a line, counted from 0."""
        return fault_at(self.path, line + 1, found, expected)

    def columns(self, first: int, many: int, kinds: str, meaning: str) -> NDArray[np.float64]:
        """[many, columns] the numbers of `many` lines: `i` is a count, `x` any number; `meaning` is for messages."""
        pattern = _pattern(kinds)
        table = np.empty((many, len(kinds)))
        for line in range(0, many, LOOK_UP):
            check()
            high = min(line + LOOK_UP, many)
            table[line:high] = self._numbers(pattern, first + line, first + high, kinds, meaning)
        return table

    def _numbers(
        self, pattern: re.Pattern[str], first: int, last: int, kinds: str, meaning: str
    ) -> NDArray[np.float64]:
        """[lines, columns] the numbers of the lines from one to another."""
        low, high = int(self.begin[first]), int(self.begin[last])
        good = pattern.match(self.text, low, high)
        end = good.end() if good else low
        if end < high:
            raise self._wrong(run_of(self.begin, end), kinds, meaning)
        table: NDArray[np.float64] = np.fromstring(self.text[low:high], sep=" ").reshape(last - first, len(kinds))
        if not np.isfinite(table).all():  # 1e999 looks like a number
            raise self._wrong(first + int(np.argmin(np.isfinite(table).all(axis=1))), kinds, meaning)
        return table

    def _wrong(self, line: int, kinds: str, meaning: str) -> FileError:
        words = self.words(line)
        for word, kind in zip(words, kinds):
            if (count(word) if kind == "i" else finite_number(word)) is None:
                up_to = f" up to {MOST_COUNT:,}" if word.isdigit() else ""
                return self.fault(line, repr(word), f"a {'count' if kind == 'i' else 'number'}{up_to} in {meaning!r}")
        return self.fault(line, several(words), f"{meaning!r}")


def several(words: list[str]) -> str:
    """How many words there are, and which is the first, for messages."""
    return f"{len(words):,} word{'s' * (len(words) > 1)}, from {words[0]!r} on" if words else "an empty line"


def _pattern(kinds: str) -> re.Pattern[str]:
    parts = {"i": rf"[0-9]{{1,{MOST_DIGITS}}}+", "x": NUMBER}
    line = r"[ \t]++".join(parts[kind] for kind in kinds)
    return re.compile(rf"(?:[ \t]*+{line}[ \t]*+\n)*+")


def lines(path: str | os.PathLike[str], largest: int = MOST_BYTES) -> TextLines:
    """The lines of a file, without empty ones at its end; FileError where it is no text."""
    name = str(path)
    text = read_text(path, largest, "utf-8", _CONTROL)
    text = text[: len(text.rstrip(" \t\n"))] + "\n"
    return TextLines(name, text, np.fromiter(_beginnings(text), np.int64))


def _beginnings(text: str) -> Iterator[int]:
    """Where each line begins, and the end of the text."""
    breaks = _BREAK.finditer(text)
    yield 0
    while lot := [mark.end() for mark in islice(breaks, LOOK_UP)]:
        check()
        yield from lot
