"""CFR+ in a subgame with its gadget, compiled: players in turn, averages and opponent's values weighted linearly.

A player's decisions are a `DecisionTree` (parents first), what it learns a `SubgameLearner`, both over all of its
sequences; `sets` lists the decisions of the subgame. A sequence of mine above the subgame keeps the weight
that I have played it with; values that flow up to such sequences are nobody's, and never read.
"""

from __future__ import annotations

from fogbound.compiled.kernel import kernel

AVERAGE, BEST_REPLY = 0, 1


@kernel
def play_evenly(decisions, learner, sets):
    """Play every move alike, and note down with which weights."""
    for k in range(len(sets)):
        h = sets[k]
        for q in range(decisions.first[h], decisions.first[h] + learner.size[h]):
            learner.behaviour[q] = 1.0 / learner.size[h]
            learner.weight[q] = learner.weight[decisions.parent[h]] * learner.behaviour[q]


@kernel
def sweeps(first, many, mine, theirs, me, they, my_sets, their_sets, ends):
    """Iterations `first` .. `first + many - 1` of CFR+, alternating.

    The opponent learns first, so that the values noted down are those of the strategies that are averaged.
    """
    for t in range(first, first + many):
        learn_step(t, -1.0, theirs, they, their_sets, ends.theirs, ends.mine, me.weight, ends.gain)
        learn_step(t, 1.0, mine, me, my_sets, ends.mine, ends.theirs, they.weight, ends.gain)


@kernel
def learn_step(t, sign, decisions, learner, sets, own_end, other_end, other_weight, gain):
    """One player's part of iteration t: values upwards, regrets, the average, and the next strategy downwards."""
    first, parent = decisions.first, decisions.parent
    size, regret, average, behaviour = learner.size, learner.regret, learner.average, learner.behaviour
    weight, fixed, counterfactual = learner.weight, learner.fixed, learner.counterfactual
    for k in range(len(sets)):
        h = sets[k]
        for q in range(first[h], first[h] + size[h]):
            counterfactual[q] = fixed[q]
    for e in range(len(gain)):
        counterfactual[own_end[e]] += sign * gain[e] * other_weight[other_end[e]]
    for k in range(len(sets) - 1, -1, -1):
        h = sets[k]
        expected = 0.0
        for q in range(first[h], first[h] + size[h]):
            expected += behaviour[q] * counterfactual[q]
        counterfactual[parent[h]] += expected
        learner.value[h] += t * expected
        for q in range(first[h], first[h] + size[h]):
            regret[q] = max(regret[q] + counterfactual[q] - expected, 0.0)
    for k in range(len(sets)):
        h = sets[k]
        total = 0.0
        for q in range(first[h], first[h] + size[h]):
            average[q] += t * weight[q]
            total += regret[q]
        above = weight[parent[h]]
        for q in range(first[h], first[h] + size[h]):
            behaviour[q] = regret[q] / total if total > 0.0 else 1.0 / size[h]
            weight[q] = above * behaviour[q]


@kernel
def evaluate_opponent(kind, theirs, they, their_sets, ends, my_weight):
    """Fill they.value with the opponent's values against `my_weight`: of they.behaviour, or of its best reply."""
    first, parent, size, counterfactual = theirs.first, theirs.parent, they.size, they.counterfactual
    for k in range(len(their_sets)):
        h = their_sets[k]
        for q in range(first[h], first[h] + size[h]):
            counterfactual[q] = they.fixed[q]
    for e in range(len(ends.gain)):
        counterfactual[ends.theirs[e]] -= ends.gain[e] * my_weight[ends.mine[e]]
    for k in range(len(their_sets) - 1, -1, -1):
        h = their_sets[k]
        value = 0.0 if kind == AVERAGE else counterfactual[first[h]]
        for q in range(first[h], first[h] + size[h]):
            if kind == AVERAGE:
                value += they.behaviour[q] * counterfactual[q]
            else:
                value = max(value, counterfactual[q])
        counterfactual[parent[h]] += value
        they.value[h] = value
