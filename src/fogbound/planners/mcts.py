"""Monte Carlo tree search for games in which everybody sees everything: chance and several players allowed.

As a policy it thinks anew at every position it is asked about. As a solver it improves its estimate of the game from
the start. Both only sample the rules, so the game may be of any size, and nothing they say is a bound: the value is the
mean return of simulations that still explore, which approaches the game's value as they grow in number (the error fades
as log n / n), and its interval covers the luck of the draw, not that exploration.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, ClassVar

import numpy as np

from fogbound.core.dist import Dist
from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Player
from fogbound.planners.sampled import Sampled, generator, require_sight
from fogbound.planners.uct import Node, Search
from fogbound.policies.seeing import Seeing
from fogbound.progress import Desk, Progress

GROWTH = 8  # an answer after every eighth more simulations
Z95 = 1.959963984540054
REMEMBERED = 10_000  # positions whose move is kept
STATISTICAL = "mean return of the simulations through the first move tried most, exploration included; 95 % interval"
inf = math.inf


@dataclass(frozen=True)
class MCTS:
    """Good play by UCT (Kocsis and Szepesvári 2006), from the rules alone, where everybody sees everything."""

    name = "mcts"

    simulations: int = 1000  # for a move, and for the estimate at the start
    exploration: float = 1.4  # how much UCB1 favours moves seldom tried, in units of `spread`
    spread: float = 0.0  # best minus worst return, to which UCB1 is scaled; 0 = as met so far in the search
    depth: int = 200  # steps of one simulation; what is paid later does not count, so cyclic games end too
    rollouts: int = 1  # random plays from each new position

    form: ClassVar[str] = "game"
    finds: ClassVar[str] = "good play"

    def __post_init__(self) -> None:
        for name in ("simulations", "depth", "rollouts"):
            if getattr(self, name) < 1:
                raise SpecError(f"mcts: {name} is {getattr(self, name)}, expected 1 or more")
        for name in ("exploration", "spread"):
            if not 0 <= getattr(self, name) < inf:
                raise SpecError(f"mcts: {name} is {getattr(self, name)}, expected a number of 0 or more")

    def run(self, form: Sampled | AnyGame, desk: Desk) -> Iterator[Progress]:
        """The state of a run is its seed and its length: to resume, the same simulations are made again."""
        form = form if isinstance(form, Sampled) else Sampled(form)
        arrays = desk.arrays
        if not arrays:
            arrays["seed"], arrays["done"] = desk.rng.integers(0, 2**62, 1), np.zeros(1, np.int64)
        seed, done = int(arrays["seed"][0]), int(arrays["done"][0])
        root = Root(form, self.search(form.game, Random(seed)), self.depth)
        for _ in range(done):
            root.simulate()
        while done < self.simulations:
            for _ in range(int(min(1 + done // GROWTH, self.simulations - done, max(1.0, desk.most - done)))):
                root.simulate()
                done += 1
                if desk.stopping():
                    break
            arrays["done"][0] = done
            yield root.answer(done, {i: self.policy(form.game, i, seed) for i in range(len(form.game.players))})

    def search(self, game: AnyGame, rng: Random) -> Search:
        return Search(game, rng, self.exploration, self.depth, self.rollouts, self.spread, "mcts")

    def policy(self, game: AnyGame, player: int, seed: int = 0) -> Seeing:
        """The policy that searches from wherever it is asked: the same answer for the same seed and state."""

        @lru_cache(REMEMBERED)
        def best(state: Any) -> Dist[Any]:
            search, root = self.search(game, generator(seed, state)), Node(game, state, "mcts")
            for _ in range(self.simulations if len(root.actions) > 1 else 0):
                search.simulate(root)
            return Dist.sure(root.actions[root.best])

        return Seeing(game, player, lambda state, _: best(state))


class Root:
    """The start of the game, which chance may draw, with what came of each first move."""

    def __init__(self, form: Sampled, search: Search, depth: int) -> None:
        require_sight(form.game, "mcts", search.rng, depth)
        self.form, self.search, self.begin = form, search, form.game.start()
        self.nodes = [Node(form.game, outcome.state, "mcts") for outcome, _ in self.begin]
        self.starts = Dist(tuple((k, p) for k, (_, p) in enumerate(self.begin)))
        self.met: dict[tuple[int, int], list[float]] = {}  # (start, move) -> how often, sum, sum of squares

    def simulate(self) -> None:
        start = self.starts.sample(self.search.rng)
        move, returns = self.search.simulate(self.nodes[start])
        value, sums = returns[self.form.player], self.met.setdefault((start, move), [0.0, 0.0, 0.0])
        for k, part in enumerate((1.0, value, value * value)):
            sums[k] += part

    def answer(self, done: int, profile: dict[int, Player]) -> Progress:
        """The mean over the first moves tried most, averaged over the starts that were drawn."""
        value = variance = weight = 0.0
        for start, (outcome, p) in enumerate(self.begin):
            tried = [sums for (k, _), sums in self.met.items() if k == start]
            if tried:
                n, total, squares = max(tried, key=lambda sums: sums[0])
                paid = outcome.rewards[self.form.player] if outcome.rewards else 0.0
                value, weight = value + p * (paid + total / n), weight + p
                spread = max(0.0, squares / n - (total / n) ** 2) * n / (n - 1) if n > 1 else inf
                variance += p * p * spread / n
        value, half = value / weight, Z95 * math.sqrt(variance) / weight
        details = {
            "statistical": STATISTICAL,
            "simulations": done,
            "interval": [value - half, value + half] if half < inf else None,
            "visits": self._visits(),
        }
        return Progress(value, -inf, inf, lambda: profile, details, iteration=done)

    def _visits(self) -> dict[str, int]:
        """How often each first move was tried, at the start that came up most."""
        node = max(self.nodes, key=lambda node: node.total)
        return {self.form.game.describe(action): n for action, n in zip(node.actions, node.visits)}
