"""The oracle: the same questions answered straight from a game's four methods, slowly and plainly.

Nothing here knows arrays, kernels or forms. A tree is nested lists; knowledge is a tuple of what was done
and seen; values and best replies are recursions one can check against a textbook.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import product
from typing import Any

CHANCE, END = -1, -2


@dataclass(eq=False)
class Node:
    """One history."""

    player: int
    parent: Node | None
    prob: float  # of the edge into it, 1 unless the parent is chance
    payoff: tuple[float, ...]
    known: tuple[tuple[Any, ...], ...]  # what each player knows
    state: Any
    moves: tuple[Any, ...] = ()
    children: list[Node] = field(default_factory=list)


def tree(game) -> list[Node]:
    """All nodes, breadth first. Simultaneous movers one after the other; no chance node for a sure outcome."""
    n = len(game.players)
    nodes: list[Node] = []
    queue: deque = deque()

    def add(node):
        if node.parent is not None:
            node.parent.children.append(node)
        nodes.append(node)
        return node

    def outcomes(dist):
        merged: dict = {}
        for outcome, p in dist:
            if p > 0:
                key = (outcome.state, outcome.rewards or (0.0,) * n, outcome.public, outcome.private or (None,) * n)
                merged[key] = merged.get(key, 0.0) + p
        return list(merged.items())

    def arrive(parent, key, p, time, own):
        state, rewards, public, private = key
        scale = game.discount ** max(time, 0)
        before = parent.payoff if parent else (0.0,) * n
        known = parent.known if parent else ((),) * n
        known = tuple((*known[i], own.get(i), (public, private[i])) for i in range(n))
        payoff = tuple(before[i] + scale * rewards[i] for i in range(n))
        actors = game.actors(state)
        node = add(Node(actors[0] if actors else END, parent, p, payoff, known, state))
        queue.append(("turn", node, state, time + 1, actors, ()))

    def resolve(parent, dist, time, own):
        listed = outcomes(dist)
        if len(listed) == 1:
            arrive(parent, listed[0][0], listed[0][1], time, own)
            return
        known = parent.known if parent else ((),) * n
        payoff = parent.payoff if parent else (0.0,) * n
        node = add(Node(CHANCE, parent, 1.0, payoff, known, None))
        queue.append(("chance", node, listed, time, own))

    resolve(None, game.start(), -1, {})
    while queue:
        kind, node, *rest = queue.popleft()
        if kind == "chance":
            listed, time, own = rest
            for key, p in listed:
                arrive(node, key, p, time, own)
            continue
        state, time, actors, chosen = rest
        if node.player == END:
            continue
        node.moves = tuple(game.actions(state, node.player))
        for action in node.moves:
            joint = (*chosen, action)
            if len(joint) < len(actors):
                follow = Node(actors[len(joint)], node, 1.0, node.payoff, node.known, state)
                add(follow)
                queue.append(("turn", follow, state, time, actors, joint))
            else:
                resolve(node, game.step(state, joint), time, dict(zip(actors, joint)))
    return nodes


def expected(nodes: list[Node], strategies: dict[int, dict[tuple, dict[Any, float]]]) -> tuple[float, ...]:
    """What each player gets; strategies[player][knowledge][action] are probabilities."""

    def walk(node):
        if node.player == END:
            return node.payoff
        if node.player == CHANCE:
            weights = [child.prob for child in node.children]
        else:
            choice = strategies[node.player][node.known[node.player]]
            weights = [choice.get(move, 0.0) for move in node.moves]
        below = [walk(child) for child in node.children]
        return tuple(sum(w * b[i] for w, b in zip(weights, below)) for i in range(len(node.payoff)))

    return walk(nodes[0])


def best_value(nodes: list[Node], strategies: dict[int, dict[tuple, dict[Any, float]]], player: int) -> float:
    """The best reply's value, by trying every pure strategy (small games only)."""
    sets: dict[tuple, tuple] = {}
    for node in nodes:
        if node.player == player:
            sets[node.known[player]] = node.moves
    best = float("-inf")
    for choice in product(*sets.values()):
        mine = {known: {move: 1.0} for known, move in zip(sets, choice)}
        best = max(best, expected(nodes, {**strategies, player: mine})[player])
    return best


def pure_strategies(nodes: list[Node], player: int) -> int:
    """How many pure (unreduced) strategies a player has."""
    sizes = {node.known[player]: len(node.moves) for node in nodes if node.player == player}
    count = 1
    for size in sizes.values():
        count *= size
    return count


def markov(game, states, strategies) -> tuple[dict, dict]:
    """({state: each player's value}, {state: the value of each one's best reply}) where everybody sees the state.

    strategies[player][state][action] are probabilities. By sweeps over the states until nothing moves.
    """
    live, players = [state for state in states if game.actors(state)], range(len(game.players))
    found = []
    for best in (False, True):
        offers = {(state, i): _offers(game, state, i, strategies, best) for state in live for i in players}
        found.append([_settled(game.discount, live, {s: offers[s, i] for s in live}) for i in players])
    value, replied = ({state: tuple(one[state] for one in by_player) for state in live} for by_player in found)
    return value, replied


def _offers(game, state, i, strategies, best) -> list[tuple[float, dict]]:
    """What a player chooses from, (pay, {state after: probability}) each: its actions, or what it plays alone."""
    actors, offers = game.actors(state), dict[Any, tuple[list[float], dict]]()
    for joint in product(*(game.actions(state, j) for j in actors)):
        weight = 1.0
        for j, action in zip(actors, joint):
            weight *= 1.0 if best and j == i else strategies[j][state].get(action, 0.0)
        paid, after = offers.setdefault(joint[actors.index(i)] if best and i in actors else None, ([], {}))
        for outcome, p in game.step(state, joint):
            paid.append(weight * p * (outcome.rewards[i] if outcome.rewards else 0.0))
            after[outcome.state] = after.get(outcome.state, 0.0) + weight * p
    return [(sum(paid), after) for paid, after in offers.values()]


def _settled(discount, live, offers) -> dict:
    """{state: value} of always taking the best offer."""
    value = dict.fromkeys(live, 0.0)
    for _ in range(100_000):
        moved = 0.0
        for state in live:
            fresh = max(
                paid + discount * sum(p * value.get(after, 0.0) for after, p in afters.items())
                for paid, afters in offers[state]
            )
            moved, value[state] = max(moved, abs(fresh - value[state])), fresh
        if moved <= 1e-13 * max(1.0, *map(abs, value.values())):
            return value
    raise AssertionError("values do not settle")
