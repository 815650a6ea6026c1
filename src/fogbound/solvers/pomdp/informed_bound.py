"""The fast informed bound (Hauskrecht 2000) by policy iteration: exact whatever the discount.

Q(s, a) = R(s, a) + sum over o of max over a' of sum over s' of weight(s', o | s, a) Q(s', a'). Sweeps need about
1 / (1 - discount) rounds. With the maximising a' fixed for each (s, a, o) the equation is linear, and a few linear
systems find the a' (Howard 1960).
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats, Longs, runs_of
from fogbound.forms.linear_system import factorised
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP

POLICIES = 50
SETTLED = 1e-12  # of the largest value: a change that is none


class InformedProcess:
    """The decision process whose states are the rows, and which knows the state one step late."""

    def __init__(self, model: UnderlyingMDP) -> None:
        blocks = model.blocks
        self.model, self.legal = model, np.diff(blocks.choice)
        outcome = np.repeat(np.arange(len(blocks.target)), model.entries)  # [entries]
        self.block = blocks.target[outcome]
        row = blocks.offset[runs_of(blocks.outcome, outcome)] + local_states(model)
        keys, own = np.unique(row * max(len(blocks.target), 1) + outcome, return_inverse=True)
        self.row, self.own = row, own  # [entries] its row, and its pair of a row and an outcome
        self.pair_row = keys // max(len(blocks.target), 1)  # [pairs]

    def ahead(self, Q: Floats) -> tuple[Floats, Longs]:
        """[rows] one step ahead of Q, and [pairs] the place of the action that is best there."""
        pairs = len(self.pair_row)
        best, chosen = np.full(pairs, -np.inf), np.zeros(pairs, np.int64)
        for place in range(int(self.legal.max())):
            legal = place < self.legal[self.block]
            total = np.bincount(self.own, self.model.blocks.weight * Q[self._rows(np.full(pairs, place))], pairs)
            better = (total > best) & (np.bincount(self.own, ~legal, pairs) == 0)
            best, chosen = np.where(better, total, best), np.where(better, place, chosen)
        reward = self.model.blocks.reward
        return np.asarray(reward + np.bincount(self.pair_row, best, len(reward))), chosen

    def _rows(self, place: Longs) -> Longs:
        """[entries] the row that an entry leads to if each pair takes the action at its place, modulo their number."""
        blocks = self.model.blocks
        taken = blocks.choice[self.block] + place[self.own] % self.legal[self.block]
        return np.asarray(blocks.offset[taken] + blocks.to, np.int64)

    def policy_values(self, chosen: Longs) -> Floats:
        """[rows] Q where these actions are taken."""
        blocks, size = self.model.blocks, len(self.model.blocks.reward)
        moves = csr_matrix((blocks.weight, (self.row, self._rows(chosen))), shape=(size, size))
        return np.asarray(factorised(moves).solve(blocks.reward))


def exact_informed_bound(model: UnderlyingMDP, above: Floats) -> Floats:
    """[rows] the bound by policy iteration from the actions that are best by `above`, its residual paid."""
    process, Q = InformedProcess(model), above
    for _ in range(POLICIES):
        check()
        before, Q = Q, process.policy_values(process.ahead(Q)[1])
        if float(np.abs(Q - before).max()) <= SETTLED * float(np.abs(Q).max()):
            break
    excess = float((process.ahead(Q)[0] - Q).max())
    return np.asarray(Q + max(excess, 0.0) * model.steps[model.owner])


def local_states(model: UnderlyingMDP) -> Longs:
    """[entries] the local state that each entry of an outcome leads from."""
    blocks = model.blocks
    place = np.arange(len(blocks.start))
    local = place - blocks.begin[runs_of(blocks.begin, place)]
    count = np.diff(blocks.start, append=len(blocks.to))
    return np.asarray(np.repeat(local, np.maximum(count, 0)), np.int64)
