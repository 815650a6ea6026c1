"""Quantal levels: a level that prefers better actions without always finding the best one.

A logit response plays each action with a probability in proportion to exp(precision x worth), where the worth is
that of the action followed by best play (McKelvey and Palfrey 1995, as level-k models take it up: Stahl and Wilson
1994). Every action may happen, so the beliefs that a quantal player can come to hold have no end; what is reached
with a probability below `faint` is left out, and from there it plays at random. Its worth is computed with that.
"""

from __future__ import annotations

import heapq

import numpy as np

from fogbound.forms.table import Floats
from fogbound.kernels import belief_walk
from fogbound.kernels.policy_graph import Plan
from fogbound.solvers.reachable.search import Search

FAINT = 1e-5


def quantal(search: Search, precision: float, faint: float = FAINT) -> Plan:
    """The logit plan of a problem whose bounds were searched."""
    graph = search.survey.graph
    root = search.root
    reach, rows, shares = {root: 1.0}, {}, {}
    queue = [(-1.0, 0, root)]
    while queue:
        chance, _, belief = heapq.heappop(queue)
        if belief in rows or -chance < reach[belief]:
            continue  # done, or listed again with more weight
        worth = _worths(search, belief)
        graph = search.survey.graph  # it may have grown
        first = int(graph.rows[belief])
        rows[belief], shares[belief] = first, _logit(worth, precision)
        for row, share in enumerate(shares[belief].tolist(), first):
            for o in range(graph.out[row], graph.out[row + 1]):
                child = int(graph.child[o])
                if child not in rows:
                    reach[child] = reach.get(child, 0.0) + reach[belief] * share * float(graph.prob[o])
                    if reach[child] >= faint:
                        heapq.heappush(queue, (-reach[child], len(reach), child))
    counts = [len(shares[belief]) for belief in rows]
    taken = [first + np.arange(many) for first, many in zip(rows.values(), counts)]
    take = np.concatenate([[0], np.cumsum(counts)])
    return search.plan(np.array(list(rows)), take, np.concatenate(taken), np.concatenate(list(shares.values())))


def _worths(search: Search, belief: int) -> Floats:
    """[actions] what each is worth when best play follows."""
    search.look(belief)
    graph, model = search.survey.graph, search.survey.model
    first, many = int(graph.rows[belief]), int(graph.many[belief])
    if many > 1:
        for row in range(first, first + many):
            for child in graph.child[graph.out[row] : graph.out[row + 1]].tolist():
                search.look(child)
                graph = search.survey.graph
    model = search.survey.model
    return np.array([sum(belief_walk.row_bounds(model, graph, row)) / 2 for row in range(first, first + many)])


def _logit(worth: Floats, precision: float) -> Floats:
    likely = np.exp(precision * (worth - worth.max()))
    share: Floats = likely / likely.sum()
    return share
