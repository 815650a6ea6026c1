"""How fast gaps close on average: a curve for each solver over several runs, with the interval around it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fogbound.core.drawing import Drawing
from fogbound.core.errors import SpecError, one_line
from fogbound.core.numerals import number
from fogbound.draw import measure, svg
from fogbound.draw.chart import (
    WIDE_SPAN,
    Scale,
    area,
    duration,
    empty,
    foot,
    grid,
    log_ticks,
    polyline,
    stairs,
    ticks,
    time_marks,
    time_scale,
)
from fogbound.draw.gaps import BOTTOM, CLOSED, HIGH, NAME, STROKES, WIDTH, powers_around
from fogbound.draw.key import LINE_HEIGHT, key, stroke
from fogbound.draw.svg import INK_3, MARGIN

NAMES = 300.0  # pixels of a curve's name
SECONDS, ITERATIONS = "seconds", "iterations"
BAND = 0.22  # how dense an interval is


class GapPoint(NamedTuple):
    """A point of a curve.

    Parameters
    ----------
    place
        How far along: seconds, or iterations.
    gap
        The gap there.
    low, high
        The interval around it.
    """

    place: float
    gap: float
    low: float
    high: float


def gap_curves(
    curves: Mapping[str, Sequence[GapPoint]],
    *,
    over: str = SECONDS,
    title: str | None = "",
    width: int = WIDTH,
    ends: Mapping[str, float] | None = None,
) -> Drawing:
    """Draw gaps over seconds or iterations, each curve in steps inside the band of its interval.

    Both axes are those of `gaps`: the gap is logarithmic, and so is what lies below it where it spans more than a
    factor of twenty. A curve goes down to the foot where the gap is closed.

    Parameters
    ----------
    curves : mapping from names to points
        Points from left to right; see `GapPoint`.
    over : str
        ``"seconds"`` or ``"iterations"``.
    title : str or None
        The first line of the picture; None for a picture without a heading, on a page that has its own.
    width : int
        How wide it is drawn; text keeps its size.
    ends : mapping from names to numbers, or None
        By name, after how many seconds or iterations the key says that a curve ended: the mean of its runs, where they
        ended at different places. Its last point unless given.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> curve = [GapPoint(1.0, 2.0, 1.5, 2.5), GapPoint(4.0, 0.2, 0.1, 0.4)]
    >>> print(gap_curves({"cfr": curve}, over="iterations").text, end="")
    cfr: gap 0.2 (0.1 to 0.4) after 4
    """
    if over not in (SECONDS, ITERATIONS):
        raise SpecError(f"gap_curves: over is {over!r}, expected seconds or iterations")
    said = [_ended(name, curve, over, (ends or {}).get(name)) for name, curve in curves.items()]
    found = [point for curve in curves.values() for point in curve]
    least = CLOSED * max((point.high for point in found), default=0.0)
    sizes = [size for point in found for size in (point.gap, point.low, point.high) if size > least]
    if not sizes:
        return empty(NAME, one_line(title or ""), "; ".join(said) or "nothing was recorded")
    powers = powers_around(min(sizes), max(sizes), closed=any(point.gap <= least for point in found))
    names = [number(10.0**k, 3) for k in powers]
    left, right = MARGIN + max(map(measure.width_of, names)) + 10, width - MARGIN - 8.0
    looks = [STROKES[k % len(STROKES)] for k in range(len(said))]
    head = (
        svg.WrappedHeading("", 0.0, 0.0) if title is None else svg.wrapped_heading(one_line(title) or NAME, "", width)
    )
    entries = [stroke(words, tone, 2.2, dashes) for words, (tone, dashes) in zip(said, looks)]
    legend = key(entries, MARGIN, MARGIN + (4 if title is None else 38), 0.0)
    top = legend.y + LINE_HEIGHT + 18
    y = Scale(10.0 ** powers[0], 10.0 ** powers[-1], top + HIGH, top, log=True)
    x, marks = _along([point.place for point in found], over, left, right)
    body = [head.body, legend.body, svg.text(MARGIN, top - 14, "gap: upper minus lower bound", INK_3)]
    body += [*grid([10.0**k for k in powers], names, y, left, right), *foot(marks, y.start)]
    words = "time" if over == SECONDS else ITERATIONS
    body.append(svg.text((left + right) / 2, y.start + 42, words, INK_3, 12, "middle"))
    drawn = list(zip(curves.values(), looks))
    body += [_band(curve, least, x, y, tone) for curve, (tone, _) in drawn if len(curve) > 1]
    for curve, (tone, dashes) in drawn:
        body += _line(curve, least, x, y, tone, dashes)
    wide = max(width, 2 * MARGIN + max(entry.width for entry in entries))
    label = f"{NAME}, over {over}: {'; '.join(said)}."
    return svg.document(wide, y.start + BOTTOM, body, label, "\n".join(said) + "\n", above=head.above)


def _along(places: Sequence[float], over: str, left: float, right: float) -> tuple[Scale, list[tuple[float, str]]]:
    """The horizontal axis and its marks."""
    x = time_scale(places, left, right)
    if over == SECONDS:
        return x, time_marks(x)
    if not x.log:
        return x, [(x(t), number(t, 6)) for t in ticks(0, x.high) if t <= x.high and t == round(t)]
    assert x.high >= WIDE_SPAN * x.low
    return x, [(x(t), number(t, 6)) for t in log_ticks(x.low, x.high)]


def _band(curve: Sequence[GapPoint], least: float, x: Scale, y: Scale, tone: str) -> str:
    """The interval, filled: its upper edge there and the lower one back."""
    upper, lower = (
        stairs([(x(point.place), _height(getattr(point, side), least, y)) for point in curve])
        for side in ("high", "low")
    )
    return area([*upper, *reversed(lower)], tone, BAND)


def _line(curve: Sequence[GapPoint], least: float, x: Scale, y: Scale, tone: str, dashes: str) -> list[str]:
    points = [(x(point.place), _height(point.gap, least, y)) for point in curve]
    steps = [svg.path(polyline(stairs(points)), tone, 2.2, dashes=dashes)] if len(points) > 1 else []
    return [*steps, svg.dot(*points[-1], 4, tone)] if points else []


def _height(size: float, least: float, y: Scale) -> float:
    return y(size) if size > least else y.start


def _ended(name: str, curve: Sequence[GapPoint], over: str, end: float | None) -> str:
    """Where a curve ends, in words."""
    name = measure.clip(one_line(name), NAMES)
    if not curve:
        return f"{name}: no gap recorded"
    last = curve[-1]
    around = f" ({number(last.low, 3)} to {number(last.high, 3)})" if last.low < last.high else ""
    at = last.place if end is None else end
    when = duration(round(at, 3)) if over == SECONDS else number(at, 4 if end is not None else 6)
    return (
        f"{name}: gap {number(last.gap, 3) if last.gap > 0 and math.isfinite(last.gap) else '0'}{around} after {when}"
    )
