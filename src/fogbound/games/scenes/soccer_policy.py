"""A policy of soccer on its field: arrows as long as moves are likely, one field for each who has the ball."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fogbound.core import svg
from fogbound.core.drawing import Drawing
from fogbound.core.errors import SpecError, one_line
from fogbound.core.numerals import decimal
from fogbound.core.svg import EDGE, EMBER_FILL, FOG_1, INK_2, LAMP_FILL, MARGIN, SEA_FILL, SURFACE

NAME = "Soccer"
CELL, TOP, GAP = 74, 92, 56
LEAST = 0.005  # moves that are rarer are not drawn
TONES = (SEA_FILL, EMBER_FILL)  # A, B
GLYPHS = {"north": "↑", "south": "↓", "east": "→", "west": "←", "stand": "•"}

Square = tuple[int, int]  # (row, column)
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
        left = MARGIN + 12 + holder * (pitch.columns * CELL + GAP)
        body.append(svg.text(left, TOP - 10, f"{names[holder]} has the ball", INK_2, 13, weight=600))
        body += _field(pitch, left, moves, player, other, holder, names)
        text += _text(pitch, moves, player, other, holder, names)
    width = max(wide, 2 * (MARGIN + 12) + 2 * pitch.columns * CELL + GAP)
    return svg.document(width, TOP + pitch.rows * CELL + MARGIN + 8, body, f"{NAME}: {said}.", "\n".join(text) + "\n")


def _field(
    pitch: Pitch, left: float, moves: Moves, player: int, other: Square, holder: int, names: tuple[str, ...]
) -> list[str]:
    """One field: squares, goals, the other player, arrows."""
    body = []
    for row in range(pitch.rows):
        for column in range(pitch.columns):
            corner = left + column * CELL, float(TOP + row * CELL)
            body.append(svg.box(*corner, CELL, CELL, FOG_1 if (row + column) % 2 else SURFACE, EDGE, 0))
    for side, tone in ((left - 6, TONES[0]), (left + pitch.columns * CELL + 6, TONES[1])):
        body.append(
            svg.line(side, TOP + pitch.goal_rows[0] * CELL, side, TOP + (pitch.goal_rows[-1] + 1) * CELL, tone, 5)
        )
    x, y = _centre(left, other)
    body.append(svg.dot(x, y, CELL / 3.4, TONES[1 - player]))
    body.append(svg.text(x, y + 5, names[1 - player], "#ffffff", 15, "middle", 600))
    if holder != player:
        body.append(svg.dot(x + CELL / 4, y - CELL / 4, 6, LAMP_FILL))
    for (own, ball), chances in moves.items():
        if ball == holder:
            hint = ", ".join(f"{move} {decimal(p)}" for move, p in chances.items() if p > LEAST)
            body.append(svg.group(_arrows(pitch, *_centre(left, own), chances, TONES[player]), hint))
    return body


def _centre(left: float, square: Square) -> tuple[float, float]:
    return left + (square[1] + 0.5) * CELL, TOP + (square[0] + 0.5) * CELL


def _arrows(pitch: Pitch, x: float, y: float, chances: dict[str, float], tone: str) -> list[str]:
    """Arrows from the middle of a square, and a dot for standing."""
    body = [svg.dot(x, y, 2.0, EDGE, "none", 0)]
    for move, p in chances.items():
        down, right = pitch.moves[move]
        if p <= LEAST:
            continue
        if (down, right) == (0, 0):
            body.append(svg.dot(x, y, 2.5 + 9 * p**0.5, tone))
            continue
        reach, wide = 8 + (CELL / 2 - 12) * p, 1.2 + 4.8 * p
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
