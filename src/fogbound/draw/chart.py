"""Charts: axes and the numbers along them, the frame they make, curves, and labels that keep apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fogbound.core.drawing import Drawing
from fogbound.core.numerals import number
from fogbound.draw import measure, svg
from fogbound.draw.svg import INK_2, INK_3

WIDTH = 620  # of a whole chart: labels of 12 pixels are 5 points in a column of 8.5 cm
LINE_HEIGHT, SMALL = 19.0, 16.0
STEPS = (1.0, 2.0, 5.0, 10.0)
FEW = 5
FINEST = 0.3  # pixels: smaller steps cannot be seen and are left out
WIDE_SPAN = 20.0  # latest over earliest time from which on the axis is logarithmic
Point = tuple[float, float]


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


def time_scale(seconds: Iterable[float], left: float, right: float) -> Scale:
    """Logarithmic where the span is wide, otherwise from zero on."""
    times = [t for t in seconds if t > 0]
    if times and max(times) >= WIDE_SPAN * min(times):
        return Scale(min(times), max(times), left, right, log=True)
    return Scale(0.0, max(times, default=1.0), left, right)


def time_marks(x: Scale) -> list[tuple[float, str]]:
    """Where along a scale of time which moments stand."""
    times = log_ticks(x.low, x.high) if x.log else [t for t in ticks(0, x.high) if t <= x.high]
    return [(x(t), duration(t)) for t in times]


# The frame around curves: the range, grid lines with their numbers, marks along the foot.


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


def grid(
    levels: Sequence[float],
    names: Sequence[str],
    y: Scale,
    left: float,
    right: float,
    ink: str = INK_2,
    size: float = 12,
) -> list[str]:
    """A line across for each level, its name at the left."""
    body = []
    for level, name in zip(levels, names):
        body += [svg.line(left, y(level), right, y(level)), svg.text(left - 10, y(level) + 4, name, ink, size, "end")]
    return body


def foot(marks: Iterable[tuple[float, str]], y: float) -> list[str]:
    """Marks along the foot of a chart, (place, name) from left to right: as many as fit beside each other."""
    body, free = [], 0.0
    for place, name in marks:
        half = measure.width_of(name) / 2
        if place - half >= free:
            body += [svg.line(place, y, place, y + 5, svg.EDGE), svg.text(place, y + 20, name, INK_2, 12, "middle")]
            free = place + half + 10
    return body


def empty(name: str, title: str, said: str) -> Drawing:
    """A chart of nothing says so and draws no axes."""
    head = svg.wrapped_heading(title or name, said, WIDTH)
    return svg.document(max(head.width, 320), 76, [head.body], f"{name}: {said}.", above=head.above)


# What lies inside the frame: curves, and the words at their right ends.


def polyline(points: Iterable[Point]) -> str:
    """The steps of a path through points."""
    return "M" + " L".join(f"{svg.at(x)} {svg.at(y)}" for x, y in points)


def stairs(points: list[Point]) -> list[Point]:
    """Each height kept until the next is known; what is finer than the eye left out."""
    steps = points[:1]
    for k, (x, y) in enumerate(points[1:], 2):
        if k == len(points) or abs(x - steps[-1][0]) >= FINEST or abs(y - steps[-1][1]) >= FINEST:
            steps += [(x, steps[-1][1]), (x, y)]
    return steps


def area(points: Iterable[Point], tone: str, opacity: float) -> str:
    """What the points go round, filled."""
    return svg.path(f"{polyline(points)} Z", "none", fill=tone, more=f' fill-opacity="{opacity:g}"')


class EndLabel(NamedTuple):
    """Words beside the right end of a curve, at its `level`; small ones below where there is more to say."""

    level: float
    words: str
    tone: str
    below: str = ""

    @property
    def width(self) -> float:
        return max(measure.width_of(self.words, 13, bold=True), measure.width_of(self.below, 12))

    @property
    def room(self) -> float:
        return LINE_HEIGHT + (SMALL if self.below else 0)


def end_labels(labels: Sequence[EndLabel], x: float, y: Scale, bottom: float) -> list[str]:
    """The labels from the top down, each as near to its level as the others and the picture's ends allow."""
    ordered = sorted(labels, key=lambda label: -label.level)
    heights = apart([y(label.level) + 4 for label in ordered], [label.room for label in ordered], y.end - 8, bottom)
    body = []
    for height, label in zip(heights, ordered):
        body.append(svg.text(x, height, label.words, label.tone, 13, weight=600))
        body += [svg.text(x, height + SMALL, label.below, INK_3, 12)] if label.below else []
    return body


def apart(wanted: Sequence[float], rooms: Sequence[float], top: float, bottom: float) -> list[float]:
    """Heights near to the wanted ones (in least squares) that keep order and room, from `top` to `bottom`.

    With the room above each taken off, heights may only rise: pool adjacent violators (Ayer et al., 1955).
    """
    above = [sum(rooms[:k]) for k in range(len(rooms))]
    blocks: list[tuple[float, int]] = []  # (mean, how many)
    for want, taken in zip(wanted, above):
        mean, count = want - taken, 1
        while blocks and blocks[-1][0] > mean:
            before, others = blocks.pop()
            mean, count = (before * others + mean * count) / (others + count), others + count
        blocks.append((mean, count))
    raised = [mean for mean, count in blocks for _ in range(count)]
    return [min(max(place, top), bottom - sum(rooms)) + taken for place, taken in zip(raised, above)]
