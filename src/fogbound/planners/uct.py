"""UCT: a tree of moves that grows where play looks promising.

Kocsis and Szepesvári, "Bandit based Monte-Carlo planning" (2006), in the four steps of document 003: SELECTION goes
down the tree by UCB1 (Auer, Cesa-Bianchi and Fischer 2002), EXPANSION adds the first position that is new, SIMULATION
plays on from there at random, BACKPROPAGATION tells every move on the way what came of it. With several players values
are vectors and each mover maximises its own part (max^n); chance is drawn, one child a state that may follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, sqrt
from random import Random
from typing import Any

from fogbound.core.dist import Dist
from fogbound.core.errors import GameError
from fogbound.core.game import AnyGame, Outcome
from fogbound.forms.contract import no_action
from fogbound.planners.sampled import mover

Returns = list[float]  # what each player gets from some point on


class Node:
    """A position in the tree: its moves, how often each was tried, and what they brought the mover in all."""

    __slots__ = ("actions", "children", "mover", "rows", "state", "sums", "total", "visits")

    def __init__(self, game: AnyGame, state: Any, who: str) -> None:
        self.state, self.mover = state, mover(game, state, who)
        self.actions = tuple(game.actions(state, self.mover)) if self.mover >= 0 else ()
        if self.mover >= 0 and not self.actions:
            raise GameError(no_action(game, self.mover, state))
        self.visits, self.sums, self.total = [0] * len(self.actions), [0.0] * len(self.actions), 0
        self.rows: list[Dist[Outcome[Any]] | None] = [None] * len(self.actions)
        self.children: dict[tuple[int, Any], Node] = {}

    @property
    def best(self) -> int:
        """The move tried most: steadier than the highest mean. Of equals the better, of those the first."""
        return max(range(len(self.actions)), key=lambda k: (self.visits[k], self.sums[k] / max(1, self.visits[k])))


@dataclass
class Search:
    """The rules of the search; `rng` is its only source of chance."""

    game: AnyGame
    rng: Random
    exploration: float
    depth: int
    rollouts: int
    spread: float  # 0: the difference between the best and the worst return met so far
    who: str

    def __post_init__(self) -> None:
        n = len(self.game.players)
        self.low, self.high = [inf] * n, [-inf] * n

    def simulate(self, root: Node) -> tuple[int, Returns]:
        """One simulation from `root`: the first move (-1 where there is none) and what everybody got."""
        path: list[tuple[Node, int, tuple[float, ...]]] = []
        node, returns = root, [0.0] * len(self.game.players)
        while node.mover >= 0 and len(path) < self.depth:
            move = self.select(node)
            outcome = self._row(node, move).sample(self.rng)
            path.append((node, move, outcome.rewards))
            child = node.children.get((move, outcome.state))
            if child is None:
                child = node.children[move, outcome.state] = Node(self.game, outcome.state, self.who)  # EXPANSION
                returns = self._rollouts(child, len(path))
                break
            node = child
        for node, move, rewards in reversed(path):  # BACKPROPAGATION
            returns = _earlier(rewards, self.game.discount, returns)
            node.visits[move] += 1
            node.total += 1
            node.sums[move] += returns[node.mover]
        self._widen(returns)
        return (path[0][1] if path else -1), returns

    def select(self, node: Node) -> int:
        """SELECTION: moves never tried first, in order; then the one with the highest upper confidence bound."""
        if node.total < len(node.visits):
            return node.visits.index(0)
        spread = self.spread or (self.high[node.mover] - self.low[node.mover]) or 1.0
        room = self.exploration * spread * sqrt(log(node.total))
        worths = [total / n + room / sqrt(n) for total, n in zip(node.sums, node.visits)]
        return worths.index(max(worths))

    def _row(self, node: Node, move: int) -> Dist[Outcome[Any]]:
        row = node.rows[move]
        if row is None:
            row = node.rows[move] = self.game.step(node.state, (node.actions[move],))
        return row

    def _rollouts(self, node: Node, depth: int) -> Returns:
        """SIMULATION: the average of `rollouts` random plays."""
        if node.mover < 0:
            return [0.0] * len(self.game.players)
        plays = [self._rollout(node, depth) for _ in range(self.rollouts)]
        return [sum(part) / len(plays) for part in zip(*plays)]

    def _rollout(self, node: Node, depth: int) -> Returns:
        game, rng, scale = self.game, self.rng, 1.0
        state, turn, actions = node.state, node.mover, node.actions
        returns = [0.0] * len(game.players)
        for _ in range(depth, self.depth):
            outcome = game.step(state, (actions[int(rng.random() * len(actions))],)).sample(rng)
            for i, reward in enumerate(outcome.rewards):
                returns[i] += scale * reward
            scale *= game.discount
            state = outcome.state
            turn = mover(game, state, self.who)
            if turn < 0:
                break
            actions = tuple(game.actions(state, turn))
        return returns

    def _widen(self, returns: Returns) -> None:
        for i, value in enumerate(returns):
            self.low[i], self.high[i] = min(self.low[i], value), max(self.high[i], value)


def _earlier(rewards: tuple[float, ...], discount: float, returns: Returns) -> Returns:
    """Returns one step earlier: what that step paid, and the rest discounted."""
    later = [discount * value for value in returns]
    return [now + rest for now, rest in zip(rewards, later)] if rewards else later
