"""The form that begins a game: its parameters from the game's own fields, seats, and who may sit in the others."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame
from fogbound.core.registry import Parameter, parameters
from fogbound.core.spec import parse
from fogbound.games import GAMES
from fogbound.web.errors import Refusal
from fogbound.web.table.opponents import PERSON, UNIFORM

PREFIX = "p."  # before the name of a parameter, in a form
MOST = 200  # characters of a parameter


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
        GameField(p.name, _written(given.get(p.name)), _written(getattr(game, p.name, p.default)), _choices(p))
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
    filled = {key: value for key, value in asked.items() if value}
    if not filled:
        return spec
    if any(len(value) > MOST for value in filled.values()):
        raise Refusal(400, f"A parameter has more than {MOST} letters.")
    text = f"{parse(spec).name}({', '.join(f'{key}={value}' for key, value in filled.items())})"
    try:
        parse(text)
    except SpecError as error:
        raise Refusal(400, f"These parameters cannot be read: {error}") from None
    return text


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


def _choices(parameter: Parameter) -> tuple[str, ...]:
    if typing.get_origin(parameter.type) is Literal:
        return tuple(_written(choice) for choice in typing.get_args(parameter.type))
    return ("true", "false") if parameter.type is bool else ()


def _written(value: Any) -> str:
    """A value as a spec has it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    return str(value)
