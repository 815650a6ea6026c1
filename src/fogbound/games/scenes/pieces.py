"""What scenes are made of: a bank of fog, tones for mine and theirs, tokens, the line that says whose move it is."""

from __future__ import annotations

import math
from typing import NamedTuple

from fogbound.core import svg
from fogbound.core.measure import width_of
from fogbound.core.svg import at, dot, group, path, text

WIDTH = 420
EDGE_ROOM = 20  # left and right of everything
LAYERS = 8  # of a bank of fog
SMALL, PLAIN, LARGE, HUGE = 14, 16, 20, 34  # sizes of letters; SMALL is 11 pixels where WIDTH is shown as 330


class Tone(NamedTuple):
    """Colours with one meaning: for letters, for areas, and a quiet ground under such letters."""

    ink: str
    fill: str
    wash: str


MINE, THEIRS = Tone(svg.SEA, svg.SEA_FILL, svg.SEA_WASH), Tone(svg.EMBER, svg.EMBER_FILL, svg.EMBER_WASH)
LIT, HIDDEN, PLAINLY = (
    Tone(svg.LAMP, svg.LAMP_FILL, svg.LAMP_WASH),
    Tone(svg.FOG_6, svg.FOG_5, svg.FOG_1),
    Tone(svg.INK, svg.EDGE, svg.SURFACE),
)


def tone_of(seat: int, player: int | None) -> Tone:
    """Mine for the player who looks, theirs for all others; who sees everything takes the first player's side."""
    return MINE if seat == (player or 0) else THEIRS


def called(seat: int, names: tuple[str, ...], player: int | None) -> str:
    """A player as the one who looks would call it."""
    return "You" if seat == player else names[seat][:1].upper() + names[seat][1:]


def to_move(seat: int, names: tuple[str, ...], player: int | None) -> str:
    """Whose move it is, as the one who looks would say it."""
    return "Your move" if seat == player else f"{called(seat, names, player)} to move"


def spoken_label(*parts: str) -> str:
    """What a screen reader says: the parts that are there, as one sentence."""
    said = "; ".join(part for part in parts if part)
    return f"{said[:1].upper()}{said[1:]}."


def faded(parts: str, opacity: float) -> str:
    """The same, as dense as that."""
    return group([parts], more=f' opacity="{opacity:.2f}"') if opacity < 1 else parts


def bank(width: float, height: float, top: float = 0) -> str:
    """A bank of fog that thins out downwards: bands with soft edges over each other, and a few wisps."""
    bands = [_band(width, top, height * (0.4 + 0.085 * k), k) for k in range(LAYERS)]
    wisps = [
        f'<ellipse cx="{at(width * x)}" cy="{at(top + height * y)}" rx="{at(width * long * soft)}" '
        f'ry="{at(height * 0.06 * soft)}" fill="{svg.SURFACE}" opacity="0.13"/>'
        for x, y, long in ((0.24, 0.2, 0.2), (0.7, 0.1, 0.24), (0.6, 0.42, 0.28))
        for soft in (1.0, 0.8, 0.6)
    ]
    return "".join(bands + wisps)


def _band(width: float, top: float, depth: float, k: int) -> str:
    """One layer, from the top with the ground's round corners to a wavy lower edge."""
    waves, swing = 5, 5 + 0.8 * k
    step = width / waves
    edge = [top + depth + swing * math.sin(2.4 * j + 1.7 * k) for j in range(waves + 1)]
    bends = " ".join(
        f"C{at(x - step / 2)} {at(edge[j])} {at(x - step / 2)} {at(edge[j - 1])} {at(x - step)} {at(edge[j - 1])}"
        for j, x in ((j, j * step) for j in range(waves, 0, -1))
    )
    left, right = f"M0 {at(top + 10)} q0 -10 10 -10", f"H{at(width - 10)} q10 0 10 10"
    return path(f"{left} {right} V{at(edge[-1])} {bends} Z", "none", fill=svg.FOG_3, more=' opacity="0.12"')


def turn_line(y: float, words: str, lit: bool = True) -> str:
    """The line at the foot, with a lamp where somebody is to move.

    Pictures that show everything have it; whoever shows a seat what it sees says in words whose move it is.
    """
    lamp = dot(EDGE_ROOM + 5, y - 5, 5, svg.LAMP_FILL, svg.LAMP_WASH, 4) if lit else ""
    return lamp + text(EDGE_ROOM + 20 * lit, y, words, svg.INK, PLAIN, weight=600)


def token(x: float, y: float, letters: str, tone: Tone, radius: float = 17, size: float = SMALL) -> str:
    """A piece with a letter or two on it."""
    ring = dot(x, y, radius, tone.wash, tone.fill, 2.5)
    return ring + text(x, y + 0.36 * size, letters, tone.ink, size, "middle", 600)


def free(x: float, y: float, radius: float) -> str:
    """A place for a piece, where none stands."""
    return (
        f'<circle cx="{at(x)}" cy="{at(y)}" r="{at(radius)}" fill="none" stroke="{svg.EDGE}" stroke-dasharray="2 4"/>'
    )


def halo(x: float, y: float, radius: float, density: float) -> str:
    """Fog around a place, as dense as something is likely to be there, the likeliest at 1."""
    look = f'fill="{svg.FOG_5}" opacity="{0.34 * density:.3f}"'
    rings = [f'<circle cx="{at(x)}" cy="{at(y)}" r="{at(radius * reach)}" {look}/>' for reach in (1.0, 0.84, 0.68)]
    return "".join(rings) if density > 0 else ""


def word_plate(x: float, y: float, words: str, size: float = SMALL) -> str:
    """A few words on a ground of their own, so that they read on lines and fog; y is their middle."""
    wide = width_of(words, size, bold=True) + 8
    ground = (
        f'<rect x="{at(x - wide / 2)}" y="{at(y - size / 2 - 3)}" width="{at(wide)}" height="{at(size + 5)}" rx="6" '
        f'fill="{svg.SURFACE}" opacity="0.86"/>'
    )
    return ground + text(x, y + 0.36 * size, words, svg.INK, size, "middle", 600)


def crown(x: float, y: float, size: float) -> str:
    """A crown whose foot is at y."""
    w, h = size, 0.72 * size
    steps = (
        f"M{at(x - w / 2)} {at(y - h)} L{at(x - w / 4)} {at(y - h / 2)} L{at(x)} {at(y - 1.15 * h)} "
        f"L{at(x + w / 4)} {at(y - h / 2)} L{at(x + w / 2)} {at(y - h)} L{at(x + w / 2.6)} {at(y)} H{at(x - w / 2.6)} Z"
    )
    return path(steps, svg.LAMP_LINE, 1.5, svg.LAMP_FILL)
