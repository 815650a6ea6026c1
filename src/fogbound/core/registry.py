"""Catalogues of games and solvers: a name leads to a class, imported only when it is asked for.

Every parameter a spec may set is a field of the class, so the command line's flags, the lists of
`fogbound games` and the errors here all come from one place.
"""

from __future__ import annotations

import dataclasses
import difflib
import glob
import importlib
import os
import sys
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from fogbound.core.errors import FogboundError, SpecError, brief, raised
from fogbound.core.parameter_docs import described_parameters
from fogbound.core.spec import Spec, foreign, parse

T = TypeVar("T")
OWN_FILE = "fogbound_game_"  # how the names of modules begin that people's own files become


@dataclass(frozen=True)
class Parameter:
    """One field of a registered class: what a spec or a flag may set."""

    name: str
    type: Any
    default: Any
    required: bool
    about: str = ""  # what the docstring of the class says of it

    @property
    def choices(self) -> tuple[Any, ...]:
        """The values that its type lists; empty where it lists none."""
        return typing.get_args(self.type) if typing.get_origin(self.type) is typing.Literal else ()

    def __str__(self) -> str:
        return self.name if self.required else f"{self.name}={self.default}"


@dataclass(frozen=True)
class Registry(Generic[T]):
    """Names and where their classes live, `"package.module:Class"`; other words that people use for the same."""

    kind: str  # "game", "solver": the word used in messages
    places: Mapping[str, str]
    aliases: Mapping[str, str] = dataclasses.field(default_factory=dict)  # another name -> the name
    synonyms: Mapping[str, str] = dataclasses.field(default_factory=dict)  # another word for a parameter -> its name
    group: str = ""  # of entry points, by which installed packages add names of their own; ours win

    def __iter__(self) -> Iterator[str]:
        return iter({**self.places, **installed(self.group)})

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self.place(self.meant(name)))

    def place(self, name: str) -> str:
        """Where the class of this name lives; empty where nobody has one. Packages are asked for what is not ours."""
        return self.places.get(name) or installed(self.group).get(name, "")

    def meant(self, name: str) -> str:
        """The name that `name` is another for: an alias, or one written with underscores."""
        plain = name if name in self.places else name.replace("_", "-")
        plain = self.aliases.get(plain, plain)
        return name if plain not in self.places and name in installed(self.group) else plain

    def load(self, name: str) -> type[T]:
        """The class called `name`."""
        name = self.meant(name)
        place = self.place(name)
        if not place:
            raise SpecError(f"unknown {self.kind} {brief(name)}{suggestion(name, [*self, *self.aliases])}")
        cls: type[T] = located(place) if name in self.places else from_package(self.kind, name, place)
        cls.name = name  # type: ignore[attr-defined]
        return cls

    def make(self, spec: Spec | str, nested: Callable[[Spec], Any] | None = None) -> T:
        """The object that `spec` describes, its parameters checked by name and type."""
        spec = parse(spec) if isinstance(spec, str) else spec
        return build(self.load(spec.name), self.plain(spec), nested or self.make)

    def plain(self, spec: Spec) -> Spec:
        """The same spec in the words of the class: its registered name, and every parameter by its own name."""
        declared = [p.name for p in parameters(self.load(spec.name))]
        said = {word: name for word, name in self.synonyms.items() if word not in declared and name in declared}
        given = tuple((said.get(key, key), value) for key, value in spec.parameters)
        return Spec(self.meant(spec.name), given, spec.positional).named(declared)


@lru_cache(16)
def installed(group: str) -> Mapping[str, str]:
    """By name, the places that installed packages declare in a group of entry points, such as `fogbound.solvers`.

    Nothing is imported, not even `importlib.metadata`: files of entry points are read from the folders of `sys.path`.
    Of packages that declare the same name the first counts, in the order of their names.
    """
    declared: dict[str, dict[str, str]] = {}  # by package, as the first folder that holds it declares
    for folder in sys.path if group else ():
        for path in sorted(glob.iglob(f"{glob.escape(folder or '.')}/*.*-info/entry_points.txt")):
            package = os.path.basename(os.path.dirname(path)).partition("-")[0].lower().replace("_", "-")
            if package not in declared:
                declared[package] = _entry_points(path, group)
    return {name: place for package in sorted(declared, reverse=True) for name, place in declared[package].items()}


def _entry_points(path: str, group: str) -> dict[str, str]:
    """The entry points of a group in a file of them; none where it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            _, _, section = f"\n{file.read()}".partition(f"\n[{group}]\n")
    except (OSError, ValueError):
        return {}
    lines = section.partition("\n[")[0].splitlines()
    pairs = (line.partition("#")[0].partition("=") for line in lines)
    return {name.strip(): place.partition("[")[0].strip() for name, equals, place in pairs if equals}


def from_package(kind: str, name: str, place: str) -> Any:
    """What an entry point leads to; SpecError where the package's own code fails."""
    try:
        return located(place)
    except FogboundError:
        raise
    except Exception as error:
        raise SpecError(f"the {kind} {name!r} of an installed package, {place}: {raised(error)}") from error


