"""All that a page shows of a game before it is over, from what one seat was told and nothing else.

`SeatView` is made from a `Seat`, which has a history and no state, and from the legal actions, which whoever is asked
knows. The picture is that of a representative: a state that fits the history, the first that the rules list. So two
games that a player cannot tell apart give the same page, byte for byte.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from fogbound.core.dist import Dist
from fogbound.core.drawing import Drawing
from fogbound.core.errors import one_line
from fogbound.core.game import AnyGame
from fogbound.inference.fog import Inferred, Worth
from fogbound.inference.seat import Seat, SeatStep, paid_in_words
from fogbound.web.table.pictures import Pictures

_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
MOST_WORDS = 160  # characters of what is seen


@dataclass(frozen=True)
class Move:
    """A legal action as a button: its place, its words in full and in short, its key, and what it is worth."""

    place: int
    text: str
    short: str
    key: str
    worth: Worth | None


@dataclass(frozen=True)
class Group:
    """Moves that differ in a number alone stand together under what they share; others under nothing."""

    heading: str
    moves: tuple[Move, ...]


@dataclass(frozen=True)
class LogLine:
    """One step in the log of a seat."""

    number: int
    did: str
    saw: str


@dataclass(frozen=True)
class SeatView:
    """What a seat sees.

    Attributes
    ----------
    step
        How many steps were played.
    picture
        The board as this player sees it; None where no state was found that fits.
    news
        What was just seen, in a sentence.
    groups
        The moves, where one is asked for.
    lines
        The log as seen from here.
    total
        What the player was paid so far, as far as it can know; empty where that is nothing.
    """

    step: int
    picture: Drawing | None
    news: str
    groups: tuple[Group, ...]
    lines: tuple[LogLine, ...]
    total: str


def seat_view(
    seat: Seat, asked: bool, actions: Sequence[Hashable], pictures: Pictures, inferred: Inferred | None = None
) -> SeatView:
    """What a page shows.

    Parameters
    ----------
    seat
        Its history, and what follows from it.
    asked
        Whether a move was asked for then.
    actions
        What may be done, where it still can be; else nothing.
    pictures
        Boards that were drawn before.
    inferred
        What was inferred from the same history, where the fog is lifted.
    """
    game, last = seat.game, seat.steps[-1]
    state = seat.representative(asked)
    worths = {worth.action: worth for worth in inferred.worths} if inferred else {}
    nothing = paid_in_words((0.0, 0.0))
    total = paid_in_words(last.paid)
    return SeatView(
        len(seat.steps) - 1,
        None if state is None else _drawn(pictures, game, state, seat.player, _belief(inferred)),
        _sentence(seat, last),
        groups(game, actions, worths),
        tuple(_line(seat, number, step) for number, step in enumerate(seat.steps)),
        "" if total == nothing else total,
    )


def _drawn(pictures: Pictures, game: AnyGame, state: Any, player: int, belief: Dist[Any] | None) -> Drawing:
    """A state as a player sees it, with what it believes where the game can show that."""
    if belief is not None and "belief" in inspect.signature(game.draw).parameters:
        return game.draw(state, player, belief=belief)
    return pictures.drawn(game, state, player)


def _belief(inferred: Inferred | None) -> Dist[Any] | None:
    if inferred is None or not inferred.states:
        return None
    return Dist.weighted([(possible.state, possible.chance) for possible in inferred.states])


def _sentence(seat: Seat, step: SeatStep) -> str:
    parts = [*step.did(seat.game), *step.saw(seat.game, seat.player)]
    return one_line("; ".join(parts), MOST_WORDS)


def _line(seat: Seat, number: int, step: SeatStep) -> LogLine:
    did = "; ".join(step.did(seat.game)) or ("the start" if number == 0 else "nobody moved")
    saw = " · ".join(step.saw(seat.game, seat.player))
    return LogLine(number, one_line(did, MOST_WORDS), one_line(saw, MOST_WORDS))


def groups(game: AnyGame, actions: Sequence[Hashable], worths: dict[Hashable, Worth]) -> tuple[Group, ...]:
    """The moves in the game's words; those that differ in one number share a heading.

    Examples
    --------
    >>> import fogbound as fb
    >>> game = fb.game("po-nim(n=2)")
    >>> listed = groups(game, game.actions((1, 2, 0), 0), {})
    >>> [(group.heading, [move.short for move in group.moves]) for group in listed]
    [('', ['take 1 of yours']), ('take … of theirs', ['1', '2'])]
    """
    texts = [one_line(game.describe(action), MOST_WORDS) for action in actions]
    found = [(_NUMBER.sub("…", text), _NUMBER.findall(text)) for text in texts]
    shapes = [shape if len(numbers) == 1 else "" for shape, numbers in found]
    alone = {shape for shape in shapes if shapes.count(shape) == 1}
    gathered: dict[str, list[int]] = {}
    for place, shape in enumerate(shapes):
        gathered.setdefault("" if shape in alone else shape, []).append(place)
    words = {place: found[place][1][0] if shape else texts[place] for shape, of in gathered.items() for place in of}
    keys, listed = _keys(list(gathered.values()), words), []
    for shape, places in gathered.items():
        moves = [
            Move(place, texts[place], words[place], keys.get(place, ""), worths.get(actions[place])) for place in places
        ]
        listed.append(Group(shape, tuple(moves)))
    return tuple(listed)


def _keys(gathered: Sequence[Sequence[int]], words: dict[int, str]) -> dict[int, str]:
    """A digit for each move, its own number where that can be: in the second group with Shift.

    Else the first nine moves as they stand on the page have digits, and nine more have them with Shift.
    """
    digits = [str(k) for k in range(1, 10)]
    names = [*digits, *(f"Shift+{k}" for k in digits)]
    if len(gathered) <= 2 and all(words[place] in digits for places in gathered for place in places):
        return {place: ("", "Shift+")[k] + words[place] for k, places in enumerate(gathered) for place in places}
    return dict(zip((place for places in gathered for place in places), names))
