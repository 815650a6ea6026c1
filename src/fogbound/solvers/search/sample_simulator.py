"""A generative model as a planner asks for it: one more simulator, beside rules, tables and compiled rules."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fogbound.solvers.search.belief import BeliefTracker
from fogbound.solvers.search.generative import GenerativeModel, RuleModel
from fogbound.solvers.search.interactive import offered_to
from fogbound.solvers.search.simulator import OnlineSearch
from fogbound.solvers.search.tree_search import SearchWay
from fogbound.solvers.search.weighted_belief import RuleTracker, WeightedBelief, WeightedTracker

MOST_SAMPLED = 2_000  # particles of a simulator, which is stepped in Python
SearchFrom = Callable[[WeightedBelief, int], OnlineSearch]  # the search from a belief, by a seed


@dataclass(frozen=True, eq=False)
class SampleSimulator:
    """A generative model, and how it is searched.

    Parameters
    ----------
    model
        The model.
    searches
        Makes the search from a belief.
    leaf
        What a new node is valued by: value or rollout.
    """

    model: GenerativeModel = field(repr=False)
    searches: SearchFrom = field(repr=False)
    leaf: str

    def codes(self, actions: Sequence[Hashable]) -> Sequence[Hashable]:
        return actions

    def offered(self, believed: Any) -> Sequence[Hashable]:
        if isinstance(believed, WeightedBelief):
            return self.model.legal(believed.states[0])
        return offered_to(believed)  # of a game's rules

    def tracker(self, way: SearchWay, seed: int, particles: int) -> BeliefTracker[Any]:  # noqa: ARG002
        if isinstance(self.model, RuleModel):
            return RuleTracker(self.model.game, seed, particles)
        return WeightedTracker(self.model, seed, min(particles, MOST_SAMPLED))

    def search(self, way: SearchWay, root: WeightedBelief, seed: int) -> OnlineSearch:  # noqa: ARG002
        return self.searches(root, seed)
