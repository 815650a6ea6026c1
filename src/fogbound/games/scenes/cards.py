"""Playing cards and chips: a card with its pips, its back in the fog, a fan of those it may be, coins in a stack."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fogbound.core.numerals import EXACT
from fogbound.core.svg import EDGE, FOG_2, FOG_4, INK, INK_2, SURFACE, at, box, dot, group, percent, text
from fogbound.games.scenes.pieces import LARGE, MINE, PLAINLY, SMALL, THEIRS, Tone, faded

CARD, OWN = (58, 84), (74, 104)  # the others' cards, and one's own: width and height
MOST_IN_FAN, RISE = 8, 18
FAN_STEP, ROOM_FOR_CHANCE, LEAST_STEP = 46, 40, 18  # from card to card: at most, with percentages, at least
FAINTEST = 0.18
PIPS: dict[int, tuple[tuple[int, int], ...]] = {  # where the pips of a number lie, in steps from the middle
    1: ((0, 0),),
    2: ((0, -1), (0, 1)),
    3: ((0, -1), (0, 0), (0, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    7: ((-1, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-1, 1), (1, 1)),
    8: ((-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)),
    9: ((-1, -1), (0, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-1, 1), (0, 1), (1, 1)),
}
Believed = Sequence[tuple[str, float, int]]  # a card, how likely it is, 1 where mine beats it and -1 where it does mine


def card(x: float, y: float, rank: str, tone: Tone, size: tuple[int, int] = OWN) -> str:
    """A card that lies open, its left upper corner at (x, y): its rank, and pips for a number or the letter again."""
    wide, high = size
    corner = text(x + 0.13 * wide, y + 0.29 * high, rank, INK, 0.24 * high, weight=600)
    middle, low, step, pips = x + wide / 2, y + 0.63 * high, 0.17 * high, PIPS.get(int(rank) if rank.isdecimal() else 0)
    if pips:
        face = "".join(
            dot(middle + 0.9 * step * dx, low + step * dy, 0.05 * high, tone.fill, "none") for dx, dy in pips
        )
    else:
        face = text(x + 0.6 * wide, y + 0.8 * high, rank, tone.fill, 0.46 * high, "middle", 600)
    return box(x, y, wide, high, SURFACE, EDGE, 9) + corner + face


def back(x: float, y: float, size: tuple[int, int] = CARD) -> str:
    """A card that nobody who looks here can see."""
    wide, high = size
    inner = box(x + 5, y + 5, wide - 10, high - 10, "none", SURFACE, 5)
    mark = text(x + wide / 2, y + high / 2 + 8, "?", INK_2, LARGE + 2, "middle", 600)
    return box(x, y, wide, high, FOG_2, FOG_4, 8) + inner + mark


def fan(middle: float, y: float, room: float, believed: Believed) -> str:
    """The cards that one may be: the likelier, the denser and the higher; y is where the highest begins."""
    most = max(1, min(MOST_IN_FAN, int((room - CARD[0]) // LEAST_STEP) + 1))
    kept = sorted(sorted(range(len(believed)), key=lambda k: -believed[k][1])[:most])  # the likeliest, in order
    top = max(believed[k][1] for k in kept)
    step, last = min(FAN_STEP, (room - CARD[0]) / max(1, len(kept) - 1)), (len(kept) - 1) / 2
    return "".join(
        _fanned(middle + (place - last) * step, y, place - last, believed[k], top, step >= ROOM_FOR_CHANCE)
        for place, k in enumerate(kept)
    )


def _fanned(middle: float, y: float, off: float, held: tuple[str, float, int], top: float, says: bool) -> str:
    rank, p, wins = held
    share = p / top if top > 0 else 0.0
    x, high = middle - CARD[0] / 2, y + RISE * (1 - share) + 1.1 * off * off
    tone = (THEIRS, PLAINLY, MINE)[wins + 1]
    density = max(FAINTEST, math.sqrt(share))
    letter = text(x + 7, high + 24, rank, tone.ink, LARGE, weight=600)
    body = faded(box(x, high, *CARD, SURFACE, EDGE, 8), density) + (letter if p > EXACT else faded(letter, density))
    if p > EXACT and says:  # letters that say something are never faint
        body += text(x + 5, high + 46, percent(p), INK, SMALL, weight=600)
    turned = f' transform="rotate({at(4 * off)} {at(middle)} {at(high + 60)})"'
    return group([body], more=turned)


def chips(x: float, y: float, count: int, tone: Tone, most: int = 8) -> str:
    """Coins in a stack that stands on y; of more than `most` the number beside it has to tell."""
    body, count = [], min(count, most)
    for k in range(count):
        low = y - 5 - 5 * k
        body.append(f'<ellipse cx="{at(x)}" cy="{at(low)}" rx="13" ry="5.5" fill="{tone.fill}" stroke="{SURFACE}"/>')
    lid = f'<ellipse cx="{at(x)}" cy="{at(y - 5 * count - 0.5)}" rx="8" ry="3" fill="#ffffff" opacity="0.3"/>'
    return "".join(body) + lid if count else ""
