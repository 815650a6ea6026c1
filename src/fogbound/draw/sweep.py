"""A quantity over a parameter, one line a group: value, time or size by level, by player."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from typing import Any, NamedTuple

from fogbound.core.drawing import Drawing
from fogbound.core.errors import SpecError, brief, many, one_line, one_of
from fogbound.core.numerals import number
from fogbound.draw import measure, svg
from fogbound.draw.chart import WIDTH, Scale, empty, foot, grid, log_ticks, padded, polyline, tick_names, ticks
from fogbound.draw.key import KeyEntry, key, stroke
from fogbound.draw.svg import INK_3, MARGIN, at
from fogbound.forms.words import label

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
    """Looks that differ in everything among any four groups in a row; past these in what goes with what."""
    looks = range(len(COLOURS))
    styles = [
        GroupStyle(COLOURS[k], DASHES[(k + dashes) % len(DASHES)], SHAPES[(k + shape) % len(SHAPES)])
        for dashes, shape in sorted(product(looks, looks), key=lambda shift: (shift[0] != shift[1], shift))
        for k in looks
    ]
    return [styles[k % len(styles)] for k in range(count)]


def column(row: Any, name: str) -> Any:
    """A column of a row; SpecError where the row has no such column."""
    try:
        return row[name] if isinstance(row, Mapping) else getattr(row, name)
    except (KeyError, AttributeError):
        columns = row if isinstance(row, Mapping) else [word for word in dir(row) if not word.startswith("_")]
        raise SpecError(f"sweep: a row has no column {name!r}, expected {one_of(columns)}") from None


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


HEIGHT, TOP, BOTTOM, INSET = 424, 120, 58, 14
MANY = 20  # values of the parameter up to which each of them is named along the axis
Groups = dict[Hashable, list[Spot]]


def sweep(
    rows: Sequence[Any],
    *,
    x: str = "level",
    y: str = "value",
    by: str = "player",
    lower: str = "",
    upper: str = "",
    names: Mapping[Any, str] | None = None,
    words: tuple[str, str] = ("", ""),
    log: bool = False,
    log_x: bool = False,
    title: str = "",
) -> Drawing:
    """Draw the column `y` over the column `x`, a line with its own colour, dashes and marker for each value of `by`.

    What is None or not finite leaves a gap: nothing is drawn across it.

    Parameters
    ----------
    rows : sequence
        Mappings, or objects with such attributes: the solutions of `solve_levels`, for example.
    x, y, by : str
        Names of columns; without `by` all rows are one line.
    lower, upper : str
        Names of columns that are drawn as whiskers.
    names : mapping
        The words for groups, by their value in `by`.
    words : (str, str)
        The words for the two axes, unless they are the columns' names.
    log : bool
        Whether the vertical axis is logarithmic.
    log_x : bool
        Whether the horizontal axis is.
    title : str
        The first line of the picture.

    Returns
    -------
    Drawing

    Raises
    ------
    SpecError
        Where a row has no such column, or holds what cannot be drawn.

    Examples
    --------
    >>> sweep([{"n": 1, "seconds": 0.5}, {"n": 2, "seconds": 3}], x="n", y="seconds", by="")
    <Drawing 620 × 424: seconds over n: 1 line, 2 points; the highest is 3 at n 2.>
    """
    groups: Groups = {}
    for row in rows:
        groups.setdefault(column(row, by) if by else None, []).append(read_spot(row, x, y, lower, upper, log))
    groups = {value: sorted(group, key=lambda spot: spot.x) for value, group in groups.items()}
    across, upward = (given or name for given, name in zip(words, (x, y)))
    named, said = f"{upward} over {across}", _summary(groups, across)
    levels = [v for group in groups.values() for spot in group for v in spot.heights()]
    if not levels:
        return empty(named, one_line(title), said)
    heading, wide = svg.heading(one_line(title) or named, said)
    up, marks = _upward(levels, log)
    numbers = [number(v, 6) for v in marks] if log else tick_names(marks)
    left = MARGIN + max(map(measure.width_of, numbers)) + 10
    places = sorted({spot.x for group in groups.values() for spot in group})
    if log_x and places[0] <= 0:
        raise SpecError(f"sweep: {x} is {number(places[0])}, expected above 0 for a logarithmic axis")
    along = Scale(*padded(places[0], places[-1]), left + INSET, WIDTH - MARGIN - INSET, log_x)
    group_names = [(names or {}).get(value, f"{by} {label(value)}" if by else "") for value in groups]
    styles = group_styles(len(groups))
    legend = key([_entry(name, style) for name, style in zip(group_names, styles) if name], MARGIN, 80)
    body = [heading, legend.body, svg.text(MARGIN, TOP - 16, upward, INK_3)]
    body += grid(marks, numbers, up, left, WIDTH - MARGIN)
    body += foot(((along(v), number(v, 6)) for v in _marked(places)), up.start)
    body.append(svg.text((along.start + along.end) / 2, up.start + 42, across, INK_3, 12, "middle"))
    drawn = zip(groups.values(), group_names, styles)
    body += [group_line(group, name, style, along, up) for group, name, style in drawn]
    return svg.document(max(wide, legend.right, WIDTH), HEIGHT, body, f"{named}: {said}.")


def _summary(groups: Groups, across: str) -> str:
    """How much there is, and where the highest point of it all lies."""
    known = [spot for group in groups.values() for spot in group if spot.known]
    if not known:
        return "nothing was recorded"
    best = max(known, key=lambda spot: spot.y)
    counts = f"{many(len(groups), 'line')}, {many(len(known), 'point')}"
    return f"{counts}; the highest is {number(best.y, 5)} at {across} {number(best.x, 6)}"


def _upward(levels: Sequence[float], log: bool) -> tuple[Scale, list[float]]:
    """The vertical axis and the numbers along it; whole decades where it is logarithmic."""
    if not log:
        marks = ticks(*padded(min(levels), max(levels)))
        return Scale(marks[0], marks[-1], HEIGHT - BOTTOM, TOP), marks
    low, high = 10.0 ** math.floor(math.log10(min(levels))), 10.0 ** math.ceil(math.log10(max(levels)))
    high = max(high, 10 * low)
    return Scale(low, high, HEIGHT - BOTTOM, TOP, log=True), log_ticks(low, high)


def _marked(places: list[float]) -> list[float]:
    """The values themselves where they are few, else round numbers."""
    if len(places) <= MANY:
        return places
    return [v for v in ticks(places[0], places[-1], 10) if places[0] <= v <= places[-1]]


def _entry(name: str, style: GroupStyle) -> KeyEntry:
    return stroke(measure.clip(one_line(name), 220), style.colour, 2, style.dashes, style.marker)


def group_line(group: list[Spot], name: str, style: GroupStyle, along: Scale, up: Scale) -> str:
    """One group: whiskers first, the line through what is known, markers with their figures under the pointer."""
    parts = []
    for spot in group:
        if spot.low < spot.high:
            place = along(spot.x)
            ends = [f"M{at(place - 4)} {at(up(v))} h8" for v in (spot.low, spot.high)]
            whisker = f"{polyline((place, up(v)) for v in (spot.low, spot.high))} {' '.join(ends)}"
            parts.append(svg.path(whisker, style.colour, 1.2))
    runs = [list(run) for known, run in groupby(group, lambda spot: spot.known) if known]
    steps = " ".join(polyline((along(spot.x), up(spot.y)) for spot in run) for run in runs)
    if steps:
        parts.append(svg.path(steps, style.colour, 2, dashes=style.dashes))
    for spot in group:
        if spot.known:
            hint = f"{name + ', ' if name else ''}{number(spot.x, 6)}: {spot.said()}"
            parts.append(svg.group([style.marker(along(spot.x), up(spot.y))], hint))
    return svg.group(parts)
