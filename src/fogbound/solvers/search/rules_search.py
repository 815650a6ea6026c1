"""POMCP on plain rules: SEARCH, SIMULATE and ROLLOUT of Silver and Veness (2010) in Python, with hooks."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log, nan
from random import Random
from typing import Any

import numpy as np

from fogbound.core.dist import Dist
from fogbound.core.errors import GameError, brief
from fogbound.solvers.search.belief import ParticleBelief
from fogbound.solvers.search.decision_values import state_shares
from fogbound.solvers.search.history import Steps
from fogbound.solvers.search.hooks import ROLLOUT, GameHooks, drawn_action
from fogbound.solvers.search.interactive import (
    InducedSimulator,
    InteractiveState,
    InteractiveTracker,
    Legal,
    offered_to,
)
from fogbound.solvers.search.simulation_loop import SimulationLoop
from fogbound.solvers.search.tree_search import Decision, SearchWay, decision_of
from fogbound.solvers.search.ucb_node import UCBNode, spread_of

FADED = 0.01  # a simulation by plain rules is as long as a discount counts
MOST_BY_RULES = 1_000  # particles where the rules are sampled in Python
BY_RULES = "too many states, or memories of the others, to be enumerated: the rules are sampled, in plain Python"


class HistoryNode(UCBNode):
    """T(h): a decision of mine, by what I did and saw."""

    __slots__ = ("children", "legal")

    def __init__(self, legal: Legal) -> None:
        super().__init__(len(legal))
        self.legal = legal
        self.children: list[dict[Any, HistoryNode]] = [{} for _ in legal]


class RulesSearch(SimulationLoop):
    """POMCP on plain rules: the tree of one player's own histories, from states drawn from its belief.

    Parameters
    ----------
    simulator
        How states step, with what the others are and remember.
    way
        UCB1's constant, its scale, and the steps of a simulation.
    faithful
        Beyond the tree the others play as they do; False: at random, without being asked.
    hooks
        How it goes on beyond the tree, what a new node is worth, and what is known of its actions.
    root
        The belief at the decision.
    seed
        What is drawn depends on it.
    """

    def __init__(
        self,
        simulator: InducedSimulator,
        way: SearchWay,
        faithful: bool,
        hooks: GameHooks,
        root: ParticleBelief,
        seed: int,
    ) -> None:
        self.simulator, self.way, self.faithful, self.hooks = simulator, way, faithful, hooks
        self.followed, self.memory = hooks.followed, None  # the policy that is followed, and what it knows at the root
        self.discount, self.exploration = simulator.game.discount, way.explored(informed=False)
        faded = ceil(log(FADED) / log(self.discount)) if self.discount < 1 else way.depth
        self.depth = min(way.depth, faded)
        self.restart(root, seed)

    def restart(self, root: ParticleBelief, seed: int) -> None:
        """Forget everything, and search from another belief."""
        self.simulator.trim()
        self.belief, self.rng = root, Random(seed)
        self.root: HistoryNode | None = None  # made by the first simulation
        self.forget()

    def reuse(self, steps: Steps, root: ParticleBelief, seed: int) -> None:
        """Go on from the subtree of what was done and seen; from nothing where it was never met."""
        node, spread = self.root, (self.low, self.high)
        for action, seen in _by_decision(steps):
            node = None if node is None else node.children[node.legal.index(action)].get(seen)
        self.restart(root, seed)
        if node is not None:
            self.root, (self.low, self.high) = node, spread

    def simulate(self) -> float:
        """SIMULATE: down the tree by UCB1, one new node, a rollout from there, and the return back up."""
        point: InteractiveState = self.belief.draw(self.rng)
        path: list[tuple[HistoryNode, int, float, float]] = []
        memory, left, value = self.memory, self.depth, 0.0
        node = self.root = self.root or self.node(point, memory)
        while True:
            action = self.select(node, point)
            label = node.legal[action]
            point, reward, discount, left, seen = self._step(point, action, left)
            path.append((node, action, reward, discount))
            if point.place < 0 or left <= 0:
                break
            memory = self._remembered(memory, label, seen)
            child = node.children[action].get(seen)
            if child is None:
                node.children[action][seen] = self.node(point, memory)
                self.nodes += 1
                value = self.value(point, memory, left)
                break
            if child.legal is not point.legal and child.legal != point.legal:
                raise GameError(
                    f"{self.simulator.game}: player {self.simulator.player} is offered {brief(child.legal)} or "
                    f"{brief(point.legal)} after the same observations, expected what follows from what the player "
                    "knows"
                )
            node = child
        return self.back_up(path, value)

    def node(self, point: InteractiveState, memory: Any) -> HistoryNode:
        """A new node, with the actions that are preferred in the state that came there first."""
        made, hook, legal = HistoryNode(point.legal), self.hooks.preferred, point.legal
        if hook is not None:
            follows = self.followed is not None and hook.follows
            chosen = (
                self._chosen(memory, legal).support() if follows else hook(point.state, self.simulator.player, legal)
            )
            made.preferred = [place for place, action in enumerate(legal) if action in chosen]
        return made

    def select(self, node: HistoryNode, point: InteractiveState) -> int:
        """UCB1, scaled by how far returns lie apart."""
        initial = self.hooks.initial
        if initial is not None and node.arrived < self.way.cap:
            values = initial(point.state, self.simulator.player, node.legal)
            node.arrive([values[action] for action in node.legal])
        spread = spread_of(self.way.spread, self.low, self.high)
        return node.ucb1(self.exploration * spread, self.way.prior)

    def value(self, point: InteractiveState, memory: Any, left: int) -> float:
        """What a new node is worth: a leaf value, or what a rollout brings."""
        leaf = self.hooks.value
        return self.rollout(point, memory, left) if leaf is None else leaf(point.state, self.simulator.player)

    def rollout(self, point: InteractiveState, memory: Any, left: int) -> float:
        """ROLLOUT: what play by the rollout policy brings from here."""
        step, draw = self.simulator.step if self.faithful else self.simulator.stray, self.rng.random
        value, scale = 0.0, 1.0
        while left > 0 and point.actors:
            place = self._rolled(point, memory)
            label = point.legal[place] if point.place >= 0 else None
            point, reward, seen = step(point, place, draw)
            if self.followed is not None:
                memory = self.followed.update(memory, label, seen)
            value += scale * reward
            scale *= self.discount
            left -= 1
        return value

    def _rolled(self, point: InteractiveState, memory: Any) -> int:
        """The place of an action of the rollout policy; at random where there is none."""
        hook, legal = self.hooks.rollout, point.legal
        if hook is None or point.place < 0:
            return int(self.rng.random() * len(legal))
        follows = self.followed is not None and hook.follows
        dist = self._chosen(memory, legal) if follows else hook(point.state, self.simulator.player, legal)
        place: int = legal.index(drawn_action(dist, self.rng))
        return place

    def _chosen(self, memory: Any, legal: Legal) -> Dist[Hashable]:
        """What the policy plays that is followed."""
        assert self.followed is not None
        return self.followed.chosen(memory, tuple(legal))

    def _remembered(self, memory: Any, action: Hashable, seen: Sequence[Any]) -> Any:
        """What the policy remembers that is followed, after an action of mine and all that was seen until the next."""
        if self.followed is None:
            return None
        for place, observation in enumerate(seen):
            memory = self.followed.update(memory, None if place else action, observation)
        return memory

    def back_up(self, path: list[tuple[HistoryNode, int, float, float]], value: float) -> float:
        """Tell every action on the way what came of it, the last first; the return of the simulation."""
        for node, action, reward, discount in reversed(path):
            value = reward + discount * value
            node.learn(action, value)
        return value

    def _step(self, point: InteractiveState, action: int, left: int) -> tuple[InteractiveState, float, float, int, Any]:
        """Act and go on until I am asked again: where, what was paid, its discount, steps left, what was seen."""
        step, draw, discount = self.simulator.step, self.rng.random, self.discount
        point, reward, seen = step(point, action, draw)
        scale, left, observations = discount, left - 1, [seen]
        while point.place < 0 and left > 0 and point.actors:
            point, more, seen = step(point, -1, draw)
            reward += scale * more
            scale *= discount
            left -= 1
            observations.append(seen)
        return point, reward, scale, left, tuple(observations)

    def decision(self, legal: Sequence[Hashable]) -> Decision:
        """What was found at the root; of the others' returns nothing is known."""
        player, players = self.simulator.player, len(self.simulator.game.players)
        values, errors = np.full(players, nan), np.full(players, nan)
        values[player], errors[player] = self.returned()
        root = self.root or HistoryNode(tuple(legal))
        return decision_of(np.array(root.counts), np.array(root.totals), (values, errors), self.done, self.nodes)


