"""Counterfactual regret minimisation, compiled: full sweeps on the sequence form, sampled histories on the tree.

Regrets and averages of all players stand in one array each, by *sequence*: a player's sequences from `offset[i]` on.
A player's sets are listed parents first; set h hangs below sequence parent[h] and owns sequences
first[h] .. first[h]+size[h]-1. Nothing here recurses, since numba's cache cannot hold recursive functions: a sample
lists the nodes it visits, parents first, and folds values back in reverse.
"""

from __future__ import annotations

from fogbound.compiled.draws import uniform
from fogbound.compiled.kernel import ZERO, inlined, kernel
from fogbound.solvers.regret.minimiser import DISCOUNTED, PREDICTIVE, PREDICTIVE_DISCOUNTED, VANILLA


@kernel
def full_sweeps(first_iteration, iterations, kind, alternating, powers, layout, payoff, learnt, counterfactual_value):
    """`iterations` iterations from number `first_iteration` (1 is the first) on.

    powers: alpha, beta, gamma, by which DISCOUNTED fades regrets; gamma is everybody's averaging. layout: the sets of
    each player [n+1], its sequences [n+1], parent, first and size [H], the sequences [K, n] at each combination that
    ends. payoff [K, n]. learnt [Q]: regrets; the last instantaneous regrets (PREDICTIVE) or zeros; realisation weights,
    summed; what is played now; its realisation weights. The last array [Q] is work space.
    """
    infoset_offset, offset, parent, first, size, end_of = layout
    regret, prediction, _, behaviour, weight = learnt
    n = payoff.shape[1]
    alpha, beta, gamma = powers
    for t in range(first_iteration, first_iteration + iterations):
        discounts = t**alpha / (t**alpha + 1.0), t**beta / (t**beta + 1.0)
        for player in range(n):
            for q in range(offset[player], offset[player + 1]):
                counterfactual_value[q] = 0.0
            _terminal_values(player, end_of, payoff, weight, counterfactual_value)
            sets = range(infoset_offset[player + 1] - 1, infoset_offset[player] - 1, -1)
            shape = parent, first, size
            _update_regrets(kind, discounts, sets, shape, counterfactual_value, behaviour, regret, prediction)
            if alternating:
                _update_strategy(t**gamma, player, layout, learnt)
        if not alternating:
            for player in range(n):
                _update_strategy(t**gamma, player, layout, learnt)


@kernel
def _terminal_values(player, end_of, payoff, weight, counterfactual_value):
    """What ending at each of my sequences brings."""
    n = payoff.shape[1]
    if n == 2:
        other = 1 - player
        for e in range(len(end_of)):
            counterfactual_value[end_of[e, player]] += payoff[e, player] * weight[end_of[e, other]]
    else:
        for e in range(len(end_of)):
            w = payoff[e, player]
            for i in range(n):
                if i != player:
                    w *= weight[end_of[e, i]]
            counterfactual_value[end_of[e, player]] += w


@kernel
def _update_regrets(kind, discounts, sets, shape, counterfactual_value, behaviour, regret, prediction):
    """Values upwards through my sets, the last first, and regrets on the way."""
    parent, first, size = shape
    positive_discount, negative_discount = discounts
    for h in sets:
        value = 0.0
        for q in range(first[h], first[h] + size[h]):
            value += behaviour[q] * counterfactual_value[q]
        counterfactual_value[parent[h]] += value
        for q in range(first[h], first[h] + size[h]):
            instantaneous_regret = counterfactual_value[q] - value
            if kind == VANILLA:
                regret[q] += instantaneous_regret
            elif kind == DISCOUNTED:
                # Brown and Sandholm 2019: fade after adding, as their equation (1)
                total = regret[q] + instantaneous_regret
                regret[q] = total * (positive_discount if total > 0.0 else negative_discount)
            else:
                regret[q] = max(regret[q] + instantaneous_regret, 0.0)
                if kind in (PREDICTIVE, PREDICTIVE_DISCOUNTED):
                    prediction[q] = instantaneous_regret
                if kind == PREDICTIVE_DISCOUNTED:
                    # Xu et al. 2024: what is kept is faded at once, as the next iteration and its prediction want it
                    regret[q] *= positive_discount


