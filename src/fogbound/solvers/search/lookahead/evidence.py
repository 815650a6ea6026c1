"""What a search from the start shows to the checker: its tree, noted down as the vectors and points that SARSOP's are.

The lower bound of a belief is an action and what follows it, down to a vector: so it is a vector itself. The upper
bound of a belief is a point. Children before parents, so that each stands on what was noted before.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fogbound.driver.protocol import Evidence
from fogbound.solvers.pomdp.hsvi.kernels.backup import add_point, make_vector, sawtooth_bound
from fogbound.solvers.pomdp.hsvi.kernels.belief_tree import ROOT
from fogbound.solvers.pomdp.hsvi.solution import HSVISolution
from fogbound.solvers.search.lookahead.planner import LookaheadSearch


def evidence(search: LookaheadSearch) -> Evidence:
    """For both bounds at the start; its controller is the plan that the lower one stands for."""
    for node in _children_first(search):
        search.make_room()
        _note(search, node)
    answer = HSVISolution(search.bounds, "controller")
    return replace(answer.evidence(), profile=answer.profile)


def _children_first(search: LookaheadSearch) -> list[int]:
    """The beliefs that were looked into, by depth first search from the root; where play goes round, as they come."""
    tree, blocks = search.bounds.state.tree, search.blocks
    known, order, stack = {ROOT}, list[int](), [(ROOT, False)]
    while stack:
        node, left = stack.pop()
        if left:
            order.append(node)
            continue
        stack.append((node, True))
        block, first = int(tree.block[node]), int(tree.action[node])
        for k, choice in enumerate(range(blocks.choice[block], blocks.choice[block + 1])):
            begin = int(tree.children[first + k])
            many = int(blocks.outcome[choice + 1] - blocks.outcome[choice]) if begin >= 0 else 0
            for child in tree.child[begin : begin + many].tolist():
                if child >= 0 and child not in known and search.frontier.promising[child] >= 0:
                    known.add(child)
                    stack.append((child, False))
    return order


def _note(search: LookaheadSearch, node: int) -> None:
    """The vector and the point of one belief, where they say more than is known."""
    state, k = search.bounds.state, int(search.frontier.sure[node])
    tree, block = state.tree, int(state.tree.block[node])
    if k >= 0:
        tree.best[node] = make_vector(state, np.int64(node), np.int64(k))
    upper = float(tree.V_upper[node])
    if node != ROOT and upper < sawtooth_bound(
        state, np.int64(block), tree.belief[node], tree.support[node], np.int64(-1)
    ):
        add_point(state, np.int64(node), upper)
