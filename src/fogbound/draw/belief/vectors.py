"""A value function over two states: each vector a line, the best of them on top, the upper bound above, fog between.

A point is (belief, value); a line is given by its values at the beliefs 0 and 1.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from fogbound.core.drawing import Drawing
from fogbound.core.errors import FormError, many
from fogbound.core.numerals import number
from fogbound.core.profile import Profile, the_policy
from fogbound.core.svg import EMBER_FILL, FOG_2, FOG_3, MARGIN, SURFACE
from fogbound.draw.chart import WIDTH, Axis, Chart, ChartPanel, Point, Series, SeriesStyle, StripPart, linear_axis
from fogbound.draw.rendering import draw_chart
from fogbound.draw.strategy.choices import move_colours, move_entries
from fogbound.forms import words
from fogbound.forms.pomdp import POMDP
from fogbound.forms.words import Describe
from fogbound.policies.alpha_vectors import AlphaVectors

HIGH = 300.0
BELOW = 0.3  # of the drawn range: how far the lines are followed below the best of them
LEAST_RANGE = 1e-4  # of the values: finer differences are not told apart by the axis
QUARTERS = [(p, f"{p:g}") for p in (0.0, 0.25, 0.5, 0.75, 1.0)]


def vectors(
    policy: Profile,
    *,
    player: int | None = None,
    upper: Sequence[Point] = (),
    describe: Describe = str,
    title: str = "",
) -> Drawing:
    """Draw the value by belief, for a model with two states in which play goes on.

    Each vector is a line; the strip below says which action is best where, and so does the text.

    Parameters
    ----------
    policy : AlphaVectors, or a profile with such a policy
        The vectors.
    player : int, optional
        Whose policy, where a profile has several.
    upper : sequence of (belief, value)
        Upper bounds on the value. It is convex, so the lines between them bound it too.
    describe : callable
        An action in words, such as `game.describe`.
    title : str
        The first line of the picture.

    Returns
    -------
    Drawing

    Raises
    ------
    FormError
        Where play goes on in more or fewer than two states.
    PolicyError
        Where the policy has no vectors.

    Examples
    --------
    >>> from fogbound import forms, games
    >>> tiger = forms.pomdp(games.make("tiger"))
    >>> print(vectors(AlphaVectors(tiger, np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1]))).text, end="")
    2 vectors; beliefs are the probability of right
    from   to  value   to  action
       0  0.5      1  0.5  listen
     0.5    1    0.5    1  open-left
    """
    owner = the_policy(AlphaVectors, policy, player)
    form = owner.pomdp
    states = two_states(form)
    lines = [(float(a), float(b)) for a, b in owner.vectors[:, states]]
    pieces = upper_envelope(lines)
    names: list[Hashable] = [form.actions[a] for a in owner.actions.tolist()]
    tones = {action: tone for action, tone in move_colours([tuple(form.actions)]).items() if action in names}
    upper = [(p, v) for p, v in upper if 0 <= p <= 1 and math.isfinite(v)]
    bound = lower_hull(upper)
    said = _summary(len(lines), len({piece.line for piece in pieces}), pieces, lines, bound)
    first, second = (words.label(form.label(s)) for s in states)
    y = linear_axis(_range(pieces, lines, bound))
    does = [words.action(describe, name) for name in names]
    series = [
        *_fog(pieces, lines, bound),
        *_lines(lines, pieces, [tones[name] for name in names], does, y.low),
        *_bound(bound, [point for point in upper if point[1] <= y.high]),
    ]
    strip = [
        StripPart(start, end, tones[names[run[0].line]], does[run[0].line], _best(does[run[0].line], start, end))
        for run in (list(found) for _, found in groupby(pieces, lambda piece: names[piece.line]))
        for start, end in [(run[0].start, run[-1].end)]
    ]
    x = Axis(0.0, 1.0, QUARTERS, ends=(f"← surely {first}", f"surely {second} →"))
    entries = move_entries(tones, describe, WIDTH - MARGIN - (120 if bound else 0))
    text = _text(form, states[1], lines, names, describe)
    rows = [[ChartPanel(x, y, series, HIGH, strip=strip)]]
    name = f"Value by belief in {form.spec}"
    return draw_chart(Chart(name, said, rows, title, text=text, key=entries))


def _best(action: str, start: float, end: float) -> str:
    return f"{action}: best from {number(start)} to {number(end)}"


def _lines(
    lines: Sequence[Point], pieces: Sequence[EnvelopePiece], tones: Sequence[str], does: Sequence[str], low: float
) -> list[Series]:
    """Every vector as a thin line as far as it is in the picture, then the best parts on top."""
    used, series = {piece.line for piece in pieces}, []
    for k, line in enumerate(lines):
        if inside := _inside(line, low):
            points = [(p, line_value(line, p)) for p in inside]
            series.append(Series(points, SeriesStyle(tones[k] if k in used else FOG_2, width=1), hint=does[k]))
    for start, end, k in pieces:
        points = [(p, line_value(lines[k], p)) for p in (start, end)]
        series.append(Series(points, SeriesStyle(tones[k], width=3), hint=_best(does[k], start, end)))
    return series


def _inside(line: Point, low: float) -> Point | None:
    """The beliefs for which a line is above the picture's foot."""
    a, b = line
    if not (np.isfinite(a) and np.isfinite(b)) or max(a, b) <= low:
        return None
    if min(a, b) >= low:
        return 0.0, 1.0
    cross = (low - a) / (b - a)
    return (cross, 1.0) if b > a else (0.0, cross)