def _by_decision(steps: Steps) -> list[tuple[Hashable, tuple[Any, ...]]]:
    """Each action with all that was seen until the next."""
    found = list[tuple[Hashable, tuple[Any, ...]]]()
    for action, seen in steps:
        if action is None and found:
            found[-1] = (found[-1][0], (*found[-1][1], seen))
        else:
            found.append((action, (seen,)))
    return found


@dataclass(frozen=True, eq=False)
class RulesSimulator:
    """Plain rules with modelled others, sampled in Python.

    Parameters
    ----------
    induced
        How states step, with what the others are and remember.
    faithful
        Beyond the tree the others play as they do; False: at random, without being asked.
    hooks
        The hooks in this game.
    leaf
        What a new node is valued by.
    why
        Why nothing compiled is searched.
    """

    induced: InducedSimulator
    faithful: bool = True
    hooks: GameHooks = GameHooks()  # noqa: RUF009  frozen
    leaf: str = ROLLOUT
    why: str = BY_RULES

    def codes(self, actions: Sequence[Hashable]) -> Sequence[Hashable]:
        return actions

    def offered(self, believed: ParticleBelief) -> Sequence[Hashable]:
        return offered_to(believed)

    def tracker(self, way: SearchWay, seed: int, particles: int) -> InteractiveTracker:  # noqa: ARG002
        return InteractiveTracker(self.induced, seed, min(particles, MOST_BY_RULES))

    def search(self, way: SearchWay, root: ParticleBelief, seed: int) -> RulesSearch:
        return RulesSearch(self.induced, way, self.faithful, self.hooks, root, seed)

    def shares(self, root: ParticleBelief) -> Mapping[Any, float]:
        return state_shares((one.state for one in root.states), root.weights.tolist())
