"""Points with fixed witnesses, settled by policy iteration: sweeps take about 1 / (1 - discount) rounds, this a few."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.linear_system import factorised
from fogbound.solvers.pomdp.hsvi.kernels.witnesses import BY_INFORMED, NEVER, WHOLE_ACTION, Claims, Proof
from fogbound.solvers.pomdp.hsvi.point_mdp import BlockSteps
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP

POLICIES = 50
TINY = 1e-14  # of the largest value: what an action may gain and be no better


class WitnessedPoints:
    """The needed points as the states of a decision process; what needs no point is part of an action's reward."""

    def __init__(self, model: UnderlyingMDP, claims: Claims, proof: Proof, count: int) -> None:
        self.steps, self.claims, self.proof = BlockSteps(model), claims, proof
        self.queue = proof.queue[:count]
        self.number = np.full(len(claims.home), -1)
        self.number[self.queue] = np.arange(count)
        self.owner, self.reward = list[int](), list[float]()
        self.entries: tuple[list[int], list[int], list[float]] = ([], [], [])  # row, point, weight
        for place, point in enumerate(self.queue.tolist()):
            check()
            self._add(place, point)

    def _belief(self, point: int) -> Floats:
        """[states of its block]."""
        span = slice(int(self.claims.start[point]), int(self.claims.start[point + 1]))
        belief = np.zeros(int(self.steps.size[self.claims.home[point]]))
        belief[self.claims.state[span]] = self.claims.weight[span]
        return belief

    def _add(self, place: int, point: int) -> None:
        """The rows of one point."""
        model, block, at = self.claims.model, int(self.claims.home[point]), int(self.proof.begin[place])
        belief = self._belief(point)
        for choice in range(int(model.choice[block]), int(model.choice[block + 1])):
            first, last = int(model.outcome[choice]), int(model.outcome[choice + 1])
            span = slice(int(model.offset[choice]), int(model.offset[choice + 1]))
            whole = self.proof.witness[at] == WHOLE_ACTION
            total = float(belief @ (self.claims.informed if whole else model.reward)[span])
            for outcome in range(first, last if not whole else first):
                ahead = belief @ self.steps.matrices[outcome]
                witness = int(self.proof.witness[at + outcome - first])
                total += self._follow(int(model.target[outcome]), ahead, witness) if witness != NEVER else 0.0
            self.owner.append(place)
            self.reward.append(total)
            at += max(last - first, 1)

    def _follow(self, block: int, ahead: Floats, witness: int) -> float:
        """Note the points that a belief is bounded by, for the row that comes next; what the rest is worth."""
        model, claims, size = self.claims.model, self.claims, int(self.steps.size[block])
        rest = ahead[:size]
        if witness == BY_INFORMED:
            rows = range(int(model.choice[block]), int(model.choice[block + 1]))
            return max(float(rest @ claims.informed[model.offset[c] : model.offset[c] + size]) for c in rows)
        if witness >= 0:
            held = self._belief(witness)
            share = float((rest[held > 0] / held[held > 0]).min())
            rest = np.maximum(rest - share * held, 0.0)
            self._enter(witness, share)
        corner = 0.0
        for t in np.flatnonzero(rest).tolist():
            single = int(claims.alone[model.first[block] + t])
            if single >= 0 and self.number[single] >= 0:
                self._enter(single, float(rest[t]))
            else:
                corner += float(rest[t]) * float(claims.corner[model.first[block] + t])
        return corner

    def _enter(self, point: int, weight: float) -> None:
        rows, points, weights = self.entries
        rows.append(len(self.owner))
        points.append(int(self.number[point]))
        weights.append(weight)

    def values(self) -> Floats:
        """[needed points] the optimal values, from the claims on."""
        owner, reward = np.array(self.owner), np.array(self.reward)
        rows, columns, weights = (np.array(column) for column in self.entries)
        moves = csr_matrix((weights, (rows, columns)), shape=(len(owner), len(self.queue)))
        value, begin = np.array(self.claims.value[self.queue], np.float64), np.flatnonzero(np.diff(owner, prepend=-1))
        chosen: Longs | None = None
        for _ in range(POLICIES):
            check()
            q_values = np.asarray(reward + moves @ value)
            best = np.maximum.reduceat(q_values, begin)
            first = np.flatnonzero(q_values >= best[owner])
            greedy = first[np.searchsorted(owner[first], np.arange(len(best)))]
            better = np.ones(len(best), bool) if chosen is None else best - q_values[chosen] > TINY * np.abs(best).max()
            if not better.any():
                break
            chosen = greedy if chosen is None else np.where(better, greedy, chosen)
            value = np.asarray(factorised(moves[chosen]).solve(reward[chosen]))
        return np.asarray(value)
