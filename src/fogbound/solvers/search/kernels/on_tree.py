"""The simulations of `information_sets` on a game tree that is there: what is learnt lies at its information sets.

Nothing is looked up and no rule is called: the next node is a sum. Draws, choices and visits are those of the general
search on the same tree, three times as fast.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.draws import below, uniform
from fogbound.compiled.kernel import kernel
from fogbound.solvers.search.kernels.choice import DEPTH, learn
from fogbound.solvers.search.kernels.information_sets import decision_estimation
from fogbound.solvers.search.kernels.simulation import count_returns, draw_root

MOVER, CHILD, INFOSET, MOVERS = range(4)  # of a node's row
CHANCE, END = -1, -2


@dataclass(frozen=True, eq=False)
class TreeArrays(Bundle):
    """The tree: what a simulation asks of a node lies side by side."""

    node: np.ndarray  # [N+1, 4] who moves, the first child, the information set, how many move at once from here on
    prob: np.ndarray  # [N] of the edge into a child of chance
    payoff: np.ndarray  # [N, player] at an end


@kernel
def simulate_on_tree(tree, root, pool, walk, way, count):
    """So many simulations; nodes of the pool are information sets."""
    for _ in range(count):
        draw_root(root, walk)
        node, moves = _descend(tree, pool, walk, way, walk.state[0])
        over = tree.node[node, MOVER] == END
        for player in range(len(walk.gain)):
            walk.gain[player] = tree.payoff[node, player] if over else 0.0
        count_returns(walk)
        for move in range(moves - 1, -1, -1):
            learn(pool, walk.node[move], walk.edge[move], walk.gain[walk.player[move]], way, walk.policy)


@kernel
def _descend(tree, pool, walk, way, node):
    """Down what was met before and one step beyond, then at random: the node, how many moves of those who learn."""
    steps, moves, fresh, learning, left = 0, 0, False, True, 0
    while True:
        who = tree.node[node, MOVER]
        if who == END:
            return node, moves
        if who == CHANCE:
            node = _drawn(tree, walk, node)
            continue
        if left == 0:
            if steps == way.choices[DEPTH]:
                return node, moves
            learning = not fresh
            left = tree.node[node, MOVERS]
            steps += 1
        set_ = tree.node[node, INFOSET]
        size = pool.size[set_]
        if learning and pool.visits[set_] > 0:
            place = decision_estimation(pool, set_, walk.legal[0], size, walk, way, who)
        else:
            place = below(walk.random, size)
        if learning:
            if pool.visits[set_] == 0:
                fresh = True
                pool.key[pool.used[0]] = set_
                pool.used[0] += 1
            walk.node[moves] = set_
            walk.edge[moves] = pool.first[set_] + place
            walk.player[moves] = who
            moves += 1
        node = tree.node[node, CHILD] + place
        left -= 1


@kernel
def _drawn(tree, walk, node):
    """What chance does."""
    first, end = tree.node[node, CHILD], tree.node[node + 1, CHILD]
    if end - first <= 1:
        return first
    left = uniform(walk.random)
    for child in range(first, end - 1):
        left -= tree.prob[child]
        if left < 0:
            return child
    return end - 1


@kernel
def forget(pool):
    """Clear what was learnt, at the information sets that were met."""
    for met in range(pool.used[0]):
        set_ = pool.key[met]
        pool.visits[set_] = 0
        for edge in range(pool.first[set_], pool.first[set_] + pool.size[set_]):
            pool.tried[edge] = 0
            pool.total[edge] = 0.0
            if edge < len(pool.regret):
                pool.regret[edge] = 0.0
                pool.average[edge] = 0.0
    pool.used[0] = 0
