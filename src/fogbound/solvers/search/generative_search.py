"""What searches on generative models share: simulations, progressive widening, leaves, and what was found.

Double progressive widening (Couëtoux et al. 2011) holds the children of a node to k N^alpha of its N visits.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import ceil, inf, log, sqrt
from typing import Any

import numpy as np

from fogbound.core.errors import FormError
from fogbound.core.game import Observation
from fogbound.solvers.search.belief import ParticleBelief
from fogbound.solvers.search.generative import GenerativeModel
from fogbound.solvers.search.history import Steps
from fogbound.solvers.search.hooks import INFORMED, ROLLOUT, GameHooks
from fogbound.solvers.search.simulation_loop import SimulationLoop
from fogbound.solvers.search.tree_search import Decision, decision_of
from fogbound.solvers.search.ucb_node import UCBNode, spread_of

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
    known: GameHooks = GameHooks()  # noqa: RUF009  frozen
    prior: float = 5.0
    cap: int = 128

    def leaf_of(self, model: GenerativeModel, who: str) -> str:
        """What values a new node: a leaf value, the model's estimate of a state, or a rollout."""
        if self.known.value is not None:
            return INFORMED
        if self.leaf == INFORMED and not model.has_value:
            raise FormError(f"{who}: nothing estimates what a state of {model.spec} is worth; use value=rollout")
        return ROLLOUT if self.leaf == ROLLOUT or not model.has_value else INFORMED


def widened(k: float, alpha: float, visits: int, children: int) -> bool:
    """Whether a node of this many visits may have one more child: children <= k visits^alpha."""
    return bool(children <= k * visits**alpha)


class WidenedNode(UCBNode):
    """N(h), N(ha), Q(ha) of the actions that progressive widening has opened, in a drawn order."""

    __slots__ = ("edges", "legal", "opened", "order")

    def __init__(self, legal: tuple[Hashable, ...], order: Sequence[int] | None = None) -> None:
        super().__init__(len(legal))
        self.legal = legal
        self.edges: list[Any] = [None] * len(legal)
        self.order, self.opened = order, len(legal) if order is None else 0

    def select(self, scale: float, tries: float = 0.0) -> int:
        """UCB1 over opened actions, those never tried first."""
        if self.order is None:
            return self.ucb1(scale, tries)
        return max(self.order[: self.opened], key=lambda place: self._opened(place, scale))

    def _opened(self, place: int, scale: float) -> float:
        n = self.counts[place]
        return inf if n == 0 else self.totals[place] / n + scale * sqrt(log(self.count) / n)


Path = list[tuple[WidenedNode, int, float]]  # nodes, places of their actions, rewards


class GenerativeSearch(SimulationLoop):
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

    def __init__(self, model: GenerativeModel, way: GenerativeWay, root: ParticleBelief, seed: int) -> None:
        self.model, self.way, self.discount = model, way, model.discount
        faded = ceil(log(FADED) / log(self.discount)) if self.discount < 1 else way.depth
        self.depth, self.informed = min(way.depth, faded), way.leaf_of(model, self.who) == INFORMED
        self.restart(root, seed)

    def restart(self, root: ParticleBelief, seed: int) -> None:
        """Forget everything, and search from another belief."""
        self.belief, self.rng = root, np.random.default_rng(seed)
        self.forget()
        self.root = self.node(root.states[0])

    def reuse(self, steps: Steps, root: ParticleBelief, seed: int) -> None:
        """Go on from the subtree of what was done and seen; from nothing where it was never met."""
        node, spread = self.root if self.done else None, (self.low, self.high)
        for action, seen in steps:
            node = None if node is None else self.child(node, node.legal.index(action), seen)
        self.restart(root, seed)
        if node is not None:
            self.root, (self.low, self.high) = node, spread

    def child(self, node: WidenedNode, place: int, seen: Observation) -> WidenedNode | None:  # noqa: ARG002
        """The node below an action and an observation; None where there is none, or none that is found by it."""
        return None

    def node(self, state: Any) -> WidenedNode:
        """A new node at a state; the order in which its actions open is drawn."""
        legal, prefer = self.model.legal(state), self.way.known.preferred
        made = WidenedNode(legal, self.rng.permutation(len(legal)).tolist() if self.way.k_action else None)
        if prefer is not None:
            chosen = prefer(state, 0, legal)
            made.preferred = [place for place, action in enumerate(legal) if action in chosen]
        return made

    def select(self, node: WidenedNode, state: Any) -> int:
        """ACTIONPROGWIDEN: open one more action where widening allows it, then UCB1."""
        initial = self.way.known.initial
        if initial is not None and node.arrived < self.way.cap:
            values = initial(state, 0, node.legal)
            node.arrive([values[action] for action in node.legal])
        if node.opened < len(node.legal) and widened(self.way.k_action, self.way.alpha_action, node.count, node.opened):
            node.opened += 1
        spread = spread_of(self.way.spread, self.low, self.high)
        return node.select(self.way.exploration * spread, self.way.prior)

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

    def back_up(self, path: Path, value: float) -> float:
        """Tell every action on the way what came of it, the last first; the return of the simulation."""
        for node, place, reward in reversed(path):
            value = reward + self.discount * value
            node.learn(place, value)
        return value

    def decision(self, legal: Sequence[Hashable]) -> Decision:
        """What was found at the root, by the places of `legal`."""
        places = [self.root.legal.index(action) for action in legal]
        mean, error = self.returned()
        visits, totals = np.array(self.root.counts)[places], np.array(self.root.totals)[places]
        return decision_of(visits, totals, (np.array([mean]), np.array([error])), self.done, self.nodes)


class HistorySearch(GenerativeSearch):
    """POMCP's SIMULATE on a generative model: one child for every distinct observation.

    Where observations are continuous no child is met twice, and the search looks one step ahead.
    """

    who = "pomcp"

    def child(self, node: WidenedNode, place: int, seen: Observation) -> WidenedNode | None:
        below: dict[Hashable, WidenedNode] = node.edges[place] or {}
        return below.get(seen.public)

    def simulate(self) -> float:
        model, rng = self.model, self.rng
        state, node, left, value = self.belief.draw(rng), self.root, self.depth, 0.0
        path: Path = []
        while left > 0:
            place = self.select(node, state)
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
        return self.back_up(path, value)
