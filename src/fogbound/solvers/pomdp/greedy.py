"""Vectors that name their successors, played greedily, and evidence in the checker's layout for what policies earn.

Policy and evidence are read off the same graph, so that what is proven is what is played. Its values are settled first:
each vector is worth what its plan earns, since what it goes on with may have risen since it was made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.policy import Strategy
from fogbound.forms.arrays import Floats, Ints, runs_of
from fogbound.forms.pomdp import POMDP, WAIT, steps_left
from fogbound.policies.alpha_entries import AlphaEntries
from fogbound.policies.alpha_vectors import AlphaVectors
from fogbound.policies.mixture import fixed_others
from fogbound.policies.policy_graph import PolicyGraph
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP
from fogbound.solvers.pomdp.kernels import VectorGraph, evaluate_sweep


def policy_graph_evidence(plan: PolicyGraph, pair: Ints, value: Floats, steps: Floats) -> dict[str, NDArray[Any]]:
    """A plan with its value, and the steps expected to remain, at every pair [P, 2] of a node and a state."""
    return {
        "node_action": plan.action.astype(np.int64),
        "begin": plan.begin.astype(np.int64),
        "arrow": plan.arrow.astype(np.int64),
        "pair": pair.astype(np.int64),
        "value": value,
        "steps": steps,
    }


SWEEPS = 2_000
WORK = 1e9  # products, at most: about a second
INFORMED = -2  # the checker's word for the informed bound of a belief
SETTLED = 1e-15  # of the largest value: sweeps that change less are not worth another


def sweep_work(graph: VectorGraph) -> float:
    """About how many multiplications a sweep over all vectors takes."""
    entries = len(graph.model.weight) / max(len(graph.model.reward), 1)  # that follow a state and an action, on average
    return len(graph.value) * entries + 1


def settle_values(graph: VectorGraph, sweeps: float, settled: float) -> None:
    """Let vectors be worth what their plans earn, by sweeps that end when one changes next to nothing."""
    every = np.ones(len(graph.value), bool)
    for _ in range(int(sweeps)):
        check()
        change = evaluate_sweep(graph, len(graph.choice), every, graph.value, True)
        if change <= settled * float(np.abs(graph.value).max(initial=0.0)):
            break


@dataclass(frozen=True, eq=False)
class GreedyVectors:
    """Vectors over the blocks of a POMDP, each with one to go on with after every outcome of its choice."""

    mdp: UnderlyingMDP
    graph: VectorGraph

    @classmethod
    def settled(cls, mdp: UnderlyingMDP, graph: VectorGraph, work: float = WORK) -> GreedyVectors:
        """Worth what their plans earn, as far as `work` allows: the residual that is left is passed to the checker."""
        settle_values(graph, min(SWEEPS, work / sweep_work(graph)), SETTLED)
        return cls(mdp, graph)

    @property
    def states(self) -> Ints:
        """[pairs] the POMDP's state."""
        return self.mdp.blocks.state[self.mdp.members(self.graph)]

    def profile(self) -> dict[int, Strategy]:
        """The player that follows the best vector, and the others as they were fixed."""
        form = self.mdp.blocks.pomdp
        return {form.player: AlphaVectors(form, *self.entries()), **fixed_others(form)}

    def entries(self) -> tuple[AlphaEntries, Ints]:
        """The vectors at which there is something to choose, and the actions that they start with."""
        blocks, graph = self.mdp.blocks, self.graph
        vector = np.repeat(np.arange(len(graph.choice)), np.diff(graph.pairs))
        vectors = AlphaEntries.of_entries(blocks.pomdp.size, vector, self.states, graph.value, len(graph.choice))
        action = blocks.action[graph.choice]
        chosen = np.flatnonzero(action != WAIT)
        return vectors.taken(chosen), action[chosen]

    @property
    def pairs(self) -> int:
        """Vectors' entries: what the checker has to look at."""
        return len(self.graph.value)

    def details(self) -> dict[str, Any]:
        """What only becomes known with the evidence: nothing."""
        return {}

    def earned(self) -> float:
        """What the best vectors promise at the start, in floats."""
        graph, owner = self.graph, runs_of(self.mdp.blocks.choice, self.graph.choice)
        return self.mdp.value_at_start(graph.value, lambda block: graph.pairs[:-1][owner == block])

    def evidence(self) -> dict[str, NDArray[Any]]:
        """In the checker's layout: all of them, with their successors."""
        blocks, graph = self.mdp.blocks, self.graph
        node = np.repeat(np.arange(len(graph.choice)), np.diff(graph.arrows))
        outcome = blocks.outcome[graph.choice[node]] + np.arange(len(graph.after)) - graph.arrows[node]
        return {
            "vector_action": blocks.action[graph.choice].astype(np.int64),
            "vector_start": graph.pairs.astype(np.int64),
            "vector_state": self.states.astype(np.int64),
            "vector_value": graph.value,
            "vector_next": np.stack([node, blocks.obs[outcome], graph.after], axis=1).astype(np.int64),
        }


def unprovable(form: POMDP) -> str:
    """Why the checker could say nothing about play by vectors, where that is so."""
    if form.discount == 1 and not form.ends and len(form.endless):
        return "nothing is discounted, and from states that no history leads to play need not end"
    return ""


def informed_evidence(model: UnderlyingMDP, informed: Floats) -> dict[str, NDArray[Any]]:
    """Evidence for the upper bound that the fast informed bound [choice, state] is by itself."""
    form, none = model.blocks.pomdp, np.zeros(0, np.int64)
    first = slice(int(form.out[0]), int(form.out[1]))
    seen = np.unique(form.obs[first][form.prob[first] > 0])
    steps = {"steps_left": steps_left(form)} if form.discount == 1 else {}
    return {
        **steps,
        "fib": model.by_rows(informed),
        "point_start": np.zeros(1, np.int64),
        "point_state": none,
        "point_weight": np.zeros(0),
        "point_value": np.zeros(0),
        "witness_start": np.zeros(1, np.int64),
        "witness": none,
        "root": np.full(len(seen), INFORMED, np.int64),
    }
