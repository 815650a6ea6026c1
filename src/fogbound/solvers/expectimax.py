"""Expectimax: one player against chance, the best move where the player moves, the average where chance does.

Document 003's MDP tree: V(s) = max over a of R(s, a) + E[V(s')], here with the discount of the game. It is minimax
without a min player, and needs what minimax needs: a player that sees the state. One that does not is belief-mdp's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from fogbound.core.errors import FormError
from fogbound.forms.table import Table
from fogbound.progress import Desk, Progress
from fogbound.solvers.minimax import Stopped, back_up
from fogbound.solvers.perfect import perfect


@dataclass(frozen=True)
class Expectimax:
    """Exact best play of one player who sees everything, against chance alone, over its whole tree."""

    name = "expectimax"

    table: bool = False  # remember states met before instead of walking every history

    form: ClassVar[str] = "table"
    finds: ClassVar[str] = "best play"

    def run(self, form: Table, desk: Desk) -> Iterator[Progress]:
        if len(form.players) != 1:
            raise FormError(
                f"expectimax: {form.spec} has {len(form.players)} players, expected 1. Use minimax, alpha-beta or "
                "backward-induction"
            )
        game = perfect(form, "expectimax")
        try:
            value, choices, counts = back_up(game, "expectimax", self.table, desk.stopping)
        except Stopped:
            return
        yield game.answer((value,), game.profile(choices), counts)
