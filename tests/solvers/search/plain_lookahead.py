"""AEMS2 in plain Python, as an oracle: beliefs are dictionaries, nodes are objects, nothing is compiled."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch
from tests.pomdps import after, legal, plain


def leaf_bounds(form, blocks):
    """(informed [R], vectors [K, S]) that the search begins with, by the numbers of the form."""
    search = HeuristicSearch(blocks, {})
    vectors = []
    for block in range(1, blocks.size):
        own = blocks.state[blocks.first[block] : blocks.first[block + 1]]
        for vector in search.vectors(block):
            at = int(search.state.vectors.alpha[vector])
            row = np.full(form.size, -np.inf)
            row[own] = search.state.vectors.value[at : at + len(own)]
            vectors.append(row)
    return search.mdp.by_rows(search.arrays["informed"]), np.array(vectors)


@dataclass(eq=False)
class Node:
    weights: dict[int, float]
    lower: float
    upper: float
    q_upper: list[float]
    urgency: float
    promising: int | None = None
    reward: dict[int, float] = field(default_factory=dict)
    children: dict[int, list[tuple[float, Node]]] = field(default_factory=dict)


class PlainLookahead:
    def __init__(self, form, informed, vectors, weights):
        self.form, self.model, self.informed, self.vectors = form, plain(form), informed, vectors
        self.known: dict[object, Node] = {}
        self.root = self.node(weights)

    def node(self, weights):
        key = tuple((s, round(w, 9)) for s, w in sorted(weights.items()))
        if key not in self.known:
            row = self.form.row
            many = len(legal(self.model, weights))
            q = [sum(w * self.informed[row[s] + a] for s, w in weights.items()) for a in range(many)]
            states, own = list(weights), np.array(list(weights.values()))
            lower = float((self.vectors[:, states] @ own).max())
            self.known[key] = Node(weights, lower, max(q), q, max(0.0, max(q) - lower))
        return self.known[key]

    def look(self, most, enough=1e-12):
        while len(self.known) < most and self.root.urgency > enough and self.root.upper - self.root.lower > enough:
            path = [self.root]
            while path[-1].promising is not None:
                child = self.most_urgent(path[-1])[1]
                if child is None or child in path:
                    break
                path.append(child)
            for node in reversed(path):
                self.back_up(node)

    def most_urgent(self, node):
        most, best = 0.0, None
        for weight, child in node.children[node.promising]:
            if weight * child.urgency > most:
                most, best = weight * child.urgency, child
        return most, best

    def back_up(self, node):
        looked = set()
        while (best := int(np.argmax(node.q_upper))) not in looked:
            looked.add(best)
            if best not in node.children:
                self.expand(node, best)
            ahead = node.reward[best] + sum(w * child.upper for w, child in node.children[best])
            node.q_upper[best] = min(node.q_upper[best], ahead)
        node.upper, node.promising = min(node.upper, node.q_upper[best]), best
        for a, children in node.children.items():
            node.lower = max(node.lower, node.reward[a] + sum(w * child.lower for w, child in children))
        node.urgency = self.most_urgent(node)[0] if node.upper > node.lower else 0.0

    def expand(self, node, a):
        label = legal(self.model, node.weights)[a]
        node.reward[a], found = after(self.model, node.weights, label)
        node.children[a] = []
        for _, weights in sorted(found.items()):
            total = sum(weights.values())
            child = self.node({s: w / total for s, w in weights.items()})
            node.children[a].append((self.form.discount * total, child))
