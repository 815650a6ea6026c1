"""Planners on generative models: the policy that searches at every decision, and what their solvers share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import Any, ClassVar

from fogbound.core.errors import FormError, SpecError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.core.spec import spec_of
from fogbound.driver.solver import Scope
from fogbound.solvers.search.budget import simulations_for
from fogbound.solvers.search.episodes import RuleEpisodes
from fogbound.solvers.search.estimated import EpisodeSolver
from fogbound.solvers.search.generative import GenerativeModel, generative_model
from fogbound.solvers.search.hooks import Hooks
from fogbound.solvers.search.planner import Planner, require_search_parameters
from fogbound.solvers.search.sampled import ModelledGame
from fogbound.solvers.search.simulator import SearchSimulator
from fogbound.solvers.search.tree_search import SearchWay


@dataclass(frozen=True, eq=False)
class GenerativePlanner(Planner):
    """A search on a generative model at every decision of one player.

    Parameters
    ----------
    game
        The game.
    player
        Who plans.
    way
        Of no use here: the algorithm knows how it searches.
    final
        What is played in the end: the action tried most (visits) or of the highest mean (value).
    simulations
        For a decision.
    seconds
        To search for a decision; 0: no limit. What is played then depends on the clock.
    particles
        Of the belief, at most.
    seed
        What is drawn depends on it.
    solver
        The spec by which it is saved.
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


class GenerativeSolver(EpisodeSolver[GenerativePlanner]):
    """What solvers on generative models share."""

    scope: ClassVar[Scope] = Scope(1, 1)

    usual: ClassVar[int]  # simulations, where no limit is given

    simulations: int | None
    seconds: float
    particles: int

    def __post_init__(self) -> None:
        require_search_parameters(self)
        self.hooks()

    def hooks(self) -> Hooks:
        """Its hooks, before there is a game."""
        return Hooks(self.name)

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
        """The policy that searches at every decision.

        Parameters
        ----------
        game
            The game.
        player
            Who plays.
        seed
            What is drawn depends on it.

        Returns
        -------
        GenerativePlanner
        """
        limits = simulations_for(self.simulations, self.seconds, self.usual), self.seconds, self.particles
        spec = spec_of(self) if self.hooks().named else ""
        way = SearchWay(), self.chooses(), *limits
        return GenerativePlanner(game, player, *way, seed, spec, self.hooks(), self.reuses(), algorithm=self)

    def online(self, form: ModelledGame, player: int, seed: int) -> Strategy:
        """How it plays: it thinks at each decision, so nothing is solved beforehand."""
        planner = self.policy(form.game, player, seed)
        planner.simulator  # noqa: B018  refuses what it cannot plan in
        return planner

    def planner(self, form: ModelledGame, seed: int) -> GenerativePlanner:
        return self.policy(form.game, form.player, seed)

    def facts(self, planner: GenerativePlanner, form: ModelledGame) -> dict[str, Any]:  # noqa: ARG002
        """By what leaves are valued."""
        return {"leaf": planner.simulator.leaf}


def require_widening(solver: GenerativeSolver, **given: float) -> None:
    """Refuse numbers with which no node could have a child."""
    for name, found in given.items():
        least = 0.0 if name.startswith(("alpha", "k_action")) else 1.0
        most = 1.0 if name.startswith("alpha") else inf
        if not least <= found <= most or found == inf:
            expected = "a number from 0 to 1" if most == 1 else f"a number of {least:g} or more"
            raise SpecError(f"{solver.name}: {name} is {found}, expected {expected}")
