"""A quantity over a parameter, one line a group: value, time or size by level, by player."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from fogbound.core import measure
from fogbound.core.drawing import Drawing
from fogbound.core.errors import SpecError, brief, many, one_line, one_of
from fogbound.core.numerals import number
from fogbound.draw.chart import Axis, Chart, ChartPanel, Series, SeriesStyle, decades, linear_axis, looks, padded, ticks
from fogbound.draw.rendering import draw_chart
from fogbound.forms.words import label

HIGH, INSET = 246.0, 14.0
MANY = 20  # values of the parameter up to which each of them is named along the axis


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


def _column(row: Any, name: str) -> Any:
    """A column of a row; SpecError where the row has no such column."""
    try:
        return row[name] if isinstance(row, Mapping) else getattr(row, name)
    except (KeyError, AttributeError):
        columns = row if isinstance(row, Mapping) else [word for word in dir(row) if not word.startswith("_")]
        raise SpecError(f"sweep: a row has no column {name!r}, expected {one_of(columns)}") from None


def _read_spot(row: Any, x: str, y: str, lower: str, upper: str, log: bool) -> Spot:
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
    value = _column(row, name)
    if value is None:
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        raise SpecError(f"sweep: {name} is {brief(value)}, expected a number") from None


Groups = dict[Hashable, list[Spot]]


def draw_sweep(
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
    >>> draw_sweep([{"n": 1, "seconds": 0.5}, {"n": 2, "seconds": 3}], x="n", y="seconds", by="")
    <Drawing 620 × 398: seconds over n: 1 line, 2 points; the highest is 3 at n 2.>
    """
    groups: Groups = {}
    for row in rows:
        groups.setdefault(_column(row, by) if by else None, []).append(_read_spot(row, x, y, lower, upper, log))
    groups = {value: sorted(group, key=lambda spot: spot.x) for value, group in groups.items()}
    across, upward = (given or name for given, name in zip(words, (x, y)))
    named, said = f"{upward} over {across}", _summary(groups, across)
    levels = [v for group in groups.values() for spot in group for v in spot.heights()]
    if not levels:
        return draw_chart(Chart(named, said, [], title))
    places = sorted({spot.x for group in groups.values() for spot in group})
    if log_x and places[0] <= 0:
        raise SpecError(f"sweep: {x} is {number(places[0])}, expected above 0 for a logarithmic axis")
    marks = [(place, number(place, 6)) for place in _marked(places)]
    along = Axis(*padded(places[0], places[-1]), marks, log_x, across)
    up = decades(levels, upward) if log else linear_axis(levels, upward)
    group_names = [(names or {}).get(value, f"{by} {label(value)}" if by else "") for value in groups]
    drawn = zip(groups.values(), group_names, looks(len(groups)))
    curves = [_curve(group, measure.clip(one_line(name), 220), look) for group, name, look in drawn]
    return draw_chart(Chart(named, said, [[ChartPanel(along, up, curves, HIGH, INSET)]], title))


def _curve(group: Sequence[Spot], name: str, look: SeriesStyle) -> Series:
    """One group: its points with their figures, and their whiskers."""
    hints = [f"{name + ', ' if name else ''}{number(spot.x, 6)}: {spot.said()}" for spot in group if spot.known]
    spans = [(spot.x, spot.low, spot.high) for spot in group if spot.low < spot.high]
    return Series([(spot.x, spot.y) for spot in group], look, marked="all", hints=hints, spans=spans, name=name)


def _summary(groups: Groups, across: str) -> str:
    """How much there is, and where the highest point of it all lies."""
    known = [spot for group in groups.values() for spot in group if spot.known]
    if not known:
        return "nothing was recorded"
    best = max(known, key=lambda spot: spot.y)
    counts = f"{many(len(groups), 'line')}, {many(len(known), 'point')}"
    return f"{counts}; the highest is {number(best.y, 5)} at {across} {number(best.x, 6)}"


def _marked(places: list[float]) -> list[float]:
    """The values themselves where they are few, else round numbers."""
    if len(places) <= MANY:
        return places
    return [v for v in ticks(places[0], places[-1], 10) if places[0] <= v <= places[-1]]
