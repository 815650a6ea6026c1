"""A table of poker: the others' cards in the fog, what everybody has paid as chips, the pot, and one's own card.

A card lies open with its pips, shows its back, or is a fan of those that it may be.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from fogbound.core.drawing import Drawing
from fogbound.core.measure import width_of
from fogbound.core.numerals import EXACT
from fogbound.core.svg import EDGE, FOG_2, FOG_4, INK, INK_2, SURFACE, at, box, document, dot, group, percent, text
from fogbound.games.scenes import pieces
from fogbound.games.scenes.pieces import (
    EDGE_ROOM,
    PLAIN,
    SMALL,
    WIDTH,
    Tone,
    bank,
    called,
    faded,
    spoken_label,
    to_move,
    turn_line,
)

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
    mark = text(x + wide / 2, y + high / 2 + 8, "?", INK_2, pieces.LARGE + 2, "middle", 600)
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
    tone = (pieces.THEIRS, pieces.PLAINLY, pieces.MINE)[wins + 1]
    density = max(FAINTEST, math.sqrt(share))
    letter = text(x + 7, high + 24, rank, tone.ink, pieces.LARGE, weight=600)
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


ROOM = WIDTH - 2 * EDGE_ROOM
HEAD, SECOND_LINE, BETWEEN = 30, 20, 18  # a seat's lines above its cards, and what lies below them
BESIDE = 200  # from this room on a seat's word stands beside its name


class PokerSeat(NamedTuple):
    """A player at the table: its card where it can be seen, what it may be where not, its coins, its last word."""

    card: str | None
    believed: Believed
    paid: int
    did: str = ""
    out: bool = False


def dealt(
    cards: tuple[str, ...],
    player: int | None,
    belief: Iterable[tuple[tuple[str, ...], float]] | None,
    deck: Sequence[str],
    beats: Callable[[str, str], int],
) -> list[tuple[str | None, Believed]]:
    """Each seat's card as `player` sees it, None where it does not, and what it may be instead.

    `deck` lists what a hidden card may be, `beats(mine, theirs)` is 1 where mine wins, -1 where it loses.
    """
    hands: list[tuple[str | None, Believed]] = []
    for seat, own in enumerate(cards):
        if player in (None, seat):
            hands.append((own, ()))
            continue
        chances: dict[str, float] = {}
        for held, p in belief or ():
            chances[held[seat]] = chances.get(held[seat], 0.0) + p
        hands.append((None, [(r, chances.get(r, 0.0), beats(cards[player], r)) for r in deck] if chances else ()))
    return hands


def higher(mine: str, theirs: str) -> int:
    """1 where my number is the higher one, else -1."""
    return 1 if int(mine) > int(theirs) else -1


def poker(
    seats: Sequence[PokerSeat],
    names: tuple[str, ...],
    player: int | None,
    mover: int,
    terminal: str,
    common: str | None = None,
) -> Drawing:
    """The table as `player` sees it, with its own card below; `common` is the card for all, "" before it is turned."""
    mine = player or 0
    others = [seat for seat in range(len(seats)) if seat != mine]
    across = 1 if len(others) == 1 else 2 if len(others) in (2, 4) else 3
    wide, high = ROOM / across, HEAD + SECOND_LINE * (across > 1) + CARD[1] + RISE + BETWEEN
    rows = math.ceil(len(others) / across)
    body = [bank(WIDTH, 12 + rows * high)] if any(seats[seat].card is None for seat in others) else []
    for place, seat in enumerate(others):
        x, y = EDGE_ROOM + place % across * wide, 10 + place // across * high
        body += _other(x, y, wide - 14 * (across > 1), seats[seat], called(seat, names, player))
    y = 12 + rows * high
    body += _middle(y, sum(seat.paid for seat in seats), seats, mine, common)
    y += CARD[1] + 24 if common is not None else 48
    body += _own(y, seats[mine], called(mine, names, player))
    foot = y + OWN[1] + 4
    if player is None:
        foot += 36
        body.append(turn_line(foot, to_move(mover, names, player)))
    words = [_in_words(seats[seat], called(seat, names, player)) for seat in (mine, *others)]
    table = "" if common is None else f"the card on the table is {common}" if common else "no card on the table yet"
    pot = f"{sum(seat.paid for seat in seats)} in the pot"
    label = spoken_label(*words, table, pot, to_move(mover, names, player).lower())
    return document(WIDTH, foot + 18, body, label, terminal)


def _heading(x: float, y: float, room: float, seat: PokerSeat, name: str, tone: Tone) -> list[str]:
    """Name, last word and coins of a seat; the word under the name where there is no room beside it."""
    beside, paid = room > BESIDE, str(seat.paid)
    word = (x + width_of(name, PLAIN, bold=True) + 8, y + 20) if beside else (x, y + 40)
    low = y + (20 if beside else 40)
    return [
        text(x, y + 20, name, INK, PLAIN, weight=600),
        text(*word, seat.did, INK_2, SMALL) if seat.did else "",
        chips(x + room - width_of(paid, PLAIN, bold=True) - 20, low + 3, seat.paid, tone, most=3),
        text(x + room, low, paid, tone.ink, PLAIN, "end", 600),
    ]


def _other(x: float, y: float, room: float, seat: PokerSeat, name: str) -> list[str]:
    top = y + HEAD + SECOND_LINE * (room <= BESIDE)
    middle = x + room / 2
    if seat.out:
        cards = faded(back(middle - CARD[0] / 2, top + RISE), 0.4)
    elif seat.card is not None:
        cards = card(middle - CARD[0] / 2, top + RISE, seat.card, pieces.THEIRS, CARD)
    elif seat.believed:
        cards = fan(middle, top, room, seat.believed)
    else:
        cards = back(middle - CARD[0] / 2, top + RISE)
    return [*_heading(x, y, room, seat, name, pieces.THEIRS), cards]


def _middle(y: float, pot: int, seats: Sequence[PokerSeat], mine: int, common: str | None) -> list[str]:
    """The pot, and beside it the card for all, where the game has one."""
    words, tall = f"{pot} in the pot", CARD[1] if common is not None else 30
    x, middle = (WIDTH - width_of(words, PLAIN) - 84) / 2 if common is None else 190, y + tall / 2
    theirs = pot - seats[mine].paid
    parts = [
        chips(x + 14, middle + 10, theirs, pieces.THEIRS),
        chips(x + 46, middle + 10, seats[mine].paid, pieces.MINE),
        text(x + 72, middle + 8, words, INK, PLAIN, weight=600),
    ]
    if common:
        parts.append(card(110, y, common, pieces.LIT, CARD))
    elif common is not None:
        parts.append(faded(back(110, y), 0.5))
    return parts


def _own(y: float, seat: PokerSeat, name: str) -> list[str]:
    shown = card((WIDTH - OWN[0]) / 2, y, seat.card, pieces.MINE) if seat.card else ""
    return [*_heading(EDGE_ROOM, y + OWN[1] - 36, ROOM, seat, name, pieces.MINE), faded(shown, 0.4 if seat.out else 1)]


def _in_words(seat: PokerSeat, name: str) -> str:
    paid = f"{seat.paid} paid"
    name = "you" if name == "You" else name
    did = [f"{name} {seat.did}"] if seat.did else []
    if seat.card:
        return ", ".join([*did, f"{name} hold{'' if name == 'you' else 's'} {seat.card}", paid])
    likely = ", ".join(f"{rank} with {percent(p)}" for rank, p, _ in seat.believed if p > EXACT)
    return ", ".join([*did, f"{name}'s card is hidden" + (f" ({likely})" if likely else ""), paid])
