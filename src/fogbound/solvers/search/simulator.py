"""What a planner asks of a game: actions as the search counts them, beliefs, and a search tree.

Three kinds of game answer. Compiled rules and tables are one class, `CompiledSimulator`, since any table makes compiled
rules (`forms.twins`). Plain rules with modelled others are sampled in Python (`pomcp.RulesSimulator`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from fogbound.compiled.rules import CompiledRules
from fogbound.solvers.search.belief import BeliefTracker, Tracker
from fogbound.solvers.search.kernels.simulation import SearchRoot
from fogbound.solvers.search.tree_search import Decision, SearchWay, TreeSearch


class OnlineSearch(Protocol):
    """Simulations from one decision."""

    done: int  # simulations so far

    def restart(self, root: Any, seed: int) -> None: ...  # forget everything, and search from another belief

    def run(self, simulations: int, stopping: Callable[[], bool] | None = None) -> int: ...  # how many in all

    def decision(self, legal: Sequence[Any]) -> Decision: ...


class SearchSimulator(Protocol):
    """A game as one of its players plans in it."""

    @property
    def leaf(self) -> str: ...  # what a new node is valued by: informed or rollout

    def codes(self, actions: Sequence[Hashable]) -> Sequence[Any]: ...  # how the search calls actions

    def tracker(self, way: SearchWay, seed: int, particles: int) -> BeliefTracker[Any]: ...

    def search(self, way: SearchWay, root: Any, seed: int) -> OnlineSearch: ...  # from the root of a tracker's belief


@dataclass(frozen=True, eq=False)
class CompiledSimulator:
    """Compiled rules, of the game's own or of its table, and which of their players plans.

    Parameters
    ----------
    twin
        The rules.
    me
        Who plans.
    leaf
        What a new node is valued by: informed or rollout.
    """

    twin: CompiledRules = field(repr=False)
    me: int
    leaf: str = "rollout"

    def codes(self, actions: Sequence[Hashable]) -> list[int]:
        return [self.twin.action_code(action) for action in actions]

    def tracker(self, way: SearchWay, seed: int, particles: int) -> Tracker:
        return Tracker(self.twin, self.me, way.observer == "alone", seed, particles)

    def search(self, way: SearchWay, root: SearchRoot, seed: int) -> TreeSearch:
        return TreeSearch(self.twin, way, root, self.me, seed)
