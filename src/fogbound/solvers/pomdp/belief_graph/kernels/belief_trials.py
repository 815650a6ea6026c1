"""Trials in a graph of beliefs that bring its bounds together, and the policy that is read off in the end.

A trial follows the action that promises most and the observation behind which most is unknown, until a belief is
settled, met again, or new; then it backs up what it learned on the way back. That is HSVI's exploration (Smith and
Simmons 2004) on beliefs that are held once, so it also ends where the reachable beliefs are finite and nothing is
discounted. A lower bound is only raised by a strict improvement, so the actions it stands for make play end.
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import NONE, kernel
from fogbound.solvers.pomdp.belief_graph.kernels.belief_graph import WORK, expand

DONE, ROOM, BUDGET, STUCK, LIST = range(5)
STRICT = 1e-13
FEW = 400  # beliefs of a policy up to which it is spelled out even where play at random is as good as any


@kernel
def row_bounds(model, graph, row):
    """(low, high) of an action."""
    low = high = graph.reward[row]
    for o in range(graph.out[row], graph.out[row + 1]):
        low += model.discount * graph.prob[o] * graph.low[graph.child[o]]
        high += model.discount * graph.prob[o] * graph.high[graph.child[o]]
    return low, high


@kernel
def _back_up_belief(model, graph, belief):
    """Bounds from what follows; returns the row that promises most (of those, the one that guarantees most)."""
    top, sure, promising = -np.inf, -np.inf, -1
    for row in range(graph.rows[belief], graph.rows[belief] + graph.many[belief]):
        low, high = row_bounds(model, graph, row)
        if low > graph.low[belief] + STRICT * max(abs(low), abs(graph.high[belief])):
            graph.low[belief], graph.best[belief] = low, row
        if high > top or (high == top and low > sure):
            top, sure, promising = high, low, row
    graph.high[belief] = max(graph.low[belief], min(graph.high[belief], top))
    return promising


@kernel
def widest(graph, row, close, number):
    """Behind which outcome of a row most is unknown, beyond what is `close`; -1 when nothing is.

    Beliefs that the trial of this number has passed are left out: it would only go round.
    """
    most, outcome = 0.0, -1
    for o in range(graph.out[row], graph.out[row + 1]):
        if graph.mark[graph.child[o]] == number:
            continue
        excess = graph.prob[o] * (graph.high[graph.child[o]] - graph.low[graph.child[o]] - close)
        if excess > most:
            most, outcome = excess, o
    return outcome


@kernel
def trial(model, graph, count, root, close, path, number):
    """One trial from `root` and back. False when there is no room to expand a belief.

    What is `close` enough grows with the discount of what lies between, as in HSVI.
    """
    depth, belief = 0, root
    while depth < len(path):
        if graph.rows[belief] < 0 and not expand(model, graph, count, belief):
            return False
        path[depth] = belief
        depth += 1
        graph.mark[belief] = number
        row = _back_up_belief(model, graph, belief)
        count[WORK] += graph.many[belief]
        if graph.high[belief] - graph.low[belief] <= close:
            break
        if graph.first[belief] < graph.first[belief + 1]:  # nothing is late yet after the start
            close = min(close / model.discount, 1e300)
        o = widest(graph, row, close, number)
        if o < 0:
            break
        belief = graph.child[o]
    for k in range(depth - 2, -1, -1):
        _back_up_belief(model, graph, path[k])
    return True


@kernel
def search(model, graph, count, root, close, path, marks, budget):
    """Trials from `root` until its bounds are `close`: DONE. Or ROOM, BUDGET; STUCK when many changed nothing."""
    idle = 0
    while graph.high[root] - graph.low[root] > close:
        if count[WORK] >= budget:
            return BUDGET
        before, low, high = count[0], graph.low[root], graph.high[root]
        marks[0] += 1
        if not trial(model, graph, count, root, close, path, marks[0]):
            return ROOM
        moved = count[0] > before or graph.low[root] > low or graph.high[root] < high
        idle = 0 if moved else idle + 1
        if idle > 1000:
            return STUCK
    return DONE


@kernel
def settle_row(model, graph, count, row, least, tie, close, path, marks, budget):
    """Whether a row's value is at least `least` up to `tie`: (status, whether). Looks closer while that is open."""
    while True:
        low, high = row_bounds(model, graph, row)
        if high < least - tie:
            return DONE, False
        if low >= least - tie:
            return DONE, True
        o = widest(graph, row, close, NONE)
        if o < 0:
            return STUCK, low >= least - tie
        status = search(model, graph, count, graph.child[o], close, path, marks, budget)
        if status != DONE:
            return status, False


@kernel
def _choose_row(model, graph, count, belief, looking, tie, close, path, marks, budget):
    """The first action in the order of the legal actions that is as good as the best up to `tie`: (status, row)."""
    status = search(model, graph, count, belief, close, path, marks, budget)
    if status in (ROOM, BUDGET):
        return status, -1
    if graph.rows[belief] < 0:  # known well enough without looking: play at random is as good as any
        if not looking:
            return DONE, -1
        if not expand(model, graph, count, belief):
            return ROOM, -1
    best = graph.best[belief]
    if status == STUCK:
        return STUCK, best
    sure = DONE
    for row in range(graph.rows[belief], graph.rows[belief] + graph.many[belief]):
        if row == best:
            return sure, row
        status, good = settle_row(model, graph, count, row, graph.low[belief], tie, close, path, marks, budget)
        if status in (ROOM, BUDGET):
            return status, -1
        if good:
            return sure, row
        if status == STUCK:
            sure = STUCK
    return sure, best


@kernel
def read_policy(model, graph, count, state, listed, rows, number, roomy, tie, close, path, marks, budget):
    """The policy from listed[0] on: beliefs in the order they are met, and the row that each takes.

    `state` is (how many are listed, how many are done): after ROOM, BUDGET or LIST (`listed`, `rows` or `number` is too
    short) it goes on where it was. Returns
    (status, whether every choice was settled). Beyond FEW beliefs of its own, or `roomy` in all, what was not looked
    into because play at random is as good as any is left at that.
    """
    sure = True
    while state[1] < state[0]:
        belief = listed[state[1]]
        looking = state[1] < FEW and count[0] < roomy
        status, row = _choose_row(model, graph, count, belief, looking, tie, close, path, marks, budget)
        if status in (ROOM, BUDGET):
            return status, sure
        sure = sure and status == DONE
        if row >= 0:
            new = graph.out[row + 1] - graph.out[row]
            if state[0] + new > len(listed) or count[0] > len(number):
                return LIST, sure
            for o in range(graph.out[row], graph.out[row + 1]):
                child = graph.child[o]
                if number[child] < 0:
                    number[child] = state[0]
                    listed[state[0]] = child
                    state[0] += 1
        rows[state[1]] = row
        state[1] += 1
    return DONE, sure
