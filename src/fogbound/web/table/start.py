"""The form that begins a game: its parameters from the game's own fields, seats, and who may sit in the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fogbound.core.game import AnyGame
from fogbound.core.registry import parameters
from fogbound.core.spec import parse
from fogbound.games import GAMES
from fogbound.web.catalogue import fields as catalogue
from fogbound.web.catalogue.fields import choices, written
from fogbound.web.table.opponents import PERSON, UNIFORM

PREFIX = "p."  # before the name of a parameter, in a form


@dataclass(frozen=True)
class GameField:
    """A parameter of a game as a field of a form: what was given, what it is if nothing is, and its choices if any."""

    name: str
    given: str
    default: str
    choices: tuple[str, ...]


def fields(spec: str, game: AnyGame) -> list[GameField]:
    """The parameters of a registered game, as this one has them; none for a game of one's own."""
    asked = parse(spec)
    if asked.name not in GAMES:
        return []
    listed = parameters(GAMES.load(asked.name))
    given = dict(asked.named([p.name for p in listed]).parameters)
    return [
        GameField(p.name, written(given.get(p.name)), written(getattr(game, p.name, p.default)), choices(p))
        for p in listed
    ]


def spec_with(spec: str, given: Mapping[str, str]) -> str:
    """A game's spec with the parameters of a form in place of its own.

    Examples
    --------
    >>> spec_with("po-nim", {"p.n": "5", "seat": "0"})
    'po-nim(n=5)'
    """
    asked = {key.removeprefix(PREFIX): value.strip() for key, value in given.items() if key.startswith(PREFIX)}
    return catalogue.spec_with(parse(spec).name, asked) if any(asked.values()) else spec


def opponents(game: AnyGame) -> list[tuple[str, str]]:
    """Who may play against a person in a game: as requests name it, and in words; what suits most is first."""
    if len(game.players) == 1:
        return []
    two = len(game.players) == 2
    levels = [(f"level-k(level={k})", f"Level {k}") for k in (1, 2, 3)]
    return [
        (UNIFORM, "Random play"),
        *(levels if two else []),
        *([("sequence-lp", "An equilibrium, where the game has a tree of moderate size")] if two else []),
        ("is-mcts(simulations=2000)", "A live search, 2,000 simulations a move"),
        (PERSON, "A person: you get a link for them"),
    ]
