"""Whether a solution is of a game."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fogbound.core.game import AnyGame
from fogbound.driver.provenance import form_digest
from fogbound.forms.protocol import Form
from fogbound.games import FOREIGN, GAMES
from fogbound.transforms import TRANSFORMS

_OWN = re.compile(r"[^\s(),=]*\.py:([^\s(),=]*)")  # somebody's own class; imported in Python, it is called without


def solves(provenance: Mapping[str, Any], game: AnyGame | Form) -> bool:
    """Whether a solution is of this game. A file, of a model or of one's own rules, is not known by where it lies."""
    form: Form | None = getattr(game, "origin", None)
    if form is not None and provenance.get("form") == form.kind:
        return bool(provenance.get("form_sha256") == form_digest(form))
    named = game.spec if isinstance(game, Form) else str(game)
    return _name(str(provenance.get("game"))) == _name(named)


def _name(spec: str) -> tuple[str, list[str]]:
    """A spec without the files that classes lie in; and which of these classes are called as one of Fogbound's is."""
    shipped = (GAMES, TRANSFORMS, FOREIGN)
    return _OWN.sub(r"\1", spec), [name for name in _OWN.findall(spec) if any(name in known for known in shipped)]
