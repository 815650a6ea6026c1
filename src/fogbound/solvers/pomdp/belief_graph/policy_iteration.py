"""Values that sweeps do not reach in time: by linear systems, or by improving a policy until nothing is better.

Where play ends rarely, sweeps creep towards their limit and look settled long before they are; then what they show
is no bound at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.linear_system import fixed_point

SWEEPS, SETTLED, RUNS = 500, 1e-14, 3
BETTER = 1e-12  # shares of the largest value by which an action must be better to be taken instead
MOST_TURNS = 1_000


def converges(sweep: Callable[[], float], values: Floats) -> bool:
    """Sweep until what is left, if it shrinks on at the rate of late, is rounding; False when that takes long."""
    before, calm = np.inf, 0
    for _ in range(SWEEPS):
        check()
        change = sweep()
        if change == 0:
            return True
        rate = change / before
        left = change * rate / (1 - rate) if rate < 1 else np.inf
        calm = calm + 1 if np.isfinite(before) and left <= SETTLED * float(np.abs(values).max(initial=0.0)) else 0
        if calm >= RUNS:
            return True
        before = change
    return False


def linear(source: Longs, target: Longs, chance: Floats, reward: Floats) -> Floats | None:
    """The v with v = reward + sum of chance v(target); None where it has no finite solution."""
    from scipy.sparse import csr_matrix

    return fixed_point(csr_matrix((chance, (source, target)), shape=(len(reward), len(reward))), reward)


class SubProcess:
    """The states `first` to `last` of a process as one of their own: the values of earlier states are known."""

    def __init__(self, process: Any, discount: float, first: int, last: int) -> None:
        rows = slice(int(process.row[first]), int(process.row[last]))
        outs = slice(int(process.out[rows.start]), int(process.out[rows.stop]))
        self.first, self.size = first, last - first
        self.counts = np.diff(process.row[first : last + 1])
        self.owner = np.repeat(np.arange(self.size), self.counts)  # [rows]
        self.begin = process.row[first:last] - rows.start
        self.out_row = np.repeat(np.arange(rows.stop - rows.start), np.diff(process.out[rows.start : rows.stop + 1]))
        self.next, self.chance = process.next[outs], discount * process.prob[outs]
        self.reward, self.live = process.reward[rows], np.flatnonzero(self.counts)

    def value(self, share: Floats, known: Floats) -> Floats | None:
        """[size] the value of playing each row with its share, given the values of states before."""
        inside = self.next >= self.first
        weight = share[self.out_row] * self.chance
        own: Floats = np.bincount(self.owner, share * self.reward, self.size).astype(np.float64)
        outer = ~inside
        own += np.bincount(self.owner[self.out_row[outer]], weight[outer] * known[self.next[outer]], self.size)
        return linear(self.owner[self.out_row[inside]], self.next[inside] - self.first, weight[inside], own)

    def even(self) -> Floats:
        """[rows] playing at random."""
        return np.asarray(1.0 / self.counts[self.owner], np.float64)

    def rows(self, values: Floats) -> Floats:
        """[rows] the value of each row when `values` (of all states) follow."""
        q_values: Floats = self.reward + np.bincount(self.out_row, self.chance * values[self.next], len(self.reward))
        return q_values

    def best(self, values: Floats) -> Floats | None:
        """The best values, by improving on the value of play at random (Howard 1960); None where there are none."""
        share, own_states = self.even(), slice(self.first, self.first + self.size)
        for _ in range(MOST_TURNS):
            q_values = self.rows(values)
            top = np.maximum.reduceat(q_values, self.begin[self.live]) if len(self.live) else np.zeros(0)
            now = values[own_states][self.live]
            better = self.live[top > now + BETTER * max(1e-300, float(np.abs(values).max(initial=0.0)))]
            if not len(better):
                return values[own_states]
            for state in better.tolist():
                own = slice(self.begin[state], self.begin[state] + self.counts[state])
                share[own] = 0.0
                share[own.start + int(np.argmax(q_values[own]))] = 1.0
            improved = self.value(share, values)
            if (
                improved is None
                or (improved < values[self.first : self.first + self.size] - 1e-6 * np.abs(improved).max()).any()
            ):
                return None
            values[self.first : self.first + self.size] = improved
        return None
