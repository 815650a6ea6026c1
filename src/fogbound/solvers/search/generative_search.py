"""What searches on generative models share: simulations, progressive widening, leaves, and what was found.

Double progressive widening (Couëtoux et al. 2011) holds the children of a node to k N^alpha of its N visits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import ceil, inf, log, sqrt
from typing import Any

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import FormError
from fogbound.solvers.search.generative import GenerativeModel
from fogbound.solvers.search.tree_search import Decision, decision_of
from fogbound.solvers.search.weighted_belief import WeightedBelief

VALUE, ROLLOUT = "value", "rollout"
FADED = 0.01  # a simulation is as long as a discount counts


@dataclass(frozen=True)
class GenerativeWay:
    """How a search on a generative model searches: what the fields of planners come to."""

    exploration: float = 1.0
    spread: float = 0.0
    depth: int = 100
    leaf: str = "auto"
    k_action: float = 0.0
    alpha_action: float = 0.5
    k_observation: float = 5.0
    alpha_observation: float = 1 / 15

    def leaf_of(self, model: GenerativeModel, who: str) -> str:
        """What values a new node: the model's estimate of a state, or a rollout."""
        if self.leaf == VALUE and not model.has_value:
            raise FormError(f"{who}: nothing estimates what a state of {model.spec} is worth; use leaf=rollout")
        return ROLLOUT if self.leaf == ROLLOUT or not model.has_value else VALUE


def widened(k: float, alpha: float, visits: int, children: int) -> bool:
    """Whether a node of this many visits may have one more child: children <= k visits^alpha."""
    return bool(children <= k * visits**alpha)


class WidenedNode:
    """N(h), N(ha), Q(ha) of the actions that progressive widening has opened, in a drawn order."""

    __slots__ = ("count", "counts", "edges", "legal", "opened", "order", "totals")

    def __init__(self, legal: tuple[Hashable, ...], order: Sequence[int] | None = None) -> None:
        self.legal, self.count = legal, 0
        self.counts, self.totals = [0] * len(legal), [0.0] * len(legal)
        self.edges: list[Any] = [None] * len(legal)
        self.order, self.opened = order, len(legal) if order is None else 0

    def select(self, scale: float) -> int:
        """UCB1 over opened actions, those never tried first."""
        order = self.order
        if order is None:
            if self.count < len(self.counts):
                return self.counts.index(0)
            bonus = scale * sqrt(log(self.count))
            upper = [total / n + bonus / sqrt(n) for total, n in zip(self.totals, self.counts)]
            return upper.index(max(upper))
        return max(order[: self.opened], key=lambda place: self._upper(place, scale))

    def _upper(self, place: int, scale: float) -> float:
        n = self.counts[place]
        return inf if n == 0 else self.totals[place] / n + scale * sqrt(log(self.count) / n)

    def learn(self, place: int, value: float) -> None:
        """Count a try of an action and its return."""
        self.count += 1
        self.counts[place] += 1
        self.totals[place] += value


class GenerativeSearch(ABC):
    """Simulations from states drawn from a belief; a subclass says how one goes down its tree.

    Parameters
    ----------
    model
        The model.
    way
        How to search.
    root
        The belief at the decision.
    seed
        What is drawn depends on it.
    """

    who: str  # the planner's name in errors

    def __init__(self, model: GenerativeModel, way: GenerativeWay, root: WeightedBelief, seed: int) -> None:
        self.model, self.way, self.discount = model, way, model.discount
        faded = ceil(log(FADED) / log(self.discount)) if self.discount < 1 else way.depth
        self.depth, self.informed = min(way.depth, faded), way.leaf_of(model, self.who) == VALUE
        self.restart(root, seed)

    def restart(self, root: WeightedBelief, seed: int) -> None:
        """Forget everything, and search from another belief."""
        self.belief, self.rng = root, np.random.default_rng(seed)
        self.done, self.nodes = 0, 1
        self.low, self.high, self.total, self.squares = inf, -inf, 0.0, 0.0
        self.root = self.node(root.states[0])

    def run(self, simulations: int, stopping: Callable[[], bool] | None = None) -> int:
        """Make further simulations, fewer where `stopping` says so; how many in all."""
        for _ in range(simulations):
            check()
            value = self.simulate()
            self.done += 1
            self.low, self.high = min(self.low, value), max(self.high, value)
            self.total, self.squares = self.total + value, self.squares + value * value
            if stopping is not None and stopping():
                break
        return self.done

    @abstractmethod
    def simulate(self) -> float:
        """One simulation from the root; its return."""

    def node(self, state: Any) -> WidenedNode:
        """A new node at a state; the order in which its actions open is drawn."""
        legal = self.model.legal(state)
        return WidenedNode(legal, self.rng.permutation(len(legal)).tolist() if self.way.k_action else None)

    def select(self, node: WidenedNode) -> int:
        """ACTIONPROGWIDEN: open one more action where widening allows it, then UCB1."""
        if node.opened < len(node.legal) and widened(self.way.k_action, self.way.alpha_action, node.count, node.opened):
            node.opened += 1
        return node.select(self.way.exploration * (self.way.spread or (self.high - self.low) or 1.0))

    def leaf(self, state: Any, left: int) -> float:
        """What a new node is worth: the model's estimate, or what its rollout policy brings."""
        if left <= 0:
            return 0.0
        if self.informed:
            return self.model.estimate(state)
        model, rng, value, scale = self.model, self.rng, 0.0, 1.0
        for _ in range(left):
            if model.has_rollout:
                action = model.rollout(state, rng)
            else:
                legal = model.legal(state)
                action = legal[int(rng.random() * len(legal))]
            state, _, reward, done = model.step(state, action, rng)
            value += scale * reward
            scale *= self.discount
            if done:
                break
        return value

    def decision(self, legal: Sequence[Hashable]) -> Decision:
        """What was found at the root, by the places of `legal`."""
        places = [self.root.legal.index(action) for action in legal]
        n = max(self.done, 1)
        mean = self.total / n
        error = sqrt(max(self.squares / n - mean**2, 0.0) / n)
        visits, totals = np.array(self.root.counts)[places], np.array(self.root.totals)[places]
        return decision_of(visits, totals, (np.array([mean]), np.array([error])), self.done, self.nodes)


class HistorySearch(GenerativeSearch):
    """POMCP's SIMULATE on a generative model: one child for every distinct observation.

    Where observations are continuous no child is met twice, and the search looks one step ahead.
    """

    who = "pomcp"

    def simulate(self) -> float:
        model, rng, discount = self.model, self.rng, self.discount
        state, node, left, value = self.belief.draw(rng), self.root, self.depth, 0.0
        path: list[tuple[WidenedNode, int, float]] = []
        while left > 0:
            place = self.select(node)
            state, seen, reward, done = model.step(state, node.legal[place], rng)
            path.append((node, place, reward))
            left -= 1
            if done:
                break
            children = node.edges[place]
            if children is None:
                children = node.edges[place] = {}
            key = model.remembered(seen)
            child = children.get(key)
            if child is None:
                children[key] = self.node(state)
                self.nodes += 1
                value = self.leaf(state, left)
                break
            node = child
        for node, place, reward in reversed(path):
            value = reward + discount * value
            node.learn(place, value)
        return value
