"""PFT-DPW on compiled simulators: a tree of beliefs of m particles (Sunberg and Kochenderfer 2018, Algorithm 3).

SIMULATE is `_simulate`, G_PF(m) is `_step_belief`. `solvers.search.pft_dpw` lists what departs from the paper, and
searches the same tree in Python.
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.draws import below, uniform, weighted_place
from fogbound.compiled.kernel import ZERO, kernel
from fogbound.solvers.search.kernels import widening
from fogbound.solvers.search.kernels.widening import (
    ACTION,
    BEGIN,
    CELLS,
    CHILD,
    CHILDREN,
    DEPTH,
    FIRST,
    HELD,
    HIGH,
    IMPOSSIBLE,
    INFORMED,
    KIND,
    LOW,
    OVER,
    PARTICLES,
    STATE,
)


@kernel
def simulate_pft_dpw(step, density, value, rollout, rules, root, tree, walk, way, count):
    """Up to `count` simulations, as many as there is room for. How many were made."""
    for done in range(count):
        if not widening.row_fits(tree, way.choices[PARTICLES]) or walk.fault[KIND]:
            return done
        _draw_belief(root, walk, way)
        moves, found = _simulate(step, density, value, rollout, rules, tree, walk, way)
        widening.back_up_return(tree, walk, way, moves, found)
    return count


@kernel
def _draw_belief(root, walk, way):
    """The particles of the root, by systematic resampling."""
    count = way.choices[PARTICLES]
    share = root.upto[len(root.upto) - 1] / count
    start = uniform(walk.random)
    for k in range(count):
        widening.copy_numbers(root.rows[weighted_place(root.upto, (start + k) * share)], walk.particles[k])


@kernel
def _simulate(step, density, value, rollout, rules, tree, walk, way):
    """SIMULATE: down the tree of beliefs to a new one: how many steps, and what it is worth."""
    node, moves, count = ZERO, ZERO, way.choices[PARTICLES]
    while moves < way.choices[DEPTH]:
        here = widening.decision_of_node(tree, walk, node)
        place = widening.select_action(tree, walk, way, here)
        number = here * len(tree.order[0]) + place
        edge = tree.edge[number]
        fresh = widening.may_widen(way, widening.tries(tree, here, place), edge[CHILDREN])
        if fresh:
            if node > 0:
                _read_belief(tree, walk, node, count)
            child = _step_belief(step, density, rules, tree, walk, way, number, place)
        else:
            child = np.int64(tree.child[edge[FIRST] + below(walk.random, edge[CHILDREN]), CHILD])
        widening.note_step(walk, moves, here, place, tree.paid[child])
        moves += 1
        if tree.node[child, OVER] or walk.fault[KIND]:
            break
        if fresh:
            return moves, _value(step, value, rollout, rules, tree, walk, way, child, moves)
        node = child
    return moves, 0.0


@kernel
def _read_belief(tree, walk, node, count):
    """The particles of a node."""
    for k in range(count):
        _read_state(tree, tree.node[node, BEGIN] + k, walk.particles[k])


@kernel
def _read_state(tree, cell, to):
    """The state in a cell."""
    for place in range(len(to)):
        to[place] = tree.cell[cell, STATE + place]


@kernel
def _step_belief(step, density, rules, tree, walk, way, number, place):
    """G_PF(m): a step of the belief MDP, drawn; a new node."""
    count, total, over = way.choices[PARTICLES], 0.0, False
    drawn = below(walk.random, count)
    for k in range(count):
        widening.copy_numbers(walk.particles[k], walk.state)
        ended = widening.step_state(step, rules, tree, walk, place)
        reward = walk.rewards[0]
        total += reward
        walk.returns[LOW] = min(walk.returns[LOW], reward)
        walk.returns[HIGH] = max(walk.returns[HIGH], reward)
        widening.copy_numbers(walk.state, walk.stepped[k])
        walk.weights[k] = 0.0 if ended else 1.0
        if k == drawn:
            over = ended != 0
            widening.copy_numbers(walk.seen, walk.shown[0])
    child = widening.add_observation(tree, number)
    tree.paid[child] = total / count
    if over:
        tree.node[child, OVER] = 1
        return child
    _resample(density, rules, tree, walk, way, child, place, drawn)
    return child


@kernel
def _resample(density, rules, tree, walk, way, child, place, drawn):
    """Weigh the particles by what was seen, and resample: the belief of a new node."""
    count, total = way.choices[PARTICLES], 0.0
    for k in range(count):
        if walk.weights[k] > 0.0:
            weight = density(rules, walk.particles[k], place, walk.stepped[k], walk.shown[0])
            walk.weights[k] = weight
            total += weight
    if not walk.weights[drawn] > 0.0:
        walk.fault[KIND] = IMPOSSIBLE
        walk.fault[ACTION] = place
    begin = tree.used[CELLS]
    tree.node[child, BEGIN] = begin
    tree.used[CELLS] += count
    tree.used[HELD] += count
    point, k, upto = uniform(walk.random) * total / count, ZERO, walk.weights[0]
    for cell in range(begin, begin + count):
        while upto <= point and k < count - 1:
            k += 1
            upto += walk.weights[k]
        for word in range(len(walk.state)):
            tree.cell[cell, STATE + word] = walk.stepped[k, word]
        point += total / count


@kernel
def _value(step, value, rollout, rules, tree, walk, way, node, moves):
    """The value of a new belief: the mean estimate of its particles, or a rollout from one of them."""
    begin, count = tree.node[node, BEGIN], way.choices[PARTICLES]
    if way.choices[INFORMED] and moves < way.choices[DEPTH]:
        total = 0.0
        for k in range(count):
            _read_state(tree, begin + k, walk.state)
            total += value(rules, walk.state)
        return total / count
    _read_state(tree, begin + below(walk.random, count), walk.state)
    return widening.value_of_leaf(step, value, rollout, rules, tree, walk, way, moves)
