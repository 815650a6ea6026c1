"""Soccer: the field with its two goals, both players and the ball; and a policy as arrows on that field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fogbound.core import svg
from fogbound.core.drawing import Drawing
from fogbound.core.errors import SpecError, one_line
from fogbound.core.numerals import decimal
from fogbound.core.svg import box, document, dot, line, text
from fogbound.games.scenes.pieces import LARGE, SMALL, WIDTH, spoken_label, token, tone_of

Square = tuple[int, int]
CELL, TOP, NET = 68, 20, 26


def soccer_field(
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
    body = [
        box(left + CELL * c, TOP, CELL, CELL * rows, svg.FOG_2 if c % 2 else svg.FOG_1, round_by=0)
        for c in range(columns)
    ]
    body += [line(left, TOP + CELL * r, right, TOP + CELL * r, svg.SURFACE, 1.5) for r in range(1, rows)]
    body += [line(left + CELL * c, TOP, left + CELL * c, low, svg.SURFACE, 1.5) for c in range(1, columns)]
    middle, centre = (left + right) / 2, (TOP + low) / 2
    body.append(dot(middle, centre, 0.8 * CELL, "none", svg.FOG_4, 1.5))
    body.append(box(left, TOP, right - left, low - TOP, "none", svg.FOG_4, 4))
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
    body.append(text(left, foot, f"{names[holder]} has the ball", svg.INK, SMALL + 2, weight=600))
    body.append(text(right, foot, f"{names[0]} scores west, {names[1]} east", svg.INK_2, SMALL, "end"))
    where = [
        f"{names[seat]} in row {row + 1}, column {column + 1}{', with the ball' if seat == holder else ''}"
        for seat, (row, column) in enumerate(at)
    ]
    label = spoken_label(*where, f"{names[0]} scores in the west, {names[1]} in the east")
    return document(WIDTH, foot + 18, body, label, terminal)


def _ball(x: float, y: float) -> str:
    return dot(x, y, 10, svg.SURFACE, svg.INK, 1.6) + dot(x, y, 3.4, svg.INK, svg.EDGE, 0.5)


NAME = "Soccer"
SIDE, ABOVE, GAP = 74, 92, 56
LEAST = 0.005  # moves that are rarer are not drawn
TONES = (svg.SEA_FILL, svg.EMBER_FILL)  # A, B
GLYPHS = {"north": "↑", "south": "↓", "east": "→", "west": "←", "stand": "•"}

Moves = dict[tuple[Square, int], dict[str, float]]  # (own square, who has the ball) -> how likely each move is


class Pitch(NamedTuple):
    """The field: its size, the rows of the goals, and where each move leads."""

    rows: int
    columns: int
    goal_rows: tuple[int, ...]
    moves: Mapping[str, Square]


def policy_field(
    pitch: Pitch,
    player: int,
    chances: Mapping[tuple[Square, Square, int], Mapping[str, float]],
    names: tuple[str, ...],
    other: Square,
    title: str,
) -> Drawing:
    """One field with the ball at A, one with the ball at B, while the other stands on a square.

    An arrow is as long and as thick as its move is likely, a dot in the middle is standing still.
    """
    if not (0 <= other[0] < pitch.rows and 0 <= other[1] < pitch.columns):
        raise SpecError(
            f"square {other}, expected a row from 0 to {pitch.rows - 1} and a column from 0 to {pitch.columns - 1}"
        )
    moves = Moves()
    for (*squares, holder), chosen in chances.items():
        if squares[1 - player] == other:
            moves[squares[player], holder] = dict(chosen)
    who, whom = names[player], names[1 - player]
    said = f"{who}'s moves where {whom} stands on row {other[0]}, column {other[1]}; arrows are as long as likely"
    heading, wide = svg.heading(one_line(title) or NAME, said)
    body, text = [heading], []
    for holder in (0, 1):
        left = svg.MARGIN + 12 + holder * (pitch.columns * SIDE + GAP)
        body.append(svg.text(left, ABOVE - 10, f"{names[holder]} has the ball", svg.INK_2, 13, weight=600))
        body += _field(pitch, left, moves, player, other, holder, names)
        text += _text(pitch, moves, player, other, holder, names)
    width = max(wide, 2 * (svg.MARGIN + 12) + 2 * pitch.columns * SIDE + GAP)
    return svg.document(
        width, ABOVE + pitch.rows * SIDE + svg.MARGIN + 8, body, f"{NAME}: {said}.", "\n".join(text) + "\n"
    )


def _field(
    pitch: Pitch, left: float, moves: Moves, player: int, other: Square, holder: int, names: tuple[str, ...]
) -> list[str]:
    """One field: squares, goals, the other player, arrows."""
    body = []
    for row in range(pitch.rows):
        for column in range(pitch.columns):
            corner = left + column * SIDE, float(ABOVE + row * SIDE)
            body.append(svg.box(*corner, SIDE, SIDE, svg.FOG_1 if (row + column) % 2 else svg.SURFACE, svg.EDGE, 0))
    high = ABOVE + pitch.goal_rows[0] * SIDE
    for side, tone in ((left - 6, TONES[0]), (left + pitch.columns * SIDE + 6, TONES[1])):
        body.append(line(side, high, side, high + len(pitch.goal_rows) * SIDE, tone, 5))
    x, y = _centre(left, other)
    body.append(svg.dot(x, y, SIDE / 3.4, TONES[1 - player]))
    body.append(svg.text(x, y + 5, names[1 - player], "#ffffff", 15, "middle", 600))
    if holder != player:
        body.append(svg.dot(x + SIDE / 4, y - SIDE / 4, 6, svg.LAMP_FILL))
    for (own, ball), chances in moves.items():
        if ball == holder:
            hint = ", ".join(f"{move} {decimal(p)}" for move, p in chances.items() if p > LEAST)
            body.append(svg.group(_arrows(pitch, *_centre(left, own), chances, TONES[player]), hint))
    return body


def _centre(left: float, square: Square) -> tuple[float, float]:
    return left + (square[1] + 0.5) * SIDE, ABOVE + (square[0] + 0.5) * SIDE


def _arrows(pitch: Pitch, x: float, y: float, chances: dict[str, float], tone: str) -> list[str]:
    """Arrows from the middle of a square, and a dot for standing."""
    body = [svg.dot(x, y, 2.0, svg.EDGE, "none", 0)]
    for move, p in chances.items():
        down, right = pitch.moves[move]
        if p <= LEAST:
            continue
        if (down, right) == (0, 0):
            body.append(svg.dot(x, y, 2.5 + 9 * p**0.5, tone))
            continue
        reach, wide = 8 + (SIDE / 2 - 12) * p, 1.2 + 4.8 * p
        head = 3.0 + 5.0 * p
        tip_x, tip_y = x + right * reach, y + down * reach
        base_x, base_y = tip_x - right * head, tip_y - down * head
        body.append(svg.line(x, y, base_x, base_y, tone, round(wide, 2)))
        sides = ((base_x + k * down * head, base_y + k * right * head) for k in (1, -1))
        steps = " L".join(f"{svg.at(a)} {svg.at(b)}" for a, b in ((tip_x, tip_y), *sides))
        body.append(svg.path(f"M{steps} Z", tone, 1, tone))
    return body


def _text(pitch: Pitch, moves: Moves, player: int, other: Square, holder: int, names: tuple[str, ...]) -> list[str]:
    """One field for a terminal: the likeliest move of each square, with its chance."""
    place = f"{names[1 - player]} stands on row {other[0]}, column {other[1]}"
    lines = [f"{names[player]}'s moves, {place}; {names[holder]} has the ball"]
    for row in range(pitch.rows):
        cells = []
        for column in range(pitch.columns):
            chances = moves.get(((row, column), holder))
            if chances is None:
                cells.append(names[1 - player].center(5))
            else:
                move = max(chances, key=lambda move: chances[move])
                chance = decimal(chances[move]).removeprefix("0") if chances[move] < 1 else ""
                cells.append(f"{GLYPHS[move]}{chance}".center(5))
        lines.append(" ".join(cells).rstrip())
    return lines
