"""A game's parameters as fields of a form, and a form's values as a spec."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fogbound.core.errors import SpecError
from fogbound.core.registry import Parameter, parameters
from fogbound.core.spec import parse
from fogbound.games import GAMES
from fogbound.web.refusal import Refusal

MOST = 200  # characters of a value


@dataclass(frozen=True)
class ParameterField:
    """One parameter: its value as a spec has it, and its choices where there are few."""

    name: str
    value: str
    default: str
    choices: tuple[str, ...]
    about: str


def parameter_fields(name: str, given: Mapping[str, str]) -> list[ParameterField]:
    """The parameters of a registered game; none of a game of one's own."""
    if name not in GAMES:
        return []
    return [
        ParameterField(p.name, given.get(p.name, ""), written(p.default), choices(p), p.about)
        for p in parameters(GAMES.load(name))
    ]


def spec_with(name: str, given: Mapping[str, str]) -> str:
    """The spec of a game with these parameters; what is empty is left as it is.

    Examples
    --------
    >>> spec_with("po-nim", {"n": "5", "win": ""})
    'po-nim(n=5)'
    """
    filled = {key: value.strip() for key, value in given.items() if value.strip()}
    if not filled:
        return name
    if any(len(value) > MOST for value in filled.values()):
        raise Refusal(400, f"a parameter has more than {MOST} letters")
    text = f"{name}({', '.join(f'{key}={value}' for key, value in filled.items())})"
    try:
        asked = parse(text)
    except SpecError as error:
        raise Refusal(400, f"these parameters cannot be read: {error}") from None
    if asked.positional or [key for key, _ in asked.parameters] != list(filled):
        raise Refusal(400, "these parameters cannot be read: expected one value each")
    return text


def written(value: Any) -> str:
    """A value as a spec has it; empty where it must be given, or is none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(written, value))}]"
    return str(value)


def choices(parameter: Parameter) -> tuple[str, ...]:
    """The values that a parameter can have, where they are few."""
    if typing.get_origin(parameter.type) is Literal:
        return tuple(written(choice) for choice in typing.get_args(parameter.type))
    return ("true", "false") if parameter.type is bool else ()
