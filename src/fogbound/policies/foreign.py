"""Policies that other libraries bring: known by name like solvers, imported when one is asked for.

Each is a class that a spec describes, with `policy(game, player, seed)`, which sits it down.
"""

from __future__ import annotations

from typing import Protocol

from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.core.registry import Registry


class ForeignBot(Protocol):
    """Somebody else's bot, by its name there."""

    def policy(self, game: AnyGame, player: int, seed: int) -> Strategy:
        """The bot in a seat of a game; an error in a line where it cannot sit there."""


FOREIGN_POLICIES: Registry[ForeignBot] = Registry(
    "policy", {"openspiel-bot": "fogbound.interop.openspiel.bots:OpenSpielBot"}
)
