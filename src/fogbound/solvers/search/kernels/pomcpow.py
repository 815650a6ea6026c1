"""POMCPOW and POMCP on compiled simulators, one simulation after the other.

Sunberg and Kochenderfer (2018), Algorithm 2: SIMULATE is `_simulate`, ACTIONPROGWIDEN `widening.select_action`. POMCP
(Silver and Veness 2010) has a child for every distinct observation, and goes on with the state that it drew.
`solvers.search.pomcpow` and `solvers.search.generative_search` list what departs from the papers, and search the same
trees in Python.
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import ZERO, kernel
from fogbound.solvers.search.kernels import widening
from fogbound.solvers.search.kernels.widening import (
    ACTION,
    CHILD,
    CHILDREN,
    DEPTH,
    DRAWN,
    FIRST,
    IMPOSSIBLE,
    KIND,
    NODES,
    SIZE,
    TIMES,
)


@kernel
def simulate_pomcpow(step, density, value, rollout, rules, root, tree, walk, way, count):
    """Up to `count` simulations, as many as there is room for. How many were made."""
    for done in range(count):
        if not widening.row_fits(tree, way.choices[DEPTH]) or walk.fault[KIND]:
            return done
        widening.draw_root_state(root, walk)
        moves, found = _simulate(step, density, value, rollout, rules, tree, walk, way)
        widening.back_up_return(tree, walk, way, moves, found)
    return count


@kernel
def _simulate(step, density, value, rollout, rules, tree, walk, way):
    """SIMULATE: down the tree to a new observation: how many steps, and what the state there is worth."""
    node, moves = ZERO, ZERO
    while moves < way.choices[DEPTH]:
        here = widening.decision_of_node(tree, walk, node)
        place = widening.select_action(tree, walk, way, here)
        widening.copy_numbers(walk.state, walk.before)
        over = widening.step_state(step, rules, tree, walk, place)
        widening.note_step(walk, moves, here, place, walk.rewards[0])
        moves += 1
        if over or walk.fault[KIND]:
            break
        child = _observe(tree, walk, way, here, place)
        weight = density(rules, walk.before, place, walk.state, tree.seen[child])
        fresh = tree.node[child, SIZE] == 0
        widening.append_particle(tree, walk, child, weight)
        if fresh:
            if not weight > 0.0:
                walk.fault[KIND] = IMPOSSIBLE
                walk.fault[ACTION] = place
            return moves, widening.value_of_leaf(step, value, rollout, rules, tree, walk, way, moves)
        walk.paid[moves - 1] = widening.draw_particle(tree, walk, child)
        node = child
    return moves, 0.0


@kernel
def _observe(tree, walk, way, decision, place):
    """The observation that a simulation goes on with: its own, or one of C(ha) by how often it was drawn, M(hao)."""
    number = decision * len(tree.order[0]) + place
    if not widening.may_widen(way, widening.tries(tree, decision, place), tree.edge[number, CHILDREN]):
        return np.int64(tree.child[widening.draw_child(tree, walk, number), CHILD])
    child = widening.observed_child(tree, walk, number)
    listed = tree.edge[number, FIRST] + tree.edge[number, CHILDREN] - 1
    while tree.child[listed, CHILD] != child:
        listed -= 1
    tree.child[listed, DRAWN] += 1
    tree.edge[number, TIMES] += 1
    return child


@kernel
def simulate_rows(step, density, value, rollout, rules, root, tree, walk, way, count):  # noqa: ARG001
    """POMCP: up to `count` simulations, as many as there is room for. How many were made."""
    for done in range(count):
        if not widening.row_fits(tree, ZERO) or walk.fault[KIND]:
            return done
        widening.draw_root_state(root, walk)
        node, moves, found = ZERO, ZERO, 0.0
        while moves < way.choices[DEPTH]:
            here = widening.decision_of_node(tree, walk, node)
            place = widening.select_action(tree, walk, way, here)
            over = widening.step_state(step, rules, tree, walk, place)
            widening.note_step(walk, moves, here, place, walk.rewards[0])
            moves += 1
            if over or walk.fault[KIND]:
                break
            known = tree.used[NODES]
            node = widening.observed_child(tree, walk, here * len(tree.order[0]) + place)
            if node == known:
                found = widening.value_of_leaf(step, value, rollout, rules, tree, walk, way, moves)
                break
        widening.back_up_return(tree, walk, way, moves, found)
    return count
