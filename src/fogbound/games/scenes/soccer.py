"""Soccer: the field with its two goals, both players, and the ball at the feet of whoever has it."""

from __future__ import annotations

from fogbound.core.drawing import Drawing
from fogbound.core.svg import EDGE, FOG_1, FOG_2, FOG_4, INK, INK_2, SURFACE, box, document, dot, line, text
from fogbound.games.scenes.pieces import LARGE, SMALL, WIDTH, sentence, token, tone_of

Square = tuple[int, int]
CELL, TOP, NET = 68, 20, 26


def field(
    at: tuple[Square, Square],
    holder: int,
    size: tuple[int, int],
    goal_rows: tuple[int, ...],
    names: tuple[str, ...],
    player: int | None,
    terminal: str,
) -> Drawing:
    """The field of `size` (rows, columns) as all see it; the first player scores in the west, the other in the east."""
    rows, columns = size
    left = (WIDTH - CELL * columns) / 2
    right, low = left + CELL * columns, TOP + CELL * rows
    body = [box(left + CELL * c, TOP, CELL, CELL * rows, FOG_2 if c % 2 else FOG_1, round_by=0) for c in range(columns)]
    body += [line(left, TOP + CELL * r, right, TOP + CELL * r, SURFACE, 1.5) for r in range(1, rows)]
    body += [line(left + CELL * c, TOP, left + CELL * c, low, SURFACE, 1.5) for c in range(1, columns)]
    middle, centre = (left + right) / 2, (TOP + low) / 2
    body.append(dot(middle, centre, 0.8 * CELL, "none", FOG_4, 1.5))
    body.append(box(left, TOP, right - left, low - TOP, "none", FOG_4, 4))
    high, tall = TOP + CELL * goal_rows[0], CELL * len(goal_rows)
    for seat, x in ((0, left - NET), (1, right)):
        tone = tone_of(seat, player)
        body.append(box(x, high, NET, tall, tone.wash, tone.fill, 4))
        body.append(text(x + NET / 2, high + tall / 2 + 5, names[seat], tone.ink, SMALL, "middle", 600))
    for seat, (row, column) in enumerate(at):
        x, y = left + CELL * (column + 0.5), TOP + CELL * (row + 0.5)
        body.append(token(x, y, names[seat], tone_of(seat, player), 23, LARGE))
        body += [_ball(x + 20, y + 17)] if seat == holder else []
    foot = low + 32
    body.append(text(left, foot, f"{names[holder]} has the ball", INK, SMALL + 2, weight=600))
    body.append(text(right, foot, f"{names[0]} scores west, {names[1]} east", INK_2, SMALL, "end"))
    where = [
        f"{names[seat]} in row {row + 1}, column {column + 1}{', with the ball' if seat == holder else ''}"
        for seat, (row, column) in enumerate(at)
    ]
    label = sentence(*where, f"{names[0]} scores in the west, {names[1]} in the east")
    return document(WIDTH, foot + 18, body, label, terminal)


def _ball(x: float, y: float) -> str:
    return dot(x, y, 10, SURFACE, INK, 1.6) + dot(x, y, 3.4, INK, EDGE, 0.5)
