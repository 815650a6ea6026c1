"""A quantity over a parameter, one line a group: value, time or size by level, by seat."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from fogbound.core.errors import one_line
from fogbound.draw import measure, svg
from fogbound.draw.axes import Scale, log_ticks, ticks
from fogbound.draw.svg import INK_2, INK_3, MARGIN, at, number
from fogbound.draw.sweep_parts import Spot, Style, field, spots, styles
from fogbound.draw.words import label

WIDTH, HEIGHT, TOP, BOTTOM, INSET = 760, 424, 120, 58, 14
MANY = 20  # values of the parameter up to which each of them is named along the axis
Groups = dict[Hashable, list[Spot]]


def sweep(
    rows: Sequence[Any],
    x: str = "level",
    y: str = "value",
    by: str = "seat",
    lower: str = "",
    upper: str = "",
    names: Mapping[Any, str] | None = None,
    title: str = "",
    words: tuple[str, str] = ("", ""),
    log: bool = False,
) -> str:
    """The column `y` over the column `x`, a line with its own colour, dashes and marker for each value of `by`.

    A row is a mapping or an object with such attributes. `lower` and `upper` name columns that are drawn as whiskers.
    What is None or not finite leaves a gap: nothing is drawn across it. `names` are the words for groups, `words`
    those for the two axes, `log` makes the vertical axis logarithmic.
    """
    groups: Groups = {}
    for row in rows:
        groups.setdefault(field(row, by) if by else None, []).append(spots(row, x, y, lower, upper, log))
    groups = {key: sorted(group, key=lambda spot: spot.x) for key, group in groups.items()}
    across, upward = (given or name for given, name in zip(words, (x, y)))
    heading, wide = svg.heading(one_line(title) or f"{upward} over {across}", _summary(groups, across))
    levels = [v for group in groups.values() for spot in group for v in spot.heights()]
    if not levels:
        return svg.document(max(wide, 320), TOP, [heading], f"{upward} over {across}: nothing was recorded.")
    up, marks = _upward(levels, log)
    said = [number(v, 6) for v in marks] if log else _names(marks)
    left = MARGIN + max(map(measure.width_of, said)) + 10
    places = sorted({spot.x for group in groups.values() for spot in group})
    along = Scale(*_padded(places[0], places[-1]), left + INSET, WIDTH - MARGIN - INSET)
    told = [(names or {}).get(name, f"{by} {label(name)}" if by else "") for name in groups]
    looks = styles(len(groups))
    key, key_width = _key([(name, look) for name, look in zip(told, looks) if name])
    body = [heading, key, svg.text(MARGIN, TOP - 16, upward, INK_3), *_frame(marks, said, up, left)]
    body += _axis(places, along, up.start, across)
    body += [_line(group, name, look, along, up) for group, name, look in zip(groups.values(), told, looks)]
    aloud = f"{upward} over {across}: {_summary(groups, across)}."
    return svg.document(max(wide, key_width, WIDTH), HEIGHT, body, aloud)


def _summary(groups: Groups, across: str) -> str:
    """How much there is, and where the highest point of it all lies."""
    known = [spot for group in groups.values() for spot in group if spot.known]
    if not known:
        return "nothing was recorded"
    best = max(known, key=lambda spot: spot.y)
    lines = f"{len(groups)} line{'s' if len(groups) != 1 else ''}"
    points = f"{len(known)} point{'s' if len(known) != 1 else ''}"
    return f"{lines}, {points}; the highest is {number(best.y, 5)} at {across} {number(best.x, 6)}"


def _padded(low: float, high: float) -> tuple[float, float]:
    if high - low > 1e-12 * max(1.0, abs(low), abs(high)):
        return low, high
    room = max(1e-6, abs(low) * 0.05)
    return low - room, high + room


def _upward(levels: Sequence[float], log: bool) -> tuple[Scale, list[float]]:
    """The vertical axis and the numbers along it; whole decades where it is logarithmic."""
    if not log:
        marks = ticks(*_padded(min(levels), max(levels)))
        return Scale(marks[0], marks[-1], HEIGHT - BOTTOM, TOP), marks
    low, high = 10.0 ** math.floor(math.log10(min(levels))), 10.0 ** math.ceil(math.log10(max(levels)))
    high = max(high, 10 * low)
    return Scale(low, high, HEIGHT - BOTTOM, TOP, log=True), log_ticks(low, high)


def _names(marks: Sequence[float]) -> list[str]:
    """The marks with as many decimals as tell them apart."""
    step = marks[1] - marks[0]
    if not 1e-6 <= step < 1e6:
        return [number(v, 6) for v in marks]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return [f"{v + 0.0:.{decimals}f}".replace("-", "−") for v in marks]


def _frame(marks: Sequence[float], said: Sequence[str], up: Scale, left: float) -> list[str]:
    right, body = WIDTH - MARGIN, []
    for mark, name in zip(marks, said):
        body.append(svg.line(left, up(mark), right, up(mark)))
        body.append(svg.text(left - 10, up(mark) + 4, name, INK_2, 12, "end"))
    return body


def _axis(places: list[float], along: Scale, y: float, words: str) -> list[str]:
    """The values themselves where they are few, else round numbers, as many as fit."""
    few = len(places) <= MANY
    marks = places if few else [v for v in ticks(places[0], places[-1], 10) if places[0] <= v <= places[-1]]
    body, free = [], 0.0
    for mark in marks:
        name, place = number(mark, 6), along(mark)
        if place - measure.width_of(name) / 2 >= free:
            body.append(svg.line(place, y, place, y + 5, svg.EDGE))
            body.append(svg.text(place, y + 20, name, INK_2, 12, "middle"))
            free = place + measure.width_of(name) / 2 + 10
    return [*body, svg.text((along.start + along.end) / 2, y + 42, words, INK_3, 12, "middle")]


def _key(told: list[tuple[str, Style]]) -> tuple[str, float]:
    """Each group's line and marker with its name, and how wide that is."""
    body, place, y = "", float(MARGIN), 76.0
    for name, style in told:
        said = measure.clip(one_line(name), 220)
        body += svg.line(place, y, place + 34, y, style.colour, 2, style.dashes) + style.marker(place + 17, y)
        body += svg.text(place + 42, y + 4, said, INK_2)
        place += 42 + measure.width_of(said) + 22
    return body, place


def _line(group: list[Spot], name: str, style: Style, along: Scale, up: Scale) -> str:
    """One group: whiskers first, the line through what is known, markers with their figures under the pointer."""
    parts, steps, pen = [], "", "M"
    for spot in group:
        if spot.known:
            steps, pen = f"{steps}{pen}{at(along(spot.x))} {at(up(spot.y))}", " L"
        else:
            pen = " M"
        if spot.low < spot.high:
            place = at(along(spot.x))
            ends = [f"M{along(spot.x) - 4:.1f} {at(up(v))} h8" for v in (spot.low, spot.high)]
            whisker = f"M{place} {at(up(spot.low))} L{place} {at(up(spot.high))} {' '.join(ends)}"
            parts.append(svg.path(whisker, style.colour, 1.2))
    if steps:
        parts.append(svg.path(steps.strip(), style.colour, 2, dashes=style.dashes))
    for spot in group:
        if spot.known:
            hint = f"{name + ', ' if name else ''}{number(spot.x, 6)}: {spot.said()}"
            parts.append(svg.group([style.marker(along(spot.x), up(spot.y))], hint))
    return svg.group(parts)
