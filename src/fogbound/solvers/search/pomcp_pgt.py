"""POMCP in a public game tree: document 004's search for games of several players.

Gao, "Partially Observable Monte Carlo Planning in Public Game Tree" (2022), Algorithms 2 and 3. A node of the public
tree is a public history; in it each player decides by that and by what it alone knows. Where players vote at once the
document writes them one after the other into nodes that nobody sees yet, and its LocalSearch adds up again what lies
below the last node that all saw: by the public history and the own card. That sum is what the compiled search keeps in
the first place, one node for each public history and private observation, so LocalSearch is finding it; and the belief
of a node is the states that came to it. Corrected: returns are averaged (`Q += (R - Q) / N`), all players', the first
sample of a node counts, the root counts once, depth is counted.

Its rules are kept as published: UCB with the bonus of rewards between 0 and 1 and the best mean in the end; RM, which
draws by Q(I, a) - Q(I) with a floor of 0.01, also in the end, and accumulates nothing. `rule=regret` is regret matching
as it is meant: cumulative, and the average strategy is played.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame
from fogbound.solvers.search.belief import MOST_PARTICLES
from fogbound.solvers.search.hooks import Hooks, InitialValues, LeafValue, PreferredActions, RolloutPolicy
from fogbound.solvers.search.planner import Planner, SearchSolver
from fogbound.solvers.search.tree_search import SearchWay

PUBLISHED = {"ucb": "value", "rm": "sample", "regret": "average"}


@dataclass(frozen=True)
class POMCPPGT(SearchSolver):
    """Good play by POMCP in a public game tree (document 004, Algorithm 2, corrected); no guarantee.

    Works on the sampled game, through its table or its compiled rules; any number of players, moves at once allowed.

    Parameters
    ----------
    rule
        ucb and rm as published; regret: cumulative regret matching.
    final
        What is played: as published (ucb: the highest mean; rm: drawn by the rule; regret: the average strategy), or
        the action tried most (visits), the highest mean (value), as the rule draws (sample), the average (average).
    spread
        Best minus worst return, to which UCB1 is scaled; the document presumes 1. 0: as met so far in the search.
    floor
        What rm draws an action by whose mean is below that of the node.
    share
        Of regret's choices: drawn evenly, so that all is tried.
    """

    name: ClassVar[str] = "pomcp-pgt"

    simulations: int | None = None
    rule: Literal["ucb", "rm", "regret"] = "ucb"
    final: Literal["published", "visits", "value", "sample", "average"] = "published"
    exploration: float = 2**0.5
    spread: float = 1.0
    floor: float = 0.01
    share: float = 0.02
    depth: int = 200
    rollout: str | RolloutPolicy = "uniform"
    value: str | LeafValue = "auto"
    initial: str | InitialValues | None = "auto"
    prefer: str | PreferredActions | None = None
    prior: float = 5.0
    reuse: bool = False
    seconds: float = 0.0
    particles: int = MOST_PARTICLES

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.floor == 0:
            raise SpecError("pomcp-pgt: floor is 0, expected a number above 0: else nothing may be left to draw")

    def way(self) -> SearchWay:
        numbers = self.exploration, self.spread, self.depth, self.floor, self.share, self.prior
        return SearchWay(self.rule, "multiple", *numbers)

    def hooks(self) -> Hooks:
        found = super().hooks()
        if self.rule != "ucb":
            found.refuse("initial", "prefer", why=f"rule={self.rule} draws actions; use rule=ucb")
        return found

    def policy(self, game: AnyGame, player: int, seed: int = 0) -> Planner:
        final = PUBLISHED[self.rule] if self.final == "published" else self.final
        limits = self.for_a_decision, self.seconds, self.particles
        return Planner(game, player, self.way(), final, *limits, seed, self.stored_as, self.hooks(), self.reuse)
