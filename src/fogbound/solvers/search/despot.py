"""DESPOT: determinised sparse partially observable trees, regularised.

Ye, Somani, Hsu and Lee, "DESPOT: online POMDP planning with regularization" (2017), Algorithms 1 to 5: a tree over what
can happen in K sampled scenarios, searched by heuristics between a lower and an upper bound of the regularised value

    nu(b) = max(l0(b), max over a of rho(b, a) + sum of nu(b')),

where l0 is the value of a default policy in the scenarios of b, and every action taken in the tree costs lambda. The
bounds are of the value in these scenarios, which are a sample: what is reported is the mean return of games.

This page is the algorithm on any generative model. A game with compiled rules, or small enough to be a POMDP, is
searched by the same algorithm in a kernel (`compiled_despot.py`, `kernels/despot.py`).

Departures from the paper:

- The default policy is a single action, the best of those in sampled initial states, or what the model bounds from
  below (`lower`). In the rules of a game it is valued exactly instead of by the scenarios.
- Initial states are drawn by systematic resampling, which varies less than independent draws.
- Nothing of the tree is carried over from one decision to the next.
- At the root an action of the tree is played, the one of the highest lower bound, also where l0 is higher.

Where observations are continuous every scenario soon has observations of its own, and each then plans as if it knew
the state: `pomcpow` and `pft-dpw` are for those.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import inf, nan
from typing import Any, ClassVar

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import FormError, SpecError
from fogbound.core.game import AnyGame
from fogbound.solvers.search.belief import ParticleBelief
from fogbound.solvers.search.compiled_despot import compiled_despot
from fogbound.solvers.search.generative import GenerativeModel, RuleModel, best_blind_action
from fogbound.solvers.search.generative_planner import GenerativeSolver
from fogbound.solvers.search.history import Steps
from fogbound.solvers.search.hooked_model import hooked_model
from fogbound.solvers.search.hooks import Hooks, RolloutPolicy, likeliest
from fogbound.solvers.search.sample_simulator import SampleSimulator
from fogbound.solvers.search.scenarios import scenario_draws, scenario_states
from fogbound.solvers.search.simulator import SearchSimulator
from fogbound.solvers.search.tree_search import Decision, decision_of


class DespotNode:
    """A belief of the tree: its scenarios, their states, and bounds of its part of the root's value.

    All values are discounted to the root and divided by the number of scenarios in all.
    """

    __slots__ = ("branches", "default", "depth", "legal", "lower", "mu", "parent", "scenarios", "states", "upper")

    def __init__(self, parent: DespotNode | None, scenarios: list[int], states: list[Any], depth: int) -> None:
        self.parent, self.scenarios, self.states, self.depth = parent, scenarios, states, depth
        self.default = self.lower = self.mu = self.upper = 0.0  # l0, l, mu, U
        self.legal: tuple[Hashable, ...] = ()
        self.branches: list[DespotBranch] = []  # empty: a leaf


class DespotBranch:
    """An action at a belief: its reward in the scenarios, and the beliefs that follow, by observation."""

    __slots__ = ("children", "reward", "tries")

    def __init__(self, reward: float, children: list[DespotNode]) -> None:
        self.reward, self.children, self.tries = reward, children, 0


class DespotSearch:
    """The search from one decision."""

    def __init__(
        self,
        model: GenerativeModel,
        way: DESPOT,
        default: Hashable,
        root: ParticleBelief,
        seed: int,
        rollout: RolloutPolicy | None = None,
    ) -> None:
        self.model, self.way, self.action, self.discount = model, way, default, model.discount
        self.rollout = rollout
        self.restart(root, seed)

    def restart(self, root: ParticleBelief, seed: int) -> None:
        """Forget everything, and search from another belief."""
        count, self.done, self.nodes = self.way.scenarios, 0, 0
        self.draws = scenario_draws(self.model, count, self.way.depth, seed)
        self.root = self.node(None, list(range(count)), scenario_states(root, count, seed + 1), 0)

    def reuse(self, steps: Steps, root: ParticleBelief, seed: int) -> None:  # noqa: ARG002
        """Begin anew: scenarios are drawn from the belief of each decision."""
        self.restart(root, seed)

    def node(self, parent: DespotNode | None, scenarios: list[int], states: list[Any], depth: int) -> DespotNode:
        """A new leaf with its initial bounds; at the greatest depth the default policy is all there is."""
        node, model = DespotNode(parent, scenarios, states, depth), self.model
        scale = self.discount**depth / self.way.scenarios
        node.default = scale * self._default(node)
        node.upper = max(node.default, scale * sum(map(model.upper, states)))
        node.lower, node.mu = node.default, max(node.default, node.upper - self.way.regularisation)
        if depth >= self.way.depth:
            node.upper = node.mu = node.default
        self.nodes += 1
        return node

    def _default(self, node: DespotNode) -> float:
        """What the default policy brings from a node on, added up over its scenarios."""
        model = self.model
        if model.has_lower and self.rollout is None:
            return sum(map(model.lower, node.states))
        total = 0.0
        for scenario, start in zip(node.scenarios, node.states):
            state, scale = start, 1.0
            for depth in range(node.depth, self.way.depth):
                legal = model.legal(state)
                action = self._default_action(state, legal)
                state, _, reward, done = model.step(state, action, self.draws.at(scenario, depth))
                total += scale * reward
                scale *= self.discount
                if done:
                    break
        return total

    def _default_action(self, state: Any, legal: Sequence[Hashable]) -> Hashable:
        """The action of the default policy, which draws nothing: a scenario decides all."""
        if self.rollout is not None:
            return likeliest(self.rollout(state, 0, legal))
        return self.action if self.action in legal else legal[0]

    def run(self, simulations: int, stopping: Callable[[], bool] | None = None) -> int:
        """Further trials, fewer where `stopping` says so or the bounds have met; how many in all."""
        for _ in range(simulations):
            check()
            if self.root.branches and self.gap <= self.way.epsilon:
                break
            self.trial()
            self.done += 1
            if stopping is not None and stopping():
                break
        return self.done

    @property
    def gap(self) -> float:
        """How far the root's bounds lie apart."""
        return self.root.mu - self.root.lower

    def trial(self) -> None:
        """EXPLORE, then BACKUP."""
        node = self.root
        while node.depth < self.way.depth and (node is self.root or self.excess(node) > 0):
            if self.prune(node):
                return
            if not node.branches:
                self.expand(node)
            branch = max(node.branches, key=lambda one: one.reward + sum(child.mu for child in one.children))
            branch.tries += 1
            if not branch.children:
                break
            node = max(branch.children, key=self.excess)
        self.backup(node)

    def excess(self, node: DespotNode) -> float:
        """E(b): how much of the gap lies here beyond its share of the target."""
        share = len(node.scenarios) / self.way.scenarios
        return node.mu - node.lower - share * self.way.xi * self.gap

    def prune(self, node: DespotNode) -> bool:
        """PRUNE: whether no policy through a node can be worth its size; then its default policy is all there is."""
        blocked, at = False, node
        while at.parent is not None and self._blocked(at):
            at.upper = at.mu = at.lower = at.default
            self.backup(at.parent)
            blocked, at = True, at.parent
        return blocked

    def _blocked(self, node: DespotNode) -> bool:
        above, length = node.parent, 1
        while above is not None:
            if above.upper - above.default <= self.way.regularisation * length:
                return True
            above, length = above.parent, length + 1
        return False

    def expand(self, node: DespotNode) -> None:
        """Every action in every scenario of a leaf, and the beliefs that follow."""
        model, at, depth = self.model, self.draws.at, node.depth
        scale = self.discount**depth / self.way.scenarios
        node.legal = model.legal(node.states[0])
        for action in node.legal:
            total, groups = 0.0, dict[Hashable, tuple[list[int], list[Any]]]()
            for scenario, state in zip(node.scenarios, node.states):
                following, seen, reward, done = model.step(state, action, at(scenario, depth))
                total += reward
                if not done:
                    group = groups.setdefault(model.remembered(seen), ([], []))
                    group[0].append(scenario)
                    group[1].append(following)
            children = [self.node(node, *group, depth + 1) for group in groups.values()]
            node.branches.append(DespotBranch(scale * total - self.way.regularisation, children))

    def backup(self, node: DespotNode | None) -> None:
        """BACKUP: the bounds of a node and of all above it."""
        while node is not None:
            if node.branches:
                lower = mu = upper = -inf
                for one in node.branches:
                    lower = max(lower, one.reward + sum(child.lower for child in one.children))
                    mu = max(mu, one.reward + sum(child.mu for child in one.children))
                    upper = max(
                        upper, one.reward + self.way.regularisation + sum(child.upper for child in one.children)
                    )
                node.lower = max(node.lower, node.default, lower)
                node.mu = max(node.default, min(node.mu, mu))
                node.upper = min(node.upper, upper)
            node = node.parent

    def decision(self, legal: Sequence[Hashable]) -> Decision:
        """The root's actions by their lower bounds in the scenarios."""
        if not self.root.branches:
            self.expand(self.root)
        found = dict(zip(self.root.legal, self.root.branches))
        lower = np.array([found[a].reward + sum(child.lower for child in found[a].children) for a in legal])
        tries = np.array([max(1, found[a].tries) for a in legal])
        values = np.array([self.root.lower]), np.array([nan])
        return decision_of(tries, tries * lower, values, self.done, self.nodes)


