"""What stands on a controller's arrows: the sights in lines, on a small plate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fogbound.draw import measure, svg
from fogbound.draw.layers import Size
from fogbound.draw.svg import INK_2, LINE, SURFACE

TEXT, LEADING = 11, 14


@dataclass(frozen=True)
class Labels:
    """What stands on each arrow, and how much room that takes."""

    lines: Sequence[Sequence[str]]
    sizes: Sequence[Size]


def labels_of(told: Sequence[Sequence[str]], room: float, most: int) -> Labels:
    """Set what is seen on each arrow in lines."""
    lines = [measure.wrap(list(words), room, TEXT, most=most) for words in told]
    sizes = [
        (max(measure.width_of(w, TEXT) for w in ws) + 16, LEADING * len(ws) + 6.0) if ws else (0, 4) for ws in lines
    ]
    return Labels(lines, sizes)


def pill(x: float, y: float, lines: Sequence[str], size: Size, edge: str = LINE) -> str:
    """An arrow's label, in the middle of a small plate."""
    if not lines:
        return ""
    width, height = size
    plate = svg.box(x - width / 2, y - height / 2, width, height, SURFACE, edge, 10)
    top = y - LEADING * len(lines) / 2 + 10.5
    return plate + "".join(svg.text(x, top + LEADING * k, line, INK_2, TEXT, "middle") for k, line in enumerate(lines))
