"""Spec strings: `po-nim(n=3)` names a game, a solver or a policy with its parameters.

Specs are parsed, never evaluated. A value is a number, a share such as 1%, true, false, none, a quoted string, a bare
word, a list in square brackets or another spec, so `horizon(game=tiger(), steps=3)` nests. Parameters may be given in
their order instead of by name, `horizon(tiger, 3)`, and after a colon, which no shell wants quoted: `po-nim:n=3`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fogbound.core.errors import SpecError, brief, many

MOST_CHARACTERS = 1_000
MOST_DEPTH = 16

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<share>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?%)
    | (?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?(?![\w.-]))
    | (?P<word>[A-Za-z_0-9./][\w./:-]*)
    | (?P<quoted>"[^"\\]*"|'[^'\\]*')
    | (?P<mark>[(),=\[\]])
    )""",
    re.VERBOSE | re.ASCII,
)
_COLON = re.compile(
    r"\s*(?P<name>[^:()\[\],=]+\.py:[A-Za-z_]\w*|[A-Za-z_][\w-]*):(?P<inside>[^:].*)", re.DOTALL | re.ASCII
)
_CONSTANTS = {"true": True, "True": True, "false": False, "False": False, "none": None, "None": None}


@dataclass(frozen=True)
class Spec:
    """A name with parameters, as written: by name, or by position before those."""

    name: str
    parameters: tuple[tuple[str, Any], ...] = ()
    positional: tuple[Any, ...] = ()

    def __str__(self) -> str:
        inside = [
            *map(parameter_text, self.positional),
            *(f"{key}={parameter_text(value)}" for key, value in self.parameters),
        ]
        return f"{self.name}({', '.join(inside)})" if inside else self.name

    def named(self, order: Sequence[str]) -> Spec:
        """The same with every parameter by name, where they are declared in this order."""
        if len(self.positional) > len(order):
            takes = ", ".join(order) or "no parameters"
            raise SpecError(f"{self}: {many(len(self.positional), 'value')}, but {self.name} takes {takes}")
        given = tuple(zip(order, self.positional))
        twice = [key for key, _ in given if key in dict(self.parameters)]
        if twice:
            raise SpecError(f"{self}: parameter {twice[0]!r} is given twice, by position and by name")
        return Spec(self.name, given + self.parameters)


def parse(text: str) -> Spec:
    """`text` as a Spec, or a SpecError that says what was found and what was expected."""
    if len(text) > MOST_CHARACTERS:
        raise SpecError(f"a spec of {len(text)} characters, expected at most {MOST_CHARACTERS}")
    colon = _COLON.fullmatch(text)
    if colon:  # po-nim:n=3 is po-nim(n=3)
        text = f"{colon['name']}({colon['inside']})"
    tokens = _tokens(text)
    spec, at = _spec(text, tokens, 0, 0)
    if at < len(tokens):
        raise SpecError(f"{brief(text)}: found {tokens[at][1]!r} after the end, expected nothing more")
    return spec


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens, at = [], 0
    end = len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if not match:
            raise SpecError(f"{brief(text)}: found {text[at:].strip()[:1]!r}, expected name(parameter=value, …)")
        kind = str(match.lastgroup)
        tokens.append((kind, match.group(kind)))
        at = match.end()
    return tokens


def _spec(text: str, tokens: list[tuple[str, str]], at: int, depth: int) -> tuple[Spec, int]:
    if at >= len(tokens) or tokens[at][0] != "word":
        found = repr(tokens[at][1]) if at < len(tokens) else "nothing"
        raise SpecError(f"{brief(text)}: found {found}, expected a name such as po-nim(n=3)")
    name, at = tokens[at][1], at + 1
    if at >= len(tokens) or tokens[at][1] != "(":
        return Spec(name), at
    parameters: dict[str, Any] = {}
    positional: list[Any] = []
    at += 1
    while not _is(tokens, at, ")"):
        if parameters or positional:
            at = _expect_comma(text, tokens, at, ")")
            if _is(tokens, at, ")"):
                break
        if at >= len(tokens):
            raise _unclosed(text, ")")
        if not (tokens[at][0] == "word" and _is(tokens, at + 1, "=")):
            if parameters:
                raise SpecError(f"{brief(text)}: found {tokens[at][1]!r} after a named one, expected parameter=value")
            value, at = _value(text, tokens, at, depth + 1)
            positional.append(value)
            continue
        key = tokens[at][1]
        at += 2
        if key in parameters:
            raise SpecError(f"{brief(text)}: parameter {key!r} is given twice")
        parameters[key], at = _value(text, tokens, at, depth + 1)
    return Spec(name, tuple(parameters.items()), tuple(positional)), at + 1


