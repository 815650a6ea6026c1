"""The key of a picture: each mark in it with its meaning, beside each other in as many lines as it takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from fogbound.core import measure, svg
from fogbound.core.svg import INK_2

BETWEEN, LINE_HEIGHT = 18, 20
STROKE = 28  # how long a line is in a key


class KeyEntry(NamedTuple):
    """A mark, drawn from its left end x and the words' baseline y on; the words begin `room` after x."""

    name: str
    mark: Callable[[float, float], str]
    room: float

    @property
    def width(self) -> float:
        return self.room + measure.width_of(self.name)


class Key(NamedTuple):
    """The key as SVG, where a further entry would begin, and the baseline of its last line."""

    body: str
    right: float
    y: float


def key(entries: Sequence[KeyEntry], x: float, y: float, room: float = math.inf) -> Key:
    """The entries from x on; a new line where the next would reach beyond `room`."""
    body, place = [], x
    for entry in entries:
        if place > x and place + entry.width > room:
            place, y = x, y + LINE_HEIGHT
        body += [entry.mark(place, y), svg.text(place + entry.room, y, entry.name, INK_2)]
        place += entry.width + BETWEEN
    return Key("".join(body), place, y)


def square(name: str, tone: str, edge: str = "none") -> KeyEntry:
    """A colour."""
    return KeyEntry(name, lambda x, y: svg.box(x, y - 10, 12, 12, tone, edge, 3), 18)


def hatched(name: str) -> KeyEntry:
    """What is not there."""
    return KeyEntry(name, lambda x, y: svg.hatch(x, y - 11, 22, 14, 6), 30)


def stroke(
    name: str, tone: str, width: float, dashes: str = "", marker: Callable[[float, float], str] | None = None
) -> KeyEntry:
    """A line, with the marker of its points in the middle where it has one."""

    def mark(x: float, y: float) -> str:
        middle = marker(x + STROKE / 2, y - 4) if marker else ""
        return svg.line(x, y - 4, x + STROKE, y - 4, tone, width, dashes) + middle

    return KeyEntry(name, mark, STROKE + 8)


def glyph(name: str, half: float, mark: Callable[[float, float], str]) -> KeyEntry:
    """A mark that is drawn around its middle and `half` as wide."""
    return KeyEntry(name, lambda x, y: mark(x + half, y - 4), 2 * half + 6)
