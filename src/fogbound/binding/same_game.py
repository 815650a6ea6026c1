"""Whether a solution is of a game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fogbound.core.game import AnyGame
from fogbound.driver.provenance import form_digest
from fogbound.forms.protocol import Form


def solves(provenance: Mapping[str, Any], game: AnyGame | Form) -> bool:
    """Whether a solution is of this game. A model file is known by what it says, not by where it lies."""
    form: Form | None = getattr(game, "origin", None)
    if form is not None and provenance.get("form") == form.kind:
        return bool(provenance.get("form_sha256") == form_digest(form))
    return bool(provenance.get("game") == (game.spec if isinstance(game, Form) else str(game)))
