"""King Up: the castle with its throne, who stands on which level, who may still say no, and whom each one favours."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from fogbound.core import svg
from fogbound.core.drawing import Drawing
from fogbound.core.numerals import EXACT
from fogbound.core.svg import box, document, dot, percent, text
from fogbound.games.scenes import pieces
from fogbound.games.scenes.pieces import (
    EDGE_ROOM,
    WIDTH,
    Tone,
    called,
    crown,
    faded,
    free,
    spoken_label,
    token,
    tone_of,
    turn_line,
)

FLOOR, TOP, STEP, RADIUS = 42, 40, 40, 16
LETTER, ACROSS = 27, 14  # of a list: from letter to letter, and how many a line
LABELS = 74  # room for the levels' names


class Favourites(NamedTuple):
    """What is known of a player: the cards for no, its list where it can be seen, and how likely each name is on it."""

    cards: int
    own: str | None
    chances: Mapping[str, float]


def castle(
    letters: str,
    levels: Sequence[int],
    size: tuple[int, int],
    seats: Sequence[Favourites],
    movers: Collection[int],
    says: str,
    names: tuple[str, ...],
    player: int | None,
    terminal: str,
) -> Drawing:
    """The castle of `size` (height, width of a level) as `player` sees it; a level below 0 is off the board."""
    height, width = size
    mine = seats[player].own or "" if player is not None else ""
    body = [crown(LABELS + (WIDTH - LABELS - EDGE_ROOM) / 2, TOP - 12, 26)]
    for row, level in enumerate(range(height, -1, -1)):
        room = 1 if level == height else width if level else 0
        body += _floor(TOP + FLOOR * row, level, height, room, _on(letters, levels, level), mine)
    y = TOP + FLOOR * (height + 1) + 8
    body.append(text(EDGE_ROOM, y + 16, "off", svg.INK_2, pieces.SMALL))
    body.append(text(LABELS, y + 16, " ".join(_on(letters, levels, -1)) or "nobody", svg.INK_2, pieces.SMALL))
    y += 36
    for seat, favourites in enumerate(seats):
        tone = tone_of(seat, player)
        body += _seat(y, called(seat, names, player), favourites, letters, tone, seat in movers)
        y += 32 + LETTER * math.ceil(len(letters) / ACROSS)
    if player is None or not movers:
        y += 24
        body.append(turn_line(y - 6, says))
    label = spoken_label(*_in_words(letters, levels, height), *_lists(seats, names, player), says)
    return document(WIDTH, y + 12, body, label, terminal)


def _on(letters: str, levels: Sequence[int], level: int) -> list[str]:
    return [letter for letter, at in zip(letters, levels) if at == level]


def _floor(y: float, level: int, height: int, room: int, standing: list[str], mine: str) -> list[str]:
    """One level: whoever stands there, and the places that are free."""
    middle, slots = LABELS + (WIDTH - LABELS - EDGE_ROOM) / 2, max(room, len(standing), 1)
    most = WIDTH - LABELS - EDGE_ROOM
    wide = most if level == 0 else min(most, slots * STEP + 24 + 22 * (height - level))
    step = min(STEP, (most - STEP) / max(1, slots - 1))
    throne = level == height
    floor = box(
        middle - wide / 2,
        y,
        wide,
        FLOOR - 3,
        svg.LAMP_WASH if throne else svg.FOG_1 if level else svg.FOG_2,
        round_by=6,
    )
    name = text(EDGE_ROOM, y + 25, "throne" if throne else f"level {level}", svg.INK_2, pieces.SMALL)
    body = [floor, name]
    for slot in range(slots if room or standing else 0):
        x = middle + (slot - (slots - 1) / 2) * step
        if slot < len(standing):
            tone = pieces.LIT if throne else pieces.MINE if standing[slot] in mine else pieces.PLAINLY
            body.append(token(x, y + FLOOR / 2 - 1, standing[slot], tone, RADIUS))
        else:
            body.append(free(x, y + FLOOR / 2 - 1, RADIUS - 2))
    return body


def _seat(y: float, name: str, seat: Favourites, letters: str, tone: Tone, moves: bool) -> list[str]:
    """A player: name, cards for no, and the letters of its list, as dense as they are likely to be on it."""
    lamp = dot(EDGE_ROOM + 5, y + 9, 5, svg.LAMP_FILL, svg.LAMP_WASH, 4) if moves else ""
    body = [lamp, text(EDGE_ROOM + 20 * moves, y + 14, name, svg.INK, pieces.SMALL + 1, weight=600)]
    cards = f"no × {seat.cards}" if seat.cards else "no cards left"
    body.append(
        text(WIDTH - EDGE_ROOM, y + 14, cards, pieces.THEIRS.ink if seat.cards else svg.INK_2, pieces.SMALL, "end", 600)
    )
    if seat.own is None and not seat.chances:
        body.append(box(EDGE_ROOM, y + 22, WIDTH - 2 * EDGE_ROOM, LETTER - 5, svg.FOG_2, round_by=8))
        body.append(text(WIDTH / 2, y + 38, "a secret list", svg.INK_2, pieces.SMALL, "middle"))
        return body
    for k, letter in enumerate(letters):
        x, top = EDGE_ROOM + 12 + LETTER * (k % ACROSS), y + 34 + LETTER * (k // ACROSS)
        p = seat.chances.get(letter, 0.0) if seat.own is None else float(letter in seat.own)
        if p > EXACT:
            guessed = seat.own is None
            body.append(
                faded(dot(x, top, 12, svg.FOG_4, svg.FOG_5, 1), p)
                if guessed
                else dot(x, top, 12, tone.wash, tone.fill, 2.5)
            )
        ink = svg.INK_3 if p <= EXACT else svg.INK if seat.own is None else tone.ink
        body.append(text(x, top + 5, letter, ink, pieces.SMALL, "middle", 600 if p > EXACT else 400))
    return body


def _in_words(letters: str, levels: Sequence[int], height: int) -> list[str]:
    said = []
    for level in range(height, -2, -1):
        place = "on the throne" if level == height else f"on level {level}" if level >= 0 else "off the board"
        if standing := _on(letters, levels, level):
            said.append(f"{' '.join(standing)} {place}")
    return said


def _lists(seats: Sequence[Favourites], names: tuple[str, ...], player: int | None) -> list[str]:
    said = []
    for seat, (cards, own, chances) in enumerate(seats):
        likely = ", ".join(f"{letter} {percent(p)}" for letter, p in chances.items() if p > EXACT)
        name = "you" if seat == player else called(seat, names, player)
        held = f"favour{'' if seat == player else 's'} {own}"
        if own is None:
            held = f"may favour {likely}" if likely else "has a secret list"
        said.append(f"{name} {held}, {cards} card{'' if cards == 1 else 's'} for no")
    return said
