"""A generative model as a planner asks for it: one more simulator, beside rules, tables and compiled rules."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fogbound.compiled.sampled_rules import SampledRules
from fogbound.solvers.search.belief import BeliefTracker, ParticleBelief
from fogbound.solvers.search.decision_values import state_shares
from fogbound.solvers.search.generative import GenerativeModel, RuleModel
from fogbound.solvers.search.generative_search import GenerativeWay
from fogbound.solvers.search.interactive import RuleTracker, offered_to
from fogbound.solvers.search.row_search import RowSearch
from fogbound.solvers.search.sampled_belief import RowTracker, SampledTracker
from fogbound.solvers.search.simulator import OnlineSearch
from fogbound.solvers.search.tree_search import SearchWay

MOST_SAMPLED = 2_000  # particles of a simulator, which is stepped in Python
SearchFrom = Callable[[ParticleBelief, int], OnlineSearch]  # the search from a belief, by a seed


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
    compiled
        The compiled rules of a simulator, by which it is searched; None: it is stepped in Python.
    why
        Why it is stepped in Python although it has compiled rules; empty where there is no reason.
    """

    model: GenerativeModel = field(repr=False)
    searches: SearchFrom = field(repr=False)
    leaf: str
    compiled: SampledRules | None = field(default=None, repr=False)
    why: str = ""

    def codes(self, actions: Sequence[Hashable]) -> Sequence[Hashable]:
        return actions

    def offered(self, believed: ParticleBelief) -> Sequence[Hashable]:
        if isinstance(self.model, RuleModel):
            return offered_to(believed)
        return self.model.legal(believed.states[0]) if len(believed) else ()

    def tracker(self, way: SearchWay, seed: int, particles: int) -> BeliefTracker:  # noqa: ARG002
        if isinstance(self.model, RuleModel):
            return RuleTracker(self.model.game, seed, particles)
        if self.compiled is not None:
            return RowTracker(self.model, self.compiled, seed, particles)
        return SampledTracker(self.model, seed, min(particles, MOST_SAMPLED))

    def search(self, way: SearchWay, root: ParticleBelief, seed: int) -> OnlineSearch:  # noqa: ARG002
        return self.searches(root, seed)

    def shares(self, root: ParticleBelief) -> Mapping[Any, float]:
        return state_shares(root.states, root.weights.tolist())


def compiled_sampling(
    model: GenerativeModel,
    compiled: SampledRules,
    who: str,
    way: GenerativeWay,
    particles: int = 0,
) -> SampleSimulator:
    """A compiled simulator, searched in one kernel by the algorithm of this name."""

    def search(root: ParticleBelief, seed: int) -> OnlineSearch:
        return RowSearch(compiled, who, way, root, seed, particles)

    return SampleSimulator(model, search, way.leaf_of(model, who), compiled)
