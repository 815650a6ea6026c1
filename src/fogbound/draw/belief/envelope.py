"""The upper envelope of lines, and the lower hull of points, over beliefs in two states.

A point is (belief, value); a line is given by its values at the beliefs 0 and 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fogbound.draw.chart import Point


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
