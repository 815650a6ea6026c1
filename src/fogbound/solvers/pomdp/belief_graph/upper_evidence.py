"""Evidence for an upper bound from a searched graph: claims about the beliefs that matter, each with its witnesses.

A claim about a belief stands on claims about what follows from it, down to beliefs that were never looked into, where
the fast informed bound speaks. Without a discount the checker pays for no rounding unless play surely ends, so there
every claim is raised until it exceeds what it stands on by a margin: hardly more than rounding, and enough.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.pomdp.belief_graph.graph import BeliefGraph, Problem
from fogbound.solvers.pomdp.belief_graph.kernels.policy_evaluation import lift_sweep
from fogbound.solvers.pomdp.paired_nodes import growing_keys

FIB, FIB_ROW = -2, -3  # the checker's words: the informed bound of a belief, or of one action at a belief
MARGIN, NEAR = 1e-13, 1e-10  # shares of the largest value: above rounding; as good as equal
SWEEPS = 2_000
MOST_CLAIMS, MOST_ROWS = 20_000, 50_000  # beyond these neither we nor the checker would be done in a minute


def claim_evidence(
    belief_graph: BeliefGraph, problem: Problem, kept: Longs
) -> tuple[dict[str, NDArray[Any]], float] | None:
    """The arrays of the evidence, over the states `kept` in their order, and the bound they prove, in floats.

    None where it would take too much, or where play can go round for nothing, so that claims without a
    discount do not come to rest.
    """
    row = belief_graph.process.row
    paid = np.abs(belief_graph.process.reward[: int(row[belief_graph.states])]).max(initial=0.0)
    margin = MARGIN * max(belief_graph.scale, float(paid)) if belief_graph.discount == 1 else 0.0  # rewards may cancel
    large = int((row[kept + 1] - row[kept]).sum()) > MOST_ROWS
    q_values = None if large else _raised(belief_graph, kept, margin)
    if q_values is None:
        return None
    claims = _Claims(belief_graph, q_values, margin)
    root = claims.after(int(belief_graph.graph.rows[problem.root]), problem.seen.tolist())
    if not claims.settle():
        return None
    return claims.arrays(root, kept), claims.row_bound(int(belief_graph.graph.rows[problem.root]))


def _raised(belief_graph: BeliefGraph, kept: Longs, margin: float) -> Floats | None:
    """The informed bound of all rows; without a discount, above what follows from it by the margin."""
    q_values, process = belief_graph.q_values.copy(), belief_graph.process
    shape = (process.row, process.out, process.next, process.obs, process.prob, process.reward)
    for _ in range(SWEEPS):
        check()
        if not margin or lift_sweep(*shape, belief_graph.discount, kept, margin, q_values) == 0.0:
            return q_values
    return None


class _Claims:
    """Claims in the order in which they are needed; the beliefs of the graph that they are about are keys."""

    def __init__(self, belief_graph: BeliefGraph, q_values: Floats, margin: float) -> None:
        self.belief_graph, self.graph, self.q_values, self.margin = belief_graph, belief_graph.graph, q_values, margin
        self.near = NEAR * belief_graph.scale
        self.number: dict[int, int] = {}
        self.value: dict[int, float] = {}  # grows by `after`
        self.informed: dict[int, float] = {}  # the informed bound of beliefs without a claim
        self.witness: list[list[list[int]]] = []  # [claim][action]

    def after(self, row: int, seen: Iterable[int]) -> list[int]:
        """A witness for each observation that may come after a row of the graph, in their order."""
        graph = self.graph
        outs = range(graph.out[row], graph.out[row + 1])
        child = {int(graph.obs[o]): int(graph.child[o]) for o in outs}
        return [self._name(child.get(z)) for z in sorted(set(seen))]

    def _name(self, belief: int | None) -> int:
        """The number of the claim about a belief; FIB where play is over or the belief was never looked into."""
        if belief is None or self.graph.rows[belief] < 0:
            return FIB
        if belief not in self.number:
            self.number[belief] = len(self.number)
            self.value[belief] = float(self.graph.high[belief])
        return self.number[belief]

    def settle(self) -> bool:
        """Find the witnesses of every claim, then raise claims until all of them hold. False: they do not settle."""
        for belief in growing_keys(self.number):
            check()
            if len(self.number) > MOST_CLAIMS:
                return False
            self.witness.append([self._action(belief, a) for a in range(self.graph.many[belief])])
        for _ in range(SWEEPS if self.margin else 0):
            check()
            if not sum([self._raise(belief) for belief in reversed(self.number)]):
                return True
        return not self.margin

    def _action(self, belief: int, action: int) -> list[int]:
        """What bounds an action: the informed bound where that is enough, else what follows."""
        direct = self._informed_action(belief, action)
        if direct <= self.value[belief] + self.near:
            self.value[belief] = max(self.value[belief], direct)
            return [FIB_ROW]
        process, graph = self.belief_graph.process, self.graph
        rows = process.row[graph.state[graph.first[belief] : graph.first[belief + 1]]] + action
        outs = np.concatenate([np.arange(process.out[r], process.out[r + 1]) for r in rows.tolist()])
        return self.after(int(graph.rows[belief]) + action, process.obs[outs[process.prob[outs] > 0]].tolist())

    def _raise(self, belief: int) -> bool:
        """Whether a claim had to be raised to exceed what it stands on."""
        first, needed = int(self.graph.rows[belief]), self.value[belief]
        for action, witnesses in enumerate(self.witness[self.number[belief]]):
            if witnesses != [FIB_ROW]:
                needed = max(needed, self.row_bound(first + action) + self.margin)
        raised, self.value[belief] = needed > self.value[belief], needed
        return raised

    def row_bound(self, row: int) -> float:
        """The reward of a row, and what is claimed about what follows."""
        graph = self.graph
        total = float(graph.reward[row])
        for o in range(graph.out[row], graph.out[row + 1]):
            child = int(graph.child[o])
            ahead = self.value[child] if child in self.value else self._informed(child)
            total += self.belief_graph.discount * float(graph.prob[o]) * ahead
        return total

    def _informed(self, belief: int) -> float:
        if belief not in self.informed:
            state = int(self.graph.state[self.graph.first[belief]])
            actions = range(self.belief_graph.process.row[state + 1] - self.belief_graph.process.row[state])
            self.informed[belief] = max(self._informed_action(belief, a) for a in actions)
        return self.informed[belief]

    def _informed_action(self, belief: int, action: int) -> float:
        graph, own = self.graph, slice(self.graph.first[belief], self.graph.first[belief + 1])
        return float(graph.weight[own] @ self.q_values[self.belief_graph.process.row[graph.state[own]] + action])

    def arrays(self, root: list[int], kept: Longs) -> dict[str, NDArray[Any]]:
        """The evidence in the checker's layout: states as they stand in `kept`, row 0 the start."""
        graph, process = self.graph, self.belief_graph.process
        place = np.full(int(kept.max(initial=-1)) + 1, -1)
        place[kept] = np.arange(len(kept))
        beliefs = list(self.number)
        own = [slice(graph.first[b], graph.first[b + 1]) for b in beliefs]
        rows = [np.arange(process.row[s], process.row[s + 1]) for s in kept.tolist()]
        cuts = [cut for listed in self.witness for cut in listed]
        none = [np.zeros(0, np.int64)]
        return {
            "fib": np.concatenate([[0.0], *(self.q_values[r] for r in rows)]),
            "point_start": np.cumsum([0] + [s.stop - s.start for s in own]),
            "point_state": place[np.concatenate(none + [graph.state[s] for s in own])],
            "point_weight": np.concatenate([np.zeros(0), *(graph.weight[s] for s in own)]),
            "point_value": np.array([self.value[b] for b in beliefs], np.float64),
            "witness_start": np.cumsum([0] + [len(cut) for cut in cuts]),
            "witness": np.array([w for cut in cuts for w in cut], np.int64),
            "root": np.array(root, np.int64),
        }