@kernel
def _update_strategy(averaging_weight, player, layout, learnt):
    """Add what was played to the average with this weight, then play by the new regrets (and the prediction)."""
    infoset_offset, offset, parent, first, size, _ = layout
    regret, prediction, average, behaviour, weight = learnt
    for q in range(offset[player], offset[player + 1]):
        average[q] += averaging_weight * weight[q]
    for h in range(infoset_offset[player], infoset_offset[player + 1]):
        total = 0.0
        for q in range(first[h], first[h] + size[h]):
            behaviour[q] = max(regret[q] + prediction[q], 0.0)
            total += behaviour[q]
        above = weight[parent[h]]
        for q in range(first[h], first[h] + size[h]):
            behaviour[q] = behaviour[q] / total if total > 0.0 else 1.0 / size[h]
            weight[q] = above * behaviour[q]


@kernel
def sweeps_against_best_responses(
    first_iteration, iterations, kind, learner, gamma, layout, payoff, learnt, counterfactual_value
):
    """CFR-BR (Johanson et al. 2012): of two players the learner minimises regret, the other replies best to it.

    Arguments as of `full_sweeps`; `kind` is the learner's.
    """
    infoset_offset, offset, parent, first, size, end_of = layout
    regret, prediction, average, behaviour, weight = learnt
    shape, other = (parent, first, size), 1 - learner
    for t in range(first_iteration, first_iteration + iterations):
        for q in range(len(counterfactual_value)):
            counterfactual_value[q] = 0.0
        _terminal_values(other, end_of, payoff, weight, counterfactual_value)
        _reply(infoset_offset[other], infoset_offset[other + 1], shape, counterfactual_value, behaviour, weight)
        for q in range(offset[other], offset[other + 1]):
            average[q] += t**gamma * weight[q]
        _terminal_values(learner, end_of, payoff, weight, counterfactual_value)
        sets = range(infoset_offset[learner + 1] - 1, infoset_offset[learner] - 1, -1)
        _update_regrets(kind, (1.0, 1.0), sets, shape, counterfactual_value, behaviour, regret, prediction)
        _update_strategy(t**gamma, learner, layout, learnt)


@kernel
def _reply(begin, end, shape, value, behaviour, weight):
    """The best pure reply in the sets from `begin` on (the first of equals), and its realisation weights."""
    parent, first, size = shape
    for h in range(end - 1, begin - 1, -1):
        best = first[h]
        for q in range(first[h], first[h] + size[h]):
            behaviour[q] = 0.0
            if value[q] > value[best]:
                best = q
        behaviour[best] = 1.0
        value[parent[h]] += value[best]
    for h in range(begin, end):
        for q in range(first[h], first[h] + size[h]):
            weight[q] = weight[parent[h]] * behaviour[q]


@kernel
def match_regrets(q, size, regret, strategy):
    """Regret matching at one set: fills strategy[:size]."""
    total = 0.0
    for a in range(size):
        strategy[a] = max(regret[q + a], 0.0)
        total += strategy[a]
    for a in range(size):
        strategy[a] = strategy[a] / total if total > 0.0 else 1.0 / size


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
def external_sampling(iterations, tree, prob, payoff, regret, average, random_state, visited, value, strategy):
    """External sampling (Lanctot et al. 2009): all my moves, one sampled move of everybody else and of chance.

    tree: player, child, sequence of a node's first move (int32). payoff [N, n]. Work space: `visited` [N], the nodes
    of a sample, parents first; `value` [N]; `strategy` [most moves].

    What a player does is added to its average while somebody else traverses. Who plays alone is therefore sampled
    once more, for a traverser who is not there and learns nothing.
    """
    n = payoff.shape[1]
    for _ in range(iterations):
        for traverser in range(max(n, 2)):
            count = _sample_nodes(traverser, tree, prob, regret, average, random_state, visited, value, strategy)
            if traverser < n:
                _back_up(traverser, count, tree, payoff, regret, visited, value, strategy)


