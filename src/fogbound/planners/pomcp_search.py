"""The search of POMCP: UCT over one player's own histories, from states drawn from what it believes.

Silver and Veness, "Monte-Carlo planning in large POMDPs" (2010). A node is a decision of mine, reached by what I did
and saw; steps in which only the others move lie between two nodes. Beyond the tree I play at random, or by a policy
that is given: their "preferred actions", which matter much where random play soon ruins everything. The first move is
not chosen by UCB1, which minimises what exploring costs, though it costs nothing there: by sequential halving, as in
Pepels et al., "Minimizing simple and cumulative regret in Monte-Carlo tree search" (2014). A node is worth what its
favourite move is, not the mean of all that was tried in it (compare MaxUCT: Keller and Helmert 2013).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, sqrt
from random import Random
from typing import Any

from fogbound.core.errors import GameError, brief
from fogbound.core.policy import AnyPolicy
from fogbound.planners.pomcp_cloud import Cloud
from fogbound.planners.pomcp_minds import Menu
from fogbound.planners.pomcp_world import Point, World


class Node:
    """A decision: its moves, how often each was tried and what they brought in all."""

    __slots__ = ("children", "favourite", "first", "held", "memory", "menu", "sums", "total", "visits")

    def __init__(self, menu: Menu, memory: Any = None) -> None:
        self.menu, self.total, self.memory = menu, 0, memory  # the memory of the policy that plays beyond the tree
        self.first = -inf  # what playing on without a tree brought, when the node was new
        self.favourite = -1  # the move tried most, of equals the better when it was last tried; -1 = as at first
        self.held = 0.0  # what is held to come of all visits: of the first, which made the node, and of all tries
        self.visits, self.sums = [0] * len(menu), [0.0] * len(menu)
        self.children: list[dict[Any, Node]] = [{} for _ in menu]

    def learn(self, move: int, gain: float) -> float:
        """Count a try of `move` that adds `gain` to what it brought in all; by how much this node's own sum changes.

        A node is worth what its favourite move is worth, and all its visits count as worth that: moves that were tried
        only to explore, and first impressions that were wrong, are not held against what leads here.
        """
        visits, sums, favourite = self.visits, self.sums, self.favourite
        self.total += 1
        visits[move] += 1
        sums[move] += gain
        many, brought = (visits[favourite], sums[favourite]) if favourite >= 0 else (1, self.first)
        if visits[move] > many or (visits[move] == many and sums[move] > brought):
            self.favourite, many, brought = move, visits[move], sums[move]
        before, self.held = self.held, (self.total + 1) * brought / many
        return self.held - before

    @property
    def best(self) -> int:
        """The move tried most; of equals the better, of those the first."""
        return max(range(len(self.menu)), key=lambda k: (self.visits[k], self.mean(k)))

    def mean(self, move: int) -> float:
        """What the move brought on average, -inf when it was never tried."""
        return self.sums[move] / self.visits[move] if self.visits[move] else -inf


@dataclass
class Search:
    """Simulations from one decision; `rng` is the only source of chance."""

    world: World
    rng: Random
    exploration: float  # how much UCB1 favours moves seldom tried, in units of `spread`
    depth: int  # steps of one simulation
    spread: float = 0.0  # 0: the difference between the best and the worst return met so far
    beyond: AnyPolicy | None = None  # how I play beyond the tree
    faithful: bool = True  # beyond the tree the others play as they do; False: at random, without being asked

    def __post_init__(self) -> None:
        self.low, self.high, self.discount = inf, -inf, self.world.game.discount

    def run(self, cloud: Cloud, root: Node, simulations: int) -> None:
        """Sequential halving (Karnin, Koren and Somekh 2013): in each round equally many simulations of the moves that
        are left, then the better half stays. The last one gets what remains, so that it is the one tried most."""
        left, live = simulations, list(range(len(root.menu)))
        if simulations < len(live):
            self.rng.shuffle(live)  # not all can be tried: no move is left out for its place
        for rounds in range((len(live) - 1).bit_length(), 0, -1):
            for move in (live * max(1, left // (rounds * len(live))))[:left]:
                self.simulate(root, move, cloud.draw(self.rng))
                left -= 1
            live.sort(key=lambda k: (-root.mean(k), k))
            live = live[: (len(live) + 1) // 2]
        for _ in range(left):
            self.simulate(root, live[0], cloud.draw(self.rng))

    def simulate(self, root: Node, move: int, point: Point) -> None:
        """From a first move down the tree by UCB1, one new node, on without a tree, and back up."""
        path: list[tuple[Node, int, float, float]] = []
        node, left, value = root, self.depth, 0.0
        while True:
            point, pay, fade, left, sights = self._on(point, move, left)
            path.append((node, move, pay, fade))
            if point.place < 0 or left <= 0:
                break
            child = node.children[move].get(sights)
            if child is None:
                child = node.children[move][sights] = Node(point.menu, self._remembered(node, move, sights))
                value = self._rollout(point, left) if self.beyond is None else self._guided(point, left, child.memory)
                child.first = child.held = value
                break
            if child.menu is not point.menu and child.menu != point.menu:
                raise GameError(self._unequal(child, point))
            node, move = child, self.select(child)
        change = value
        for node, move, pay, fade in reversed(path):
            value = pay + fade * value
            change = node.learn(move, pay + fade * change)
        if value < self.low:
            self.low = value
        if value > self.high:
            self.high = value

    def select(self, node: Node) -> int:
        """Moves never tried first, in order; then the one with the highest upper confidence bound."""
        visits = node.visits
        if node.total < len(visits):
            return visits.index(0)
        room = self.exploration * (self.spread or (self.high - self.low) or 1.0) * sqrt(log(node.total))
        worths = [total / n + room / sqrt(n) for total, n in zip(node.sums, visits)]
        return worths.index(max(worths))

    def _on(self, point: Point, move: int, left: int) -> tuple[Point, float, float, int, Any]:
        """Play `move` and go on until I am asked again: where, what was paid, its fading, steps left, what was seen."""
        step, draw, discount = self.world.step, self.rng.random, self.discount
        point, pay, seen = step(point, move, draw)
        fade, left, sights = discount, left - 1, [seen]
        while point.place < 0 and left > 0 and point.actors:
            point, more, seen = step(point, -1, draw)
            pay += fade * more
            fade *= discount
            left -= 1
            sights.append(seen)
        return point, pay, fade, left, tuple(sights)

    def _rollout(self, point: Point, left: int) -> float:
        """What random play of mine brings from here."""
        step, draw, discount = self.world.step if self.faithful else self.world.stray, self.rng.random, self.discount
        value, scale = 0.0, 1.0
        while left > 0 and point.actors:
            point, pay, _ = step(point, int(draw() * len(point.menu)), draw)
            value += scale * pay
            scale *= discount
            left -= 1
        return value

    def _guided(self, point: Point, left: int, memory: Any) -> float:
        """What the policy beyond the tree brings from here."""
        assert self.beyond is not None
        step, draw, update = self.world.step if self.faithful else self.world.stray, self.rng.random, self.beyond.update
        value, scale = 0.0, 1.0
        while left > 0 and point.actors:
            action = self.beyond.act(memory, point.menu).sample(self.rng) if point.place >= 0 else None
            point, pay, seen = step(point, -1 if action is None else point.menu.index(action), draw)
            memory = update(memory, action, seen)
            value += scale * pay
            scale *= self.discount
            left -= 1
        return value

    def _remembered(self, node: Node, move: int, sights: Any) -> Any:
        """The memory of the policy beyond the tree, one decision later."""
        if self.beyond is None:
            return None
        memory = self.beyond.update(node.memory, node.menu[move], sights[0])
        for seen in sights[1:]:
            memory = self.beyond.update(memory, None, seen)
        return memory

    def _unequal(self, node: Node, point: Point) -> str:
        return (
            f"{self.world.game}: player {self.world.me} is offered {brief(node.menu)} or {brief(point.menu)} after the "
            "same sights, expected what follows from what the player knows"
        )
