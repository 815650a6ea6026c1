"""How much room words take: an estimate, a little generous, because no font is at hand."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

SIZE = 12
_CLASSES = (("\u202f", 0.2), ("ijl|'.,:;!", 0.3), ('frt()[]{}/\\-" ', 0.4), ("mwMW@%—", 0.95))
_WIDTHS = {c: width for letters, width in _CLASSES for c in letters}


def width_of(words: str, size: float = SIZE, bold: bool = False) -> float:
    """About how wide a line of words is."""
    return sum(map(_width, words)) * size * (1.06 if bold else 1.0)


def _width(c: str) -> float:
    if c in _WIDTHS:
        return _WIDTHS[c]
    if unicodedata.east_asian_width(c) in "WF":
        return 1.1
    return 0.7 if c.isupper() or ord(c) > 0x2000 else 0.6


def clip(words: str, room: float, size: float = SIZE, bold: bool = False) -> str:
    """The words, cut with an ellipsis where they do not fit."""
    if width_of(words, size, bold) <= room:
        return words
    while words and width_of(words + "…", size, bold) > room:
        words = words[:-1]
    return words.rstrip() + "…"


def lines_of(words: str, room: float, size: float = SIZE, bold: bool = False) -> list[str]:
    """Words in lines no wider than `room`, broken between words, or inside one that is wider by itself.

    A percent sign stays beside its number.
    """
    lines: list[str] = []
    for word in filter(None, words.replace(" %", "\N{NO-BREAK SPACE}%").split(" ")):
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(joined, size, bold) <= room:
            lines[-1] = joined
            continue
        rest = word
        while width_of(rest, size, bold) > room and len(rest) > 1:
            part = next(k for k in range(len(rest) - 1, 0, -1) if k == 1 or width_of(rest[:k], size, bold) <= room)
            lines.append(rest[:part])
            rest = rest[part:]
        lines.append(rest)
    return lines


def wrap(parts: Sequence[str], room: float, size: float = SIZE, between: str = ", ", most: int = 99) -> list[str]:
    """Parts set in lines no wider than `room`; past `most` lines the last says how many parts are missing."""
    lines: list[list[str]] = []
    for part in (clip(p, room - width_of(between, size), size) for p in parts):
        if lines and width_of(between.join([*lines[-1], part]) + between, size) <= room:
            lines[-1].append(part)
        else:
            lines.append([part])
    if len(lines) > most:
        missing = sum(map(len, lines[most - 1 :]))
        return [between.join(row) + between.rstrip() for row in lines[: most - 1]] + [f"… {missing} more"]
    return [between.join(row) + (between.rstrip() if row is not lines[-1] else "") for row in lines]
