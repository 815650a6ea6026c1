"""The alpha vectors of the lower bound, which stay with an answer whatever policy is played.

A controller is followed without beliefs; what other actions earn, and what may be exported, is said by the vectors.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.pomdp import WAIT
from fogbound.policies.alpha_entries import AlphaEntries
from fogbound.policies.alpha_vectors import AlphaVectors
from fogbound.policies.policy_graph import PolicyGraph
from fogbound.solvers.pomdp.greedy import GreedyVectors
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch
from fogbound.solvers.pomdp.kernels import VectorGraph

ROUNDING = 1e-12  # of the largest value: what a vector may be worth less and still stand for another


def best_first_vectors(search: HeuristicSearch, root: list[int], settled: VectorGraph) -> list[int]:
    """For each first observation the best of all vectors, where that is better than the root's own choice.

    The root's vector names those that were best when it was backed up; `settled` are all vectors, by number.
    """
    blocks, found = search.blocks, list[int]()
    every = np.sort(np.array([v for block in range(1, blocks.size) for v in search.vectors(block)], np.int64))
    for outcome, chosen in enumerate(root):
        span = slice(blocks.start[blocks.begin[outcome]], blocks.start[blocks.begin[outcome] + 1])
        listed = np.array([chosen, *search.vectors(int(blocks.target[outcome]))])
        first = settled.pairs[np.searchsorted(every, listed)]
        worth = settled.value[first[:, None] + blocks.to[span]] @ blocks.weight[span]
        found.append(int(listed[worth.argmax()]))
    return found


def lower_bound_vectors(
    settled: GreedyVectors, plan: PolicyGraph, pair: Ints, value: Floats, nodes: Ints
) -> AlphaVectors:
    """All vectors of a search, which are settled, and those of these nodes of an evaluated plan.

    With the first nodes the vectors are worth what the plan earns at the start, also where the others need more sweeps;
    a plan that is not made of the search's vectors brings all of its nodes.
    """
    entries, actions = settled.entries()
    first = np.intersect1d(nodes, pair[:, 0])
    first = first[plan.action[first] != WAIT]
    mine = np.flatnonzero(np.isin(pair[:, 0], first))
    row = np.searchsorted(first, pair[mine, 0])
    begun = AlphaEntries.of_entries(plan.pomdp.size, row, pair[mine, 1], value[mine], len(first))
    rounding = ROUNDING * float(np.abs(value).max(initial=0.0))
    runs = [slice(begin, end) for begin, end in pairwise(begun.first.tolist())]
    better = [not entries.dominates(begun.states[run], begun.values[run], rounding) for run in runs]
    kept = np.flatnonzero(np.array(better, bool))
    actions = np.concatenate([actions, plan.action[first[kept]]])
    return AlphaVectors(plan.pomdp, entries.joined(begun.taken(kept)), actions)
