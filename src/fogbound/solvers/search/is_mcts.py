"""Information set search: one tree over what players know, states drawn from what the searcher may hold for true.

Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search" (2012). Sound only where nothing that the
others did tells what they hold: the root's states are weighed as if they had moved at random, so with any number of
simulations an opponent who knows can exploit what is played. `resolve` is the sound search of two-player games.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from fogbound.core.game import AnyGame
from fogbound.solvers.search.belief import MOST_PARTICLES
from fogbound.solvers.search.hooks import Hooks, InitialValues, LeafValue, PreferredActions, RolloutPolicy
from fogbound.solvers.search.planner import Planner, SearchSolver
from fogbound.solvers.search.tree_search import SearchWay


@dataclass(frozen=True)
class ISMCTS(SearchSolver):
    """Good play by information set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012); no guarantee.

    Works on the sampled game, through its table or its compiled rules; any number of players, moves at once allowed.

    Parameters
    ----------
    observer
        multiple: each player decides by what it knows (MO-ISMCTS); single: all by what the searcher knows (SO-ISMCTS).
    """

    name: ClassVar[str] = "is-mcts"

    simulations: int | None = None
    observer: Literal["multiple", "single"] = "multiple"
    exploration: float = 1.4
    spread: float = 0.0
    depth: int = 200
    final: Literal["visits", "value"] = "visits"
    rollout: str | RolloutPolicy = "uniform"
    value: str | LeafValue = "auto"
    initial: str | InitialValues | None = "auto"
    prefer: str | PreferredActions | None = None
    prior: float = 5.0
    reuse: bool = False
    seconds: float = 0.0
    particles: int = MOST_PARTICLES

    def way(self) -> SearchWay:
        return SearchWay("ucb", self.observer, self.exploration, self.spread, self.depth, prior=self.prior)

    def hooks(self) -> Hooks:
        found = super().hooks()
        if self.observer == "single":
            found.refuse("initial", "prefer", why="with observer=single other actions may be legal in a node each time")
        return found

    def policy(self, game: AnyGame, player: int, seed: int = 0) -> Planner:
        limits = self.for_a_decision, self.seconds, self.particles
        return Planner(game, player, self.way(), self.final, *limits, seed, self.stored_as, self.hooks(), self.reuse)
