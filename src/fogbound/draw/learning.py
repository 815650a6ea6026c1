"""The value of watching an opponent: earnings by the number of games watched, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from fogbound.core.drawing import Drawing
from fogbound.core.errors import many, one_line
from fogbound.core.numerals import number
from fogbound.draw import measure, svg
from fogbound.draw.chart import (
    WIDTH,
    EndLabel,
    Scale,
    area,
    empty,
    end_labels,
    foot,
    grid,
    padded,
    polyline,
    tick_names,
    ticks,
)
from fogbound.draw.svg import EMBER, EMBER_FILL, INK_2, INK_3, MARGIN, SEA, SEA_FILL

NAME = "The value of watching"
HEIGHT, TOP, BOTTOM = 440, 100, 58
Interval = tuple[float, float, float]  # mean, low, high


class LearningPoint(Protocol):
    """One point of a learning curve, as `inference.learning_curve` makes them."""

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


def learning(points: Sequence[LearningPoint], *, title: str = "") -> Drawing:
    """Draw what two answers to an estimated opponent earn, by the number of games watched.

    Two curves with bands for their intervals, between what an equilibrium earns and what full knowledge would.

    Parameters
    ----------
    points : sequence of LearningPoint
        As `fogbound.inference.learning_curve` makes them.
    title : str
        The first line of the picture.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> learning([])
    <Drawing 320 × 76: The value of watching: nothing was recorded.>
    """
    if not points:
        return empty(NAME, one_line(title), _summary(points))
    head = svg.wrapped_heading(one_line(title) or NAME, _summary(points), WIDTH)
    points = sorted(points, key=lambda point: point.games)
    levels = ticks(*_range(points))
    names = tick_names(levels)
    left = MARGIN + max(map(measure.width_of, names)) + 10
    labels = _labels(points[-1], levels)
    right = WIDTH - MARGIN - max(label.width for label in labels) - 16
    y, x = Scale(levels[0], levels[-1], HEIGHT - BOTTOM, TOP), _games(points, left + 12, right - 12)
    body = [head.body, svg.text(MARGIN, y.end - 14, "payoff a game", INK_3), *grid(levels, names, y, left, right)]
    body += foot(((x(point.games), _count(point.games)) for point in points), y.start)
    body.append(svg.text((left + right) / 2, y.start + 40, "games watched", INK_3, 12, "middle"))
    for level in (points[0].nash, points[0].full):
        body.append(svg.line(left, y(level), right, y(level), svg.FOG_5, 1.5, "6 5"))
    for name, colour in (("response", EMBER_FILL), ("restricted", SEA_FILL)):
        body += _curve(points, name, colour, x, y)
    body += end_labels(labels, right + 12, y, HEIGHT - 4)
    return svg.document(WIDTH, HEIGHT, body, f"{NAME}: {_summary(points)}.", above=head.above)


def _summary(points: Sequence[LearningPoint]) -> str:
    if not points:
        return "nothing was recorded"
    last = max(points, key=lambda point: point.games)
    possible, gained = last.full - last.nash, last.response[0] - last.nash
    if possible < 1e-9 * max(1.0, abs(last.full)):
        return "payoff a game, with 95 % intervals: this opponent leaves nothing to gain over the equilibrium"
    watched = many(last.games, "game").replace(",", " ")
    share = round(100 * gained / possible)
    return f"after {watched} the best response earns {share} % of what full knowledge adds; bands are 95 % intervals"


def _range(points: Sequence[LearningPoint]) -> tuple[float, float]:
    intervals = [interval for point in points for interval in (point.response, point.restricted)]
    values = [points[0].nash, points[0].full, *(v for interval in intervals for v in interval)]
    return padded(min(values), max(values))


def _games(points: Sequence[LearningPoint], left: float, right: float) -> Scale:
    """Logarithmic; no games at all stand as far left of the fewest as a third of them would."""
    some = [p.games for p in points if p.games > 0] or [1]
    low = min(some) / 3 if points[0].games == 0 else min(some)
    return Scale(low, max(*some, low * 1.001), left, right, log=True)


def _count(games: int) -> str:
    return f"{games:,}".replace(",", " ")


def _curve(points: Sequence[LearningPoint], name: str, colour: str, x: Scale, y: Scale) -> list[str]:
    """The band, the line through the means, a dot for each with its figures under the pointer."""
    intervals: list[Interval] = [getattr(point, name) for point in points]
    mean, low, high = ([(x(point.games), y(s[i])) for point, s in zip(points, intervals)] for i in range(3))
    body = []
    if len(points) > 1:
        body += [area(high + low[::-1], colour, 0.2), svg.path(polyline(mean), colour, 2)]
    for point, (centre, least, most) in zip(points, intervals):
        hint = f"{many(point.games, 'game')}: {number(centre)} ({number(least)} to {number(most)})"
        body.append(svg.group([svg.dot(x(point.games), y(centre), 4, colour)], hint))
    return body


def _labels(last: LearningPoint, levels: Sequence[float]) -> list[EndLabel]:
    """What each curve and line ends at; under the two answers what they would get from the worst opponent."""
    greedy, careful = last.response[0], last.restricted[0]
    shown = (last.full, last.nash, greedy, careful, last.response_worst[0], last.restricted_worst[0])
    names = tick_names(levels, shown, finer=2)
    return [
        EndLabel(last.full, f"full knowledge {names[0]}", INK_2),
        EndLabel(greedy, f"best response {names[2]}", EMBER, f"at worst {names[4]}"),
        EndLabel(careful, f"restricted Nash {names[3]}", SEA, f"at worst {names[5]}"),
        EndLabel(last.nash, f"equilibrium {names[1]}", INK_2),
    ]
