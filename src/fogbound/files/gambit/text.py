"""The words of Gambit's files: strings in quotation marks, exact numbers, and where in the file one is."""

from __future__ import annotations

import os
import re
from fractions import Fraction
from typing import NoReturn

from fogbound.core.bounded import read_bytes
from fogbound.core.errors import one_line
from fogbound.files.reading import fault_at, require_text

MOST_BYTES = 1 << 28
MOST_DIGITS = 400  # of one number
MOST_PLAYERS = 1_000
STRING = r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"'
NUMBER = r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]{1,3}|/[0-9]++)?"
_NUMBER = re.compile(NUMBER)
_WORD = re.compile(rf'\s*+({STRING}|[{{}},]|[^\s{{}}",]++|.)', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SPACE = re.compile(r"\s*+")


class Text:
    """The text of a file and how far it has been read.

    Parameters
    ----------
    path
        The file, for messages.
    text
        What stands in it.
    """

    def __init__(self, path: str | os.PathLike[str], text: str) -> None:
        self.path, self.text, self.at = path, text, 0

    @classmethod
    def of_file(cls, path: str | os.PathLike[str], largest: int = MOST_BYTES) -> Text:
        """The text of a file; bytes that are no UTF-8 are taken for Latin-1, which old files are written in."""
        data = read_bytes(path, largest)
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
        require_text(path, text)
        return cls(path, text)

    def fail(self, expected: str, at: int | None = None) -> NoReturn:
        """Say what was found where, and what was expected."""
        start = _SPACE.match(self.text, self.at if at is None else at)
        place = start.end() if start else self.at
        rest = self.text[place : place + 60].split("\n")[0].strip()
        line = self.text.count("\n", 0, place) + 1
        raise fault_at(self.path, line, one_line(repr(rest), 80) if rest else "the end of the file", expected)

    def peek(self) -> str:
        """The next word, without taking it; empty at the end."""
        found = _WORD.match(self.text, self.at)
        return found[1] if found else ""

    def take(self, expected: str) -> str:
        """The next word, whatever it is."""
        found = _WORD.match(self.text, self.at)
        if not found:
            self.fail(expected)
        self.at = found.end()
        return found[1]

    def mark(self, wanted: str, expected: str) -> None:
        """Take one word that must stand here."""
        if self.peek() != wanted:
            self.fail(expected)
        self.take(expected)

    def string(self, expected: str) -> str:
        """A string in quotation marks."""
        word = self.peek()
        if not word.startswith('"') or len(word) < 2:
            self.fail(expected)
        self.take(expected)
        return unquoted(word[1:-1])

    def strings(self, expected: str) -> list[str]:
        """``{ "one" "two" }``."""
        self.mark("{", f"{{ before {expected}")
        found = []
        while self.peek() != "}":
            found.append(self.string(f"{expected}, or }}"))
        self.take("}")
        return found

    def number(self, expected: str) -> Fraction:
        """An exact number; a comma behind it belongs to it."""
        at, word = self.at, self.take(expected)
        value = exact_number(word)
        if value is None:
            self.fail(expected, at)
        if self.peek() == ",":
            self.take(",")
        return value

    def whole(self, expected: str) -> int:
        """A whole number."""
        at, value = self.at, self.number(expected)
        if value.denominator != 1:
            self.fail(expected, at)
        return int(value)

    def prologue(self, kind: str, version: str) -> tuple[str, tuple[str, ...]]:
        """``EFG 2 R "title" { "player" … }``, or NFG: the title and the players."""
        self.mark(kind, f"{kind} {version} R, with which such a file begins")
        self.mark(version, f"version {version}")
        if self.peek() not in ("R", "D"):
            self.fail("R (or D), which says how numbers are written")
        self.take("R")
        title = self.string("a title in quotation marks")
        at = self.at
        players = self.strings("the players' names")
        if not 1 <= len(players) <= MOST_PLAYERS:
            self.fail(f"1 to {MOST_PLAYERS:,} players", at)
        if twice := next((name for k, name in enumerate(players) if name and name in players[:k]), ""):
            self.fail(f"players' names that differ, not {one_line(repr(twice), 80)} twice", at)
        return title, tuple(players)


def unquoted(text: str) -> str:
    """What a string says: `\\"` is a quotation mark."""
    return _ESCAPED.sub(r"\1", text) if "\\" in text else text


def quoted_label(text: str) -> str:
    """A string as a file writes it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def exact_number(word: str) -> Fraction | None:
    """The number that a word spells, exactly: an integer, a decimal, or a fraction; None where it spells none."""
    if not _NUMBER.fullmatch(word) or len(word) > MOST_DIGITS:
        return None
    try:
        return Fraction(word)
    except (ValueError, ZeroDivisionError):
        return None
