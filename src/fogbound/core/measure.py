"""How much room words take: an estimate, a little generous, because no font is at hand."""

from __future__ import annotations

import unicodedata

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
    """Words in lines no wider than `room`, broken at spaces; one word alone may be wider."""
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size, bold) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
