"""Counterfactual regret minimisation, compiled: sampled walks on the tree.

Slots are those of `kernels.cfr`. Nothing here recurses, since numba's cache cannot hold recursive functions: a
walk lists the nodes it visits, parents first, and folds values back in reverse.
"""

from __future__ import annotations

import numpy as np

from fogbound.kernels.kernel import ZERO, inlined, kernel


@kernel
def _uniform(state):
    """The next number in [0, 1): splitmix64, its state in an array so that it can be saved."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return float(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def _strategy(q, size, regret, played):
    """Regret matching at one set: fills played[:size]."""
    total = 0.0
    for a in range(size):
        played[a] = max(regret[q + a], 0.0)
        total += played[a]
    for a in range(size):
        played[a] = played[a] / total if total > 0.0 else 1.0 / size


@kernel
def _draw(point, weights, first, last):
    """The place from `first` on, before `last`, at which weights add up to more than `point`."""
    at = first
    point -= weights[at]
    while point >= 0.0 and at + 1 < last:
        at += 1
        point -= weights[at]
    return at


@kernel
def walk_external(
    iterations,
    tree,  # player, child, slot (of a node's first move): int32
    prob,
    payoff,  # [N, n]
    regret,
    average,
    state,
    visited,  # [N] work space: nodes of this walk, parents first
    value,  # [N] work space
    played,  # [most moves] work space
):
    """External sampling (Lanctot et al. 2009): all my moves, one sampled move of everybody else and of chance."""
    for _ in range(iterations):
        for me in range(payoff.shape[1]):
            count = _visit(me, tree, prob, regret, average, state, visited, value, played)
            _fold(me, count, tree, payoff, regret, visited, value, played)


@inlined
def _visit(me, tree, prob, regret, average, state, visited, value, played):
    """List the nodes of a walk: how many there are. Where others went stands in `value`, until theirs come back."""
    player, child, slot = tree
    visited[0] = 0
    count, at = 1, 0
    while at < count:
        v = visited[at]
        at += 1
        who, lo, hi = player[v], child[v], child[v + 1]
        if who == me:
            for c in range(lo, hi):
                visited[count] = c
                count += 1
        elif who != -2:
            point = _uniform(state)
            if who == -1:
                c = _draw(point, prob, lo, hi)
            else:
                q = slot[v]
                _strategy(q, hi - lo, regret, played)
                c = lo + _draw(point, played, ZERO, hi - lo)
                for a in range(hi - lo):
                    average[q + a] += played[a]
            visited[count] = c
            count += 1
            value[v] = c
    return count


@inlined
def _fold(me, count, tree, payoff, regret, visited, value, played):
    """Values back along a walk, and my regrets on the way."""
    player, child, slot = tree
    for k in range(count - 1, -1, -1):
        v = visited[k]
        who, lo, hi = player[v], child[v], child[v + 1]
        if who == -2:
            value[v] = payoff[v, me]
        elif who == me:
            q = slot[v]
            _strategy(q, hi - lo, regret, played)
            expected = 0.0
            for a in range(hi - lo):
                expected += played[a] * value[lo + a]
            for a in range(hi - lo):
                regret[q + a] += value[lo + a] - expected
            value[v] = expected
        else:
            value[v] = value[int(value[v])]


@kernel
def walk_outcome(iterations, tree, prob, payoff, regret, average, state, explore, trail, trace, played):
    """Outcome sampling (Lanctot et al. 2009): one history a walk, weighted against how it was sampled.

    Chance and the others are sampled as they play; I explore. `trail` [depth] holds the nodes of the walk,
    `trace` [depth, 3] for each: my reach, the reach of my sampling, the chance with which its move was sampled.
    """
    player, child, slot = tree
    n = payoff.shape[1]
    for _ in range(iterations):
        for me in range(n):
            v, depth = 0, 0
            mine, sampled = 1.0, 1.0
            while player[v] != -2:
                who, lo, hi = player[v], child[v], child[v + 1]
                size = hi - lo
                point = _uniform(state)
                odds = 1.0
                if who == -1:
                    c = _draw(point, prob, lo, hi)
                else:
                    _strategy(slot[v], size, regret, played)
                    mix, c = explore if who == me else 0.0, lo
                    odds = (1.0 - mix) * played[0] + mix / size
                    point -= odds
                    while point >= 0.0 and c + 1 < hi:
                        c += 1
                        odds = (1.0 - mix) * played[c - lo] + mix / size
                        point -= odds
                trail[depth], trace[depth, 0], trace[depth, 1], trace[depth, 2] = v, mine, sampled, odds
                depth += 1
                if who == me:
                    mine *= played[c - lo]
                    sampled *= odds
                v = c
            value, below = payoff[v, me], v
            for k in range(depth - 1, -1, -1):
                v = trail[k]
                if player[v] == me:
                    q, lo, size = slot[v], child[v], child[v + 1] - child[v]
                    _strategy(q, size, regret, played)
                    for a in range(size):
                        average[q + a] += trace[k, 0] * played[a] / trace[k, 1]
                    taken = below - lo
                    reached = value / trace[k, 2]
                    expected = played[taken] * reached
                    for a in range(size):
                        regret[q + a] += ((reached if a == taken else 0.0) - expected) / trace[k, 1]
                    value = expected
                below = v


@kernel
def walk_chance(iterations, tree, prob, payoff, regret, average, behaviour, state, visited, value, reach, spot):
    """Chance-sampled CFR, players in turn: the pseudo-code of the slides (lines 5 to 30), without recursion.

    `reach` [N, n] holds each player's own part of the probability of coming to a node; `spot` [N] where a chance
    node went. Behaviour changes only after a walk, so all of it uses the same strategies (sigma^t).
    """
    player, child, slot = tree
    n = payoff.shape[1]
    for _ in range(iterations):
        for me in range(n):
            visited[0] = 0
            for i in range(n):
                reach[0, i] = 1.0
            count, at = 1, 0
            while at < count:
                v = visited[at]
                at += 1
                who, lo, hi = player[v], child[v], child[v + 1]
                if who == -1:
                    c = _draw(_uniform(state), prob, lo, hi)
                    spot[v] = c
                    lo, hi = c, c + 1
                for c in range(lo, hi):
                    for i in range(n):
                        reach[c, i] = reach[v, i]
                    if who >= 0:
                        reach[c, who] *= behaviour[slot[v] + c - lo]
                    visited[count] = c
                    count += 1
            for k in range(count - 1, -1, -1):
                v = visited[k]
                who, lo, hi = player[v], child[v], child[v + 1]
                if who == -2:
                    value[v] = payoff[v, me]
                elif who == -1:
                    value[v] = value[spot[v]]
                else:
                    q, expected = slot[v], 0.0
                    for a in range(hi - lo):
                        expected += behaviour[q + a] * value[lo + a]
                    value[v] = expected
                    if who == me:
                        others = 1.0
                        for i in range(n):
                            if i != me:
                                others *= reach[v, i]
                        for a in range(hi - lo):
                            regret[q + a] += others * (value[lo + a] - expected)
                            average[q + a] += reach[v, me] * behaviour[q + a]
            for k in range(count):
                v = visited[k]
                if player[v] == me:
                    q, size = slot[v], child[v + 1] - child[v]
                    total = 0.0
                    for a in range(size):
                        total += max(regret[q + a], 0.0)
                    for a in range(size):
                        behaviour[q + a] = max(regret[q + a], 0.0) / total if total > 0.0 else 1.0 / size
