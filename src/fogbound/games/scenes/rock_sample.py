"""RockSample: a rover among rocks that glow as far as they are believed to be good, and the way out in the east."""

from __future__ import annotations

from collections.abc import Sequence

from fogbound.core import svg
from fogbound.core.drawing import Drawing
from fogbound.core.svg import at, box, document, dot, line, path, percent, text
from fogbound.games.scenes.pieces import EDGE_ROOM, SMALL, WIDTH, faded, spoken_label

Cell = tuple[int, int]
EXIT, TOP = 30, 18
SMALLEST, LARGEST = 30, 76  # cells
BRIGHT = 0.5  # from here on letters on a glowing rock are dark, whatever the page is
ROOM_FOR_CHANCE = 46  # a cell from this size on says how likely its rock is good


def rocks(
    size: int, rover: Cell, places: Sequence[Cell], good: Sequence[float | None], seen: bool, terminal: str
) -> Drawing:
    """The map; `good` says how likely each rock is to be good, None where nothing is known; `seen`: it is no guess."""
    cell = max(SMALLEST, min(LARGEST, (WIDTH - 2 * EDGE_ROOM - EXIT) / size))
    left = max(EDGE_ROOM, (WIDTH - cell * size - EXIT) / 2)
    right, low = left + cell * size, TOP + cell * size
    body = [box(left, TOP, cell * size, cell * size, svg.FOG_1, round_by=6)]
    body += [line(left, TOP + cell * k, right, TOP + cell * k, svg.SURFACE, 2) for k in range(1, size)]
    body += [line(left + cell * k, TOP, left + cell * k, low, svg.SURFACE, 2) for k in range(1, size)]
    body.append(box(right + 4, TOP, EXIT - 4, cell * size, svg.LAMP_WASH, round_by=6))
    middle = TOP + cell * size / 2
    body.append(path(f"M{at(right + 11)} {at(middle)} h11 m-5 -6 l6 6 l-6 6", svg.LAMP, 2.2))
    for rock, ((x, y), p) in enumerate(zip(places, good)):
        body.append(_rock(left + cell * x, low - cell * (y + 1), cell, rock, p, seen, (x, y) == rover))
    spot = (left + cell * rover[0], low - cell * (rover[1] + 1))
    body.append(_rover(*spot, cell, aside=rover in places))
    foot = low + 28
    known = any(p is not None for p in good)
    words = "Rocks glow as far as they are good" if known else "Which rocks are good is hidden"
    body.append(text(left, foot, words, svg.INK_2, SMALL))
    said = [f"rock {k} at {x}, {y} {_in_words(p, seen)}" for k, ((x, y), p) in enumerate(zip(places, good))]
    label = spoken_label(
        f"a rover at {rover[0]}, {rover[1]} of {size} by {size} cells", *said, "the exit is in the east"
    )
    return document(max(WIDTH, right + EXIT + EDGE_ROOM), foot + 18, body, label, terminal)


def _in_words(p: float | None, seen: bool) -> str:
    if p is None:
        return "is good or bad, which is hidden"
    return ("is good" if p else "is bad") if seen else f"is good with {percent(p)}"


def _rock(x: float, y: float, cell: float, number: int, p: float | None, seen: bool, aside: bool) -> str:
    """A boulder with its number, and how likely it is good where there is room to say so."""
    says = p is not None and not seen and cell >= ROOM_FOR_CHANCE
    s, dx, dy = cell / 64, x + 0.14 * cell * aside, y - 7 * says + 0.06 * cell * aside
    outline = "M14 46 C8 40 10 28 18 22 C26 12 40 14 47 22 C56 30 56 42 50 46 Z"
    place = f' transform="translate({at(dx)} {at(dy)}) scale({s:.3f})"'
    shape = f'<path d="{outline}" fill="{svg.FOG_3}" stroke="{svg.EDGE}" stroke-width="1.4"/>'
    glow = f'<path d="{outline}" fill="{svg.LAMP_FILL}"/>'
    body = f"<g{place}>{shape}{faded(glow, p) if p else ''}</g>"
    body += text(
        dx + cell / 2, dy + 40 * s, str(number), "#14212b" if p and p >= BRIGHT else svg.INK, SMALL, "middle", 600
    )
    return body + (text(x + cell / 2, y + cell - 5, percent(p or 0.0), svg.INK, SMALL, "middle", 600) if says else "")


def _rover(x: float, y: float, cell: float, aside: bool) -> str:
    """A vehicle with a mast; to the side where it stands at a rock."""
    s = cell / 64 * (0.5 if aside else 0.9)
    tones = f'fill="{svg.SEA_FILL}" stroke="{svg.SEA}"'
    parts = [
        path("M32 22 V10 M26 10 H40", svg.SEA, 3),
        f'<rect x="10" y="22" width="44" height="20" rx="6" {tones} stroke-width="1.5"/>',
        *[dot(wheel, 46, 7, svg.INK, svg.SURFACE, 2) for wheel in (18, 32, 46)],
    ]
    return (
        f'<g transform="translate({at(x + (0 if aside else 0.05 * cell))} {at(y)}) scale({s:.3f})">{"".join(parts)}</g>'
    )
