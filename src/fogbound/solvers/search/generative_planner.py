"""Planners on generative models: the policy that searches at every decision, and what their solvers share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from fogbound.core.errors import FormError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.driver.solver import Scope
from fogbound.solvers.search.episodes import RuleEpisodes
from fogbound.solvers.search.estimated import EpisodeSolver
from fogbound.solvers.search.generative import GenerativeModel, generative_model
from fogbound.solvers.search.parameters import SearchParameters
from fogbound.solvers.search.planner import Planner
from fogbound.solvers.search.sampled import ModelledGame
from fogbound.solvers.search.simulator import SearchSimulator, method_facts
from fogbound.solvers.search.tree_search import SearchWay


@dataclass(frozen=True, eq=False)
class GenerativePlanner(Planner):
    """A search on a generative model at every decision of one player; `way` is of no use here.

    Parameters
    ----------
    game, player, way, final, simulations, seconds, particles, seed, solver, hooks, reuse
        As in `Planner`.
    algorithm
        How it searches.
    """

    algorithm: GenerativeSolver = field(kw_only=True)

    @cached_property
    def simulator(self) -> SearchSimulator:
        """The model, and how it is searched."""
        return self.algorithm.simulator(self.game)

    def episodes(self) -> RuleEpisodes:
        """Games that it plays alone."""
        return RuleEpisodes(self)


class GenerativeSolver(SearchParameters, EpisodeSolver[GenerativePlanner]):
    """What solvers on generative models share.

    Parameters
    ----------
    particles
        Of the belief, at most.
    """

    scope: ClassVar[Scope] = Scope(1, 1)

    particles: int

    @abstractmethod
    def simulator(self, game: AnyGame) -> SearchSimulator:
        """The model of a game, and how this algorithm searches it."""

    def chooses(self) -> str:
        """Which action is played: that of the highest value, or tried most (visits)."""
        return "value"

    def reuses(self) -> bool:
        """Whether the subtree of a decision is the tree of the next."""
        return False

    def model(self, game: AnyGame) -> GenerativeModel:
        """The generative model of a game of one player."""
        return generative_model(game, self.name)

    def weighed_model(self, game: AnyGame) -> GenerativeModel:
        """The same where observations must be weighed."""
        model = self.model(game)
        if not model.has_density:
            raise FormError(
                f"{self.name} weighs particles by how likely they show what was seen, and {model.spec} has no "
                "observation_density; write one, or use pomcp or despot"
            )
        return model

    def policy(self, game: AnyGame, player: int, seed: int = 0) -> GenerativePlanner:
        """The policy that searches at every decision, of a player in a game; `seed` decides what is drawn."""
        limits, hooks = (self.for_a_decision, self.seconds, self.particles), self.hooks()
        way = SearchWay(), self.chooses(), *limits
        return GenerativePlanner(game, player, *way, seed, self.stored_as, hooks, self.reuses(), algorithm=self)

    def online(self, form: ModelledGame, player: int, seed: int) -> Strategy:
        """How it plays: it thinks at each decision, so nothing is solved beforehand."""
        planner = self.policy(form.game, player, seed)
        planner.simulator  # noqa: B018  refuses what it cannot plan in
        return planner

    def planner(self, form: ModelledGame, seed: int) -> GenerativePlanner:
        return self.policy(form.game, form.player, seed)

    def facts(self, planner: GenerativePlanner, form: ModelledGame) -> dict[str, Any]:  # noqa: ARG002
        """By what leaves are valued, and why nothing compiled is searched."""
        return method_facts(planner.simulator)
