"""Levels of reasoning: what each level of each seat does, and what it is worth."""

from fogbound.solvers.ladder.climb import Climb, Rung, climb

__all__ = ["Climb", "Rung", "climb"]
