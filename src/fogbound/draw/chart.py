"""One specification for every chart: axes with their marks, series with bands and whiskers, panels, words.

A picture is a function that makes a `Chart`; `rendering.draw_chart` draws it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, NamedTuple

from fogbound.core import measure, svg
from fogbound.core.numerals import number
from fogbound.core.svg import at
from fogbound.draw.key import KeyEntry, stroke

WIDTH = 620  # of a whole chart: labels of 12 pixels are 5 points in a column of 8.5 cm
STEPS = (1.0, 2.0, 5.0, 10.0)
FEW = 5
WIDE_SPAN = 20.0  # largest over smallest place from which on a horizontal axis is logarithmic
COLOURS = (svg.SEA_FILL, svg.EMBER_FILL, svg.LAMP_FILL, svg.FOG_5)
DASHES = ("", "6 4", "2 4", "8 3 2 3")
SHAPES = ("dot", "square", "triangle", "diamond")
Point = tuple[float, float]
Span = tuple[float, float, float]  # place, low, high


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` over pixels from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        if self.log:
            value = max(value, self.low)
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def ticks(low: float, high: float, few: int = FEW) -> list[float]:
    """About `few` round numbers that cover low to high."""
    rough = (high - low) / few
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s * power for s in STEPS if s * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(k * step, 12 - math.floor(math.log10(step))) for k in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """1, 2, 5 of each decade between low and high; decades alone, thinned, where there are many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    marks = (1, 3) if last - first <= 3 else (1,)
    every = max(1, math.ceil((last - first) / 7))
    values = [m * 10.0**k for k in range(first, last + 1) if k % every == 0 for m in marks]
    return [v for v in values if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]


def duration(seconds: float) -> str:
    """A time with its unit."""
    if seconds == 0:
        return "0"
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit * (1 - 1e-9):
            return f"{number(round(seconds / unit, 9), 3 if seconds < 1000 else 6)} {name}"
    return f"{number(seconds, 2)} s"


def padded(low: float, high: float) -> tuple[float, float]:
    """The range itself, or one around it where there is nothing between its ends."""
    if high - low > 1e-12 * max(1.0, abs(low), abs(high)):
        return low, high
    room = max(1e-6, abs(low) * 0.05)
    return low - room, high + room


def tick_names(levels: Sequence[float], values: Sequence[float] | None = None, finer: int = 0) -> list[str]:
    """Values (the levels themselves unless told) with as many decimals as tell the levels apart, and `finer` more."""
    values = levels if values is None else values
    step = levels[1] - levels[0]
    if not 1e-6 <= step < 1e6:
        largest = max(map(abs, levels))
        digits = math.floor(math.log10(largest)) - math.floor(math.log10(step)) + 1
        return [number(v, max(6, digits) + finer) for v in values]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    while any(abs(round(level, decimals) - level) > 1e-6 * step for level in levels):  # a step of 0.25 needs two
        decimals += 1
    decimals += finer
    return [f"{round(v, decimals) + 0.0:,.{decimals}f}".replace("-", "−").replace(",", " ") for v in values]


@dataclass(frozen=True)
class Axis:
    """A range of values, the (value, name) of each mark along it, what it measures, and words for its two ends."""

    low: float
    high: float
    marks: Sequence[tuple[float, str]]
    log: bool = False
    name: str = ""
    ends: tuple[str, str] = ("", "")

    def over(self, start: float, end: float) -> Scale:
        """The axis over pixels."""
        return Scale(self.low, self.high, start, end, self.log)


def linear_axis(values: Sequence[float], name: str = "") -> Axis:
    """Round numbers around the values."""
    levels = ticks(*padded(min(values), max(values)))
    return Axis(levels[0], levels[-1], list(zip(levels, tick_names(levels))), name=name)


def log_axis(low: float, high: float, name: str = "", digits: int = 3) -> Axis:
    """From low to high, logarithmic."""
    return Axis(low, high, [(v, number(v, digits)) for v in log_ticks(low, high)], True, name)


def decades(values: Sequence[float], name: str = "", below: int = 0) -> Axis:
    """Whole powers of ten around positive values, and `below` more of them."""
    first = math.floor(math.log10(min(values)) + 1e-9) - below
    last = max(math.ceil(math.log10(max(values)) - 1e-9), first + 1)
    return log_axis(10.0**first, 10.0**last, name, 6)


def span_axis(places: Iterable[float], name: str = "", words: Callable[[float], str] = duration) -> Axis:
    """What passes, such as time: logarithmic where its span is wide, otherwise from zero on."""
    positive = [t for t in places if t > 0]
    high = max(positive, default=1.0)
    log = bool(positive) and high >= WIDE_SPAN * min(positive)
    low = min(positive) if log else 0.0
    marks = log_ticks(low, high) if log else [t for t in ticks(0, high) if t <= high]
    return Axis(low, high, [(t, words(t)) for t in marks], log, name)