@inlined
def _sample_nodes(traverser, tree, prob, regret, average, random_state, visited, value, strategy):
    """List the nodes of a sample: how many there are. Where others went stands in `value`, until theirs come back."""
    player, child, first_sequence = tree
    visited[0] = 0
    count, at = 1, 0
    while at < count:
        v = visited[at]
        at += 1
        mover, lo, hi = player[v], child[v], child[v + 1]
        if mover == traverser:
            for c in range(lo, hi):
                visited[count] = c
                count += 1
        elif mover != -2:
            point = uniform(random_state)
            if mover == -1:
                c = _draw(point, prob, lo, hi)
            else:
                q = first_sequence[v]
                match_regrets(q, hi - lo, regret, strategy)
                c = lo + _draw(point, strategy, ZERO, hi - lo)
                for a in range(hi - lo):
                    average[q + a] += strategy[a]
            visited[count] = c
            count += 1
            value[v] = c
    return count


@inlined
def _back_up(traverser, count, tree, payoff, regret, visited, value, strategy):
    """Values back along a sample, and my regrets on the way."""
    player, child, first_sequence = tree
    for k in range(count - 1, -1, -1):
        v = visited[k]
        mover, lo, hi = player[v], child[v], child[v + 1]
        if mover == -2:
            value[v] = payoff[v, traverser]
        elif mover == traverser:
            q = first_sequence[v]
            match_regrets(q, hi - lo, regret, strategy)
            expected = 0.0
            for a in range(hi - lo):
                expected += strategy[a] * value[lo + a]
            for a in range(hi - lo):
                regret[q + a] += value[lo + a] - expected
            value[v] = expected
        else:
            value[v] = value[int(value[v])]


@kernel
def outcome_sampling(iterations, tree, prob, payoff, regret, average, random_state, explore, trail, trace, strategy):
    """Outcome sampling (Lanctot et al. 2009): one history a sample, weighted against how it was sampled.

    Chance and the others are sampled as they play; I explore. `trail` [depth] holds the nodes of the sample,
    `trace` [depth, 3] for each: my reach, the reach of my sampling, the chance with which its move was sampled.
    """
    player, child, first_sequence = tree
    n = payoff.shape[1]
    for _ in range(iterations):
        for traverser in range(n):
            v, depth = _sample_history(traverser, tree, prob, regret, random_state, explore, trail, trace, strategy)
            value, below = payoff[v, traverser], v
            for k in range(depth - 1, -1, -1):
                v = trail[k]
                if player[v] == traverser:
                    q, lo, size = first_sequence[v], child[v], child[v + 1] - child[v]
                    match_regrets(q, size, regret, strategy)
                    for a in range(size):
                        average[q + a] += trace[k, 0] * strategy[a] / trace[k, 1]
                    taken = below - lo
                    reached = value / trace[k, 2]
                    expected = strategy[taken] * reached
                    for a in range(size):
                        regret[q + a] += ((reached if a == taken else 0.0) - expected) / trace[k, 1]
                    value = expected
                below = v


@inlined
def _sample_history(traverser, tree, prob, regret, random_state, explore, trail, trace, strategy):
    """Play once: where it ends, and after how many moves."""
    player, child, first_sequence = tree
    v, depth = 0, 0
    own_reach, sample_reach = 1.0, 1.0
    while player[v] != -2:
        mover, lo, hi = player[v], child[v], child[v + 1]
        size = hi - lo
        point = uniform(random_state)
        sample_probability = 1.0
        if mover == -1:
            c = _draw(point, prob, lo, hi)
        else:
            match_regrets(first_sequence[v], size, regret, strategy)
            mix, c = explore if mover == traverser else 0.0, lo
            sample_probability = (1.0 - mix) * strategy[0] + mix / size
            point -= sample_probability
            while point >= 0.0 and c + 1 < hi:
                c += 1
                sample_probability = (1.0 - mix) * strategy[c - lo] + mix / size
                point -= sample_probability
        trail[depth], trace[depth, 0] = v, own_reach
        trace[depth, 1], trace[depth, 2] = sample_reach, sample_probability
        depth += 1
        if mover == traverser:
            own_reach *= strategy[c - lo]
            sample_reach *= sample_probability
        v = c
    return v, depth


