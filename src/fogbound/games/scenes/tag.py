"""Tag: the building's cells, the robot, and the opponent: seen, or a fog over the cells where it may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fogbound.core.drawing import Drawing
from fogbound.core.numerals import EXACT
from fogbound.core.svg import FOG_1, FOG_3, FOG_4, FOG_5, INK, INK_2, LINE, box, document, percent, text
from fogbound.games.scenes.graph import told
from fogbound.games.scenes.pieces import LIT, MINE, SMALL, THEIRS, WIDTH, Tone, faded, spoken_label, token

CELL, TOP = 38, 18
MOST_NAMED = 6


def building(
    cells: Sequence[tuple[int, int]],
    robot: Mapping[int, float],
    opponent: Mapping[int, float],
    known: bool,
    terminal: str,
) -> Drawing:
    """The cells, y to the north, and how likely each holds the robot and the opponent; not `known`: nobody has said."""
    left, high = (WIDTH - CELL * 10) / 2, max(y for _, y in cells)
    corner = {n: (left + CELL * x, TOP + CELL * (high - y)) for n, (x, y) in enumerate(cells)}
    top = max(opponent.values(), default=0.0)
    named = sorted((n for n in opponent if opponent[n] > EXACT), key=lambda n: -opponent[n])[:MOST_NAMED]
    one = next((n for n, p in robot.items() if p > 1 - EXACT), None)
    body = []
    for n, (x, y) in corner.items():
        share = opponent.get(n, 0.0) / top if top else 0.0
        body.append(box(x + 1.5, y + 1.5, CELL - 3, CELL - 3, FOG_1 if known else FOG_3, LINE if known else FOG_4, 6))
        if share and top < 1 - EXACT:
            body.append(faded(box(x + 1.5, y + 1.5, CELL - 3, CELL - 3, FOG_5), 0.12 + 0.5 * share))
        if robot.get(n, 0.0) > EXACT and one is None:
            body.append(faded(box(x + 4, y + 4, CELL - 8, CELL - 8, "none", MINE.ink, 4), 0.25 + robot[n]))
        if n not in (one, *named):
            body.append(text(x + CELL / 2, y + 24, str(n), INK_2, SMALL, "middle"))
        elif n != one and top < 1 - EXACT:
            body.append(text(x + CELL / 2, y + 24, percent(opponent[n]), INK, SMALL, "middle", 600))
    seen = named[0] if top > 1 - EXACT else None
    body += _pieces(corner, one, seen)
    foot = TOP + CELL * (high + 1) + 28
    body.append(text(left, foot, "R: the robot, O: the opponent", INK_2, SMALL))
    names = [f"cell {n}" for n in range(len(cells))]
    where = [
        f"{who} is {'in ' + told(names, chances).removesuffix(' with ' + percent(1.0)) if chances else 'hidden'}"
        for who, chances in (("the robot", robot), ("the opponent", opponent))
    ]
    return document(WIDTH, foot + 18, body, spoken_label(f"a building of {len(cells)} cells", *where), terminal)


def _pieces(corner: Mapping[int, tuple[float, float]], robot: int | None, opponent: int | None) -> list[str]:
    """Who stands where for sure; both in one cell are one piece."""
    if robot is not None and robot == opponent:
        return [_piece(corner[robot], "RO", LIT)]
    pieces = ((robot, "R", MINE), (opponent, "O", THEIRS))
    return [_piece(corner[n], letter, tone) for n, letter, tone in pieces if n is not None]


def _piece(corner: tuple[float, float], letters: str, tone: Tone) -> str:
    return token(corner[0] + CELL / 2, corner[1] + CELL / 2, letters, tone, 16)
