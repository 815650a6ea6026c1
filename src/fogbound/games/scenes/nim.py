"""PO-Nim: two heaps of stones, a bank of fog over the one that is hidden; stones that may be there are ghosts."""

from __future__ import annotations

import math

from fogbound.core.dist import Dist
from fogbound.core.drawing import Drawing
from fogbound.core.numerals import EXACT
from fogbound.core.svg import EDGE, INK, INK_2, LINE, at, document, line, percent, text
from fogbound.games.scenes import pieces
from fogbound.games.scenes.pieces import EDGE_ROOM, WIDTH, Tone, bank, faded, spoken_label, to_move, tone_of, turn_line

STONES = (  # outlines in a box of 64 x 52, each a little different
    "M4 28 C2 15 15 5 32 5 S61 14 61 26 49 46 32 46 5 40 4 28 Z",
    "M3 25 C4 12 19 6 34 6 S61 15 61 27 46 46 31 46 2 37 3 25 Z",
    "M5 28 C3 16 14 4 31 5 S62 13 61 27 47 46 30 46 7 39 5 28 Z",
)
SHINE = "M14 19 C19 12 27 10 36 11"
MOST_ROWS_OF_FIVE = 2


def nim(
    heaps: tuple[int | None, int | None],
    full: int,
    hidden: Dist[int] | None,
    mover: int | None,
    names: tuple[str, ...],
    player: int | None,
    terminal: str,
) -> Drawing:
    """Both heaps, of `full` stones at first; None is the one that `player` does not see, of which it believes `hidden`.

    The heap of whoever looks stands below. `mover` None: one stone is left, and the game is over.
    """
    mine = player or 0
    across = 5 if full <= 5 * MOST_ROWS_OF_FIVE else 10 if full <= 40 else 20
    tall = 66 + math.ceil(full / across) * _row(across)
    body = [bank(WIDTH, tall + 14)] if heaps[1 - mine] is None else []
    words = []
    for place, seat in enumerate((1 - mine, mine)):
        stones, top = heaps[seat], 12 + place * (tall + 12)
        name = _name(seat, names, player)
        chances = [1.0 if k < stones else 0.0 for k in range(full)] if stones is not None else _at_least(hidden, full)
        body += _heading(top, name, _note(seat, heaps, player), *_count(stones, hidden))
        tone = pieces.HIDDEN if stones is None else tone_of(seat, player)
        body += [_stone(k, p, across, top + 58, tone) for k, p in enumerate(chances)]
        words.append(f"{name[0].lower()}{name[1:]} {_in_words(stones, hidden)}")
    body.append(line(EDGE_ROOM, tall + 14, WIDTH - EDGE_ROOM, tall + 14, LINE, 1, "4 4"))
    foot = 2 * tall + 12
    says = "One stone is left: the game is over" if mover is None else to_move(mover, names, player)
    if player is None or mover is None:
        foot += 38
        body.append(turn_line(foot, says, lit=mover is not None))
    return document(WIDTH, foot + 18, body, spoken_label(*words, says[0].lower() + says[1:]), terminal)


def _name(seat: int, names: tuple[str, ...], player: int | None) -> str:
    if player is None:
        return f"The {names[seat]}'s heap"
    return "Your heap" if seat == player else "Their heap"


def _note(seat: int, heaps: tuple[int | None, int | None], player: int | None) -> str:
    if None not in heaps:
        return ""
    return "they cannot see it" if seat == player else "hidden from you"


def _count(stones: int | None, hidden: Dist[int] | None) -> tuple[str, str]:
    """The number beside a heap, and how sure it is."""
    if stones is not None:
        return str(stones), ""
    if not hidden:
        return "?", ""
    (best, p), *rest = _likeliest(hidden)
    others = f"else {rest[0][0]}" if len(rest) == 1 else f"or {len(rest)} others"
    return str(best), f"{percent(p)} sure, {others}" if rest else "sure"


def _in_words(stones: int | None, hidden: Dist[int] | None) -> str:
    if stones is not None:
        return f"has {stones} stone{'' if stones == 1 else 's'}"
    if not hidden:
        return "is hidden"
    return "is hidden, " + ", ".join(f"{n} with {percent(p)}" for n, p in _likeliest(hidden))


def _likeliest(hidden: Dist[int]) -> list[tuple[int, float]]:
    return sorted(((n, p) for n, p in hidden if p > EXACT), key=lambda pair: (-pair[1], pair[0]))


def _at_least(hidden: Dist[int] | None, full: int) -> list[float]:
    """How likely each stone is to be there."""
    return [math.fsum(p for n, p in hidden or () if n > k) for k in range(full)]


def _heading(top: float, name: str, note: str, count: str, sure: str) -> list[str]:
    right = WIDTH - EDGE_ROOM
    return [
        text(EDGE_ROOM, top + 22, name, INK, pieces.PLAIN, weight=600),
        text(EDGE_ROOM, top + 42, note, INK_2, pieces.SMALL) if note else "",
        text(right, top + 27, count, INK, pieces.HUGE if not sure else pieces.LARGE + 6, "end", 600),
        text(right, top + 46, sure, INK_2, pieces.SMALL, "end") if sure else "",
    ]


def _row(across: int) -> float:
    return 52 * _scale(across) + 8


def _scale(across: int) -> float:
    return (WIDTH - 2 * EDGE_ROOM) / across / 76


def _stone(k: int, p: float, across: int, top: float, tone: Tone) -> str:
    """Stone k of a heap: an outline where it is not, the denser the likelier it is there."""
    scale = _scale(across)
    x, y = EDGE_ROOM + (k % across) * 76 * scale + 6 * scale, top + (k // across) * _row(across)
    shape = STONES[k % len(STONES)]
    outline = f'<path d="{shape}" fill="none" stroke="{EDGE}" stroke-width="{at(1 / scale)}" stroke-dasharray="2 4"/>'
    shine = f'<path d="{SHINE}" fill="none" stroke="#ffffff" stroke-width="2.4" stroke-linecap="round" opacity="0.45"/>'
    body = outline if p < 1 else ""
    if p > 0:
        body += faded(f'<path d="{shape}" fill="{tone.fill}"/>{shine}', p)
    return f'<g transform="translate({at(x)} {at(y)}) scale({scale:.3f})">{body}</g>'
