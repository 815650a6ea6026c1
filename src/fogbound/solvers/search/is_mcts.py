"""Information set search: one tree over what players know, states drawn from what the searcher may hold for true.

Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search" (2012). Sound only where nothing that the
others did tells what they hold: the root's states are weighed as if they had moved at random, so with any number of
simulations an opponent who knows can exploit what is played. `resolve` is the sound search of two-player games.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from fogbound.core.game import AnyGame
from fogbound.core.spec import spec_of
from fogbound.solvers.search.belief import MOST_PARTICLES
from fogbound.solvers.search.planner import Planner, SearchSolver
from fogbound.solvers.search.tree_search import SearchWay


@dataclass(frozen=True)
class ISMCTS(SearchSolver):
    """Good play by information set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012); no guarantee.

    Works on the sampled game, through its table or its compiled rules; any number of players, moves at once allowed.

    Parameters
    ----------
    simulations
        For a decision, and for the estimate at the start.
    observer
        multiple: each player decides by what it knows (MO-ISMCTS); single: all by what the searcher knows (SO-ISMCTS).
    exploration
        How much UCB1 favours actions seldom tried, in units of `spread`.
    spread
        Best minus worst return, to which UCB1 is scaled; 0: as met so far in the search.
    depth
        Steps of one simulation.
    final
        The action that is played: tried most (visits) or of the highest mean (value).
    seconds
        To think for a decision, if that is shorter than its simulations; 0: as long as they take.
    particles
        States that the belief may hold; beyond that they are a sample.
    """

    name: ClassVar[str] = "is-mcts"

    simulations: int = 1000
    observer: Literal["multiple", "single"] = "multiple"
    exploration: float = 1.4
    spread: float = 0.0
    depth: int = 200
    final: Literal["visits", "value"] = "visits"
    seconds: float = 0.0
    particles: int = MOST_PARTICLES

    def way(self) -> SearchWay:
        return SearchWay("ucb", self.observer, self.exploration, self.spread, self.depth)

    def policy(self, game: AnyGame, player: int, seed: int = 0) -> Planner:
        limits = self.simulations, self.seconds, self.particles
        return Planner(game, player, self.way(), self.final, *limits, seed, spec_of(self))
