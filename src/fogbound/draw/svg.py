"""What drawings of answers share beyond the primitives of every picture (`core.svg`): titles, hatching, chances."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from fogbound.core.measure import SIZE, lines_of, width_of
from fogbound.core.numerals import EXACT, decimal
from fogbound.core.svg import (
    EDGE,
    EMBER,
    EMBER_FILL,
    FOG_1,
    FOG_2,
    FOG_3,
    FOG_4,
    FOG_5,
    FOG_6,
    INK,
    INK_2,
    INK_3,
    LAMP,
    LAMP_FILL,
    LAMP_LINE,
    LAMP_WASH,
    LINE,
    MARGIN,
    SEA,
    SEA_FILL,
    SURFACE,
    Link,
    at,
    box,
    document,
    dot,
    group,
    heading,
    line,
    path,
    text,
)

__all__ = [
    "EDGE",
    "EMBER",
    "EMBER_FILL",
    "EXACT",
    "FOG_1",
    "FOG_2",
    "FOG_3",
    "FOG_4",
    "FOG_5",
    "FOG_6",
    "INK",
    "INK_2",
    "INK_3",
    "LAMP",
    "LAMP_FILL",
    "LAMP_LINE",
    "LAMP_WASH",
    "LARGEST_DENOMINATOR",
    "LINE",
    "MARGIN",
    "PALETTE",
    "SEA",
    "SEA_FILL",
    "SURFACE",
    "Link",
    "WrappedHeading",
    "at",
    "bend",
    "box",
    "chance",
    "decimal",
    "document",
    "dot",
    "group",
    "hatch",
    "heading",
    "line",
    "path",
    "text",
    "wrapped_heading",
]

PALETTE = (FOG_4, SEA_FILL, LAMP_FILL, EMBER_FILL, FOG_6, SEA, LAMP, EMBER)  # moves, in this order

ROW = 20
LARGEST_DENOMINATOR = 60


def bend(y: float, middle: float, to_x: float, to_y: float) -> str:
    """A step of a path from height y to a place, level at both ends, that changes height around `middle`."""
    return f"C{at(middle)} {at(y)} {at(middle)} {at(to_y)} {at(to_x)} {at(to_y)}"


def hatch(x: float, y: float, width: float, height: float, gap: float = 9) -> str:
    """Diagonal strokes over a box: something that is not there. Drawn out, since patterns would need ids."""
    steps = []
    for k in range(1, math.ceil((width + height) / gap)):
        reach = k * gap
        low, high = min(reach, height), max(0.0, reach - width)
        steps.append(f"M{at(x + reach - low)} {at(y + low)} L{at(x + reach - high)} {at(y + high)}")
    return path(" ".join(steps), FOG_2, 2.5)


class WrappedHeading(NamedTuple):
    """What stands at the top of a picture, the width that it takes, and the height above the picture's own top."""

    body: str
    width: float
    above: float


def wrapped_heading(title: str, subtitle: str, room: float) -> WrappedHeading:
    """Title and subtitle in as many lines as they need in a picture `room` wide: none is cut.

    The last line of each stands where `heading` puts it; others stand above, which `document` is told.
    """
    titles, below = (
        lines_of(words, room - 2 * MARGIN, size, bold)
        for words, size, bold in ((title, 15, True), (subtitle, SIZE, False))
    )
    above = ROW * (max(1, len(titles)) + max(1, len(below)) - 2)
    body = [text(MARGIN, MARGIN + 14 + ROW * k - above, line, size=15, weight=600) for k, line in enumerate(titles)]
    body += [
        text(MARGIN, MARGIN + 34 + ROW * (k + 1 - len(below)), line, INK_3) for k, line in enumerate(below) if line
    ]
    wide = [*(width_of(line, 15, bold=True) for line in titles), *map(width_of, below)]
    return WrappedHeading("".join(body), 2 * MARGIN + max(wide, default=0.0), above)


def chance(p: float) -> str:
    """A probability as the short fraction that it is, or as a decimal."""
    ratio = Fraction(p).limit_denominator(LARGEST_DENOMINATOR)
    return str(ratio) if abs(float(ratio) - p) < EXACT and ratio else f"{p:.3g}"
