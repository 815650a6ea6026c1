"""Levels as candidates: solved for a game, and ready to be weighed against logs of people."""

from __future__ import annotations

from collections.abc import Sequence

from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.solvers.level_k.hierarchy import solve_levels


def levels_of(game: AnyGame, player: int, levels: int, prior: str) -> tuple[list[Strategy], Sequence[float]]:
    """Levels 0 to `levels` of one player, who know what to do after a slip of their own hand; and their prior."""
    hierarchy = solve_levels(game, levels=levels, prior=prior)
    return [hierarchy.policy(level, player, slips=1) for level in range(levels + 1)], hierarchy.weights(levels + 1)
