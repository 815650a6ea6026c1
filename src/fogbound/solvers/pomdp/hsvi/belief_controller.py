"""Greedy play by a set of vectors, as a finite-state controller: beliefs next to each other share a node.

A vector that a backup makes does better for one step and then as its successors did. With a discount near 1 only what
is done for ever counts, so here the greedy policy itself becomes a controller: from the start its beliefs are followed
by Bayes' rule, one that is next to a known one leads back to that one's node, and the whole is evaluated by one linear
system. Its vectors then are the next lower bound. That is policy iteration (Howard 1960; for POMDPs Hansen 1998), up to
what beliefs that share a node cost.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats, ranges
from fogbound.forms.linear_system import factorised
from fogbound.solvers.pomdp.hsvi.point_mdp import BlockSteps
from fogbound.solvers.pomdp.informed_bound import local_states
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP
from fogbound.solvers.pomdp.kernels import VectorGraph


@dataclass
class _Nodes:
    """The nodes so far, by block: their beliefs and numbers."""

    belief: list[list[Floats]]
    number: list[list[int]]
    count: int = 0

    def nearest(self, block: int, belief: Floats) -> tuple[int, float]:
        """The node of a block that is next to a belief, and how far that is (L1); -1 where the block has none."""
        if not self.belief[block]:
            return -1, np.inf
        apart = np.abs(np.array(self.belief[block]) - belief).sum(axis=1)
        return self.number[block][int(apart.argmin())], float(apart.min())

    def add(self, block: int, belief: Floats) -> int:
        self.belief[block].append(belief)
        self.number[block].append(self.count)
        self.count += 1
        return self.count - 1


class GreedyController:
    """The controller of greedy play by vectors [n, states] of each block, with about `most` nodes `apart` in L1."""

    def __init__(self, steps: BlockSteps, vectors: list[Floats], apart: float, most: int) -> None:
        self.steps, self.vectors, self.apart, self.most = steps, vectors, apart, most
        size = steps.model.blocks.size
        self.nodes = _Nodes([[] for _ in range(size)], [[] for _ in range(size)])
        self.heap: list[tuple[float, int, int]] = []  # likeliest first
        self.choice, self.after = dict[int, int](), dict[int, list[int]]()
        self.beliefs = list[Floats]()

    def graph(self) -> VectorGraph:
        """The controller, evaluated: its values are no higher than what it earns."""
        self._node(0, np.ones(1), 1.0)
        while self.heap:
            check()
            weight, node, block = heapq.heappop(self.heap)
            self._expand(node, block, -weight)
        model, nodes = self.steps.model, range(self.nodes.count)
        choice = np.array([self.choice[node] for node in nodes], np.int64)
        after = np.array([arrow for node in nodes for arrow in self.after[node]], np.int64)
        graph = model.vector_graph(choice, after)
        graph.value[:] = graph_values(model, graph)
        return graph

    def _node(self, block: int, belief: Floats, weight: float) -> int:
        """The node next to a belief, or a new one."""
        node, apart = self.nodes.nearest(block, belief)
        if node >= 0 and (apart <= self.apart or self.nodes.count >= self.most):
            return node
        node = self.nodes.add(block, belief)
        self.beliefs.append(belief)
        heapq.heappush(self.heap, (-weight, node, block))
        return node

    def _expand(self, node: int, block: int, weight: float) -> None:
        """The greedy action of a node's belief, and what follows it."""
        blocks, belief = self.steps.model.blocks, self.beliefs[node]
        best, follow = -np.inf, list[Floats]()
        for choice in range(int(blocks.choice[block]), int(blocks.choice[block + 1])):
            span = slice(int(blocks.offset[choice]), int(blocks.offset[choice + 1]))
            outcomes = range(int(blocks.outcome[choice]), int(blocks.outcome[choice + 1]))
            ahead = [belief @ self.steps.matrices[outcome] for outcome in outcomes]
            total = float(belief @ blocks.reward[span])
            for outcome, after in zip(outcomes, ahead):
                own = self.vectors[int(blocks.target[outcome])]
                total += float((own @ after[: own.shape[1]]).max())
            if total > best:
                best, follow, self.choice[node] = total, ahead, choice
        first = int(blocks.outcome[self.choice[node]])
        arrows = list[int]()
        for outcome, after in enumerate(follow, first):
            target = int(blocks.target[outcome])
            size, mass = int(self.steps.size[target]), float(after.sum())
            beside = after[:size] / mass if mass > 0 else np.full(size, 1 / size)  # what cannot come needs a node too
            arrows.append(self._node(target, beside, weight * mass))
        self.after[node] = arrows


def graph_values(model: UnderlyingMDP, graph: VectorGraph) -> Floats:
    """[pairs] v = r + P v of a controller by one linear system, less what its residual can come to."""
    blocks, nodes = model.blocks, len(graph.choice)
    count = np.diff(blocks.outcome)[graph.choice]
    outcome, owner = ranges(blocks.outcome[graph.choice], count), np.repeat(np.arange(nodes), count)  # [arrows]
    entries = model.entries[outcome]
    entry, arrow = ranges(blocks.start[blocks.begin[outcome]], entries), np.repeat(np.arange(len(outcome)), entries)
    source = graph.pairs[owner[arrow]] + local_states(model)[entry]
    target = graph.pairs[graph.after[arrow]] + blocks.to[entry]
    moves = csr_matrix((blocks.weight[entry], (source, target)), shape=(len(graph.value), len(graph.value)))
    reward = blocks.reward[ranges(blocks.offset[graph.choice], np.diff(graph.pairs))]
    value = np.asarray(factorised(moves).solve(reward))
    short = float((value - reward - moves @ value).max())
    return np.asarray(value - max(short, 0.0) * model.steps[model.members(graph)])