def _value(text: str, tokens: list[tuple[str, str]], at: int, depth: int) -> tuple[Any, int]:
    if depth > MOST_DEPTH:
        raise SpecError(f"{brief(text)}: nested more than {MOST_DEPTH} deep")
    if at >= len(tokens):
        raise SpecError(f"{brief(text)}: found the end, expected a value")
    kind, word = tokens[at]
    if kind == "number":
        return (int(word) if re.fullmatch(r"[+-]?\d{1,18}", word) else float(word)), at + 1
    if kind == "quoted":
        return word[1:-1], at + 1
    if kind == "share":  # 1%: the caller knows of what
        return word, at + 1
    if word == "[":
        items: list[Any] = []
        at += 1
        while not _is(tokens, at, "]"):
            if items:
                at = _expect_comma(text, tokens, at, "]")
            if at >= len(tokens):
                raise _unclosed(text, "]")
            item, at = _value(text, tokens, at, depth + 1)
            items.append(item)
        return tuple(items), at + 1
    if kind != "word":
        raise SpecError(f"{brief(text)}: found {word!r}, expected a value")
    if _is(tokens, at + 1, "("):
        return _spec(text, tokens, at, depth)
    return _CONSTANTS.get(word, word), at + 1


def _is(tokens: list[tuple[str, str]], at: int, mark: str) -> bool:
    return at < len(tokens) and tokens[at] == ("mark", mark)


def _expect_comma(text: str, tokens: list[tuple[str, str]], at: int, closing: str) -> int:
    if at >= len(tokens):
        raise _unclosed(text, closing)
    if not _is(tokens, at, ","):
        raise SpecError(f"{brief(text)}: found {tokens[at][1]!r}, expected ',' or {closing!r}")
    return at + 1


def _unclosed(text: str, closing: str) -> SpecError:
    return SpecError(f"{brief(text)}: the closing {closing!r} is missing at the end")


def parameter_text(value: Any) -> str:
    """A value as it stands in a spec.

    Examples
    --------
    >>> parameter_text(False), parameter_text((0.5, 2.0)), parameter_text("a b")
    ('false', '[0.5, 2]', '"a b"')
    """
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(parameter_text, value)) + "]"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, str) and (value in _CONSTANTS or not re.fullmatch(r"[A-Za-z_/.][\w./:-]*", value, re.ASCII)):
        return f"'{value}'" if '"' in value else f'"{value}"'
    return f'"{value.__qualname__}"' if callable(value) and hasattr(value, "__qualname__") else str(value)


def foreign(spec: Spec) -> str:
    """A spec in the stricter syntax of other libraries, such as OpenSpiel's `load_game`.

    It has no spaces, True and False, brackets behind every nested name, strings without quotation marks, and a point in
    every number that is not whole.

    Examples
    --------
    >>> foreign(parse("misere(game=goofspiel(num_cards=4, imp_info=true), epsilon=1.0)"))
    'misere(game=goofspiel(num_cards=4,imp_info=True),epsilon=1.0)'
    """
    inside = [*map(_foreign, spec.positional), *(f"{key}={_foreign(value)}" for key, value in spec.parameters)]
    return f"{spec.name}({','.join(inside)})"


def _foreign(value: Any) -> str:
    if isinstance(value, Spec):
        return foreign(value)
    if isinstance(value, float):
        from decimal import Decimal

        written = format(Decimal(repr(value)), "f")
        return written if "." in written else f"{written}.0"
    return f"[{','.join(map(_foreign, value))}]" if isinstance(value, tuple) else str(value)


def share_of(text: str) -> float:
    """A share such as `1%`, as the number that it is.

    Examples
    --------
    >>> share_of("1%"), share_of("1e-1%")
    (0.01, 0.001)
    """
    found = _TOKEN.fullmatch(text.rstrip())
    if not found or not found["share"]:
        raise SpecError(f"found {brief(text)}, expected a number, or a share such as 1%")
    return float(text.strip().removesuffix("%")) / 100


def spec_of(thing: Any) -> str:
    """The spec that names `thing`, a dataclass instance made by a registry, with all its parameters.

    Defaults are written too: a stored spec must mean the same when a default changes.
    """
    name = getattr(thing, "name", "") or type(thing).__name__
    if not dataclasses.is_dataclass(thing):
        return str(name)
    fields = (field.name for field in dataclasses.fields(thing) if field.init)
    given = ((key, getattr(thing, key)) for key in fields)
    return str(Spec(str(name), tuple(given)))
