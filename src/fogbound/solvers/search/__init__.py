"""Search as you play: what to do now, from the rules alone, where the game is too large to enumerate."""

from fogbound.solvers.search.mcts import MCTS
from fogbound.solvers.search.sampled import SampledGame

__all__ = ["MCTS", "SampledGame"]
