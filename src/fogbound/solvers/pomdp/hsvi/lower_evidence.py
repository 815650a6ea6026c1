"""The vectors that the start needs, as a plan: minimal, exactly evaluated, and evidence for the lower bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.policy import Strategy
from fogbound.evaluation.plan_values import policy_graph_value
from fogbound.forms.arrays import Floats, Ints, offsets
from fogbound.policies.mixture import fixed_others
from fogbound.policies.policy_graph import PolicyGraph
from fogbound.solvers.pomdp.evidence import policy_graph_evidence
from fogbound.solvers.pomdp.hsvi.kernels.search_arrays import ROOT, VectorSet
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch
from fogbound.solvers.pomdp.kernels.policy_evaluation import VectorGraph, evaluate_sweep, mark_reached

SOON, SWEEPS = 500, 20_000
CARELESS = 1e-6  # of the gap: how far below its value a very large plan may be put
DIRECT = 50_000  # pairs up to which a plan that settles slowly is evaluated by one linear system
SETTLED = 1e-15


@dataclass(frozen=True, eq=False)
class EvaluatedPolicyGraph:
    """A plan with its value at every pair (node, state) that it meets."""

    plan: PolicyGraph
    total: float  # its value at the start
    pair: Ints  # [P, 2]
    value: Floats  # [P]
    steps: Floats  # [P] expected to remain (where there is no discount)

    @property
    def pairs(self) -> int:
        """What the checker has to look at."""
        return len(self.pair)

    def details(self) -> dict[str, Any]:
        """What only becomes known with the evidence."""
        return {"controller_nodes": self.plan.size}

    def earned(self) -> float:
        """What the plan earns from the start on."""
        return self.total

    def profile(self) -> dict[int, Strategy]:
        """The player that follows the plan, and the others as they were fixed."""
        return {self.plan.pomdp.player: self.plan.controller(), **fixed_others(self.plan.pomdp)}

    def evidence(self) -> dict[str, NDArray[Any]]:
        """In the checker's layout."""
        return policy_graph_evidence(self.plan, self.pair, self.value, self.steps)


def vector_graph(search: HeuristicSearch) -> VectorGraph:
    """Collect the vectors that the start's best vector can lead to."""
    root = _follow(search, _kept(search.state.vectors, int(search.state.tree.best[ROOT])))
    queue = list(dict.fromkeys(root))
    known = set(queue)
    for vector in queue:  # grows while it is walked
        for after in _follow(search, vector):
            if after not in known:
                known.add(after)
                queue.append(after)
    return _graph(search, queue, root)


def every_vector(search: HeuristicSearch) -> VectorGraph:
    """All vectors of the lower bound, but the start's: whatever one of them goes on with is there too."""
    return _graph(search, [vector for block in range(1, search.blocks.size) for vector in search.vectors(block)], [])


def _graph(search: HeuristicSearch, listed: list[int], root: list[int]) -> VectorGraph:
    vectors, blocks = search.state.vectors, search.blocks
    order = np.sort(np.array(listed, np.int64))
    number = {vector: k for k, vector in enumerate(order.tolist())}
    choice = vectors.choice[order]
    size = np.diff(blocks.first)[np.searchsorted(blocks.choice, choice, side="right") - 1]
    values = [vectors.value[at : at + n] for at, n in zip(vectors.alpha[order].tolist(), size.tolist())]
    return VectorGraph(
        choice=choice,
        pairs=offsets(size),
        arrows=offsets(np.diff(blocks.outcome)[choice]),
        after=np.array([number[after] for v in order.tolist() for after in _follow(search, v)], np.int64),
        value=np.concatenate(values) if values else np.zeros(0),
        first=np.array([number[vector] for vector in root], np.int64),
    )


def _follow(search: HeuristicSearch, vector: int) -> list[int]:
    """The vectors that a vector goes on with, one for each outcome of its choice."""
    vectors, blocks = search.state.vectors, search.blocks
    first, choice = int(vectors.successors[vector]), int(vectors.choice[vector])
    many = int(blocks.outcome[choice + 1] - blocks.outcome[choice])
    return [_kept(vectors, after) for after in vectors.successor[first : first + many].tolist()]


