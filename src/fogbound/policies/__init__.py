"""Ways to play: each is a `Policy` of the game, exactly evaluable, and a controller where it is finite."""

from typing import TYPE_CHECKING

from fogbound.core.lazy import lazy

if TYPE_CHECKING:
    from fogbound.policies.alpha_vectors import AlphaVectors, StoredVectors
    from fogbound.policies.controller import LOST, Controller, controller
    from fogbound.policies.equivalence import equivalent
    from fogbound.policies.markov import MarkovPolicy
    from fogbound.policies.mixture import Mixture, uniform_mixture
    from fogbound.policies.perfect_information import StatePolicy
    from fogbound.policies.policy_graph import PolicyGraph
    from fogbound.policies.recommendations import Recommendations, recommendations
    from fogbound.policies.tabular import Tabular
    from fogbound.policies.trembling import Trembling, trembling
    from fogbound.policies.uniform import Uniform

__all__ = [
    "LOST",
    "AlphaVectors",
    "Controller",
    "MarkovPolicy",
    "Mixture",
    "PolicyGraph",
    "Recommendations",
    "StatePolicy",
    "StoredVectors",
    "Tabular",
    "Trembling",
    "Uniform",
    "controller",
    "equivalent",
    "recommendations",
    "trembling",
    "uniform_mixture",
]

lazy(__name__)