@dataclass(frozen=True)
class DESPOT(GenerativeSolver):
    """Good play by DESPOT (Ye, Somani, Hsu and Lee 2017): scenarios, regularised, anytime; no guarantee.

    Works on the sampled game of one player: a simulator with an upper bound of its states' values (`upper`), or a game
    for which there is one. The value is the mean return of games in which every decision is searched.

    Parameters
    ----------
    simulations
        Trials for a decision, at most: it ends when its bounds have met. None: 100, or as many as fit into `seconds`
        where those are given.
    rollout
        The default policy, whose value in the scenarios is the lower bound: a function (`RolloutPolicy`) or the name of
        a policy of the state, its likeliest action; uniform: the model's lower bound, or the best single action.
    scenarios
        K of the paper.
    regularisation
        lambda of the paper: what an action in the tree costs.
    depth
        D of the paper: the greatest depth of the tree.
    xi
        The share of the gap that a trial aims at.
    epsilon
        The gap at which a decision is settled.
    """

    name: ClassVar[str] = "despot"

    usual: ClassVar[int] = 100  # simulations, where no limit is given

    simulations: int | None = None
    rollout: str | RolloutPolicy = "uniform"
    scenarios: int = 200
    regularisation: float = 0.01
    depth: int = 90
    xi: float = 0.95
    epsilon: float = 0.0
    seconds: float = 0.0
    particles: int = 1000
    games: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scenarios < 1:
            raise SpecError(f"despot: scenarios is {self.scenarios}, expected 1 or more")
        for name, found in (("regularisation", self.regularisation), ("epsilon", self.epsilon)):
            if not 0 <= found < inf:
                raise SpecError(f"despot: {name} is {found}, expected a number of 0 or more")
        if not 0 <= self.xi < 1:
            raise SpecError(f"despot: xi is {self.xi}, expected a number from 0 to below 1")

    def hooks(self) -> Hooks:
        return Hooks(self.name, self.rollout)

    def simulator(self, game: AnyGame) -> SearchSimulator:
        model = self.model(game)
        listed = isinstance(model, RuleModel)
        compiled = compiled_despot(game, self) if listed and not self.hooks().any else None
        if compiled is not None:
            return compiled
        _, known = hooked_model(model, game, self.hooks())
        if not model.has_upper:
            raise FormError(
                f"despot needs an upper bound of values, and {model.spec} has none; write upper(state), or use pomcp"
            )
        default = cache(partial(best_blind_action, model, self.depth))  # asked at the first decision, if there is one

        def search(root: ParticleBelief, seed: int) -> DespotSearch:
            rollout = known.rollout
            return DespotSearch(model, self, default() if rollout is None else None, root, seed, rollout)

        return SampleSimulator(model, search, "bounds", why=self.hooks().why_python(listed))
