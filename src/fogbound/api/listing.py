"""What there is: games, games made from games, and solvers, with their parameters."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from inspect import cleandoc, getdoc
from typing import TYPE_CHECKING, Any, overload

from fogbound.core.registry import Registry, defaults
from fogbound.core.spec import parameter_text
from fogbound.games import FOREIGN, GAMES, SIMULATORS
from fogbound.solvers import SOLVERS
from fogbound.transforms import TRANSFORMS

if TYPE_CHECKING:
    from fogbound.naming.games import GameLike


@dataclass(frozen=True)
class Entry:
    """One game or solver: its name, its parameters with their defaults (None = must be given), what it is.

    Attributes
    ----------
    name
        Its name in a spec.
    parameters
        The default of each parameter; None where it must be given.
    about
        What it is, in a line.
    kind
        ``game``, ``transform`` or ``solver``.
    form
        Of a solver: the kind of form that it works on.
    finds
        Of a solver: what it finds.
    title
        Of a game: what people call it with these defaults; empty where it must be told of what it is made.
    group
        Of a game: the heading that lists show it under.
    """

    name: str
    parameters: dict[str, Any]
    about: str
    kind: str
    form: str = ""
    finds: str = ""
    title: str = ""
    group: str = ""

    @property
    def spec(self) -> str:
        """How it is written, with all that can be set."""
        every = self.parameters.items()
        given = ", ".join(f"{key}={parameter_text(value)}" if value is not None else key for key, value in every)
        return f"{self.name}({given})" if given else self.name

    def __str__(self) -> str:
        return f"{self.title}: {self.spec}\n      {self.about}" if self.title else f"{self.spec}\n      {self.about}"


class Catalogue(Sequence[Entry]):
    """A list of entries that prints one a line and can be asked by name: `fb.solvers()["sarsop"]`.

    Parameters
    ----------
    entries
        What it lists.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = tuple(entries)

    @overload
    def __getitem__(self, key: int | str) -> Entry: ...

    @overload
    def __getitem__(self, key: slice) -> Catalogue: ...

    def __getitem__(self, key: int | str | slice) -> Entry | Catalogue:
        if isinstance(key, str):
            for entry in self:
                if entry.name == key:
                    return entry
            raise KeyError(key)
        return Catalogue(self._entries[key]) if isinstance(key, slice) else self._entries[key]

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def __repr__(self) -> str:
        width = max((len(entry.name) for entry in self), default=0)
        return "\n".join(f"{entry.name:<{width}}  {entry.about}"[:110] for entry in self)


def games() -> Catalogue:
    """The games there are, and the games made from games, with their parameters.

    Returns
    -------
    Catalogue
        An entry for each, by name.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.games()["card-poker"].parameters
    {'ranks': 8}
    """
    ours = [entry for registry in (GAMES, SIMULATORS, FOREIGN) for entry in _listed(registry, "game")]
    return Catalogue([*ours, *_listed(TRANSFORMS, "transform")])


def solvers() -> Catalogue:
    """The solvers there are: what they find, on which form, with which parameters.

    Returns
    -------
    Catalogue
        An entry for each, by name.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.solvers()["sarsop"].form
    'pomdp'
    """
    return Catalogue(_listed(SOLVERS, "solver"))


def rules(game: GameLike) -> str:
    """The rules of a game in its author's words: its class's docstring, after the module's where that tells the rules.

    A module tells them where it has more than one paragraph; a class that has so many needs no other.

    Parameters
    ----------
    game
        The game, or whatever names it.

    Returns
    -------
    str
        Paragraphs of text; empty where the author wrote none.

    Examples
    --------
    >>> import fogbound as fb
    >>> print(fb.rules("po-nim").splitlines()[0])
    Partially observable nim: two heaps, and each player sees only its own.
    """
    from fogbound.naming.games import as_game
    from fogbound.simulators.game import SimulatedGame

    played = as_game(game)
    cls = type(played.simulator if isinstance(played, SimulatedGame) else played)
    written = not (cls.__doc__ or "").startswith(f"{cls.__name__}(")  # as dataclasses do where nobody did
    own = _prose(cls.__doc__) if written else ""
    around = _prose(getattr(sys.modules.get(cls.__module__), "__doc__", None))
    if "\n\n" in own or not around:
        return own
    return f"{around}\n\n{own}".strip() if "\n\n" in around else own or around


def _prose(docstring: str | None) -> str:
    """A docstring up to its first section."""
    return re.split(r"\n\n?[A-Z]\w+\n-{3,}", cleandoc(docstring or ""))[0].strip()


def _listed(registry: Registry[Any], kind: str) -> list[Entry]:
    """Name, parameters and first line of the docstring of each entry."""
    listed = []
    for name in registry:
        cls = registry.load(name)
        given = {key: default if kind == "solver" else _default(default) for key, (default, _) in defaults(cls).items()}
        about = (getdoc(cls) or "").partition("\n")[0]
        form, finds = (cls.form.kind, cls.finds) if kind == "solver" else ("", "")
        title, group = ("", "") if kind != "game" else (cls.record.titled(given), cls.record.group)
        listed.append(Entry(name, given, about, kind, form, finds, title, group))
    return listed


def _default(value: object) -> object:
    """A default that prints as a spec writes it; None where there is nothing to show."""
    if isinstance(value, tuple):
        return list(value) or None
    return value if isinstance(value, int | float | str) else None
