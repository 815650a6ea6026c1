"""The inputs of a call, by content: the game's files, and those of every policy and solver that it names."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

from fogbound import files
from fogbound.core.errors import FogboundError
from fogbound.core.game import AnyGame
from fogbound.core.identity import GAME, Files, Inputs, class_files, named_files
from fogbound.core.policy import Strategy
from fogbound.core.profile import HasProfile
from fogbound.core.spec import spec_of
from fogbound.driver.solver import Solver
from fogbound.forms.identity import game_files
from fogbound.forms.protocol import Form


def inputs_of(game: AnyGame | Form, **policies: Any) -> Inputs:
    """By role, the files and contents that a call depends on.

    Parameters
    ----------
    game
        The game or form.
    **policies
        By role, whatever `fogbound.policy` takes, a collection of such, a solver, or None.

    Returns
    -------
    dict

    Examples
    --------
    >>> import fogbound as fb
    >>> inputs_of(fb.game("leduc"), against="uniform", solver="pomcp")
    {'the game': {}, 'against': {}, 'solver': {}}
    """
    return {GAME: game_files(game), **{role: policy_files(source) for role, source in policies.items()}}


def policy_files(source: Any) -> Files:
    """The content of a policy, or of several: of the files that a text names, or of an object itself."""
    if source is None:
        return {}
    if isinstance(source, str | os.PathLike):
        return named_files(os.fspath(source))
    if isinstance(source, Solver):
        return {**named_files(spec_of(source)), **class_files(type(source))}
    if isinstance(source, HasProfile):
        return {type(source).__name__: _digest(source.profile)}
    if isinstance(source, Mapping):
        return {name: digest for k, one in source.items() for name, digest in _numbered(k, one)}
    if isinstance(source, Sequence):
        return {name: digest for k, one in enumerate(source) for name, digest in _numbered(k, one)}
    return {type(source).__name__: _digest({0: source})}


def _numbered(key: Any, one: Any) -> list[tuple[str, str]]:
    """The files of one of several; numbers of a strategy that is written down count as text."""
    if isinstance(one, int | float):
        return [(str(key), hashlib.sha256(repr(float(one)).encode()).hexdigest())]
    texts = isinstance(one, str | os.PathLike)
    return [(name if texts else f"{key}: {name}", digest) for name, digest in policy_files(one).items()]


def _digest(profile: Mapping[int, Strategy]) -> str:
    """A hash of what policies play; of one that no file can hold, the files of its class."""
    try:
        return files.policies_digest(profile)
    except FogboundError:
        parts = [class_files(type(one)) for one in profile.values()]
        return hashlib.sha256(repr(parts).encode()).hexdigest()
