"""What a sweep is made of: points read from rows, and a look of its own for every group."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from fogbound.core.errors import SpecError, brief
from fogbound.draw import svg
from fogbound.draw.svg import at, number

COLOURS = (svg.SEA_FILL, svg.EMBER_FILL, svg.LAMP_FILL, svg.FOG_5)
DASHES = ("", "6 4", "2 4", "8 3 2 3")
SHAPES = ("dot", "square", "triangle", "diamond")


class Spot(NamedTuple):
    """One point; `low` and `high` are its whiskers, nan where there are none."""

    x: float
    y: float
    low: float
    high: float

    @property
    def known(self) -> bool:
        return math.isfinite(self.y)

    def heights(self) -> list[float]:
        """All that has to fit on the vertical axis."""
        return [v for v in (self.y, self.low, self.high) if math.isfinite(v)]

    def said(self) -> str:
        """The figures in words."""
        whisker = f" ({number(self.low, 5)} to {number(self.high, 5)})" if self.low < self.high else ""
        return number(self.y, 6) + whisker


@dataclass(frozen=True)
class Style:
    """Colour, dashes and shape together tell groups apart, in grey print too."""

    colour: str
    dashes: str
    shape: str

    def marker(self, x: float, y: float) -> str:
        if self.shape == "dot":
            return svg.dot(x, y, 4.5, self.colour)
        steps = {
            "square": f"M{at(x - 4)} {at(y - 4)} h8 v8 h-8 Z",
            "triangle": f"M{at(x)} {at(y - 5)} l5 9 h-10 Z",
            "diamond": f"M{at(x)} {at(y - 5.5)} l5.5 5.5 l-5.5 5.5 l-5.5 -5.5 Z",
        }
        return svg.path(steps[self.shape], svg.SURFACE, 1.5, self.colour)


def styles(count: int) -> list[Style]:
    """Looks that differ in everything for the first groups; past these in dashes, then in shape."""
    first = [Style(*look) for look in zip(COLOURS, DASHES, SHAPES)]
    rest = (Style(*look) for look in product(COLOURS, DASHES, SHAPES))
    more = [look for look in rest if look not in first]
    looks = first + more
    return [looks[k % len(looks)] for k in range(count)]


def field(row: Any, name: str) -> Any:
    """A column of a row; SpecError where the row has no such column."""
    try:
        return row[name] if isinstance(row, Mapping) else getattr(row, name)
    except (KeyError, AttributeError):
        found = row if isinstance(row, Mapping) else [word for word in dir(row) if not word.startswith("_")]
        raise SpecError(f"sweep: a row has no column {name!r}, expected one of {', '.join(map(str, found))}") from None


def spots(row: Any, x: str, y: str, lower: str, upper: str, log: bool) -> Spot:
    """A row as a point. On a logarithmic axis nothing at or below 0 can be drawn."""
    place = _number(row, x)
    if not math.isfinite(place):
        raise SpecError(f"sweep: {x} is {place}, expected a finite number")
    height, low, high = (_number(row, name) if name else math.nan for name in (y, lower, upper))
    if log and any(v <= 0 for v in (height, low, high) if math.isfinite(v)):
        raise SpecError(f"sweep: {y} is {number(min(height, low, high))}, expected above 0 for a logarithmic axis")
    if not (math.isfinite(low) and math.isfinite(high)):
        low = high = math.nan
    return Spot(place, height if math.isfinite(height) else math.nan, low, high)


def _number(row: Any, name: str) -> float:
    value = field(row, name)
    if value is None:
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        raise SpecError(f"sweep: {name} is {brief(value)}, expected a number") from None
