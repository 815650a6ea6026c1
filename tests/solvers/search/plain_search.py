"""The search once more in plain Python: the author's own rules, nodes in a dict by what was really done and seen.

It shares nothing with the compiled search but the words for how to search (`SearchWay`): no compiled rules, table,
codes, hashing or pools. The order of draws is the one that the kernels' docstrings tell: what is true; then step by
step the place of each actor's action, then an outcome where there are several. Whole numbers are kept to 64 bits by
hand.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import product
from math import fsum, inf, log, sqrt
from typing import Any

from fogbound.core.simulator import RuleSimulator

WORD = 2**64 - 1


class SplitMix:
    """SplitMix64 (Steele, Lea and Flood 2014), as its authors print it."""

    def __init__(self, seed: int) -> None:
        self.word = seed & WORD

    def uniform(self) -> float:
        self.word = (self.word + 0x9E3779B97F4A7C15) & WORD
        z = self.word
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
        return ((z ^ (z >> 31)) >> 11) * 2.0**-53

    def below(self, count: int) -> int:
        return int(self.uniform() * count) if count > 1 else 0

    def drawn(self, weights: list[float]) -> int:
        return self.place(weights) if len(weights) > 1 else 0

    def place(self, weights: list[float]) -> int:
        left = self.uniform()
        for place, weight in enumerate(weights[:-1]):
            left -= weight
            if left < 0:
                return place
        return len(weights) - 1


@dataclass
class Edge:
    """An action of a node."""

    tried: int = 0
    open: int = 0
    total: float = 0.0
    regret: float = 0.0
    average: float = 0.0

    @property
    def mean(self) -> float:
        return self.total / self.tried if self.tried else 0.0


@dataclass
class Node:
    """What a mover decides by."""

    visits: int = 0
    edges: dict[Any, Edge] = field(default_factory=lambda: defaultdict(Edge))


History = tuple[Any, ...]  # what was seen first, then (own action or None, what was seen) for each step
Particle = tuple[Any, tuple[History, ...], float]  # a state, what each player knows in it, how likely it is


def once(rules: RuleSimulator, branches: list[Any]) -> list[Any]:
    """Outcomes that pay and show the same and lead to the same state are one."""
    merged: dict[Any, list[Any]] = {}
    for state, event, p in branches:
        seen = tuple(rules.observed(event, i) for i in range(len(rules.players)))
        merged.setdefault((state, rules.paid(event), seen), [state, event, 0.0])[2] += p
    whole = fsum(p for *_, p in merged.values())
    return [(state, event, p / whole) for state, event, p in merged.values()]


def opening(game: Any) -> list[Particle]:
    """All the ways to begin."""
    rules, everybody = RuleSimulator(game), range(len(game.players))
    began = once(rules, rules.start())
    return [(state, tuple((rules.observed(event, i),) for i in everybody), p) for state, event, p in began]


def believed(game: Any, player: int, history: History, alone: bool = False) -> list[Particle]:
    """What a player may hold for true, exactly, if the others move at random: Bayes' rule, state by state.

    States that are alike and in which everybody knows the same are one; `alone`: whatever the others know.
    """
    rules = RuleSimulator(game)
    first, *steps = history
    here = _merged([part for part in opening(game) if part[1][player] == (first,)], player, alone)
    for action, seen in steps:
        following = []
        for state, known, weight in here:
            actors = rules.actors(state)
            if not actors or (player in actors) != (action is not None):
                continue
            legal = rules.legal(state, actors)
            options = [
                [k for k, a in enumerate(offered) if a == action] if who == player else range(len(offered))
                for who, offered in zip(actors, legal)
            ]
            joints = [places[::-1] for places in product(*options[::-1])]  # the first actor the fastest
            for places in joints:
                for after, event, p in once(rules, rules.step(state, legal, places)):
                    if rules.observed(event, player) == seen:
                        now = remembered(rules, known, actors, legal, places, event)
                        following.append((after, now, weight / len(joints) * p))
        here = _merged(following, player, alone)
    return here


def _merged(particles: list[Particle], player: int, alone: bool) -> list[Particle]:
    weights: dict[Any, float] = {}
    for state, known, weight in particles:
        kept = tuple(part if i == player or not alone else () for i, part in enumerate(known))
        weights[state, kept] = weights[state, kept] + weight if (state, kept) in weights else weight
    return [(state, known, weight) for (state, known), weight in weights.items()]


def remembered(rules, known, actors, legal, places, event):
    done = {who: offered[place] for who, offered, place in zip(actors, legal, places)}
    return tuple((*part, (done.get(i), rules.observed(event, i))) for i, part in enumerate(known))


class PlainSearch:
    """The same simulations as `TreeSearch` makes with the same seed, one at a time."""

    def __init__(self, game: Any, way: Any, root: list[Particle], me: int, seed: int) -> None:
        self.rules, self.way, self.root, self.me = RuleSimulator(game), way, root, me
        self.discount, self.players = game.discount, len(game.players)
        self.random, self.nodes = SplitMix(seed), dict[Any, Node]()
        self.low, self.high = [inf] * self.players, [-inf] * self.players
        self.sums, self.done = [0.0] * self.players, 0
        whole = sum(weight for *_, weight in root)
        self.upto, upto = [], 0.0
        for *_, weight in root:
            upto += weight / whole
            self.upto.append(upto)
        self.upto[-1] = 1.0

    def run(self, simulations: int) -> None:
        for _ in range(simulations):
            self._simulate()
            self.done += 1

    def at_root(self, legal: tuple[Any, ...]) -> list[Edge]:
        """What was learnt at the root."""
        node = self.nodes[self.me, self.root[0][1][self.me]]
        return [node.edges[action] for action in legal]

    def _simulate(self) -> None:
        """Down the tree, on without it, and back up."""
        draw = self.random.uniform()
        state, known, _ = self.root[next(k for k, upto in enumerate(self.upto) if upto > draw)]
        path, beyond, inside = (
            [],
            [],
            True,
        )  # (moves of those who learn, rewards) of steps in the tree; rewards after it
        while len(path) + len(beyond) < self.way.depth and (actors := self.rules.actors(state)):
            legal, places, moves, fresh = self.rules.legal(state, actors), [], [], False
            for player, offered in zip(actors, legal):
                if not inside or (self.way.observer == "alone" and player != self.me):
                    places.append(self.random.below(len(offered)))
                    continue
                key = player, known[self.me if self.way.observer == "single" else player]
                if key in self.nodes:
                    places.append(self._choose(self.nodes[key], offered, player))
                else:
                    self.nodes[key], fresh = Node(), True
                    places.append(self.random.below(len(offered)))
                moves.append((self.nodes[key], offered, offered[places[-1]], player))
            branches = once(self.rules, self.rules.step(state, legal, places))
            state, event, _ = branches[self.random.drawn([p for *_, p in branches])]
            known = remembered(self.rules, known, actors, legal, places, event)
            paid = self.rules.paid(event)
            if inside:
                path.append((moves, paid))
            else:
                beyond.append(paid)
            inside = inside and not fresh
        self._back_up(path, beyond)

    def _back_up(self, path: list[Any], beyond: list[Any]) -> None:
        """Beyond the tree rewards are added up from the front, inside it from the back: equal to the last bit."""
        gain = [sum(self.discount**k * rewards[i] for k, rewards in enumerate(beyond)) for i in range(self.players)]
        for moves, paid in path[::-1]:
            gain = [r + self.discount * g for g, r in zip(gain, paid)]
            for node, legal, action, player in moves[::-1]:
                self._learn(node, legal, action, gain[player])
        for player, g in enumerate(gain):
            self.sums[player] += g
            self.low[player], self.high[player] = min(self.low[player], g), max(self.high[player], g)

    def _learn(self, node: Node, legal: tuple[Any, ...], action: Any, gain: float) -> None:
        if self.way.rule == "regret":
            policy = self.strategy(node, legal)
            worth = []
            for a, p in zip(legal, policy):
                mean = node.edges[a].mean
                drawn = (1 - self.way.share) * p + self.way.share / len(legal)
                worth.append(mean + (gain - mean) / drawn if a == action else mean)
            value = sum(p * w for p, w in zip(policy, worth))
            for a, p, w in zip(legal, policy, worth):
                node.edges[a].regret += w - value
                node.edges[a].average += p
        node.visits += 1
        node.edges[action].tried += 1
        node.edges[action].total += gain

    def _choose(self, node: Node, legal: tuple[Any, ...], player: int) -> int:
        if self.way.rule == "ucb":
            return self._most_promising(node, legal, player)
        if self.way.rule == "rm":
            return self.random.place(self.matched(node, legal))
        share = self.way.share
        return self.random.place([(1 - share) * p + share / len(legal) for p in self.strategy(node, legal)])

    def _most_promising(self, node: Node, legal: tuple[Any, ...], player: int) -> int:
        """UCB1; by how often an action was open where nodes are pooled (Cowling, Powley and Whitehouse 2012)."""
        edges, pooled = [node.edges[action] for action in legal], self.way.observer == "single"
        for edge in edges if pooled else ():
            edge.open += 1
        untried = [k for k, edge in enumerate(edges) if not edge.tried]
        if untried:
            return untried[0]
        met = self.high[player] - self.low[player]
        room = self.way.exploration * (self.way.spread or met or 1.0)
        growth = [room * sqrt(log(e.open if pooled else node.visits)) for e in edges]
        upper = [e.total * (1 / e.tried) + g * sqrt(1 / e.tried) for e, g in zip(edges, growth)]
        return upper.index(max(upper))

    def matched(self, node: Node, legal: tuple[Any, ...]) -> list[float]:
        """Document 004, section 3.4.2."""
        edges = [node.edges[action] for action in legal]
        visits = sum(edge.tried for edge in edges)
        mean = sum(edge.total for edge in edges) / visits if visits else 0.0
        excess = [e.mean - mean if e.mean - mean > 0 else self.way.floor for e in edges]
        return [part / sum(excess) for part in excess]

    def strategy(self, node: Node, legal: tuple[Any, ...]) -> list[float]:
        """Regret matching."""
        positive = [max(node.edges[action].regret, 0.0) for action in legal]
        whole = sum(positive)
        return [part / whole if whole > 0 else 1 / len(legal) for part in positive]
