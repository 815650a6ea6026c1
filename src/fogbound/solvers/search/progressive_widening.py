"""Double progressive widening: the parameters that `pomcpow` and `pft-dpw` share, and the models that they search.

Couëtoux et al. (2011) hold the children of a node to k N^alpha of its N visits.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from math import inf
from typing import Literal

from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame
from fogbound.solvers.search.belief import ParticleBelief
from fogbound.solvers.search.generative import GenerativeModel
from fogbound.solvers.search.generative_planner import GenerativeSolver
from fogbound.solvers.search.generative_search import GenerativeSearch, GenerativeWay
from fogbound.solvers.search.hooked_model import hooked_model
from fogbound.solvers.search.hooks import Hooks
from fogbound.solvers.search.parameters import HookParameters
from fogbound.solvers.search.row_search import sampled_rules
from fogbound.solvers.search.sample_simulator import SampleSimulator, compiled_sampling


class WideningSolver(HookParameters, GenerativeSolver):
    """What planners with double progressive widening share.

    Parameters
    ----------
    k_action, alpha_action
        The same for the actions of a node; k_action=0: all of them are open at once.
    spread
        How far returns lie apart, to which UCB1 is scaled; 0: best minus worst return so far.
    rollout
        How it goes on beyond the tree: a function (`RolloutPolicy`), or the name of a policy of the state; uniform: the
        simulator's own, or at random.
    value
        What a new node is worth: a function (`LeafValue`), the name of a policy with alpha vectors, or one of these
        words. informed: what the model estimates of its state; rollout: what a rollout brings; auto: informed where
        there is an estimate and no rollout policy is given.
    """

    k_observation: float
    alpha_observation: float
    k_action: float
    alpha_action: float
    exploration: float
    spread: float
    depth: int
    final: Literal["visits", "value"]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("k_observation", "alpha_observation", "k_action", "alpha_action"):
            require_widening(self.name, name, vars(self)[name])

    def hooks(self) -> Hooks:
        found = super().hooks()
        if self.k_action:
            found.refuse("initial", "prefer", why="with k_action actions open in a drawn order; use k_action=0")
        return found

    def chooses(self) -> str:
        return self.final

    @abstractmethod
    def search(self, model: GenerativeModel, way: GenerativeWay, root: ParticleBelief, seed: int) -> GenerativeSearch:
        """The search from one decision, in Python."""

    def tree_particles(self) -> int:
        """Particles of a belief in the tree, where it holds beliefs."""
        return 0

    def simulator(self, game: AnyGame) -> SampleSimulator:
        model, compiled, hooks = self.weighed_model(game), sampled_rules(game), self.hooks()
        if compiled is not None and not hooks.any:
            return compiled_sampling(model, compiled, self.name, self.way(), self.tree_particles())
        hooked, known = hooked_model(model, game, hooks)
        way = replace(self.way(), known=known, prior=self.prior)
        leaf, why = hooks.leaf_words(way.leaf_of(hooked, self.name)), hooks.why_python(compiled is not None)
        return SampleSimulator(model, lambda root, seed: self.search(hooked, way, root, seed), leaf, why=why)

    def way(self) -> GenerativeWay:
        """How it searches."""
        return GenerativeWay(
            self.exploration,
            self.spread,
            self.depth,
            self.hooks().leaf,
            self.k_action,
            self.alpha_action,
            self.k_observation,
            self.alpha_observation,
        )


def require_widening(who: str, name: str, found: float) -> None:
    """Refuse a number with which no node could have a child."""
    least = 0.0 if name.startswith(("alpha", "k_action")) else 1.0
    most = 1.0 if name.startswith("alpha") else inf
    if not least <= found <= most or found == inf:
        expected = "a number from 0 to 1" if most == 1 else f"a number of {least:g} or more"
        raise SpecError(f"{who}: {name} is {found}, expected {expected}")
