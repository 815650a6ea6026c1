"""A distribution as one bar: its parts beside each other, each as wide as it is likely."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fogbound.core import measure, svg
from fogbound.core.numerals import decimal

SEEN = 0.5  # pixels: narrower parts are left out
DARK = (svg.FOG_6, svg.SEA, svg.LAMP, svg.EMBER)


class BarPart(NamedTuple):
    """One part of a bar: its share, its colour, and what the pointer shows over it."""

    share: float
    tone: str
    hint: str = ""


def stacked_bar(parts: Iterable[BarPart], x: float, y: float, room: float, high: float, numbers: bool = False) -> str:
    """The bar over `room` pixels; with `numbers` a part says its share where that fits."""
    body = []
    for share, tone, hint in parts:
        wide = share * room
        if wide >= SEEN:
            shown = [svg.box(x, y, max(SEEN, wide - 1), high, tone, round_by=2 if high < 10 else 3)]
            if numbers and wide >= measure.width_of(decimal(share)) + 10:
                shown.append(svg.text(x + wide / 2, y + high / 2 + 4, decimal(share), ink_on(tone), 12, "middle"))
            body.append(svg.group(shown, hint) if hint else "".join(shown))
        x += wide
    return "".join(body)


def ink_on(tone: str) -> str:
    """The colour of words that stand on a colour of the palette."""
    return svg.SURFACE if tone in DARK else svg.INK
