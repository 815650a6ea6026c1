"""Fields of a form from the fields of a dataclass: name, type, default and docstring. Nothing is typed twice."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Any

from fogbound.core.errors import SpecError, one_line
from fogbound.core.registry import Parameter, parameters
from fogbound.core.spec import Spec, parse

NUMBERS, FLAG, CHOICE, WORD = "number", "flag", "choice", "word"
MOST_VALUE = 200  # characters


@dataclass(frozen=True)
class Field:
    """One field of a form.

    Attributes
    ----------
    name
        What it is called in the request: the owner's name, a full stop, the parameter's.
    label
        What people read.
    kind
        number, flag, choice or word.
    value
        What stands in it.
    default
        What stands in it unless somebody changes it.
    choices
        Of a choice or a flag: the values.
    about
        A line on what it does.
    """

    name: str
    label: str
    kind: str
    value: str
    default: str
    choices: tuple[str, ...] = ()
    about: str = ""


def fields_of(owner: str, cls: type[Any], given: Mapping[str, str], spec: Spec) -> list[Field]:
    """A field for each parameter of a registered class that a form can hold.

    Parameters
    ----------
    owner
        Its registered name.
    cls
        The class.
    given
        What a request says, by the names of fields.
    spec
        What a spec says, where the request says nothing.
    """
    said = dict(spec.named([parameter.name for parameter in parameters(cls)]).parameters)
    listed = []
    for parameter in parameters(cls):
        kind, choices = kind_of(parameter.type)
        if not kind:
            continue
        name = f"{owner}.{parameter.name}"
        default = written(parameter.default)
        value = given.get(name, written(said[parameter.name]) if parameter.name in said else default)
        label = parameter.name.strip("_").replace("_", " ")
        listed.append(Field(name, label, kind, value.strip()[:MOST_VALUE], default, choices, parameter.about))
    return listed


def spec_from(owner: str, cls: type[Any], fields: list[Field]) -> str:
    """The spec that a form describes, with what differs from the defaults.

    Raises
    ------
    SpecError
        A value that is none.
    """
    hints = {f"{owner}.{parameter.name}": parameter for parameter in parameters(cls)}
    given = []
    for field in fields:
        if field.value == field.default:
            continue
        if field.choices and field.value not in field.choices:
            expected = ", ".join(field.choices)
            raise SpecError(f"{owner}: {field.label} is {one_line(field.value, 40)!r}, expected {expected}")
        given.append((hints[field.name].name, value_of(field, hints[field.name])))
    return str(Spec(owner, tuple(given)))


def value_of(field: Field, parameter: Parameter) -> Any:
    """What a field's text means: read as a spec is, so that nothing is evaluated."""
    if field.kind in (CHOICE, WORD) and not (field.kind == WORD and _counts(parameter.type)):
        if '"' in field.value or "\\" in field.value:
            raise SpecError(f"{field.label} is {one_line(field.value, 40)!r}, expected a word without quotation marks")
        return field.value
    try:
        return parse(f"x(v={field.value})").parameters[0][1]
    except (SpecError, IndexError):
        raise SpecError(f"{field.label} is {one_line(field.value, 40)!r}, expected {_expected(field)}") from None


def kind_of(hint: Any) -> tuple[str, tuple[str, ...]]:
    """How a type is asked for; an empty kind where a form cannot."""
    if hint is bool:
        return FLAG, ("true", "false")
    if typing.get_origin(hint) is typing.Literal:
        return CHOICE, tuple(map(str, typing.get_args(hint)))
    if hint in (int, float):
        return NUMBERS, ()
    parts = (
        set(typing.get_args(hint)) if isinstance(hint, UnionType) or typing.get_origin(hint) is typing.Union else {hint}
    )
    plain = {typing.get_origin(part) or part for part in parts}
    return (WORD, ()) if plain <= {int, float, str, tuple, type(None)} else ("", ())


def written(value: Any) -> str:
    """A value as a spec writes it, and so as a field shows it."""
    if isinstance(value, str):
        return value
    return str(Spec("x", (("v", value),)))[4:-1]


def _counts(hint: Any) -> bool:
    """Whether a word may also be a number, a list or nothing."""
    parts = typing.get_args(hint) if typing.get_origin(hint) is not tuple else (hint,)
    return hint is not str and any((typing.get_origin(part) or part) is not str for part in parts or (hint,))


def _expected(field: Field) -> str:
    return "a number" if field.kind == NUMBERS else "a number, a word, or a list such as [1, 2]"
