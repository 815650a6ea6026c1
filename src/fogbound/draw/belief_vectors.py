"""A value function over two states: each vector a line, the best of them on top, the upper bound above, fog between."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np

from fogbound.core.errors import FormError, one_line
from fogbound.draw import measure, svg, words
from fogbound.draw.axes import Scale, ticks
from fogbound.draw.belief_lines import STRIP, axis, drawn, strip, upper_key
from fogbound.draw.envelope import Piece, Point, envelope, height, under, value
from fogbound.draw.strategy_parts import colours, key
from fogbound.draw.svg import EMBER_FILL, FOG_3, INK_2, MARGIN, at, number
from fogbound.draw.words import Describe
from fogbound.forms.pomdp import POMDP
from fogbound.policies.alpha import AlphaVectors

WIDTH, TOP, HIGH = 760, 100, 300
BELOW = 0.3  # of the drawn range: how far the lines are followed below the best of them
LEAST_RANGE = 1e-4  # of the values: finer differences are not told apart by the axis


def vectors(policy: AlphaVectors, upper: Sequence[Point] = (), describe: Describe = str, title: str = "") -> str:
    """Worth by belief, for a model with two states in which play goes on.

    `upper` are beliefs with an upper bound on their worth: worth is convex, so the lines between them bound it
    too. The strip below says which action is best where.
    """
    form = policy.pomdp
    states = two_states(form)
    lines = [(float(a), float(b)) for a, b in policy.vectors[:, states]]
    pieces = envelope(lines)
    names: list[Hashable] = [form.actions[a] for a in policy.actions.tolist()]
    tones = {action: tone for action, tone in colours([tuple(form.actions)]).items() if action in names}
    upper = [(p, v) for p, v in upper if 0 <= p <= 1 and math.isfinite(v)]
    bound = under(upper)
    said = _summary(len(lines), len({piece.line for piece in pieces}), pieces, lines, bound)
    heading, wide = svg.heading(one_line(title) or f"{form.spec}: worth by belief", said)
    levels = ticks(*_range(pieces, lines, bound))
    marks = [number(level, 7) for level in levels]
    left, right = MARGIN + max(map(measure.width_of, marks)) + 10, WIDTH - MARGIN
    x, y = Scale(0.0, 1.0, left, right), Scale(levels[0], levels[-1], TOP + HIGH, TOP)
    legend, key_width = key(tones, describe, 78, WIDTH - MARGIN - (120 if bound else 0))
    body = [heading, legend, *(upper_key(key_width) if bound else [])]
    for level, mark in zip(levels, marks):
        body += [svg.line(left, y(level), right, y(level)), svg.text(left - 10, y(level) + 4, mark, INK_2, 12, "end")]
    body += [*_fog(pieces, lines, bound, x, y), *drawn(lines, names, pieces, tones, describe, x, y)]
    body += [*_bound(bound, upper, x, y), *strip(pieces, names, tones, describe, x, y.start + 10)]
    body += axis([words.label(form.label(s)) for s in states], x, y.start + 10 + STRIP)
    sentence = f"Worth by belief in {form.spec}: {said}."
    return svg.document(max(wide, WIDTH, key_width + 120), TOP + HIGH + STRIP + 72, body, sentence)


def two_states(form: POMDP) -> list[int]:
    """The two states in which play goes on."""
    states: list[int] = np.flatnonzero(np.diff(form.row) > 0).tolist()
    if len(states) != 2:
        raise FormError(f"{form.spec}: {len(states)} states in which play goes on, expected 2 to draw worth by belief")
    return states


def _corners(pieces: Sequence[Piece], lines: Sequence[Point]) -> list[Point]:
    """The corners of the upper envelope."""
    inner = [(piece.start, value(lines[piece.line], piece.start)) for piece in pieces]
    return [*inner, (1.0, value(lines[pieces[-1].line], 1.0))] if pieces else []


def _summary(count: int, used: int, pieces: Sequence[Piece], lines: Sequence[Point], bound: Sequence[Point]) -> str:
    said = f"{count:,} vector{'s' if count != 1 else ''}, {used:,} best somewhere"
    best = _corners(pieces, lines)
    if not bound or not best:
        return said
    places = sorted({p for p, _ in bound} | {p for p, _ in best if bound[0][0] <= p <= bound[-1][0]})
    apart = max(height(bound, p) - height(best, p) for p in places)
    return f"{said}, the upper bound at most {number(max(0.0, apart))} above them"


def _range(pieces: Sequence[Piece], lines: Sequence[Point], bound: Sequence[Point]) -> Point:
    values = [v for _, v in [*_corners(pieces, lines), *bound]] or [0.0]
    low, high = min(values), max(values)
    room = max(high - low, LEAST_RANGE * max(1.0, abs(low)))
    return low - BELOW * room, high + (0.0 if high > low else room)


def _fog(pieces: Sequence[Piece], lines: Sequence[Point], bound: Sequence[Point], x: Scale, y: Scale) -> list[str]:
    """What is not known: between the best vector and the upper bound."""
    best = _corners(pieces, lines)
    if len(bound) < 2 or not best:
        return []
    first, last = bound[0][0], bound[-1][0]
    places = [first, *(p for p, _ in best if first < p < last), last]
    low = [(p, height(best, p)) for p in places]
    spots = " L".join(f"{at(x(p))} {at(y(v))}" for p, v in [*bound, *low[::-1]])
    return [svg.path(f"M{spots} Z", "none", fill=FOG_3, more=' fill-opacity="0.55"')]


def _bound(bound: Sequence[Point], upper: Sequence[Point], x: Scale, y: Scale) -> list[str]:
    """The upper bound, a dot where it is held up; points that others undercut are left hollow."""
    if not bound:
        return []
    spots = " L".join(f"{at(x(p))} {at(y(v))}" for p, v in bound)
    body = [svg.path(f"M{spots}", EMBER_FILL, 1.5, dashes="5 4")] if len(bound) > 1 else []
    for p, v in upper:
        if v <= y.high:
            tone = EMBER_FILL if (p, v) in bound else svg.SURFACE
            body.append(
                svg.group([svg.dot(x(p), y(v), 3.5, tone, EMBER_FILL)], f"at most {number(v, 6)} at {number(p)}")
            )
    return body
