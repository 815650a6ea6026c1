"""The bounds over time: what is guaranteed from below, what nobody can exceed from above, fog between."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fogbound.certificates.wording import NEUTRAL
from fogbound.core.drawing import Drawing
from fogbound.core.errors import many
from fogbound.core.numerals import number
from fogbound.core.svg import EMBER, EMBER_FILL, FOG_3, FOG_6, SEA, SEA_FILL
from fogbound.draw.chart import (
    WIDTH,
    Chart,
    ChartPanel,
    EndLabel,
    Series,
    SeriesStyle,
    duration,
    linear_axis,
    span_axis,
)
from fogbound.draw.gaps import gap_axis
from fogbound.draw.rendering import draw_chart
from fogbound.driver.protocol import TraceEntry
from fogbound.driver.solution import Solution

NAME = "Bounds over time"
HIGH, BELOW = 236.0, 110.0  # of the panel of the bounds, and of the gap's below it
LONGEST = 150.0  # pixels of a label in one line


def bounds(
    trace: Solution | Sequence[TraceEntry],
    *,
    title: str | None = "",
    words: tuple[str, str] | None = None,
    width: int = WIDTH,
) -> Drawing:
    """Draw lower and upper bound over time.

    Step curves, never smoothed: a bound holds from the moment it was found until a better one is. Infinite bounds are
    not drawn. Time is logarithmic where it spans more than a factor of twenty. Below stands the gap between them, on a
    logarithmic axis, where it still shows what bounds that lie on each other do not.

    Parameters
    ----------
    trace : Solution or sequence of TraceEntry
        A solution, or its `trace`.
    title : str or None
        The first line of the picture; None for a picture without a heading, on a page that has its own.
    words : pair of str, optional
        What the lower and the upper bound are called; a solution knows that itself.
    width : int
        How wide it is drawn. Text keeps its size, so that a phone gets a narrow picture and not a small one.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> from fogbound.driver.protocol import TraceEntry
    >>> first, last = TraceEntry(1, 0.5, 0.0, -1.0, 1.0, 2.0), TraceEntry(2, 1.0, 0.2, 0.1, 0.3, 0.2)
    >>> bounds([first, last])
    <Drawing 620 × 548: Bounds over time: from 0.1, to 0.3 after 1 s and 2 steps.>
    """
    entries, own = (trace.trace, trace.words) if isinstance(trace, Solution) else (trace, NEUTRAL)
    words = words or own
    values = [v for entry in entries for v in (entry.lower, entry.upper) if math.isfinite(v)]
    rows = []
    if values:
        x, shown = span_axis(entry.seconds for entry in entries), min(1.0, width / WIDTH + 0.2)
        rows = [[ChartPanel(x, linear_axis(values), _curves(entries, words), HIGH * shown)]]
        known = [entry for entry in entries if entry.gap < math.inf]
        y = gap_axis([entry.gap for entry in known]) if title is not None else None
        if y is not None:
            gap = Series([(m.seconds, m.gap) for m in known], SeriesStyle(FOG_6, radius=4), steps=True, marked="end")
            rows.append([ChartPanel(x, y, [gap], BELOW)])
    return draw_chart(Chart(NAME, _summary(entries, words), rows, title, width))


def _summary(trace: Sequence[TraceEntry], words: tuple[str, str]) -> str:
    """Where it ended, in words."""
    if not trace:
        return "nothing was recorded"
    last = trace[-1]
    said = [f"{words[0]} {number(last.lower, 6)}"] if math.isfinite(last.lower) else ["no lower bound yet"]
    said += [f"{words[1]} {number(last.upper, 6)}"] if math.isfinite(last.upper) else ["no upper bound yet"]
    return ", ".join(said) + f" after {duration(last.seconds)} and {many(last.iteration, 'step')}"


def _curves(trace: Sequence[TraceEntry], words: tuple[str, str]) -> list[Series]:
    """The fog where both sides are known, and each side for itself."""
    fog = [(m.seconds, m.lower, m.upper) for m in trace if math.isfinite(m.lower) and math.isfinite(m.upper)]
    sides = (
        ([(m.seconds, m.upper) for m in trace], SeriesStyle(EMBER_FILL), words[1], EMBER),
        ([(m.seconds, m.lower) for m in trace], SeriesStyle(SEA_FILL), words[0], SEA),
    )
    listed = [Series((), SeriesStyle(FOG_3), steps=True, spans=fog, band=0.55)]
    for points, look, name, tone in sides:
        last, known = points[-1][1], [point for point in points if math.isfinite(point[1])]
        label = _end(last, name, tone) if math.isfinite(last) else None
        listed.append(Series(known, look, steps=True, marked="end" if label else "none", label=label))
    return listed


def _end(value: float, name: str, tone: str) -> EndLabel:
    """A final bound in a line, or in two where it would take too much of the picture."""
    whole = EndLabel(f"{name} {number(value, 5)}", tone)
    return whole if whole.width <= LONGEST else EndLabel(name, tone, number(value, 5))
