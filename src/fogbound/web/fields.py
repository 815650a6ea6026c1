"""Fields of a form from the fields of a dataclass: name, type, default and docstring. Nothing is typed twice.

Solve, the page of a game and the table read parameters in this one way. A field that is left empty is the default.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Any

from fogbound.core.errors import SpecError, one_line
from fogbound.core.registry import Parameter, Registry, parameters, said
from fogbound.core.spec import Spec, parse

NUMBERS, FLAG, CHOICE, WORD = "number", "flag", "choice", "word"
MOST_VALUE = 200  # characters


@dataclass(frozen=True)
class Field:
    """One field of a form.

    Attributes
    ----------
    name
        What it is called in the request: a prefix, and the parameter's name.
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


def fields_of(registry: Registry[Any], spec: Spec, given: Mapping[str, str], prefix: str) -> list[Field]:
    """A field for each parameter of a registered class that a form can hold; none of what is not registered.

    Parameters
    ----------
    registry
        Of games, or of solvers.
    spec
        Which of them; what it says stands in the fields of which the request says nothing.
    given
        What a request says, by the names of fields.
    prefix
        What stands before a parameter's name in the name of its field, so that a form may hold those of several.

    Raises
    ------
    SpecError
        The spec or the request says something of a parameter that there is not.
    """
    if spec.name not in registry:
        return []
    cls = registry.load(spec.name)
    known, listed = said(cls, registry.plain(spec)), []
    named = [key.removeprefix(prefix) for key in given if prefix and key.startswith(prefix)]
    said(cls, Spec(registry.meant(spec.name), tuple((name, "") for name in named)))
    for parameter in parameters(cls):
        kind, choices = kind_of(parameter.type)
        if not kind:
            continue
        name = prefix + parameter.name
        default = _written(parameter.default)
        now = _written(known[parameter.name]) if parameter.name in known else default
        value = (given[name].strip() or default) if name in given else now
        label = parameter.name.strip("_").replace("_", " ")
        listed.append(Field(name, label, kind, value, default, choices, parameter.about))
    return listed


def spec_from(registry: Registry[Any], spec: Spec, fields: list[Field], prefix: str) -> str:
    """The spec that a form describes, with what differs from the defaults.

    Examples
    --------
    >>> from fogbound.core.spec import parse
    >>> from fogbound.games import GAMES
    >>> nim = parse("po-nim(win=12)")
    >>> spec_from(GAMES, nim, fields_of(GAMES, nim, {"p.n": "5"}, "p."), "p.")
    'po-nim(n=5, win=12)'

    Raises
    ------
    SpecError
        A value that is none.
    """
    if spec.name not in registry:
        return str(spec)
    cls, plain = registry.load(spec.name), registry.plain(spec)
    filled, known, chosen = {field.name: field for field in fields}, said(cls, plain), []
    for parameter in parameters(cls):
        field = filled.get(prefix + parameter.name)
        if field is None:  # what no form can hold is as the spec has it
            chosen += [(key, value) for key, value in known.items() if key == parameter.name]
        elif field.value != field.default:
            chosen.append((parameter.name, _checked(plain.name, field, parameter)))
    return str(Spec(plain.name, tuple(chosen)))


def _checked(owner: str, field: Field, parameter: Parameter) -> Any:
    if len(field.value) > MOST_VALUE:
        raise SpecError(f"{owner}: {field.label} has {len(field.value):,} letters, expected at most {MOST_VALUE}")
    if field.choices and field.value not in field.choices:
        expected = ", ".join(field.choices)
        raise SpecError(f"{owner}: {field.label} is {one_line(field.value, 40)!r}, expected {expected}")
    return value_of(field, parameter)


def value_of(field: Field, parameter: Parameter) -> Any:
    """What a field's text means: read as a spec is, so that nothing is evaluated."""
    if field.kind in (CHOICE, WORD) and not (field.kind == WORD and _counts(parameter.type)):
        if '"' in field.value or "\\" in field.value:
            raise SpecError(f"{field.label} is {one_line(field.value, 40)!r}, expected a word without quotation marks")
        return field.value
    try:
        read = parse(f"x(v={field.value})")
        if read.positional or len(read.parameters) != 1:
            raise SpecError("several values behind commas")
    except SpecError:
        raise SpecError(f"{field.label} is {one_line(field.value, 40)!r}, expected {_expected(field)}") from None
    return read.parameters[0][1]


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
    named = str in plain  # what may be a function may be a name instead
    return (WORD, ()) if named or plain <= {int, float, tuple, type(None)} else ("", ())


def _written(value: Any) -> str:
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
