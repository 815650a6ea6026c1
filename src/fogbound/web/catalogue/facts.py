"""What there is to say of a game: rules, players, forms with their sizes, solvers, a picture of how it may begin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from fogbound import api
from fogbound.core.drawing import Drawing
from fogbound.core.record import GameGroup, KnownValue
from fogbound.draw.beginning import opening_picture
from fogbound.forms.available import Available
from fogbound.games import GAMES
from fogbound.web.site import Site

SECONDS = 12.0  # to look at a game
REMEMBERED = 128


@dataclass(frozen=True)
class GameFacts:
    """A game described.

    Attributes
    ----------
    spec
        With all its parameters.
    title
        What people call it.
    players
        The names of the seats.
    rules
        Paragraphs of its author's.
    survey
        Forms and solvers.
    picture
        How it may begin, as the first player sees it; None where the game draws nothing.
    known
        Its known values.
    """

    spec: str
    title: str
    players: tuple[str, ...]
    rules: tuple[str, ...]
    survey: api.Survey
    picture: Drawing | None
    known: tuple[KnownValue, ...]


def facts(site: Site, source: str) -> GameFacts:
    """The facts of a game, worked out in the process that looks: with chosen parameters it may be of any size."""
    found = site.looker.ask(SECONDS, about="page", game=source)
    survey = api.Survey(
        tuple(Available(**form) for form in found["forms"]),
        tuple(api.Fit(**fit) for fit in found["fits"]),
        found["chosen"],
        found["why"],
    )
    rules = tuple(part.strip() for part in found["rules"].split("\n\n") if part.strip())
    picture = None if found["picture"] is None else Drawing(**found["picture"])
    known = tuple(KnownValue(*one) for one in found["known"])
    return GameFacts(found["game"], found["title"], tuple(found["players"]), rules, survey, picture, known)


@dataclass(frozen=True)
class GameCard:
    """A game on the first page: its name, its title, the first sentence of its rules, a small picture."""

    name: str
    title: str
    about: str
    picture: Drawing | None


@lru_cache(REMEMBERED)
def card(name: str) -> GameCard:
    """A registered game, as it is when no parameter is chosen."""
    game = api.game(name)
    first = " ".join(api.rules(game).partition("\n\n")[0].split())
    return GameCard(name, game.title, first, opening_picture(game))


def grouped() -> dict[str, list[GameCard]]:
    """Every registered game, by the group of its record."""
    groups: dict[str, list[GameCard]] = {group: [] for group in GameGroup}
    for name in GAMES:
        groups[GAMES.load(name).record.group].append(card(name))
    return {group: cards for group, cards in groups.items() if cards}