def _text(form: POMDP, second: int, lines: Sequence[Point], names: Sequence[Hashable], describe: Describe) -> str:
    """The best action by belief, and its value there."""
    rows = [["from", "to", "value", "to", "action"]]
    said = [words.action(describe, name) for name in names]
    for name, run in groupby(upper_envelope(lines), lambda piece: said[piece.line]):
        parts = list(run)
        ends = (parts[0].start, parts[-1].end)
        values = (line_value(lines[part.line], p) for part, p in zip((parts[0], parts[-1]), ends))
        rows.append([*map(number, ends), *(number(v, 6) for v in values), name])
    head = f"{many(len(lines), 'vector')}; beliefs are the probability of {words.label(form.label(second))}"
    return "\n".join([head, *words.aligned(rows, ">>>><")]) + "\n"


def two_states(form: POMDP) -> list[int]:
    """The two states in which play goes on."""
    states: list[int] = np.flatnonzero(np.diff(form.row) > 0).tolist()
    if len(states) != 2:
        raise FormError(
            f"{form.spec}: {many(len(states), 'state')} in which play goes on, expected 2 to draw value by belief"
        )
    return states


def _summary(
    count: int, used: int, pieces: Sequence[EnvelopePiece], lines: Sequence[Point], bound: Sequence[Point]
) -> str:
    said = f"{many(count, 'vector')}, {used:,} best somewhere"
    best = corners(pieces, lines)
    if not bound or not best:
        return said
    places = sorted({p for p, _ in bound} | {p for p, _ in best if bound[0][0] <= p <= bound[-1][0]})
    apart = max(height_at(bound, p) - height_at(best, p) for p in places)
    return f"{said}, the upper bound at most {number(max(0.0, apart))} above them"


def _range(pieces: Sequence[EnvelopePiece], lines: Sequence[Point], bound: Sequence[Point]) -> Point:
    values = [v for _, v in [*corners(pieces, lines), *bound]] or [0.0]
    low, high = min(values), max(values)
    room = max(high - low, LEAST_RANGE * max(1.0, abs(low)))
    return low - BELOW * room, high + (0.0 if high > low else room)


def _fog(pieces: Sequence[EnvelopePiece], lines: Sequence[Point], bound: Sequence[Point]) -> list[Series]:
    """What is not known: between the best vector and the upper bound."""
    best = corners(pieces, lines)
    if len(bound) < 2 or not best:
        return []
    first, last = bound[0][0], bound[-1][0]
    places = sorted({p for p, _ in [*bound, *best] if first <= p <= last})
    return [
        Series((), SeriesStyle(FOG_3), spans=[(p, height_at(best, p), height_at(bound, p)) for p in places], band=0.55)
    ]


def _bound(bound: Sequence[Point], upper: Sequence[Point]) -> list[Series]:
    """The upper bound, a dot where it is held up; points that others undercut are left hollow."""
    if not bound:
        return []
    series = [Series(bound, SeriesStyle(EMBER_FILL, "5 4", width=1.5), name="upper bound")]
    for fill, held_up in ((EMBER_FILL, True), (SURFACE, False)):
        points = [point for point in upper if (point in bound) == held_up]
        hints = [f"at most {number(v, 6)} at {number(p)}" for p, v in points]
        look = SeriesStyle(EMBER_FILL, width=0.0, radius=3.5, fill=fill)
        series.append(Series(points, look, marked="all", hints=hints))
    return series


class EnvelopePiece(NamedTuple):
    """The beliefs from `start` to `end` (probability of the second state), where `line` is the best."""

    start: float
    end: float
    line: int


def line_value(line: Point, belief: float) -> float:
    """The height of a line at a belief."""
    return line[0] + belief * (line[1] - line[0])


def height_at(corners: Sequence[Point], belief: float) -> float:
    """The height at a belief of the line through points, from left to right."""
    return float(np.interp(belief, [place for place, _ in corners], [value for _, value in corners]))


def upper_envelope(lines: Sequence[Point]) -> list[EnvelopePiece]:
    """Where each line, given by its values at 0 and 1, is above all others; of equal ones the first."""
    order = sorted(
        (k for k, line in enumerate(lines) if all(map(math.isfinite, line))),
        key=lambda k: (lines[k][1] - lines[k][0], lines[k][0], -k),
    )
    kept: list[tuple[float, int]] = []  # (from which belief on, line), by rising slope
    for k in order:
        start = 0.0
        while kept:
            start = _overtakes(lines[kept[-1][1]], lines[k])
            if start > kept[-1][0]:
                break
            kept.pop()
        start = start if kept else 0.0
        if start < 1:
            kept.append((start, k))
    ends = [start for start, _ in kept[1:]] + [1.0]
    return [EnvelopePiece(start, end, k) for (start, k), end in zip(kept, ends)]


def _overtakes(old: Point, new: Point) -> float:
    """The belief from which on `new`, no less steep, is above `old`."""
    slope = (new[1] - new[0]) - (old[1] - old[0])
    return (old[0] - new[0]) / slope if slope > 0 else (-math.inf if new[0] >= old[0] else math.inf)


def lower_hull(points: Sequence[Point]) -> list[Point]:
    """The lower convex hull of points, from left to right."""
    hull: list[Point] = []
    for x, y in sorted(points):
        if hull and hull[-1][0] == x:
            continue
        while len(hull) > 1 and _turns_down(hull[-2], hull[-1], (x, y)):
            hull.pop()
        hull.append((x, y))
    return hull


def _turns_down(a: Point, b: Point, c: Point) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) <= 0


def corners(pieces: Sequence[EnvelopePiece], lines: Sequence[Point]) -> list[Point]:
    """The corners of the upper envelope."""
    inner = [(piece.start, line_value(lines[piece.line], piece.start)) for piece in pieces]
    return [*inner, (1.0, line_value(lines[pieces[-1].line], 1.0))] if pieces else []
