"""A controller with fewer nodes, for a check that must not take long.

The nodes that play visits most often are kept. An arrow that leads to another one leads to that kept node of the same
block instead which earns most for the states in which play comes that way, and so do the others where that is better.
What is left is a controller like any other: it is evaluated anew, and its value is the lower bound.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats, Ints, offsets, ranges
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch
from fogbound.solvers.pomdp.kernels.policy_evaluation import VectorGraph, evaluate_sweep, redirect, visit_sweep

SWEEPS = 30  # of visits: enough to tell which nodes are met often
FADED = 1e-3  # of all visits: what is left when the sweeps end
SETTLING, SETTLED = 300, 1e-7  # sweeps of values; of the largest one, a change that is not worth another
ROUNDS = 4  # of redirecting, as long as the plan gets better
WORK = 1e9  # multiplications for all their sweeps of visits, and as many for those of values: about a second each


def thinned_graph(search: HeuristicSearch, graph: VectorGraph, pairs: float) -> VectorGraph:
    """The same plan with about that number of (node, state) pairs; one node of every reachable block stays."""
    visits = visits_of(search, graph)
    kept = _most_visited(search, graph, visits, pairs)
    _redirect(search, graph, kept, visits, every=False)
    best = thin = _part(graph, np.flatnonzero(kept))
    total = -np.inf
    for _ in range(ROUNDS):
        check()
        visits = visits_of(search, thin)
        if (earned := _settle(search, thin)) <= total:
            break
        total, best = earned, _copy(thin)
        if not _redirect(search, thin, np.ones(len(thin.choice), bool), visits, every=True):
            break
    return best


def _redirect(search: HeuristicSearch, graph: VectorGraph, kept: NDArray[np.bool_], visits: Floats, every: bool) -> int:
    """Let arrows lead to the best of the nodes that are kept, all or those that must; how many were changed."""
    block, listed = _blocks(search, graph), np.flatnonzero(kept)
    listed = listed[np.argsort(block[listed], kind="stable")]
    lists = np.searchsorted(block[listed], np.arange(search.blocks.size + 1))
    belief = np.zeros(int(np.diff(search.blocks.first).max()))
    return int(redirect(search.model, graph, kept, every, listed, lists, visits, belief))


def _settle(search: HeuristicSearch, graph: VectorGraph) -> float:
    """Evaluate the plan at all of its pairs; what it earns from the first of its nodes on."""
    every = np.ones(len(graph.value), bool)
    for _ in range(_affordable(search, graph, SETTLING)):
        check()
        change = evaluate_sweep(search.model, graph, len(graph.choice), every, graph.value, True)
        if change <= SETTLED * float(np.abs(graph.value).max(initial=0.0)):
            break
    return float(_opening(search, graph) @ graph.value)


def _affordable(search: HeuristicSearch, graph: VectorGraph, most: int) -> int:
    """How many sweeps over all pairs of a plan the work of a round allows, `most` at most."""
    sweep = len(graph.value) * len(search.blocks.weight) / max(len(search.blocks.reward), 1)
    return max(1, int(min(most, WORK / ROUNDS / max(sweep, 1.0))))


def _copy(graph: VectorGraph) -> VectorGraph:
    return replace(graph, after=graph.after.copy(), value=graph.value.copy())


def _opening(search: HeuristicSearch, graph: VectorGraph) -> Floats:
    """[pairs] how often play begins in each."""
    blocks, begun = search.blocks, np.zeros(len(graph.value))
    openings = blocks.begin[: len(graph.first)]
    outcome = np.repeat(np.arange(len(graph.first)), blocks.start[openings + 1] - blocks.start[openings])
    np.add.at(begun, graph.pairs[graph.first[outcome]] + blocks.to[: len(outcome)], blocks.weight[: len(outcome)])
    return begun


def visits_of(search: HeuristicSearch, graph: VectorGraph) -> Floats:
    """[pairs] how often play comes to each, discounted."""
    visits = _opening(search, graph)
    step, after = visits.copy(), np.zeros_like(visits)
    for _ in range(_affordable(search, graph, SWEEPS)):
        check()
        left = visit_sweep(search.model, graph, step, after)
        step, after = after, step
        visits += step
        if left <= FADED * visits.sum():
            break
    return visits


def _blocks(search: HeuristicSearch, graph: VectorGraph) -> Ints:
    return np.searchsorted(search.blocks.choice, graph.choice, side="right") - 1


def _most_visited(search: HeuristicSearch, graph: VectorGraph, visits: Floats, pairs: float) -> NDArray[np.bool_]:
    """[nodes] the first ones, then the most visited, and one for every block that any of them leads to."""
    mass = np.add.reduceat(visits, graph.pairs[:-1])
    kept = np.zeros(len(graph.choice), bool)
    kept[graph.first] = True
    order = np.argsort(-mass, kind="stable")
    size = np.diff(graph.pairs)
    kept[order[np.cumsum(size[order]) <= pairs - size[kept].sum()]] = True
    block = _blocks(search, graph)
    likeliest = np.full(search.blocks.size, -1)
    likeliest[block[order[::-1]]] = order[::-1]  # of each block, the most visited node
    while True:
        own = np.flatnonzero(kept)
        led = np.unique(block[graph.after[ranges(graph.arrows[own], np.diff(graph.arrows)[own])]])
        missing = np.setdiff1d(led, block[own])
        if not len(missing):
            return kept
        kept[likeliest[missing]] = True


def _part(graph: VectorGraph, kept: Ints) -> VectorGraph:
    """These nodes alone, none of which leads to another."""
    number = np.full(len(graph.choice), -1)
    number[kept] = np.arange(len(kept))
    size, arrows = np.diff(graph.pairs)[kept], np.diff(graph.arrows)[kept]
    return VectorGraph(
        choice=graph.choice[kept],
        pairs=offsets(size),
        arrows=offsets(arrows),
        after=number[graph.after[ranges(graph.arrows[kept], arrows)]],
        value=graph.value[ranges(graph.pairs[kept], size)],
        first=number[graph.first],
    )
