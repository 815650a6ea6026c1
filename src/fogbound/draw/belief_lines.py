"""The parts of a value function over two states: its lines, the strip of best actions, the axis of beliefs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import groupby

import numpy as np

from fogbound.draw import measure, svg, words
from fogbound.draw.axes import Scale
from fogbound.draw.belief import ink_on
from fogbound.draw.envelope import Piece, Point, value
from fogbound.draw.svg import EMBER_FILL, FOG_2, INK_2, INK_3, number
from fogbound.draw.words import Describe

STRIP = 22


def drawn(
    lines: Sequence[Point],
    names: Sequence[Hashable],
    pieces: Sequence[Piece],
    tones: dict[Hashable, str],
    describe: Describe,
    x: Scale,
    y: Scale,
) -> list[str]:
    """Every vector as a thin line as far as it is in the picture, then the best parts on top."""
    body, used = [], {piece.line for piece in pieces}
    for k, line in enumerate(lines):
        inside = _inside(line, y.low)
        if inside and k in used:
            (a, b), tone = inside, tones[names[k]]
            parts = [svg.line(x(a), y(value(line, a)), x(b), y(value(line, b)), tone, 1)]
            body.append(svg.group(parts, words.action(describe, names[k])))
        elif inside:
            (a, b) = inside
            body.append(svg.line(x(a), y(value(line, a)), x(b), y(value(line, b)), FOG_2, 1))
    for piece in pieces:
        line, tone = lines[piece.line], tones[names[piece.line]]
        ends = [(x(p), y(value(line, p))) for p in (piece.start, piece.end)]
        hint = f"{words.action(describe, names[piece.line])}: best from {number(piece.start)} to {number(piece.end)}"
        body.append(svg.group([svg.line(*ends[0], *ends[1], tone, 3)], hint))
    return body


def _inside(line: Point, low: float) -> Point | None:
    """The beliefs for which a line is above the picture's foot."""
    a, b = line
    if not (np.isfinite(a) and np.isfinite(b)) or max(a, b) <= low:
        return None
    if min(a, b) >= low:
        return 0.0, 1.0
    cross = (low - a) / (b - a)
    return (cross, 1.0) if b > a else (0.0, cross)


def upper_key(x: float) -> list[str]:
    """The key of the upper bound, beside that of the actions."""
    return [svg.line(x, 74, x + 22, 74, EMBER_FILL, 1.5, "5 4"), svg.text(x + 30, 78, "upper bound", INK_2)]


def strip(
    pieces: Sequence[Piece],
    names: Sequence[Hashable],
    tones: dict[Hashable, str],
    describe: Describe,
    x: Scale,
    y: float,
) -> list[str]:
    """The best action by belief, with its name where that fits."""
    body = []
    for action, run in groupby(pieces, lambda piece: names[piece.line]):
        parts = list(run)
        start, end = x(parts[0].start), x(parts[-1].end)
        said = words.action(describe, action)
        box = [svg.box(start, y, max(0.5, end - start - 1), STRIP - 4, tones[action], round_by=3)]
        if measure.width_of(said) + 12 <= end - start:
            box.append(svg.text((start + end) / 2, y + 13, said, ink_on(tones[action]), 12, "middle"))
        body.append(svg.group(box, f"{said}: best from {number(parts[0].start)} to {number(parts[-1].end)}"))
    return body


def axis(names: Sequence[str], x: Scale, y: float) -> list[str]:
    """Probabilities along the foot, and which state is sure at which end."""
    body = []
    for p in (0.0, 0.25, 0.5, 0.75, 1.0):
        anchor = "start" if p == 0 else "end" if p == 1 else "middle"
        body += [svg.line(x(p), y, x(p), y + 5, svg.EDGE), svg.text(x(p), y + 20, f"{p:g}", INK_2, 12, anchor)]
    room = (x.end - x.start) / 2 - 12
    body.append(svg.text(x.start, y + 42, measure.clip(f"← surely {names[0]}", room), INK_3))
    return [*body, svg.text(x.end, y + 42, measure.clip(f"surely {names[1]} →", room), INK_3, anchor="end")]
