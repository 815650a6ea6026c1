"""Following a plan: vectors with their successors, as a chain over (node, state)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import kernel


@dataclass(frozen=True, eq=False)
class VectorGraph(Bundle):
    """Vectors with all that they can lead to, oldest first: most lead to older ones.

    A node is a choice (block and action) with one node to follow each outcome; a pair is a node and a state of its
    block.
    """

    choice: np.ndarray  # [nodes]
    pairs: np.ndarray  # [nodes + 1] pairs of a node
    arrows: np.ndarray  # [nodes + 1] arrows of a node, one for each outcome of its choice
    after: np.ndarray  # [arrows] the node that follows
    value: np.ndarray  # [pairs] what the search knew
    first: np.ndarray  # [outcomes of the start] the node that follows each first observation, where one is chosen


@kernel
def mark_reached(model, graph, reached, followed, stack, count):
    """Mark the pairs that play can meet, and the arrows that it can follow.

    reached [pairs], followed [arrows]; stack [pairs + 1, 2] holds `count` marked (node, state) to go on from. Returns
    how many pairs were met.
    """
    met = 0
    while count > 0:
        count -= 1
        node, s = stack[count, 0], stack[count, 1]
        met += 1
        outcome = model.outcome[graph.choice[node]]
        for arrow in range(graph.arrows[node], graph.arrows[node + 1]):
            low, high = model.start[model.begin[outcome] + s], model.start[model.begin[outcome] + s + 1]
            if low < high:
                followed[arrow] = True
                for e in range(low, high):
                    pair = graph.pairs[graph.after[arrow]] + model.to[e]
                    if not reached[pair]:
                        reached[pair] = True
                        stack[count, 0], stack[count, 1] = graph.after[arrow], model.to[e]
                        count += 1
            outcome += 1
    return met


@kernel
def evaluate_sweep(model, graph, nodes, reached, value, rewarded):
    """One sweep of v = r + P v in place over the pairs that occur. Largest change.

    Where not `rewarded`, r is 1 instead: v then counts steps.
    """
    change = 0.0
    for node in range(nodes):
        choice, first = graph.choice[node], graph.pairs[node]
        for pair in range(first, graph.pairs[node + 1]):
            if reached[pair]:
                s = pair - first
                total = model.reward[model.offset[choice] + s] if rewarded else 1.0
                outcome = model.outcome[choice]
                for arrow in range(graph.arrows[node], graph.arrows[node + 1]):
                    start, there = model.begin[outcome] + s, graph.pairs[graph.after[arrow]]
                    for e in range(model.start[start], model.start[start + 1]):
                        total += model.weight[e] * value[there + model.to[e]]
                    outcome += 1
                change = max(change, abs(total - value[pair]))
                value[pair] = total
    return change


@kernel
def visit_sweep(model, graph, visits, after):
    """after [pairs]: how often play comes to each pair one step after `visits`, discounted. Returns the sum."""
    total = 0.0
    for pair in range(len(after)):
        after[pair] = 0.0
    for node in range(len(graph.choice)):
        for pair in range(graph.pairs[node], graph.pairs[node + 1]):
            if visits[pair] > 0:
                outcome = model.outcome[graph.choice[node]]
                for arrow in range(graph.arrows[node], graph.arrows[node + 1]):
                    start, there = model.begin[outcome] + pair - graph.pairs[node], graph.pairs[graph.after[arrow]]
                    for e in range(model.start[start], model.start[start + 1]):
                        after[there + model.to[e]] += visits[pair] * model.weight[e]
                        total += visits[pair] * model.weight[e]
                    outcome += 1
    return total


@kernel
def redirect(model, graph, kept, every, listed, lists, visits, belief):
    """Let arrows of kept nodes lead to the kept node that is best for those who come that way; how many changed.

    `every` arrow, or those that lead to a node that is not kept. kept [nodes]; the kept nodes of block b are
    listed[lists[b] : lists[b + 1]]; visits [pairs]; belief [largest block] is room. Values are those of `graph`, of
    which `after` is changed. An arrow that nobody follows stays where it is, if that is a kept node.
    """
    changed = 0
    for node in range(len(graph.choice)):
        if kept[node]:
            outcome = model.outcome[graph.choice[node]]
            for arrow in range(graph.arrows[node], graph.arrows[node + 1]):
                block, here = model.target[outcome], graph.after[arrow]
                if every or not kept[here]:
                    _arriving(model, graph, node, outcome, visits, belief)
                    best = _worth(model, graph, block, here, belief) if kept[here] else -np.inf
                    for place in range(lists[block], lists[block + 1]):
                        value = _worth(model, graph, block, listed[place], belief)
                        if value > best:
                            best, graph.after[arrow] = value, listed[place]
                    changed += graph.after[arrow] != here
                outcome += 1
    return changed


@kernel
def _arriving(model, graph, node, outcome, visits, belief):
    """belief: the unnormalised states in which play leaves a node by an outcome."""
    block = model.target[outcome]
    for t in range(model.first[block + 1] - model.first[block]):
        belief[t] = 0.0
    for pair in range(graph.pairs[node], graph.pairs[node + 1]):
        start = model.begin[outcome] + pair - graph.pairs[node]
        for e in range(model.start[start], model.start[start + 1]):
            belief[model.to[e]] += visits[pair] * model.weight[e]


@kernel
def _worth(model, graph, block, node, belief):
    """What a node of a block earns from an unnormalised belief."""
    value = 0.0
    for t in range(model.first[block + 1] - model.first[block]):
        value += belief[t] * graph.value[graph.pairs[node] + t]
    return value
