"""The bounds over time: what is guaranteed from below, what nobody can exceed from above, fog between."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fogbound.core.errors import one_line
from fogbound.draw import measure, svg
from fogbound.draw.chart import WIDE_SPAN, Scale, duration, log_ticks, ticks
from fogbound.draw.svg import EMBER, EMBER_FILL, FOG_3, INK_2, INK_3, MARGIN, SEA, SEA_FILL, at, number
from fogbound.driver.solve import TraceEntry

WIDTH, HEIGHT, TOP, BOTTOM = 760, 400, 84, 40
FINEST = 0.3  # pixels: smaller steps cannot be seen and are left out
Point = tuple[float, float]


def bounds(trace: Sequence[TraceEntry], title: str = "") -> str:
    """Step curves, never smoothed: a bound holds from the moment it was found until a better one is.

    Infinite bounds are not drawn. Time is logarithmic where it spans more than a factor of twenty.
    """
    heading, wide = svg.heading(one_line(title) or "Bounds over time", _summary(trace))
    values = [v for m in trace for v in (m.lower, m.upper) if math.isfinite(v)]
    if not values:
        said = "No finite bound was found."
        body = [heading, svg.text(MARGIN, TOP + 20, said, INK_3)]
        return svg.document(max(wide, 320), TOP + 48, body, f"Bounds over time: {said[0].lower()}{said[1:]}")
    levels = ticks(*_padded(min(values), max(values)))
    names = _names(levels)
    left = MARGIN + max(map(measure.width_of, names)) + 10
    ends = _ends(trace[-1])
    right = WIDTH - MARGIN - max(measure.width_of(words, 13, bold=True) for words, _, _ in ends) - 16
    y = Scale(levels[0], levels[-1], HEIGHT - BOTTOM, TOP)
    x = _time(trace, left, right)
    body = [heading, *_frame(levels, names, x, y, left, right), *_curves(trace, x, y)]
    body += _marks(ends, x(trace[-1].seconds), right + 12, y)
    return svg.document(max(wide, WIDTH), HEIGHT, body, f"Bounds over time: {_summary(trace)}.")


def _summary(trace: Sequence[TraceEntry]) -> str:
    """Where it ended, in words."""
    if not trace:
        return "nothing was recorded"
    last = trace[-1]
    said = [f"guaranteed {number(last.lower, 6)}"] if math.isfinite(last.lower) else ["nothing guaranteed yet"]
    said += [f"at most {number(last.upper, 6)}"] if math.isfinite(last.upper) else ["no upper bound yet"]
    steps = f"{last.iteration:,} step{'s' if last.iteration != 1 else ''}"
    return ", ".join(said) + f" after {duration(last.seconds)} and {steps}"


def _padded(low: float, high: float) -> tuple[float, float]:
    if high - low > 1e-12 * max(1.0, abs(low), abs(high)):
        return low, high
    room = max(1e-6, abs(low) * 0.05)
    return low - room, high + room


def _names(levels: Sequence[float]) -> list[str]:
    """The levels with as many decimals as tell them apart."""
    step = levels[1] - levels[0]
    if not 1e-4 <= step < 1e6:
        return [number(v, 6) for v in levels]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return [f"{v + 0.0:,.{decimals}f}".replace("-", "−").replace(",", " ") for v in levels]


def _time(trace: Sequence[TraceEntry], left: float, right: float) -> Scale:
    """Logarithmic where the span is wide, otherwise from zero on."""
    times = [m.seconds for m in trace if m.seconds > 0]
    if times and max(times) >= WIDE_SPAN * min(times):
        return Scale(min(times), max(times), left, right, log=True)
    return Scale(0.0, max(times, default=1.0), left, right)


def _frame(levels: Sequence[float], names: Sequence[str], x: Scale, y: Scale, left: float, right: float) -> list[str]:
    body = []
    for level, name in zip(levels, names):
        body += [svg.line(left, y(level), right, y(level)), svg.text(left - 10, y(level) + 4, name, INK_2, 12, "end")]
    free = 0.0
    for time in log_ticks(x.low, x.high) if x.log else [t for t in ticks(0, x.high) if t <= x.high]:
        name, place = duration(time), x(time)
        if place - measure.width_of(name) / 2 >= free:
            body.append(svg.line(place, y.start, place, y.start + 5, svg.EDGE))
            body.append(svg.text(place, y.start + 20, name, INK_2, 12, "middle"))
            free = place + measure.width_of(name) / 2 + 14
    return body


def _curves(trace: Sequence[TraceEntry], x: Scale, y: Scale) -> list[str]:
    """The fog first, where both sides are known; then each side for itself."""
    body = []
    fog = [m for m in trace if math.isfinite(m.lower) and math.isfinite(m.upper)]
    if fog:
        under = _stairs([(x(m.seconds), y(m.lower)) for m in fog])
        over = _stairs([(x(m.seconds), y(m.upper)) for m in fog])
        steps = f"M{' L'.join(_spots(over) + _spots(under)[::-1])} Z"
        alone = len(trace) == 1
        body.append(svg.path(steps, FOG_3 if alone else "none", 10, FOG_3, more=' fill-opacity="0.55"'))
    for side, colour in (("upper", EMBER_FILL), ("lower", SEA_FILL)):
        points = [(x(m.seconds), y(getattr(m, side))) for m in trace if math.isfinite(getattr(m, side))]
        if len(points) > 1:
            body.append(svg.path(f"M{' L'.join(_spots(_stairs(points)))}", colour, 2))
    return body


def _stairs(points: list[Point]) -> list[Point]:
    """Each height kept until the next is known; what is finer than the eye left out."""
    stairs = points[:1]
    for k, (x, y) in enumerate(points[1:], 2):
        if k == len(points) or abs(x - stairs[-1][0]) >= FINEST or abs(y - stairs[-1][1]) >= FINEST:
            stairs += [(x, stairs[-1][1]), (x, y)]
    return stairs


def _spots(points: list[Point]) -> list[str]:
    return [f"{at(x)} {at(y)}" for x, y in points]


def _ends(last: TraceEntry) -> list[tuple[str, float, str]]:
    """The final bounds in words, the upper one first."""
    both = (("at most", last.upper, EMBER), ("guaranteed", last.lower, SEA))
    return [(f"{name} {number(v, 5)}", v, colour) for name, v, colour in both if math.isfinite(v)] or [("", 0.0, SEA)]


def _marks(ends: list[tuple[str, float, str]], x: float, words_x: float, y: Scale) -> list[str]:
    """A dot for each final bound, and its words beside it, pushed apart where they would touch."""
    spots = [y(v) for words, v, _ in ends if words]
    heights = [h + 4 for h in spots]
    if len(heights) == 2 and heights[1] - heights[0] < 19:
        middle = sum(heights) / 2
        heights = [middle - 9.5, middle + 9.5]
    body = []
    for (words, _, colour), spot, height in zip(ends, spots, heights):
        body.append(svg.dot(x, spot, 4.5, EMBER_FILL if colour == EMBER else SEA_FILL))
        body.append(svg.text(words_x, height, words, colour, 13, weight=600))
    return body
