"""The one renderer of charts: heading, key, then panels with their grid, bands, curves, markers and labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import groupby

from fogbound.core import measure, svg
from fogbound.core.drawing import Drawing
from fogbound.core.errors import one_line
from fogbound.core.svg import INK_2, INK_3, MARGIN, at
from fogbound.draw.chart import Axis, Chart, ChartPanel, Point, Scale, Series, StripPart
from fogbound.draw.key import key
from fogbound.draw.layout.layered import nearest_rising
from fogbound.draw.stacked import ink_on

LINE_HEIGHT, SMALL = 19.0, 16.0
FINEST = 0.3  # pixels: smaller steps cannot be seen and are left out
STRIP = 22  # pixels
BESIDE = 28.0  # pixels between two panels
ALONE = 10.0  # pixels: how wide a band over a single place is
NARROW = 480  # pixels below which series carry no words at their ends: a page says them beside


def draw_chart(chart: Chart) -> Drawing:
    """The picture of a chart; one without panels says so and draws no axes."""
    label, width = f"{chart.name}: {chart.said}.", chart.width
    title = one_line(chart.title or "") or chart.name
    if not chart.rows:
        head = svg.wrapped_heading(title, chart.said, width)
        return svg.document(max(head.width, 320), 76, [head.body], label, chart.text, above=head.above)
    head = svg.WrappedHeading("", 0.0, 0.0)
    if chart.title is not None:
        head = svg.wrapped_heading(title, "" if chart.key_tells else chart.said, width)
    y = 0.0 if chart.title is None else MARGIN + 14.0 if chart.key_tells else MARGIN + 34.0
    body = [head.body]
    if entries := chart.entries:
        legend = key(entries, MARGIN, y + 24, 0.0 if chart.key_tells else width - MARGIN)
        body.append(legend.body)
        width, y = max(width, 2 * MARGIN + max(entry.width for entry in entries)), legend.y
    columns = max(map(len, chart.rows))
    room = (chart.width - 2 * MARGIN - (columns - 1) * BESIDE) / columns
    sides = [_sides([row[k] for row in chart.rows if k < len(row)], chart.width) for k in range(columns)]
    for row in chart.rows:
        top = y + max(40.0 if panel.y.name or panel.title else 28.0 for panel in row)
        for k, panel in enumerate(row):
            left, (before, after) = MARGIN + k * (room + BESIDE), sides[k]
            body += _panel(panel, left, left + before, left + room - after, top)
            body += _labels(panel, left + room - after + 12, top) if after else []
        y = top + max(map(_height, row))
    return svg.document(width, y, body, label, chart.text, above=head.above)


def _height(panel: ChartPanel) -> float:
    """Of a panel with what stands below its frame."""
    return panel.height + (STRIP + 10 if panel.strip else 0) + (58 if panel.x.name or any(panel.x.ends) else 40)


def _sides(panels: Sequence[ChartPanel], width: float) -> tuple[float, float]:
    """The room beside the frames of a column of panels: for the names of levels, and for labels."""
    names = [measure.width_of(name) for panel in panels for _, name in panel.y.marks]
    labels = [one.label.width for panel in panels for one in panel.series if one.label]
    return max(names) + 10, max(labels) + 16 if labels and width >= NARROW else 0.0


def _panel(panel: ChartPanel, left: float, start: float, end: float, top: float) -> list[str]:
    """A panel from `left` on, its frame from `start` to `end`."""
    y, x = panel.y.over(top + panel.height, top), panel.x.over(start + panel.inset, end - panel.inset)
    body = [svg.text(left, top - 16, panel.title, size=13, weight=600)] if panel.title else []
    body += [svg.text(left, top - 14, panel.y.name, INK_3)] if panel.y.name else []
    bottom = y.start + (STRIP + 10 if panel.strip else 0)
    body += [*grid(panel.y, y, start, end), *foot(((x(v), name) for v, name in panel.x.marks), bottom)]
    room, (first, last) = (end - start) / 2, panel.x.ends
    words = (start, "start", measure.clip(first, room)), (start + room, "middle", panel.x.name)
    for place, anchor, said in (*words, (end, "end", measure.clip(last, room))):
        body += [svg.text(place, bottom + 40, said, INK_3, 12, anchor)] if said else []
    body += [_strip_part(part, x, y.start + 10) for part in panel.strip]
    body += [_band(one, x, y) for one in panel.series if one.band and one.spans]
    return body + [part for one in panel.series for part in _curve(one, x, y)]


def _labels(panel: ChartPanel, x: float, top: float) -> list[str]:
    """The labels from the top down, each as near to its level as the others and the panel's ends allow."""
    ordered = sorted(((one.points[-1][1], one.label) for one in panel.series if one.label), key=lambda one: -one[0])
    rooms, y = (
        [LINE_HEIGHT + (SMALL if label.below else 0) for _, label in ordered],
        panel.y.over(top + panel.height, top),
    )
    body = []
    heights = label_heights([y(level) + 4 for level, _ in ordered], rooms, top - 8, y.start + 36)
    for height, (_, label) in zip(heights, ordered):
        body.append(svg.text(x, height, label.words, label.tone, 13, weight=600))
        body += [svg.text(x, height + SMALL, label.below, INK_3, 12)] if label.below else []
    return body


