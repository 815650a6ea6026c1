"""Search as you play: what to do now, from the rules alone, where the game is too large to enumerate."""

from fogbound.planners.mcts import MCTS
from fogbound.planners.sampled import Sampled

__all__ = ["MCTS", "Sampled"]
