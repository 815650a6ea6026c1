"""What watching an opponent is worth: earnings by the number of games watched, with their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from fogbound.core.errors import one_line
from fogbound.draw import measure, svg
from fogbound.draw.chart import Scale, ticks
from fogbound.draw.svg import EMBER, EMBER_FILL, INK_2, INK_3, MARGIN, SEA, SEA_FILL, at, number

WIDTH, HEIGHT, TOP, BOTTOM = 760, 440, 100, 58
LINE_HEIGHT, SMALL = 19.0, 16.0
Interval = tuple[float, float, float]  # mean, low, high
Label = tuple[float, str, str, str]  # where it belongs, its words, their colour, small words below


class LearningPoint(Protocol):
    """One point of a learning curve, as `arena.exploit` makes them."""

    @property
    def games(self) -> int: ...
    @property
    def response(self) -> Interval: ...
    @property
    def restricted(self) -> Interval: ...
    @property
    def response_worst(self) -> Interval: ...
    @property
    def restricted_worst(self) -> Interval: ...
    @property
    def nash(self) -> float: ...
    @property
    def full(self) -> float: ...


def learning(points: Sequence[LearningPoint], title: str = "") -> str:
    """Two curves with bands for their intervals, between what an equilibrium earns and what full knowledge would."""
    heading, wide = svg.heading(one_line(title) or "What watching is worth", _summary(points))
    if not points:
        return svg.document(max(wide, 320), TOP, [heading], "What watching is worth: nothing was recorded.")
    points = sorted(points, key=lambda point: point.games)
    levels = ticks(*_range(points))
    names = _names(levels, levels)
    left = MARGIN + max(map(measure.width_of, names)) + 10
    labels = _labels(points[-1], levels)
    right = WIDTH - MARGIN - max(measure.width_of(label[1], 13, bold=True) for label in labels) - 16
    y, x = Scale(levels[0], levels[-1], HEIGHT - BOTTOM, TOP), _games(points, left + 12, right - 12)
    body = [heading, *_frame(levels, names, y, left, right), *_counts(points, x, y, left, right)]
    for level in (points[0].nash, points[0].full):
        body.append(svg.line(left, y(level), right, y(level), svg.FOG_5, 1.5, "6 5"))
    for name, colour in (("response", EMBER_FILL), ("restricted", SEA_FILL)):
        body += _curve(points, name, colour, x, y)
    body += _words(labels, right + 12, y)
    return svg.document(max(wide, WIDTH), HEIGHT, body, f"What watching is worth: {_summary(points)}.")


def _summary(points: Sequence[LearningPoint]) -> str:
    if not points:
        return "nothing was recorded"
    last = max(points, key=lambda point: point.games)
    known, gained = last.full - last.nash, last.response[0] - last.nash
    if known < 1e-9 * max(1.0, abs(last.full)):
        return "payoff a game, with 95 % intervals: this opponent leaves nothing to gain over the equilibrium"
    watched = f"{last.games:,} game{'s' if last.games != 1 else ''}".replace(",", " ")
    share = round(100 * gained / known)
    return f"after {watched} the best response earns {share} % of what full knowledge adds; bands are 95 % intervals"


def _range(points: Sequence[LearningPoint]) -> tuple[float, float]:
    spreads = [s for p in points for s in (p.response, p.restricted)]
    values = [points[0].nash, points[0].full, *(v for s in spreads for v in s)]
    low, high = min(values), max(values)
    room = 0.0 if high - low > 1e-9 * max(1.0, abs(low)) else max(1e-6, 0.05 * abs(low))
    return low - room, high + room


def _names(levels: Sequence[float], values: Sequence[float], finer: int = 0) -> list[str]:
    """Values with as many decimals as tell the levels apart, or `finer`."""
    decimals = min(12, max(0, finer - math.floor(math.log10(levels[1] - levels[0]) + 1e-9)))
    return [f"{round(v, decimals) + 0.0:.{decimals}f}".replace("-", "−") for v in values]


def _games(points: Sequence[LearningPoint], left: float, right: float) -> Scale:
    """Logarithmic; no games at all stand as far left of the fewest as a third of them would."""
    some = [p.games for p in points if p.games > 0] or [1]
    low = min(some) / 3 if points[0].games == 0 else min(some)
    return Scale(low, max(*some, low * 1.001), left, right, log=True)


def _frame(levels: Sequence[float], names: Sequence[str], y: Scale, left: float, right: float) -> list[str]:
    body = [svg.text(MARGIN, y.end - 14, "payoff a game", INK_3)]
    for level, name in zip(levels, names):
        body += [svg.line(left, y(level), right, y(level)), svg.text(left - 10, y(level) + 4, name, INK_2, 12, "end")]
    return body


def _counts(points: Sequence[LearningPoint], x: Scale, y: Scale, left: float, right: float) -> list[str]:
    """The counts themselves along the axis, as many as fit."""
    body, free = [], 0.0
    for point in points:
        name, place = f"{point.games:,}".replace(",", " "), x(point.games)
        if place - measure.width_of(name) / 2 >= free:
            body.append(svg.line(place, y.start, place, y.start + 5, svg.EDGE))
            body.append(svg.text(place, y.start + 20, name, INK_2, 12, "middle"))
            free = place + measure.width_of(name) / 2 + 10
    return [*body, svg.text((left + right) / 2, y.start + 40, "games watched", INK_3, 12, "middle")]


def _curve(points: Sequence[LearningPoint], name: str, colour: str, x: Scale, y: Scale) -> list[str]:
    """The band, the line through the means, a dot for each with its figures under the pointer."""
    spreads: list[Interval] = [getattr(point, name) for point in points]
    places = [at(x(point.games)) for point in points]
    mean, low, high = ([f"{place} {at(y(s[i]))}" for place, s in zip(places, spreads)] for i in range(3))
    body = []
    if len(points) > 1:
        body.append(svg.path(f"M{' L'.join(high + low[::-1])} Z", "none", fill=colour, more=' fill-opacity="0.2"'))
        body.append(svg.path(f"M{' L'.join(mean)}", colour, 2))
    for point, (centre, least, most) in zip(points, spreads):
        hint = f"{point.games:,} games: {number(centre)} ({number(least)} to {number(most)})"
        body.append(svg.group([svg.dot(x(point.games), y(centre), 4, colour)], hint))
    return body


def _labels(last: LearningPoint, levels: Sequence[float]) -> list[Label]:
    """What each curve and line ends at; under the two answers what they would get from the worst opponent."""
    greedy, careful = last.response[0], last.restricted[0]
    shown = (last.full, last.nash, greedy, careful, last.response_worst[0], last.restricted_worst[0])
    names = _names(levels, shown, finer=2)
    return [
        (last.full, f"full knowledge {names[0]}", INK_2, ""),
        (greedy, f"best response {names[2]}", EMBER, f"at worst {names[4]}"),
        (careful, f"restricted Nash {names[3]}", SEA, f"at worst {names[5]}"),
        (last.nash, f"equilibrium {names[1]}", INK_2, ""),
    ]


def _words(labels: list[Label], x: float, y: Scale) -> list[str]:
    """The labels from the top down, each as near to its level as the others and the picture's foot allow."""
    ordered = sorted(labels, key=lambda label: -label[0])
    heights, free = list[float](), 0.0
    for level, _, _, below in ordered:
        heights.append(max(free, y(level) + 4))
        free = heights[-1] + LINE_HEIGHT + (SMALL if below else 0)
    free, body = HEIGHT - 4.0, list[str]()
    for height, (_, words, colour, below) in zip(reversed(heights), reversed(ordered)):
        free = min(height + LINE_HEIGHT + (SMALL if below else 0), free) - LINE_HEIGHT - (SMALL if below else 0)
        body.append(svg.text(x, free, words, colour, 13, weight=600))
        if below:
            body.append(svg.text(x, free + SMALL, below, INK_3, 12))
    return body
