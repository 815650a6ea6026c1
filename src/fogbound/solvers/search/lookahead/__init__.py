"""Search from the exact belief, with both bounds at every move."""

from fogbound.solvers.search.lookahead.lookahead import Lookahead
from fogbound.solvers.search.lookahead.planner import LookaheadPolicy, Looked

__all__ = ["Lookahead", "LookaheadPolicy", "Looked"]
