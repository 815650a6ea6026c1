"""What people call the game of a spec, without making the game: it may be of any size."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from fogbound.core.errors import SpecError
from fogbound.core.registry import Registry, defaults
from fogbound.core.spec import Spec, parse
from fogbound.games import GAMES
from fogbound.transforms import TRANSFORMS

WRAPPED = "game"  # the parameter of a transform that names the game inside


def spec_title(text: Spec | str) -> str:
    """The title of a spec's game, from its record and the spec's parameters; the text itself where it has none.

    Examples
    --------
    >>> spec_title("card-poker(ranks=5)"), spec_title("horizon(leduc, 3)"), spec_title("my_game.py:MyGame")
    ('5-card poker', "Leduc hold'em, at most 3 steps", 'my_game.py:MyGame')
    """
    try:
        spec = parse(text) if isinstance(text, str) else text
        registry: Registry[Any] = next(one for one in (GAMES, TRANSFORMS) if spec.name in one)
        title = registry.load(spec.name).record.titled(dict(_values(registry, spec)))
    except (SpecError, StopIteration):
        title = ""
    return title or str(text)


def game_titles() -> dict[str, str]:
    """What people call each registered game, by its name."""
    return {name: spec_title(name) for name in GAMES}


def _values(registry: Registry[Any], spec: Spec) -> Iterator[tuple[str, Any]]:
    """The parameters of a spec and the defaults of the others; a game inside has its title alone."""
    yield from (
        (name, default) for name, (default, required) in defaults(registry.load(spec.name)).items() if not required
    )
    for name, value in registry.plain(spec).parameters:
        inside = name == WRAPPED and isinstance(value, Spec | str)
        yield name, SimpleNamespace(title=spec_title(value)) if inside else value
