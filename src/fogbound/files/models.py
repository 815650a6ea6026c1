"""Which reader and writer a file's ending asks for."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fogbound.core.errors import FileError, one_line

if TYPE_CHECKING:
    from fogbound.files.osposg.writer import OneSidedSizes
    from fogbound.files.writing import ModelSizes
    from fogbound.forms.one_sided.form import OneSided
    from fogbound.forms.pomdp import POMDP
    from fogbound.policies.alpha_vectors import AlphaVectors

MODELS = {".pomdp": ("cassandra", "pomdp"), ".pomdpx": ("pomdpx", "pomdpx")}
ONE_SIDED = {".osposg": ("osposg", "osposg")}
VECTORS = {".alpha": ("alpha", "alpha"), ".policy": ("policyx", "policyx")}


def read_model(path: str | os.PathLike[str]) -> POMDP:
    """The POMDP in a `.pomdp` (Cassandra) or `.pomdpx` (APPL) file."""
    form: POMDP = _function(path, MODELS, "read")(path)
    return form


def write_model(form: POMDP, path: str | os.PathLike[str]) -> ModelSizes:
    """Write a POMDP in the format that the ending of `path` names; how large it is there."""
    sizes: ModelSizes = _function(path, MODELS, "write")(form, path)
    return sizes


def read_one_sided(path: str | os.PathLike[str]) -> OneSided:
    """The one-sided game in an `.osposg` file, in which player 1 is blind; `forms.OneSidedGame` makes it playable."""
    form: OneSided = _function(path, ONE_SIDED, "read")(path)
    return form


def write_one_sided(form: OneSided, path: str | os.PathLike[str]) -> OneSidedSizes:
    """Write a one-sided game in the format that the ending of `path` names; how large it is there."""
    sizes: OneSidedSizes = _function(path, ONE_SIDED, "write")(form, path)
    return sizes


def read_vectors(path: str | os.PathLike[str], form: POMDP) -> AlphaVectors:
    """The value function in an `.alpha` (pomdp-solve) or `.policy` (APPL) file, as a policy of `form`."""
    policy: AlphaVectors = _function(path, VECTORS, "read")(path, form)
    return policy


def write_vectors(policy: AlphaVectors, path: str | os.PathLike[str]) -> None:
    """Write a value function in the format that the ending of `path` names."""
    _function(path, VECTORS, "write")(policy, path)


def _function(path: str | os.PathLike[str], known: dict[str, tuple[str, str]], verb: str) -> Any:
    ending = Path(path).suffix
    if ending not in known:
        raise FileError(f"{one_line(str(path), 200)}: found the ending {ending!r}, expected {' or '.join(known)}")
    module, format_ = known[ending]
    return getattr(importlib.import_module(f"fogbound.files.{module}"), f"{verb}_{format_}")