def located(place: str) -> Any:
    """What stands at `"package.module:name"`, imported now: for what lies in a layer above and is looked up by name."""
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(module), attribute)


def build(cls: type[T], spec: Spec, nested: Callable[[Spec], Any]) -> T:
    """`cls(**parameters of spec)`, with errors that name the parameter and list what there is."""
    declared = {p.name: p for p in parameters(cls)}
    given = said(cls, spec.named(list(declared)))
    arguments = {key: _convert(value, declared[key], spec.name, nested) for key, value in given.items()}
    missing = [p.name for p in declared.values() if p.required and p.name not in arguments]
    if missing:
        raise SpecError(f"{spec.name} needs the parameter {missing[0]!r}")
    try:
        return cls(**arguments)
    except FogboundError:
        raise
    except (TypeError, ValueError) as error:
        raise SpecError(f"{spec}: {error}") from error


def said(cls: type[Any], spec: Spec) -> dict[str, Any]:
    """What a spec says of each parameter; an error where it says it twice, or of one that there is not."""
    declared = {p.name: p for p in parameters(cls)}
    given: dict[str, Any] = {}
    for key, value in spec.parameters:
        if key in given:
            raise SpecError(f"{spec.name}: parameter {key!r} is given twice")
        if key not in declared:
            has = ", ".join(map(str, declared.values())) or "none"
            raise SpecError(f"{spec.name} has no parameter {key!r}{suggestion(key, declared)}; it has: {has}")
        given[key] = value
    return given


def parameters(cls: type[Any]) -> list[Parameter]:
    """The fields of a dataclass that its constructor takes."""
    return list(_parameters(cls))  # type: ignore[arg-type]  # a class is hashable


@lru_cache(256)  # hints are evaluated anew each time they are asked for, and a server asks with every request
def _parameters(cls: type[Any]) -> tuple[Parameter, ...]:
    if not dataclasses.is_dataclass(cls):
        return ()
    try:
        hints = typing.get_type_hints(cls)
    except (NameError, TypeError):  # a hint imported for checkers only: any value will do
        hints = {}
    about = _described(cls)
    return tuple(
        Parameter(name, hints.get(name, Any), default, required, about.get(name, ""))
        for name, (default, required) in defaults(cls).items()
    )


def defaults(cls: type[Any]) -> dict[str, tuple[Any, bool]]:
    """By parameter, its default, and whether it must be given: what a list needs, without the types."""
    found: dict[str, tuple[Any, bool]] = {}
    for field in dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ():
        if field.init:
            made = field.default_factory
            default = field.default if made is dataclasses.MISSING else made()
            required = default is dataclasses.MISSING
            found[field.name] = (None if required else default, required)
    return found


def _described(cls: type[Any]) -> dict[str, str]:
    """By parameter, what the section Parameters of a docstring says, as one line."""
    found = described_parameters(cls.__doc__)
    return {name: " ".join(said.partition("\n")[2].split()) for names, said in found.items() for name in names}


def _convert(value: Any, parameter: Parameter, owner: str, nested: Callable[[Spec], Any]) -> Any:
    """A parsed value as the type its field asks for."""
    wanted = _plain_types(parameter.type)
    if isinstance(value, Spec):
        as_text = nested is not foreign and str in wanted  # a name, kept as it is written
        return str(value) if as_text else nested(value)
    if float in wanted and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if str in wanted and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value) if not (int in wanted and isinstance(value, int)) else value
    if wanted and not any(type(value) is kind for kind in wanted):
        if isinstance(value, str) and not wanted & {str, int, float, bool, tuple, type(None)}:
            return nested(Spec(value))
        expected = " or ".join(sorted("none" if k is type(None) else k.__name__ for k in wanted))
        raise SpecError(f"{owner}: parameter {parameter.name!r} is {brief(value)}, expected {expected}")
    return value


def _plain_types(hint: Any) -> set[type]:
    """The run-time types a hint allows; empty = anything."""
    if hint is Any:
        return set()
    origin = typing.get_origin(hint)
    if origin is None:
        return {hint} if isinstance(hint, type) else set()
    if origin is typing.Literal:
        return {type(choice) for choice in typing.get_args(hint)}
    if origin in (typing.Union, getattr(__import__("types"), "UnionType", typing.Union)):
        return set().union(*(_plain_types(part) for part in typing.get_args(hint)))
    return {origin} if isinstance(origin, type) else set()


def suggestion(name: str, names: Any) -> str:
    """`; did you mean …?` when something is near, otherwise an empty string."""
    near = difflib.get_close_matches(name.lower(), list(names), n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else ""
