"""The value of watching an opponent: earnings by the number of games watched, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from fogbound.core.drawing import Drawing
from fogbound.core.errors import many
from fogbound.core.numerals import number
from fogbound.core.svg import EMBER, EMBER_FILL, FOG_5, INK_2, SEA, SEA_FILL
from fogbound.draw.chart import Axis, Chart, ChartPanel, EndLabel, Series, SeriesStyle, linear_axis, tick_names
from fogbound.draw.rendering import draw_chart

NAME = "The value of watching"
HIGH, INSET, BAND = 282.0, 12.0, 0.2
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
    points = sorted(points, key=lambda point: point.games)
    return draw_chart(Chart(NAME, _summary(points), [[_panel(points)]] if points else [], title))


def _panel(points: Sequence[LearningPoint]) -> ChartPanel:
    """Two curves, and the two levels that they lie between; below the labels, what the worst opponent leaves."""
    first, last, x = points[0], points[-1], _games(points)
    curves = (
        ("best response", [point.response for point in points], last.response_worst, EMBER_FILL, EMBER),
        ("restricted Nash", [point.restricted for point in points], last.restricted_worst, SEA_FILL, SEA),
    )
    levels = (("full knowledge", last.full), ("equilibrium", last.nash))
    y = linear_axis(
        [first.nash, first.full, *(v for _, means, *_ in curves for mean in means for v in mean)], "payoff a game"
    )
    marks = [level for level, _ in y.marks]

    def exactly(value: float) -> str:
        return tick_names(marks, [value], finer=2)[0]

    series = [
        Series(
            [(x.low, level), (x.high, level)],
            SeriesStyle(FOG_5, "6 5", width=1.5),
            label=EndLabel(f"{name} {exactly(level)}", INK_2),
        )
        for name, level in levels
    ]
    for name, means, worst, colour, tone in curves:
        label = EndLabel(f"{name} {exactly(means[-1][0])}", tone, f"at worst {exactly(worst[0])}")
        series.append(_curve(points, means, SeriesStyle(colour, radius=4), label))
    return ChartPanel(x, y, series, HIGH, INSET)


def _curve(points: Sequence[LearningPoint], means: Sequence[Interval], look: SeriesStyle, label: EndLabel) -> Series:
    """The means inside the band of their intervals."""
    places = [float(point.games) for point in points]
    spans = [(place, low, high) for place, (_, low, high) in zip(places, means)]
    hints = [
        f"{many(point.games, 'game')}: {number(mean)} ({number(low)} to {number(high)})"
        for point, (mean, low, high) in zip(points, means)
    ]
    curve = [(place, mean) for place, (mean, _, _) in zip(places, means)]
    return Series(curve, look, marked="all", hints=hints, spans=spans if len(spans) > 1 else [], band=BAND, label=label)


def _games(points: Sequence[LearningPoint]) -> Axis:
    """Logarithmic; no games at all stand as far left of the fewest as a third of them would."""
    some = [p.games for p in points if p.games > 0] or [1]
    low = min(some) / 3 if points[0].games == 0 else min(some)
    marks = [(float(point.games), f"{point.games:,}".replace(",", " ")) for point in points]
    return Axis(low, max(*some, low * 1.001), marks, True, "games watched")


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