def grid(axis: Axis, y: Scale, left: float, right: float) -> list[str]:
    """A line across for each level, its name at the left."""
    body = []
    for level, name in axis.marks:
        body += [svg.line(left, y(level), right, y(level)), svg.text(left - 10, y(level) + 4, name, INK_2, 12, "end")]
    return body


def foot(marks: Iterable[tuple[float, str]], y: float) -> list[str]:
    """Marks along the foot of a chart, (place, name) from left to right: as many as fit beside each other."""
    body, free = [], 0.0
    for place, name in marks:
        half = measure.width_of(name) / 2
        if place - half >= free:
            body += [svg.line(place, y, place, y + 5, svg.EDGE), svg.text(place, y + 20, name, INK_2, 12, "middle")]
            free = place + half + 10
    return body


def _strip_part(part: StripPart, x: Scale, y: float) -> str:
    """A part of the strip below a frame, with its name where that fits."""
    start, end = x(part.start), x(part.end)
    box = [svg.box(start, y, max(0.5, end - start - 1), STRIP - 4, part.tone, round_by=3)]
    if measure.width_of(part.words) + 12 <= end - start:
        box.append(svg.text((start + end) / 2, y + 13, part.words, ink_on(part.tone), 12, "middle"))
    return svg.group(box, part.hint)


def _band(one: Series, x: Scale, y: Scale) -> str:
    """The area that the spans fill: its upper edge there and the lower one back."""
    upper, lower = ([(x(span[0]), y(span[side])) for span in one.spans] for side in (2, 1))
    if one.steps:
        upper, lower = stairs(upper), stairs(lower)
    edge = one.look.colour if len(one.spans) == 1 else "none"
    return area([*upper, *reversed(lower)], one.look.colour, one.band, edge)


def _curve(one: Series, x: Scale, y: Scale) -> list[str]:
    """Whiskers first, the line through what is known, markers with their figures under the pointer."""
    look, body = one.look, []
    for place, low, high in () if one.band else one.spans:
        ends = " ".join(f"M{at(x(place) - 4)} {at(y(v))} h8" for v in (low, high))
        body.append(svg.path(f"{polyline((x(place), y(v)) for v in (low, high))} {ends}", look.colour, 1.2))
    runs = [list(run) for known, run in groupby(one.points, lambda point: math.isfinite(point[1])) if known]
    drawn = [[(x(place), y(height)) for place, height in run] for run in runs]
    if sum(map(len, drawn)) > 1 and look.width:
        steps = " ".join(polyline(stairs(run) if one.steps else run) for run in drawn)
        body.append(svg.path(steps, look.colour, look.width, dashes=look.dashes))
    spots = [spot for run in drawn for spot in run]
    for k, spot in enumerate(spots if one.marked == "all" else spots[-1:] if one.marked == "end" else []):
        marker = look.marker(*spot)
        body.append(svg.group([marker], one.hints[k]) if one.hints else marker)
    return [svg.group(body, one.hint)] if one.hint else body


def polyline(points: Iterable[Point]) -> str:
    """The steps of a path through points."""
    return "M" + " L".join(f"{svg.at(x)} {svg.at(y)}" for x, y in points)


def stairs(points: list[Point]) -> list[Point]:
    """Each height kept until the next is known; what is finer than the eye left out."""
    steps = points[:1]
    for k, (x, y) in enumerate(points[1:], 2):
        if k == len(points) or abs(x - steps[-1][0]) >= FINEST or abs(y - steps[-1][1]) >= FINEST:
            steps += [(x, steps[-1][1]), (x, y)]
    return steps


def area(points: Iterable[Point], tone: str, opacity: float, edge: str = "none") -> str:
    """What the points go round, filled."""
    return svg.path(f"{polyline(points)} Z", edge, ALONE, tone, more=f' fill-opacity="{opacity:g}"')


def label_heights(wanted: Sequence[float], rooms: Sequence[float], top: float, bottom: float) -> list[float]:
    """Heights near to the wanted ones (in least squares) that keep order and room, from `top` to `bottom`."""
    above = [sum(rooms[:k]) for k in range(len(rooms))]
    raised = nearest_rising([want - taken for want, taken in zip(wanted, above)])
    return [min(max(place, top), bottom - sum(rooms)) + taken for place, taken in zip(raised, above)]
