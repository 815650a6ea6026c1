"""Online outcome sampling, compiled: walks from the start, most of them towards one information set.

Sequences are numbered over all players, as in the kernels of `regret`. A walk is drawn in one of two ways: with
probability `targeted` only moves that can still lead to the target are drawn, else all are. Both probabilities are
followed along the path whichever way it was drawn, since what a walk must be weighted against is their mixture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.draws import uniform
from fogbound.compiled.kernel import kernel
from fogbound.solvers.regret.kernels import match_regrets

CHANCE, END = -1, -2


@dataclass(frozen=True, eq=False)
class SampledTree(Bundle):
    """The tree for walks."""

    mover: np.ndarray  # [N]
    child: np.ndarray  # [N+1]
    first: np.ndarray  # [N] the sequence of a node's first move
    prob: np.ndarray  # [N]
    payoff: np.ndarray  # [N, 2]


@dataclass(frozen=True, eq=False)
class SampledHistory(Bundle):
    """Work space: one walk, a line for each node that it met."""

    node: np.ndarray  # [depth]
    others: np.ndarray  # [depth] the probability of coming there by chance and the other player
    sampled: np.ndarray  # [depth] the probability with which it was drawn, both ways together
    strategy: np.ndarray  # [most moves]
    chances: np.ndarray  # [most moves] with which they are drawn towards the target


@kernel
def walks(first, many, tree, towards, inside, targeted, explore, regret, average, random_state, walk):
    """Walks number `first` .. `first + many - 1`; players learn in turn.

    towards[v] says whether node v leads to the target or is in it, inside[v] whether it is in it.
    """
    for number in range(first, first + many):
        learner = number % 2
        aimed = uniform(random_state) < targeted
        v, depth = 0, 0
        others, by_target, by_strategy = 1.0, 1.0, 1.0
        while tree.mover[v] != END:
            mover, lo, size = tree.mover[v], tree.child[v], tree.child[v + 1] - tree.child[v]
            walk.node[depth], walk.others[depth] = v, others
            walk.sampled[depth] = targeted * by_target + (1.0 - targeted) * by_strategy
            depth += 1
            if mover == CHANCE:
                for a in range(size):
                    walk.strategy[a] = tree.prob[lo + a]
            else:
                match_regrets(tree.first[v], size, regret, walk.strategy)
            mix = explore if mover == learner else 0.0
            before = towards[v] and not inside[v]
            if before:
                restrict(lo, size, mix, towards, walk.strategy, walk.chances)
            a = draw_move(uniform(random_state), size, mix, aimed and before, walk.strategy, walk.chances)
            plain = (1.0 - mix) * walk.strategy[a] + mix / size
            by_strategy *= plain
            by_target *= walk.chances[a] if before else plain
            if mover != learner:
                others *= walk.strategy[a]
            v = lo + a
        drawn = targeted * by_target + (1.0 - targeted) * by_strategy
        _learn(learner, v, depth, tree.payoff[v, learner] / drawn, tree, regret, average, walk)


@kernel
def restrict(lo, size, mix, towards, strategy, chances):
    """Draw only moves towards the target, by the strategy among them; alike where it takes none of these."""
    total, many = 0.0, 0
    for a in range(size):
        if towards[lo + a]:
            total += strategy[a]
            many += 1
    for a in range(size):
        chances[a] = 0.0
        if towards[lo + a]:
            chances[a] = (1.0 - mix) * (strategy[a] / total if total > 0.0 else 1.0 / many) + mix / many


@kernel
def draw_move(point, size, mix, restricted, strategy, chances):
    """The move at which probabilities add up to more than `point`; of those that can be drawn the last, at worst."""
    found = 0
    for a in range(size):
        p = chances[a] if restricted else (1.0 - mix) * strategy[a] + mix / size
        if p > 0.0:
            found = a
            point -= p
            if point < 0.0:
                break
    return found


@kernel
def _learn(learner, end, depth, gained, tree, regret, average, walk):
    """Back along the walk: the learner's regrets, and the other's strategy into its average.

    Chance's part stands in the weight of the average too: at an information set it is a constant on average, and it
    cancels against how the walk was drawn.
    """
    tail, below = 1.0, end  # the probability of the rest of the walk, under everybody's strategies
    for k in range(depth - 1, -1, -1):
        v = walk.node[k]
        lo, size, taken = tree.child[v], tree.child[v + 1] - tree.child[v], below - tree.child[v]
        if tree.mover[v] == CHANCE:
            tail *= tree.prob[lo + taken]
        else:
            q = tree.first[v]
            match_regrets(q, size, regret, walk.strategy)
            if tree.mover[v] == learner:
                weight = gained * walk.others[k]
                expected = tail * walk.strategy[taken]
                for a in range(size):
                    regret[q + a] = max(regret[q + a] + weight * ((tail if a == taken else 0.0) - expected), 0.0)
            else:
                for a in range(size):
                    average[q + a] += walk.strategy[a] * walk.others[k] / walk.sampled[k]
            tail *= walk.strategy[taken]
        below = v
