"""The form that begins a game: its parameters from the game's own fields, seats, and who may sit in the others."""

from __future__ import annotations

from collections.abc import Mapping

from fogbound.core.game import AnyGame
from fogbound.core.spec import parse
from fogbound.games import GAMES
from fogbound.web.fields import Field, fields_of, spec_from
from fogbound.web.table.opponents import PERSON, UNIFORM

PREFIX = "p."  # before the name of a parameter, in a form


def fields(spec: str) -> list[Field]:
    """The parameters of a registered game as its spec has them; none of a game made of others."""
    return fields_of(GAMES, parse(spec), {}, PREFIX)


def spec_with(spec: str, given: Mapping[str, str]) -> str:
    """A game's spec with the parameters of a form in place of its own.

    Examples
    --------
    >>> spec_with("po-nim(win=12)", {"p.n": "5", "seat": "0"})
    'po-nim(n=5, win=12)'
    """
    asked = parse(spec)
    return spec_from(GAMES, asked, fields_of(GAMES, asked, given, PREFIX), PREFIX)


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
