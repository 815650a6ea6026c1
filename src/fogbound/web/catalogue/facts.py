"""What there is to say of a game: rules, players, forms with their sizes, solvers, a picture of how it may begin."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache

from fogbound import api
from fogbound.core.drawing import Drawing
from fogbound.core.game import AnyGame, Game
from fogbound.games import GAMES
from fogbound.parallel.beside import beside
from fogbound.web.deadline import within
from fogbound.web.errors import Refusal

SECONDS = 15.0  # for a game with parameters that a visitor chose
REMEMBERED = 128
MOST_PICTURE = 400_000  # characters of SVG
_at_once = threading.Semaphore(2)  # processes that look at games


@dataclass(frozen=True)
class GameFacts:
    """A game described.

    Attributes
    ----------
    spec
        With all its parameters.
    players
        The names of the seats.
    rules
        Paragraphs of its author's.
    survey
        Forms and solvers.
    picture
        How it may begin, as the first player sees it; None where the game draws nothing.
    """

    spec: str
    players: tuple[str, ...]
    rules: tuple[str, ...]
    survey: api.Survey
    picture: Drawing | None


@lru_cache(REMEMBERED)
def facts(source: str) -> GameFacts:
    """The facts of a game. One with chosen parameters is looked at beside the server, since it may be of any size."""
    if source in GAMES:
        return facts_of(source)
    if not _at_once.acquire(timeout=SECONDS):
        raise Refusal(503, "others are being looked at just now: try again in a moment")
    try:
        with within(SECONDS, "looking at this game"):
            found: GameFacts = beside("fogbound.web.catalogue.facts", "facts_of", source)
            return found
    finally:
        _at_once.release()


def facts_of(source: str) -> GameFacts:
    """The facts of a game, worked out here and now."""
    game = api.game(source)
    paragraphs = tuple(part.strip() for part in api.rules(game).split("\n\n") if part.strip())
    return GameFacts(str(game), tuple(game.players), paragraphs, api.survey(game), beginning(game))


def beginning(game: AnyGame) -> Drawing | None:
    """A start of the game as its first player sees it; None where it draws none, or a very large one."""
    state: Hashable = next(iter(game.start()))[0].state
    if type(game).draw is Game.draw:
        board = game.board(state, 0)
        if board is None or not board.rows:  # words alone are no picture
            return None
    drawn = game.draw(state, 0)
    return drawn if len(drawn.svg) <= MOST_PICTURE else None


@dataclass(frozen=True)
class GameCard:
    """A game on the first page: its name, the first sentence of its rules, a small picture."""

    name: str
    about: str
    picture: Drawing | None


@lru_cache(REMEMBERED)
def card(name: str) -> GameCard:
    """A registered game, as it is when no parameter is chosen."""
    game = api.game(name)
    first = " ".join(api.rules(game).partition("\n\n")[0].split())
    return GameCard(name, first, beginning(game))
