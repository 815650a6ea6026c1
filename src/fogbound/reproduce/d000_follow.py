"""One game followed through the picture of a controller: the boxes it visits and the arrows it takes stand out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from fogbound.arena import Table
from fogbound.draw.controller_graph import START
from fogbound.draw.svg import EDGE, EMBER, FOG_4, FOG_5
from fogbound.policies.controller import LOST

NUMBER = r"(-?[\d.]+)"
BOX = re.compile(
    rf'(<g data-node="(\d+)"><title>[^<]*</title><path d="M{NUMBER} {NUMBER} h{NUMBER} [^"]*? v{NUMBER} [^>]*>)'
)
ARROW = re.compile(rf'<path d="M{NUMBER} {NUMBER} [^"]*"[^>]*/><path d="M{NUMBER} {NUMBER} l-8 -4 v8 Z"[^>]*/>')
BEGIN = re.compile(rf'<circle cx="{NUMBER}" cy="{NUMBER}" r="20"')
CORNER, CLOSE = 8.0, 0.5  # the round corners of boxes; how near is on the edge

Step = tuple[int, int]
Side = tuple[float, float, float, float]  # left, right, top, bottom


def path_of(table: Table, seat: int) -> list[Step]:
    """Play the game: which arrows of its own controller a seat takes, from the start on, until the game is over."""
    nodes = [START]
    for _ in table.steps():
        nodes.append(table.memories[seat])
    return [(a, b) for a, b in pairwise(nodes) if b != LOST]


def followed(picture: str, path: Iterable[Step]) -> str:
    """The picture with the arrows and boxes of a path in another colour, and heavier."""
    taken = set(path)
    sides = {int(node): _side(*map(float, place)) for _, node, *place in BOX.findall(picture)}
    begin = BEGIN.search(picture)
    if begin:
        x, y = map(float, begin.groups())
        sides[START] = (x - 20, x + 20, y - 20, y + 20)

    def lit(found: re.Match[str]) -> str:
        out_x, out_y, in_x, in_y = map(float, found.groups())
        source = _at(sides, out_x, out_y, 1)
        target = _at(sides, in_x, in_y, 0)
        if (source, target) not in taken:
            return found.group()
        return (
            found.group()
            .replace(f'"{FOG_4}" stroke-width="1.5"', f'"{EMBER}" stroke-width="2.5"')
            .replace(FOG_5, EMBER)
        )

    def framed(found: re.Match[str]) -> str:
        visited = any(int(found.group(2)) == node for _, node in taken)
        return (
            found.group().replace(f'"{EDGE}" stroke-width="1.2"', f'"{EMBER}" stroke-width="2.2"')
            if visited
            else found.group()
        )

    return BOX.sub(framed, ARROW.sub(lit, picture))


def _side(x: float, y: float, across: float, down: float) -> Side:
    """A box from the path of its outline, which begins behind the first corner."""
    return x - CORNER, x + across + CORNER, y, y + down + 2 * CORNER


def _at(sides: dict[int, Side], x: float, y: float, edge: int) -> int | None:
    """Whose left (0) or right (1) edge a point lies on."""
    return next((n for n, s in sides.items() if abs(s[edge] - x) < CLOSE and s[2] - CLOSE <= y <= s[3] + CLOSE), None)
