"""Ways to play: each is a `Policy` of the game, exactly evaluable, and a controller where it is finite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from fogbound.core.lazy import lazy
from fogbound.core.registry import Registry

if TYPE_CHECKING:
    from fogbound.core.game import AnyGame
    from fogbound.core.policy import Strategy
    from fogbound.policies.alpha_vectors import AlphaVectors, StoredVectors
    from fogbound.policies.controller import LOST, Controller, controller
    from fogbound.policies.equivalence import equivalent
    from fogbound.policies.mixture import Mixture, Trembling, trembling, uniform_mixture
    from fogbound.policies.perfect_information import MarkovPolicy, StatePolicy
    from fogbound.policies.policy_graph import PolicyGraph
    from fogbound.policies.recommendations import Recommendations, recommendations
    from fogbound.policies.tabular import Tabular
    from fogbound.policies.uniform import Uniform

__all__ = [
    "FOREIGN_POLICIES",
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


class ForeignBot(Protocol):
    """The bot of another library, by its name there."""

    def policy(self, game: AnyGame, player: int, seed: int) -> Strategy:
        """The bot in a seat of a game; an error in a line where it cannot sit there."""


FOREIGN_POLICIES: Registry[ForeignBot] = Registry(  # a spec describes each; imported when one is asked for
    "policy", {"openspiel-bot": "fogbound.interop.openspiel.bots:OpenSpielBot"}
)

lazy(__name__)
