"""The vectors that the start needs, as a plan: minimal, exactly evaluated, and evidence for the lower bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.evaluate import policy_graph as evaluate
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.pomdp import WAIT
from fogbound.policies.alpha_vectors import AlphaVectors
from fogbound.policies.policy_graph import PolicyGraph
from fogbound.solvers.pomdp.hsvi.kernels import arena
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch

SOON, SWEEPS = 500, 20_000
CARELESS = 1e-6  # of the gap: how far below its worth a very large plan may be valued
DIRECT = 50_000  # pairs up to which a plan that settles slowly is evaluated by one linear system
SETTLED = 1e-15


@dataclass(frozen=True, eq=False)
class VectorGraph:
    """Vectors reached from the start's by the recorded backups, oldest first: most lead to older ones."""

    slot: Ints  # [n]
    size: Ints  # [n] of its block
    at: Ints  # [n] where its values begin
    after: Ints  # successors, by node and branch
    after_at: Ints  # [n]
    value: Floats  # what the search knew
    first: Ints  # [start branches] the node that follows each first observation


@dataclass(frozen=True, eq=False)
class EvaluatedPolicyGraph:
    """A plan with its worth at every pair (node, state) that it meets."""

    plan: PolicyGraph
    worth: float
    pair: Ints  # [P, 2]
    value: Floats  # [P]
    steps: Floats  # [P] expected to remain (where there is no discount)

    def evidence(self) -> dict[str, NDArray[Any]]:
        """In the checker's layout."""
        return {
            "node_action": self.plan.action.astype(np.int64),
            "begin": self.plan.begin.astype(np.int64),
            "arrow": self.plan.arrow.astype(np.int64),
            "pair": self.pair,
            "value": self.value,
            "steps": self.steps,
        }


def vector_graph(search: HeuristicSearch) -> VectorGraph:
    """Collect the vectors that the start's best vector can lead to."""
    a, blocks = search.arrays, search.packed.blocks
    I = a["I"]

    def follow(vector: int) -> list[int]:
        slot = int(I[vector + arena.SLOT])
        many = int(blocks.branch[slot + 1] - blocks.branch[slot])
        found = I[vector + arena.SUCCESSORS : vector + arena.SUCCESSORS + many].tolist()
        return [_standing(I, p) for p in found]

    root = follow(_standing(I, int(I[a["H"][arena.ROOT] + arena.BEST])))
    leads: dict[int, list[int]] = {}
    queue = list(dict.fromkeys(root))
    known = set(queue)
    for vector in queue:  # grows while it is walked
        leads[vector] = follow(vector)
        for p in leads[vector]:
            if p not in known:
                known.add(p)
                queue.append(p)
    order = sorted(queue, key=lambda vector: int(I[vector + arena.NUMBER]))
    number = {vector: k for k, vector in enumerate(order)}
    slot = np.array([int(I[p + arena.SLOT]) for p in order], np.int64)
    block = np.searchsorted(blocks.slot, slot, side="right") - 1
    size = np.diff(blocks.first)[block]
    values = [a["F"][I[p + arena.ALPHA] : I[p + arena.ALPHA] + n] for p, n in zip(order, size.tolist())]
    counts = np.array([len(leads[p]) for p in order], np.int64)
    return VectorGraph(
        slot=slot,
        size=size,
        at=np.cumsum(size) - size,
        after=np.array([number[p] for vector in order for p in leads[vector]], np.int64),
        after_at=np.cumsum(counts) - counts,
        value=np.concatenate(values) if values else np.zeros(0),
        first=np.array([number[p] for p in root], np.int64),
    )


def _standing(I: Ints, vector: int) -> int:
    while I[vector + arena.REPLACED]:
        vector = int(I[vector + arena.REPLACED])
    return vector