@dataclass(frozen=True)
class SeriesStyle:
    """Colour, dashes and shape together tell series apart, in grey print too."""

    colour: str
    dashes: str = ""
    shape: str = "dot"
    width: float = 2.0
    radius: float = 4.5
    fill: str = ""  # of its dots, where it is not the colour

    def marker(self, x: float, y: float) -> str:
        if self.shape == "dot":
            edge = self.colour if self.fill else svg.SURFACE
            return svg.dot(x, y, self.radius, self.fill or self.colour, edge)
        steps = {
            "square": f"M{at(x - 4)} {at(y - 4)} h8 v8 h-8 Z",
            "triangle": f"M{at(x)} {at(y - 5)} l5 9 h-10 Z",
            "diamond": f"M{at(x)} {at(y - 5.5)} l5.5 5.5 l-5.5 5.5 l-5.5 -5.5 Z",
        }
        return svg.path(steps[self.shape], svg.SURFACE, 1.5, self.colour)


def looks(count: int) -> list[SeriesStyle]:
    """Looks that differ in everything among any four series in a row; past these in what goes with what."""
    places = range(len(COLOURS))
    listed = [
        SeriesStyle(COLOURS[k], DASHES[(k + dashes) % len(DASHES)], SHAPES[(k + shape) % len(SHAPES)])
        for dashes, shape in sorted(product(places, places), key=lambda shift: (shift[0] != shift[1], shift))
        for k in places
    ]
    return [listed[k % len(listed)] for k in range(count)]


@dataclass(frozen=True)
class EndLabel:
    """Words beside the right end of a series; small ones below where there is more to say."""

    words: str
    tone: str
    below: str = ""

    @property
    def width(self) -> float:
        return max(measure.width_of(self.words, 13, bold=True), measure.width_of(self.below, 12))


@dataclass(frozen=True)
class Series:
    """One curve of a panel.

    Parameters
    ----------
    points
        From left to right; a height that is not finite leaves a gap.
    look
        How it is drawn.
    steps
        Whether each height holds until the next is known, and nothing lies between.
    marked
        Which points carry a marker.
    hint, hints
        What the pointer shows over the curve, and over each point.
    spans
        Intervals around the curve.
    band
        How dense the area is that the spans fill; 0 for whiskers.
    name
        In the key; empty for none.
    label
        What stands beside its right end.
    """

    points: Sequence[Point]
    look: SeriesStyle
    steps: bool = False
    marked: Literal["none", "end", "all"] = "none"
    hint: str = ""
    hints: Sequence[str] = ()
    spans: Sequence[Span] = ()
    band: float = 0.0
    name: str = ""
    label: EndLabel | None = None

    @property
    def key_entry(self) -> KeyEntry:
        """Its line in the key, with the marker where points carry one."""
        marker = self.look.marker if self.marked != "none" else None
        return stroke(self.name, self.look.colour, self.look.width, self.look.dashes, marker)


class StripPart(NamedTuple):
    """A stretch of the horizontal axis with a colour of its own, in a strip below the frame."""

    start: float
    end: float
    tone: str
    words: str
    hint: str


@dataclass(frozen=True)
class ChartPanel:
    """Series over one pair of axes; `inset` is the room between the frame and the ends of the horizontal axis."""

    x: Axis
    y: Axis
    series: Sequence[Series]
    height: float = 240.0
    inset: float = 0.0
    title: str = ""
    strip: Sequence[StripPart] = ()


@dataclass(frozen=True)
class Chart:
    """A picture of panels.

    Parameters
    ----------
    name
        What is drawn: the first line where there is no title, and the beginning of what is read aloud.
    said
        What it shows: the second line, and the rest of what is read aloud.
    rows
        Panels beside each other, from the top down. Those of a column share their sides.
    title
        The first line; None for a picture without a heading, on a page that has its own.
    width
        In pixels; text keeps its size.
    key_tells
        Whether the key says it all, a line a series: then there is no second line.
    text
        For a terminal; what is read aloud where it is empty.
    key
        Entries of the key before those of the named series.
    """

    name: str
    said: str
    rows: Sequence[Sequence[ChartPanel]]
    title: str | None = ""
    width: float = WIDTH
    key_tells: bool = False
    text: str = ""
    key: Sequence[KeyEntry] = ()

    @property
    def entries(self) -> list[KeyEntry]:
        """The key: every name once."""
        named = {one.name: one for row in self.rows for panel in row for one in panel.series if one.name}
        return [*self.key, *(one.key_entry for one in named.values())]