def _kept(vectors: VectorSet, vector: int) -> int:
    """The vector itself, or what replaced it."""
    while vectors.replaced[vector] >= 0:
        vector = int(vectors.replaced[vector])
    return vector


def evaluated_policy_graph(
    search: HeuristicSearch, graph: VectorGraph | None = None, careless: float = 0.0
) -> EvaluatedPolicyGraph:
    """Evaluate vectors as a plan, drop what play never meets, and make it minimal.

    Parameters
    ----------
    search
        Where the vectors are from.
    graph
        The vectors; those that the start's best one leads to where none are given.
    careless
        How much of the gap the evaluation may cost; 0 = next to nothing, by one linear system where that is quicker.
    """
    blocks, form, graph = search.blocks, search.blocks.pomdp, graph or vector_graph(search)
    reached, followed = np.zeros(len(graph.value), bool), np.zeros(len(graph.after), bool)
    openings = blocks.begin[: len(graph.first)]
    outcome = np.repeat(np.arange(len(graph.first)), blocks.start[openings + 1] - blocks.start[openings])
    begun = graph.pairs[graph.first[outcome]] + blocks.to[: len(outcome)]
    stack = np.zeros((len(graph.value) + 1, 2), np.int64)
    _, once = np.unique(begun, return_index=True)
    reached[begun] = True
    stack[: len(once)] = np.stack([graph.first[outcome[once]], blocks.to[once]], axis=1)
    mark_reached(search.model, graph, reached, followed, stack, np.int64(len(once)))
    value, steps = np.where(reached, graph.value, 0.0), np.zeros(len(graph.value))
    small, slow = bool(reached.sum() <= DIRECT) and not careless, False
    lower, upper = search.bounds()
    rest = 0.0 if small else (careless or CARELESS) * (upper - lower) / search.horizon()
    for column, rewarded in ((value, True), (steps, False)) if form.discount == 1 else ((value, True),):
        for _ in range(SOON if small else SWEEPS):
            check()
            change = evaluate_sweep(search.model, graph, len(graph.choice), reached, column, rewarded)
            converged = change <= max(rest, SETTLED * float(np.abs(column).max(initial=0.0)))
            if converged:
                break
        slow = slow or not converged
    total = (
        float(form.reward[0] + blocks.weight[: len(outcome)] @ value[begun]) if len(begun) else float(form.reward[0])
    )
    lean = _lean(search, graph, reached, followed, value, steps, total)
    return _solved(lean) if slow and small else lean


def _solved(lean: EvaluatedPolicyGraph) -> EvaluatedPolicyGraph:
    """The same plan, evaluated by one linear system."""
    exact = policy_graph_value(lean.plan, DIRECT)
    return EvaluatedPolicyGraph(lean.plan, exact.total, exact.pair.astype(np.int64), exact.value, exact.steps)


def _lean(
    search: HeuristicSearch,
    graph: VectorGraph,
    reached: NDArray[np.bool_],
    followed: NDArray[np.bool_],
    value: Floats,
    steps: Floats,
    total: float,
) -> EvaluatedPolicyGraph:
    """The plan with the arrows that are followed, merged; pairs and values named by its nodes."""
    blocks = search.blocks
    node = np.repeat(np.arange(len(graph.choice)), np.diff(graph.arrows))
    outcome = blocks.outcome[graph.choice[node]] + np.arange(len(graph.after)) - graph.arrows[node]
    arrow = np.stack([node, blocks.obs[outcome], graph.after], axis=1)[followed]
    begin = np.stack([blocks.obs[: len(graph.first)], graph.first], axis=1)
    plan, named = PolicyGraph(blocks.pomdp, blocks.action[graph.choice], begin, arrow).merged()
    owner = np.repeat(np.arange(len(graph.choice)), np.diff(graph.pairs))
    block = np.searchsorted(blocks.choice, graph.choice, side="right") - 1
    state = blocks.state[blocks.first[block[owner]] + np.arange(len(value)) - graph.pairs[owner]]
    mine = np.flatnonzero(reached & (named[owner] >= 0))
    pairs = np.stack([named[owner[mine]], state[mine]], axis=1).astype(np.int64)
    pairs, once = np.unique(pairs, axis=0, return_index=True)
    return EvaluatedPolicyGraph(plan, total, pairs, value[mine[once]], steps[mine[once]])
