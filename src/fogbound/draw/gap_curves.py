"""How fast gaps close on average: a curve for each solver over several runs, with the interval around it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fogbound.core import measure
from fogbound.core.drawing import Drawing
from fogbound.core.errors import SpecError, one_line
from fogbound.core.numerals import number
from fogbound.draw.chart import ChartPanel, Series, duration, looks, span_axis
from fogbound.draw.gaps import HIGH, NAME, WIDTH, gap_axis, gap_chart

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
    drawn = [
        Series(
            [(point.place, point.gap) for point in curve],
            look,
            steps=True,
            marked="end",
            spans=[(point.place, point.low, point.high) for point in curve] if len(curve) > 1 else [],
            band=BAND,
            name=words,
        )
        for curve, look, words in zip(curves.values(), looks(len(said)), said)
    ]
    places = [point.place for point in found]
    x = span_axis(places, "time") if over == SECONDS else span_axis(places, over, lambda t: number(t, 6))
    y = gap_axis([point.gap for point in found], [end for point in found for end in (point.low, point.high)])
    return gap_chart(f"{NAME}, over {over}", said, [ChartPanel(x, y, drawn, HIGH)] if y else [], title, width)


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
