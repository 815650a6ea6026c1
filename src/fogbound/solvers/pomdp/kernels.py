"""What the solvers of POMDPs share, compiled: the model in blocks, the fast informed bound, and following a plan.

`forms.mixed_observability` says what blocks, choices and outcomes are. A plan is vectors with their successors, a chain
over (node, state).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import kernel


@dataclass(frozen=True, eq=False)
class BlockModel(Bundle):
    """B blocks with N states in all, Q choices (block, action), J outcomes (choice, observation), E entries.

    A row is a choice and a state of its block. Weights are discounted, so that no loop knows a discount.
    """

    first: np.ndarray  # [B+1] states of a block
    choice: np.ndarray  # [B+1] choices of a block
    offset: np.ndarray  # [Q+1] rows of a choice
    outcome: np.ndarray  # [Q+1] outcomes of a choice
    target: np.ndarray  # [J] the block that it leads to
    begin: np.ndarray  # [J] into start
    start: np.ndarray  # [sum over outcomes of (size + 1)] where the entries of a local state start
    to: np.ndarray  # [E] the local state in the target block
    weight: np.ndarray  # [E] discount x probability
    reward: np.ndarray  # [rows]


@kernel
def block_size(model, block):
    """How many states a block has."""
    return model.first[block + 1] - model.first[block]


@kernel
def informed_sweep(model, Q, blocks):
    """One sweep over Q [rows] in place; from an upper bound every sweep leaves a lower one. The largest change.

    Q(s, a) = R(s, a) + sum over observations of max over a' of the sum over s' of weight(s', o | s, a) Q(s', a').
    """
    change = 0.0
    for block in range(blocks):
        for choice in range(model.choice[block], model.choice[block + 1]):
            for s in range(block_size(model, block)):
                row = model.offset[choice] + s
                total = model.reward[row]
                for outcome in range(model.outcome[choice], model.outcome[choice + 1]):
                    start = model.begin[outcome] + s
                    low, high = model.start[start], model.start[start + 1]
                    if low < high:
                        total += _best_ahead(model, Q, model.target[outcome], low, high)
                if total < Q[row]:
                    change = max(change, Q[row] - total)
                    Q[row] = total
    return change


@kernel
def _best_ahead(model, Q, block, low, high):
    """What the best action of a block earns after the entries from low to high: max over a' of sum of weight Q."""
    best = -np.inf
    for choice in range(model.choice[block], model.choice[block + 1]):
        value = 0.0
        for e in range(low, high):
            value += model.weight[e] * Q[model.offset[choice] + model.to[e]]
        best = max(best, value)
    return best


@dataclass(frozen=True, eq=False)
class VectorGraph(Bundle):
    """Vectors with all that they can lead to, oldest first: most lead to older ones.

    A node is a choice (block and action) with one node to follow each outcome; a pair is a node and a state of its
    block.
    """

    model: BlockModel
    choice: np.ndarray  # [nodes]
    pairs: np.ndarray  # [nodes + 1] pairs of a node
    arrows: np.ndarray  # [nodes + 1] arrows of a node, one for each outcome of its choice
    after: np.ndarray  # [arrows] the node that follows
    value: np.ndarray  # [pairs] what the search knew
    first: np.ndarray  # [outcomes of the start] the node that follows each first observation, where one is chosen


@kernel
def mark_reached(graph, reached, followed, stack, count):
    """Mark the pairs that play can meet, and the arrows that it can follow.

    reached [pairs], followed [arrows]; stack [pairs + 1, 2] holds `count` marked (node, state) to go on from. Returns
    how many pairs were met.
    """
    model, met = graph.model, 0
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
def evaluate_sweep(graph, nodes, reached, value, rewarded):
    """One sweep of v = r + P v in place over the pairs that occur. Largest change.

    Where not `rewarded`, r is 1 instead: v then counts steps.
    """
    model, change = graph.model, 0.0
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
def visit_sweep(graph, visits, after):
    """after [pairs]: how often play comes to each pair one step after `visits`, discounted. Returns the sum."""
    model, total = graph.model, 0.0
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
def redirect(graph, kept, every, listed, lists, visits, belief):
    """Let arrows of kept nodes lead to the kept node that is best for those who come that way; how many changed.

    `every` arrow, or those that lead to a node that is not kept. kept [nodes]; the kept nodes of block b are
    listed[lists[b] : lists[b + 1]]; visits [pairs]; belief [largest block] is room. Values are those of `graph`, of
    which `after` is changed. An arrow that nobody follows stays where it is, if that is a kept node.
    """
    model, changed = graph.model, 0
    for node in range(len(graph.choice)):
        if kept[node]:
            outcome = model.outcome[graph.choice[node]]
            for arrow in range(graph.arrows[node], graph.arrows[node + 1]):
                block, here = model.target[outcome], graph.after[arrow]
                if every or not kept[here]:
                    _arriving(graph, node, outcome, visits, belief)
                    best = _worth(graph, block, here, belief) if kept[here] else -np.inf
                    for place in range(lists[block], lists[block + 1]):
                        value = _worth(graph, block, listed[place], belief)
                        if value > best:
                            best, graph.after[arrow] = value, listed[place]
                    changed += graph.after[arrow] != here
                outcome += 1
    return changed


@kernel
def _arriving(graph, node, outcome, visits, belief):
    """belief: the unnormalised states in which play leaves a node by an outcome."""
    model = graph.model
    block = model.target[outcome]
    for t in range(block_size(model, block)):
        belief[t] = 0.0
    for pair in range(graph.pairs[node], graph.pairs[node + 1]):
        start = model.begin[outcome] + pair - graph.pairs[node]
        for e in range(model.start[start], model.start[start + 1]):
            belief[model.to[e]] += visits[pair] * model.weight[e]


@kernel
def _worth(graph, block, node, belief):
    """What a node of a block earns from an unnormalised belief."""
    value = 0.0
    for t in range(block_size(graph.model, block)):
        value += belief[t] * graph.value[graph.pairs[node] + t]
    return value
