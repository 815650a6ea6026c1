"""Identity of games and forms: their arrays, or the files in which their rules are written, by content."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from typing import Any

from fogbound import archive
from fogbound.core.game import AnyGame, Game
from fogbound.core.identity import Files, ReadFile, class_files, read_file_digest
from fogbound.forms.protocol import Form


def form_digest(form: Form) -> str:
    """A hash of a form's arrays: two forms with the same hash are the same problem."""
    digest = hashlib.sha256()
    for name, array in sorted(form.arrays().items()):
        plain = archive.canonical(array)
        shape = ",".join(map(str, plain.shape))
        digest.update(f"{name}\0{plain.dtype.str}\0{shape}\0".encode() + plain.tobytes())
    return digest.hexdigest()


def game_files(source: AnyGame | Form) -> Files:
    """What the rules of a game are read from, by content: somebody's own Python files, and models.

    Fogbound's own games have none: their name, their parameters and Fogbound's version identify them.

    Parameters
    ----------
    source
        A game, or a form that came without one. Games inside a game count as well.

    Returns
    -------
    dict
        By name, a SHA-256: of a file's bytes, or of a model's arrays.

    Examples
    --------
    >>> from fogbound import games
    >>> game_files(games.make("leduc"))
    {}
    """
    if isinstance(source, Form):
        return {source.spec: form_digest(source)}
    return _class_files(source)


def _class_files(source: Any) -> Files:
    """The files of a class, and of what its fields hold."""
    found = class_files(type(source))
    if dataclasses.is_dataclass(source):
        for field in dataclasses.fields(source):
            found |= _inside(getattr(source, field.name))
    return found


def _inside(value: Any) -> Files:
    """The same of a parameter: a game, a form, a file that was read, a collection of them, or any other object."""
    if isinstance(value, Game | Form):
        return game_files(value)
    if isinstance(value, ReadFile):
        return {value.path: read_file_digest(value)}
    if isinstance(value, Mapping | tuple | list):
        parts = value.values() if isinstance(value, Mapping) else value
        return {name: digest for part in parts for name, digest in _inside(part).items()}
    return _class_files(value)
