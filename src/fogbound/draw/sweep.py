"""A quantity over a parameter, one line a group: value, time or size by level, by player."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from fogbound.core.errors import SpecError, brief, one_line
from fogbound.draw import measure, svg
from fogbound.draw.chart import Scale, log_ticks, ticks
from fogbound.draw.svg import INK_2, INK_3, MARGIN, at, number
from fogbound.draw.words import label

# What a sweep is made of: points read from rows, and a look of its own for every group.


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
class GroupStyle:
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


def group_styles(count: int) -> list[GroupStyle]:
    """Looks that differ in everything for the first groups; past these in dashes, then in shape."""
    first = [GroupStyle(*look) for look in zip(COLOURS, DASHES, SHAPES)]
    rest = (GroupStyle(*look) for look in product(COLOURS, DASHES, SHAPES))
    more = [look for look in rest if look not in first]
    looks = first + more
    return [looks[k % len(looks)] for k in range(count)]


def column(row: Any, name: str) -> Any:
    """A column of a row; SpecError where the row has no such column."""
    try:
        return row[name] if isinstance(row, Mapping) else getattr(row, name)
    except (KeyError, AttributeError):
        found = row if isinstance(row, Mapping) else [word for word in dir(row) if not word.startswith("_")]
        raise SpecError(f"sweep: a row has no column {name!r}, expected one of {', '.join(map(str, found))}") from None


def read_spot(row: Any, x: str, y: str, lower: str, upper: str, log: bool) -> Spot:
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
    value = column(row, name)
    if value is None:
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        raise SpecError(f"sweep: {name} is {brief(value)}, expected a number") from None


WIDTH, HEIGHT, TOP, BOTTOM, INSET = 760, 424, 120, 58, 14
MANY = 20  # values of the parameter up to which each of them is named along the axis
Groups = dict[Hashable, list[Spot]]


def sweep(
    rows: Sequence[Any],
    x: str = "level",
    y: str = "value",
    by: str = "player",
    lower: str = "",
    upper: str = "",
    names: Mapping[Any, str] | None = None,
    title: str = "",
    words: tuple[str, str] = ("", ""),
    log: bool = False,
) -> str:
    """The column `y` over the column `x`, a line with its own colour, dashes and marker for each value of `by`.

    A row is a mapping or an object with such attributes. `lower` and `upper` name columns that are drawn as whiskers.
    What is None or not finite leaves a gap: nothing is drawn across it. `names` are the words for groups, `words`
    those for the two axes, `log` makes the vertical axis logarithmic.
    """
    groups: Groups = {}
    for row in rows:
        groups.setdefault(column(row, by) if by else None, []).append(read_spot(row, x, y, lower, upper, log))
    groups = {key: sorted(group, key=lambda spot: spot.x) for key, group in groups.items()}
    across, upward = (given or name for given, name in zip(words, (x, y)))
    heading, wide = svg.heading(one_line(title) or f"{upward} over {across}", _summary(groups, across))
    levels = [v for group in groups.values() for spot in group for v in spot.heights()]
    if not levels:
        return svg.document(max(wide, 320), TOP, [heading], f"{upward} over {across}: nothing was recorded.")
    up, marks = _upward(levels, log)
    said = [number(v, 6) for v in marks] if log else _names(marks)
    left = MARGIN + max(map(measure.width_of, said)) + 10
    places = sorted({spot.x for group in groups.values() for spot in group})
    along = Scale(*_padded(places[0], places[-1]), left + INSET, WIDTH - MARGIN - INSET)
    told = [(names or {}).get(name, f"{by} {label(name)}" if by else "") for name in groups]
    looks = group_styles(len(groups))
    key, key_width = _key([(name, look) for name, look in zip(told, looks) if name])
    body = [heading, key, svg.text(MARGIN, TOP - 16, upward, INK_3), *_frame(marks, said, up, left)]
    body += _axis(places, along, up.start, across)
    body += [_line(group, name, look, along, up) for group, name, look in zip(groups.values(), told, looks)]
    aloud = f"{upward} over {across}: {_summary(groups, across)}."
    return svg.document(max(wide, key_width, WIDTH), HEIGHT, body, aloud)


def _summary(groups: Groups, across: str) -> str:
    """How much there is, and where the highest point of it all lies."""
    known = [spot for group in groups.values() for spot in group if spot.known]
    if not known:
        return "nothing was recorded"
    best = max(known, key=lambda spot: spot.y)
    lines = f"{len(groups)} line{'s' if len(groups) != 1 else ''}"
    points = f"{len(known)} point{'s' if len(known) != 1 else ''}"
    return f"{lines}, {points}; the highest is {number(best.y, 5)} at {across} {number(best.x, 6)}"


def _padded(low: float, high: float) -> tuple[float, float]:
    if high - low > 1e-12 * max(1.0, abs(low), abs(high)):
        return low, high
    room = max(1e-6, abs(low) * 0.05)
    return low - room, high + room


def _upward(levels: Sequence[float], log: bool) -> tuple[Scale, list[float]]:
    """The vertical axis and the numbers along it; whole decades where it is logarithmic."""
    if not log:
        marks = ticks(*_padded(min(levels), max(levels)))
        return Scale(marks[0], marks[-1], HEIGHT - BOTTOM, TOP), marks
    low, high = 10.0 ** math.floor(math.log10(min(levels))), 10.0 ** math.ceil(math.log10(max(levels)))
    high = max(high, 10 * low)
    return Scale(low, high, HEIGHT - BOTTOM, TOP, log=True), log_ticks(low, high)


def _names(marks: Sequence[float]) -> list[str]:
    """The marks with as many decimals as tell them apart."""
    step = marks[1] - marks[0]
    if not 1e-6 <= step < 1e6:
        return [number(v, 6) for v in marks]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return [f"{v + 0.0:.{decimals}f}".replace("-", "−") for v in marks]


def _frame(marks: Sequence[float], said: Sequence[str], up: Scale, left: float) -> list[str]:
    right, body = WIDTH - MARGIN, []
    for mark, name in zip(marks, said):
        body.append(svg.line(left, up(mark), right, up(mark)))
        body.append(svg.text(left - 10, up(mark) + 4, name, INK_2, 12, "end"))
    return body


def _axis(places: list[float], along: Scale, y: float, words: str) -> list[str]:
    """The values themselves where they are few, else round numbers, as many as fit."""
    few = len(places) <= MANY
    marks = places if few else [v for v in ticks(places[0], places[-1], 10) if places[0] <= v <= places[-1]]
    body, free = [], 0.0
    for mark in marks:
        name, place = number(mark, 6), along(mark)
        if place - measure.width_of(name) / 2 >= free:
            body.append(svg.line(place, y, place, y + 5, svg.EDGE))
            body.append(svg.text(place, y + 20, name, INK_2, 12, "middle"))
            free = place + measure.width_of(name) / 2 + 10
    return [*body, svg.text((along.start + along.end) / 2, y + 42, words, INK_3, 12, "middle")]


def _key(told: list[tuple[str, GroupStyle]]) -> tuple[str, float]:
    """Each group's line and marker with its name, and how wide that is."""
    body, place, y = "", float(MARGIN), 76.0
    for name, style in told:
        said = measure.clip(one_line(name), 220)
        body += svg.line(place, y, place + 34, y, style.colour, 2, style.dashes) + style.marker(place + 17, y)
        body += svg.text(place + 42, y + 4, said, INK_2)
        place += 42 + measure.width_of(said) + 22
    return body, place


def _line(group: list[Spot], name: str, style: GroupStyle, along: Scale, up: Scale) -> str:
    """One group: whiskers first, the line through what is known, markers with their figures under the pointer."""
    parts, steps, pen = [], "", "M"
    for spot in group:
        if spot.known:
            steps, pen = f"{steps}{pen}{at(along(spot.x))} {at(up(spot.y))}", " L"
        else:
            pen = " M"
        if spot.low < spot.high:
            place = at(along(spot.x))
            ends = [f"M{along(spot.x) - 4:.1f} {at(up(v))} h8" for v in (spot.low, spot.high)]
            whisker = f"M{place} {at(up(spot.low))} L{place} {at(up(spot.high))} {' '.join(ends)}"
            parts.append(svg.path(whisker, style.colour, 1.2))
    if steps:
        parts.append(svg.path(steps.strip(), style.colour, 2, dashes=style.dashes))
    for spot in group:
        if spot.known:
            hint = f"{name + ', ' if name else ''}{number(spot.x, 6)}: {spot.said()}"
            parts.append(svg.group([style.marker(along(spot.x), up(spot.y))], hint))
    return svg.group(parts)
