"""A table of poker: the others' cards in the fog, what everybody has paid as chips, the pot, and one's own card."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from fogbound.core.drawing import Drawing
from fogbound.core.measure import width_of
from fogbound.core.numerals import EXACT
from fogbound.core.svg import INK, INK_2, document, percent, text
from fogbound.games.scenes.cards import CARD, OWN, RISE, Believed, back, card, chips, fan
from fogbound.games.scenes.pieces import (
    EDGE_ROOM,
    LIT,
    MINE,
    PLAIN,
    SMALL,
    THEIRS,
    WIDTH,
    Tone,
    bank,
    called,
    faded,
    sentence,
    to_move,
    turn,
)

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
        body.append(turn(foot, to_move(mover, names, player)))
    words = [_in_words(seats[seat], called(seat, names, player)) for seat in (mine, *others)]
    table = "" if common is None else f"the card on the table is {common}" if common else "no card on the table yet"
    pot = f"{sum(seat.paid for seat in seats)} in the pot"
    label = sentence(*words, table, pot, to_move(mover, names, player).lower())
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
        cards = card(middle - CARD[0] / 2, top + RISE, seat.card, THEIRS, CARD)
    elif seat.believed:
        cards = fan(middle, top, room, seat.believed)
    else:
        cards = back(middle - CARD[0] / 2, top + RISE)
    return [*_heading(x, y, room, seat, name, THEIRS), cards]


def _middle(y: float, pot: int, seats: Sequence[PokerSeat], mine: int, common: str | None) -> list[str]:
    """The pot, and beside it the card for all, where the game has one."""
    words, tall = f"{pot} in the pot", CARD[1] if common is not None else 30
    x, middle = (WIDTH - width_of(words, PLAIN) - 84) / 2 if common is None else 190, y + tall / 2
    theirs = pot - seats[mine].paid
    parts = [
        chips(x + 14, middle + 10, theirs, THEIRS),
        chips(x + 46, middle + 10, seats[mine].paid, MINE),
        text(x + 72, middle + 8, words, INK, PLAIN, weight=600),
    ]
    if common:
        parts.append(card(110, y, common, LIT, CARD))
    elif common is not None:
        parts.append(faded(back(110, y), 0.5))
    return parts


def _own(y: float, seat: PokerSeat, name: str) -> list[str]:
    shown = card((WIDTH - OWN[0]) / 2, y, seat.card, MINE) if seat.card else ""
    return [*_heading(EDGE_ROOM, y + OWN[1] - 36, ROOM, seat, name, MINE), faded(shown, 0.4 if seat.out else 1)]


def _in_words(seat: PokerSeat, name: str) -> str:
    paid = f"{seat.paid} paid"
    name = "you" if name == "You" else name
    did = [f"{name} {seat.did}"] if seat.did else []
    if seat.card:
        return ", ".join([*did, f"{name} hold{'' if name == 'you' else 's'} {seat.card}", paid])
    likely = ", ".join(f"{rank} with {percent(p)}" for rank, p, _ in seat.believed if p > EXACT)
    return ", ".join([*did, f"{name}'s card is hidden" + (f" ({likely})" if likely else ""), paid])
