"""What a request may name, at any depth of a spec: what is registered here, and no file or code of another library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from fogbound.core.errors import SpecError, one_line
from fogbound.core.registry import Registry
from fogbound.core.spec import Spec, parse
from fogbound.games import FOREIGN, GAMES
from fogbound.policies import FOREIGN_POLICIES
from fogbound.solvers import SOLVERS
from fogbound.transforms import TRANSFORMS
from fogbound.web.refusal import Refusal

OURS: tuple[Registry[Any], ...] = (GAMES, TRANSFORMS, SOLVERS)
THEIRS: tuple[Registry[Any], ...] = (FOREIGN, FOREIGN_POLICIES)
_FILE = re.compile(r"[/\\]|\.[A-Za-z]")  # a path, or a name with an ending


def registered(text: str, *registries: Registry[Any]) -> Spec:
    """The spec that a request wrote.

    Parameters
    ----------
    text
        The spec.
    registries
        What it may name; a spec inside it may name any registered game, transform or solver.

    Raises
    ------
    Refusal
        A name or a value in it, however deep, is a file, is registered nowhere, or belongs to another library.
    """
    spec = parse(text)
    require_no_file(spec)
    strange = next((name for name in _names(spec) if not _known(name, OURS) or _known(name, THEIRS)), None)
    if strange is None and not _known(spec.name, registries):
        strange = spec.name
    if strange is not None:
        kinds = " or ".join(dict.fromkeys(registry.kind for registry in registries))
        raise Refusal(404, f"there is no {kinds} {one_line(strange, 60)!r} here")
    return spec


def require_no_file(spec: Spec) -> None:
    """Refuse a spec in which a name or a value, however deep, is a path or happens to be a file's name."""
    for word in (spec.name, *_words(spec)):
        if _FILE.search(word) or (not _known(word, OURS) and Path(word).is_file()):
            raise Refusal(400, "a request names no files: games of your own stand on fogbound serve's command line")


def _known(name: str, registries: tuple[Registry[Any], ...]) -> bool:
    return any(name in registry for registry in registries)


def _names(spec: Spec) -> Iterator[str]:
    """The names of a spec and of those inside it, and the words that may stand for one of another library."""
    yield spec.name
    for value in _values(spec):
        if isinstance(value, Spec):
            yield value.name
        elif isinstance(value, str) and _known(value, THEIRS):
            yield value


def _words(spec: Spec) -> Iterator[str]:
    """Every name and every word below a spec."""
    for value in _values(spec):
        if isinstance(value, Spec):
            yield value.name
        elif isinstance(value, str):
            yield value


def _values(value: object) -> Iterator[object]:
    """All values below a spec or in a list, those inside others included."""
    inside = (*value.positional, *(given for _, given in value.parameters)) if isinstance(value, Spec) else value
    for one in inside if isinstance(inside, tuple) else ():
        yield one
        yield from _values(one)
        if isinstance(one, str) and re.search("[(:]", one):  # a hook's name may be a spec in quotation marks
            with suppress(SpecError):
                quoted = parse(one)
                yield quoted
                yield from _values(quoted)
