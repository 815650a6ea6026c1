"""The bounds over time: what is guaranteed from below, what nobody can exceed from above, fog between."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fogbound.certificates.wording import NEUTRAL
from fogbound.core.drawing import Drawing
from fogbound.core.errors import many, one_line
from fogbound.core.numerals import number
from fogbound.draw import measure, svg
from fogbound.draw.chart import (
    WIDTH,
    EndLabel,
    Scale,
    duration,
    empty,
    end_labels,
    foot,
    grid,
    padded,
    polyline,
    stairs,
    tick_names,
    ticks,
    time_marks,
    time_scale,
)
from fogbound.draw.gaps import panel
from fogbound.draw.svg import EMBER, EMBER_FILL, FOG_3, FOG_6, MARGIN, SEA, SEA_FILL
from fogbound.driver.protocol import TraceEntry
from fogbound.driver.solution import Solution

NAME = "Bounds over time"
HEIGHT, TOP, BOTTOM, BELOW, PANEL = 360, 84, 40, 34, 110  # PANEL: the gap's, BELOW what lies between
GAPS, LONGEST = 36.0, 150.0  # pixels of the names of gaps, and of a label in one line
HEADING = 60  # what is saved above where there is none
NARROW = 480  # pixels below which the ends carry dots and no words: a page says them beside


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
    <Drawing 620 × 544: Bounds over time: from 0.1, to 0.3 after 1 s and 2 steps.>
    """
    entries, own = (trace.trace, trace.words) if isinstance(trace, Solution) else (trace, NEUTRAL)
    words = words or own
    values = [v for entry in entries for v in (entry.lower, entry.upper) if math.isfinite(v)]
    if not values:
        return empty(NAME, one_line(title or ""), _summary(entries, words))
    if title is None:
        head = svg.WrappedHeading("", 0.0, -HEADING)
    else:
        head = svg.wrapped_heading(one_line(title) or NAME, _summary(entries, words), width)
    high = HEADING + (HEIGHT - HEADING) * min(1.0, width / WIDTH + 0.2)
    levels = ticks(*padded(min(values), max(values)))
    names = tick_names(levels)
    left = MARGIN + max(*map(measure.width_of, names), GAPS) + 10
    ends = _ends(entries[-1], words)
    beside = max((end.width for end in ends), default=0.0) if width >= NARROW else 0.0
    right = width - MARGIN - beside - 16
    y = Scale(levels[0], levels[-1], high - BOTTOM, TOP)
    x = time_scale([m.seconds for m in entries], left, right)
    body = [head.body, *grid(levels, names, y, left, right), *foot(time_marks(x), y.start)]
    body += _curves(entries, x, y)
    last = x(entries[-1].seconds)
    body += [svg.dot(last, y(end.level), 4.5, EMBER_FILL if end.tone == EMBER else SEA_FILL) for end in ends]
    body += end_labels(ends, right + 12, y, high - 4) if beside else []
    below = panel(entries, x, high + BELOW, PANEL, FOG_6) if title is not None else []
    height = high + (BELOW + PANEL + BOTTOM if below else 0)
    return svg.document(width, height, [*body, *below], f"{NAME}: {_summary(entries, words)}.", above=head.above)


def _summary(trace: Sequence[TraceEntry], words: tuple[str, str]) -> str:
    """Where it ended, in words."""
    if not trace:
        return "nothing was recorded"
    last = trace[-1]
    said = [f"{words[0]} {number(last.lower, 6)}"] if math.isfinite(last.lower) else ["no lower bound yet"]
    said += [f"{words[1]} {number(last.upper, 6)}"] if math.isfinite(last.upper) else ["no upper bound yet"]
    return ", ".join(said) + f" after {duration(last.seconds)} and {many(last.iteration, 'step')}"


def _curves(trace: Sequence[TraceEntry], x: Scale, y: Scale) -> list[str]:
    """The fog first, where both sides are known; then each side for itself."""
    body = []
    fog = [m for m in trace if math.isfinite(m.lower) and math.isfinite(m.upper)]
    if fog:
        under = stairs([(x(m.seconds), y(m.lower)) for m in fog])
        over = stairs([(x(m.seconds), y(m.upper)) for m in fog])
        alone = FOG_3 if len(trace) == 1 else "none"
        body.append(svg.path(f"{polyline(over + under[::-1])} Z", alone, 10, FOG_3, more=' fill-opacity="0.55"'))
    for side, colour in (("upper", EMBER_FILL), ("lower", SEA_FILL)):
        points = [(x(m.seconds), y(getattr(m, side))) for m in trace if math.isfinite(getattr(m, side))]
        if len(points) > 1:
            body.append(svg.path(polyline(stairs(points)), colour, 2))
    return body


def _ends(last: TraceEntry, words: tuple[str, str]) -> list[EndLabel]:
    """The final bounds in words."""
    both = ((words[1], last.upper, EMBER), (words[0], last.lower, SEA))
    return [_end(v, name, tone) for name, v, tone in both if math.isfinite(v)]


def _end(value: float, name: str, tone: str) -> EndLabel:
    """One of them in a line, or in two where it would take too much of the picture."""
    whole = EndLabel(value, f"{name} {number(value, 5)}", tone)
    return whole if whole.width <= LONGEST else EndLabel(value, name, tone, number(value, 5))