def evaluated_policy_graph(search: HeuristicSearch) -> EvaluatedPolicyGraph:
    """Evaluate the recorded vectors as a plan, drop what play never meets, and make it minimal."""
    from fogbound.solvers.pomdp.hsvi.kernels.policy_evaluation import evaluate_sweep, mark_reached

    blocks, form = search.packed.blocks, search.packed.blocks.pomdp
    p, W = vector_graph(search), search.arrays["W"]
    reached, followed = np.zeros(len(p.value), bool), np.zeros(len(p.after), bool)
    branch = np.repeat(
        np.arange(len(p.first)),
        blocks.start[blocks.begin[: len(p.first)] + 1] - blocks.start[blocks.begin[: len(p.first)]],
    )
    begun = p.at[p.first[branch]] + blocks.to[: len(branch)]
    stack = np.zeros((len(p.value) + 1, 2), np.int64)
    _, once = np.unique(begun, return_index=True)
    reached[begun] = True
    stack[: len(once)] = np.stack([p.first[branch[once]], blocks.to[once]], axis=1)
    tables = (p.slot, p.size, p.at, p.after, p.after_at, reached)
    mark_reached(search.M, p.slot, p.at, p.after, p.after_at, reached, followed, stack, np.int64(len(once)))
    value, steps = np.where(reached, p.value, 0.0), np.zeros(len(p.value))
    small, slow = bool(reached.sum() <= DIRECT), False
    lower, upper = search.bounds()
    rest = (
        0.0 if small else CARELESS * (upper - lower) / search.toll()
    )  # values only rise: they may be left a little low
    for column, paid in ((value, 1), (steps, 0)) if form.discount == 1 else ((value, 1),):
        for _ in range(SOON if small else SWEEPS):
            check()
            change = evaluate_sweep(search.M, W, *tables, column, np.int64(paid))
            settled = change <= max(rest, SETTLED * float(np.abs(column).max(initial=0.0)))
            if settled:
                break
        slow = slow or not settled
    worth = float(form.reward[0] + blocks.weight[: len(branch)] @ value[begun]) if len(begun) else float(form.reward[0])
    lean = _lean(search, p, reached, followed, value, steps, worth)
    return _solved(lean) if slow and small else lean


def alpha_vectors(search: HeuristicSearch) -> AlphaVectors:
    """All vectors of the lower bound as vectors over the POMDP's states, -inf outside their block."""
    I, F, H = (search.arrays[name] for name in "IFH")
    blocks = search.packed.blocks
    rows, actions = [], []
    for block in range(1, blocks.size):
        states = blocks.state[blocks.first[block] : blocks.first[block + 1]]
        vector = int(H[arena.HEAD + block * arena.LIST_RECORD + arena.NEWEST_VECTOR])
        while vector:
            row = np.full(blocks.pomdp.size, -np.inf)
            row[states] = F[I[vector + arena.ALPHA] : I[vector + arena.ALPHA] + len(states)]
            rows.append(row)
            actions.append(int(blocks.action[I[vector + arena.SLOT]]))
            vector = int(I[vector + arena.OLDER])
    kept = np.array(actions, np.int64) != WAIT  # waiting needs no vector: there is nothing to choose
    return AlphaVectors(blocks.pomdp, np.array(rows)[kept], np.array(actions, np.int64)[kept])


def _solved(found: EvaluatedPolicyGraph) -> EvaluatedPolicyGraph:
    """The same plan, evaluated by one linear system."""
    exact = evaluate.policy_graph_value(found.plan, DIRECT)
    return EvaluatedPolicyGraph(found.plan, exact.worth, exact.pair.astype(np.int64), exact.value, exact.steps)


def _lean(
    search: HeuristicSearch, p: VectorGraph, reached: Ints, followed: Ints, value: Floats, steps: Floats, worth: float
) -> EvaluatedPolicyGraph:
    """The plan with the arrows that are followed, merged; pairs and values named by its nodes."""
    blocks = search.packed.blocks
    counts = np.diff(np.append(p.after_at, len(p.after)))
    node = np.repeat(np.arange(len(p.slot)), counts)
    branch = blocks.branch[p.slot[node]] + np.arange(len(p.after)) - p.after_at[node]
    arrow = np.stack([node, blocks.obs[branch], p.after], axis=1)[followed]
    begin = np.stack([blocks.obs[: len(p.first)], p.first], axis=1)
    plan, named = PolicyGraph(blocks.pomdp, blocks.action[p.slot], begin, arrow).merged()
    owner = np.repeat(np.arange(len(p.slot)), p.size)
    block = np.searchsorted(blocks.slot, p.slot, side="right") - 1
    state = blocks.state[np.repeat(blocks.first[block], p.size) + np.arange(len(value)) - p.at[owner]]
    mine = np.flatnonzero(reached & (named[owner] >= 0))
    pairs = np.stack([named[owner[mine]], state[mine]], axis=1).astype(np.int64)
    pairs, once = np.unique(pairs, axis=0, return_index=True)
    return EvaluatedPolicyGraph(plan, worth, pairs, value[mine[once]], steps[mine[once]])
