"""The rules of a game tree as compiled rules: a state is a node, and chance is skipped on the way to the next.

Those who move at once, whom a tree writes one below the other, move at once again: the state is the node of the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fogbound.compiled.kernel import kernel
from fogbound.compiled.rules import rule

PLAYERS, WIDTH, ROOT, PAYOFF = range(4)
MOVER, CHILD, INFOSET, LEGAL, CODES, MEMORY, TOGETHER, HEAD = range(4, 12)  # where arrays begin
CHANCE, END = -1, -2


@rule
def begin(rules: Any, k: Any, state: Any, seen: Any) -> Any:
    """The root, or the k-th child of a root where chance moves."""
    numbers = rules.integers
    root = numbers[ROOT]
    for player in range(numbers[PLAYERS]):
        seen[player] = 0
    state[0] = root
    if numbers[numbers[MOVER] + root] != CHANCE:
        return 1.0
    state[0] = numbers[numbers[CHILD] + root] + k
    return rules.numbers[state[0]]


@rule
def actors(rules: Any, state: Any, out: Any) -> Any:
    """Whoever moves in the node, and with it."""
    numbers, node = rules.integers, state[0]
    movers = numbers[numbers[TOGETHER] + node]
    for k in range(movers):
        out[k] = numbers[numbers[MOVER] + node]
        node = numbers[numbers[CHILD] + node]
    return movers


@rule
def legal(rules: Any, state: Any, player: Any, out: Any) -> Any:
    """The labels of the moves of the actor's information set."""
    numbers, node = rules.integers, state[0]
    while numbers[numbers[MOVER] + node] != player:
        node = numbers[numbers[CHILD] + node]
    size = numbers[numbers[CHILD] + node + 1] - numbers[numbers[CHILD] + node]
    begins = numbers[CODES] + numbers[numbers[LEGAL] + numbers[numbers[INFOSET] + node]] * numbers[WIDTH]
    for place in range(size):
        out[place] = numbers[begins + place]
    return size


@kernel
def _moved(rules: Any, state: Any, places: Any) -> Any:
    """The node after a joint move."""
    numbers, node = rules.integers, state[0]
    for k in range(numbers[numbers[TOGETHER] + node]):
        node = numbers[numbers[CHILD] + node] + places[k]
    return node


@rule
def chances(rules: Any, state: Any, joint: Any, places: Any, weights: Any) -> Any:  # noqa: ARG001
    """What chance does after a move, if it does anything."""
    numbers = rules.integers
    child = _moved(rules, state, places)
    weights[0] = 1.0
    if numbers[numbers[MOVER] + child] != CHANCE:
        return np.int64(1)
    first, end = numbers[numbers[CHILD] + child], numbers[numbers[CHILD] + child + 1]
    for node in range(first, end):
        weights[node - first] = rules.numbers[node]
    return end - first


@rule
def follow(rules: Any, state: Any, joint: Any, places: Any, k: Any, rewards: Any, seen: Any) -> Any:  # noqa: ARG001
    """The next node in which somebody moves; all is paid at the end."""
    numbers, players = rules.integers, rules.integers[PLAYERS]
    node = _moved(rules, state, places)
    if numbers[numbers[MOVER] + node] == CHANCE:
        node = numbers[numbers[CHILD] + node] + k
    state[0] = node
    over = numbers[numbers[MOVER] + node] == END
    paid = numbers[PAYOFF] + node * players
    for player in range(players):
        rewards[player] = rules.numbers[paid + player] if over else 0.0
        seen[player] = 0
    return np.int64(0)


@rule
def knows(rules: Any, state: Any, player: Any) -> Any:
    """The number of what a player remembers in the node, whether it moves there or not."""
    return rules.integers[rules.integers[MEMORY] + state[0] * rules.integers[PLAYERS] + player]
