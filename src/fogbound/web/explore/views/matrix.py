"""Matrix: a game for two as the table of its pure strategies, with how likely each is played."""

from __future__ import annotations

from fogbound.api.looking import Look
from fogbound.web.explore.address import Address
from fogbound.web.explore.views.shown import View
from fogbound.web.explore.views.which import which_equilibrium


def view(look: Look, player: int, asked: Address) -> View:  # noqa: ARG001, a matrix is of both players
    """The payoffs of a game for two."""
    return View(look.matrix(), which_equilibrium(look), python="matrix()")