@kernel
def baseline_sampling(
    iterations, tree, prob, payoff, regret, average, random_state, explore, rate, baseline, trail, trace, strategy
):
    """Outcome sampling with baselines (VR-MCCFR, Schmid et al. 2019); other arguments as of `outcome_sampling`.

    `baseline` [N, n] estimates what a node is worth to each player: a moving average of sampled values, to which a new
    one adds its difference times `rate`. A move that was not sampled counts as its baseline; the one that was as its
    baseline and its sampled difference from it, divided by the chance of sampling it. That is right on average
    whatever the baseline, at chance nodes and at those of others too. Baselines belong to histories, as in Davis,
    Schmid and Bowling 2020, where Schmid et al. average over an information set.
    """
    player, child, first_sequence = tree
    n = payoff.shape[1]
    for _ in range(iterations):
        for traverser in range(n):
            v, depth = _sample_history(traverser, tree, prob, regret, random_state, explore, trail, trace, strategy)
            value, below = payoff[v, traverser], v
            for k in range(depth - 1, -1, -1):
                v = trail[k]
                mover, q, lo, size = player[v], first_sequence[v], child[v], child[v + 1] - child[v]
                difference = value - baseline[below, traverser]
                if mover == traverser:
                    difference /= trace[k, 2]
                if mover >= 0:
                    match_regrets(q, size, regret, strategy)
                expected = 0.0
                for a in range(size):
                    expected += (strategy[a] if mover >= 0 else prob[lo + a]) * baseline[lo + a, traverser]
                expected += (strategy[below - lo] if mover == traverser else 1.0) * difference
                if mover == traverser:
                    for a in range(size):
                        average[q + a] += trace[k, 0] * strategy[a] / trace[k, 1]
                        sampled = baseline[lo + a, traverser] + (difference if lo + a == below else 0.0)
                        regret[q + a] += (sampled - expected) / trace[k, 1]
                baseline[below, traverser] += rate * (value - baseline[below, traverser])
                value, below = expected, v


@kernel
def chance_sampling(
    iterations, tree, prob, payoff, regret, average, behaviour, random_state, visited, value, reach, sampled_child
):
    """Chance-sampled CFR, players in turn: the pseudo-code of the slides (lines 5 to 30), without recursion.

    `reach` [N, n] holds each player's own part of the probability of coming to a node; `sampled_child` [N] where a
    chance node went. Behaviour changes only after a sample, so all of it uses the same strategies (sigma^t).
    """
    player, child, first_sequence = tree
    n = payoff.shape[1]
    for _ in range(iterations):
        for traverser in range(n):
            visited[0] = 0
            for i in range(n):
                reach[0, i] = 1.0
            count, at = 1, 0
            while at < count:
                v = visited[at]
                at += 1
                mover, lo, hi = player[v], child[v], child[v + 1]
                if mover == -1:
                    c = _draw(uniform(random_state), prob, lo, hi)
                    sampled_child[v] = c
                    lo, hi = c, c + 1
                for c in range(lo, hi):
                    for i in range(n):
                        reach[c, i] = reach[v, i]
                    if mover >= 0:
                        reach[c, mover] *= behaviour[first_sequence[v] + c - lo]
                    visited[count] = c
                    count += 1
            for k in range(count - 1, -1, -1):
                v = visited[k]
                mover, lo, hi = player[v], child[v], child[v + 1]
                if mover == -2:
                    value[v] = payoff[v, traverser]
                elif mover == -1:
                    value[v] = value[sampled_child[v]]
                else:
                    q, expected = first_sequence[v], 0.0
                    for a in range(hi - lo):
                        expected += behaviour[q + a] * value[lo + a]
                    value[v] = expected
                    if mover == traverser:
                        others = 1.0
                        for i in range(n):
                            if i != traverser:
                                others *= reach[v, i]
                        for a in range(hi - lo):
                            regret[q + a] += others * (value[lo + a] - expected)
                            average[q + a] += reach[v, traverser] * behaviour[q + a]
            for k in range(count):
                v = visited[k]
                if player[v] == traverser:
                    q, size = first_sequence[v], child[v + 1] - child[v]
                    match_regrets(q, size, regret, behaviour[q : q + size])
