"""The alpha vectors of the lower bound, which stay with an answer whatever policy is played.

A controller is followed without beliefs; what other actions earn, and what may be exported, is said by the vectors.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.mixed_observability import MixedObservability
from fogbound.forms.pomdp import WAIT
from fogbound.policies.alpha_entries import AlphaEntries
from fogbound.policies.alpha_vectors import AlphaVectors
from fogbound.policies.policy_graph import PolicyGraph
from fogbound.solvers.pomdp.greedy import GreedyVectors, settle_values
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch
from fogbound.solvers.pomdp.kernels import VectorGraph

SWEEPS, SETTLED = 2_000, 1e-15
ROUNDING = 1e-12  # of the largest value: what a vector may be worth less and still stand for another
WORK = 3e8  # multiplications of all sweeps: some tenths of a second


def settled_vectors(blocks: MixedObservability, graph: VectorGraph) -> VectorGraph:
    """The same vectors, each worth what its plan earns, as far as `WORK` allows."""
    entries = len(blocks.weight) / max(len(blocks.reward), 1)
    settle_values(graph, int(min(SWEEPS, WORK / (len(graph.value) * entries + 1))), SETTLED)
    return graph


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
    blocks: MixedObservability, graph: VectorGraph, plan: PolicyGraph, pair: Ints, value: Floats, nodes: Ints
) -> AlphaVectors:
    """All vectors of a search, which are settled, and those of these nodes of an evaluated plan.

    With the first nodes the vectors are worth what the plan earns at the start, also where the others need more sweeps;
    a plan that is not made of the search's vectors brings all of its nodes.
    """
    vectors = GreedyVectors(blocks, graph).alpha_vectors()
    first = np.intersect1d(nodes, pair[:, 0])
    first = first[plan.action[first] != WAIT]
    mine = np.flatnonzero(np.isin(pair[:, 0], first))
    row = np.searchsorted(first, pair[mine, 0])
    begun = AlphaEntries.of_entries(plan.pomdp.size, row, pair[mine, 1], value[mine], len(first))
    rounding = ROUNDING * float(np.abs(value).max(initial=0.0))
    runs = [slice(begin, end) for begin, end in pairwise(begun.first.tolist())]
    better = [not vectors.entries.dominates(begun.states[run], begun.values[run], rounding) for run in runs]
    kept = np.flatnonzero(np.array(better, bool))
    actions = np.concatenate([vectors.actions, plan.action[first[kept]]])
    return AlphaVectors(plan.pomdp, vectors.entries.joined(begun.taken(kept)), actions)
