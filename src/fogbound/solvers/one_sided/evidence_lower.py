"""The guarantee as a strategy that can be checked: which action, and which vector next, for every vector needed.

A vector was found by solving a stage game and only its values were kept. Here the mixture that guarantees it is found
again, by a linear program against today's vectors, which are nowhere worse than those of the time.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fogbound.forms.table import Floats
from fogbound.solvers.lp import maximise
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.evidence_stage import Stage, stage

TINY = 1e-11  # shares below this are noise
Vector = tuple[int, int]  # partition, number
Follow = list[tuple[int, float]]  # vectors of the target partition, with weights


def lower_evidence(known: Bounded) -> dict[str, NDArray[Any]]:
    """The nodes reached from the start by positive shares, each with its mixture and what follows."""
    form, search = known.form, _Search(known)
    begin = np.full(len(form.first) - 1, -1, np.int64)
    for p in known.parts.tolist():
        start = form.start[form.first[p] : form.first[p + 1]]
        begin[p] = search.number((p, int(np.argmax(known.vectors(p) @ start))))
    parts, values, shares, weights, nodes, ends = [], [], [], [], [], [0]
    for vector in search.order:  # grows while it is walked
        value, share, follows = search.solve(vector)
        p = vector[0]
        parts.append(p)
        values.append(known.scaled.least[form.first[p] : form.first[p + 1]] + known.scaled.scale * value)
        shares.append(share)
        for after, follow in zip(search.stage(p).target, follows):
            nodes += [search.number((after, which)) for which, _ in follow]
            weights += [weight for _, weight in follow]
            ends.append(len(nodes))
    return {
        "node_part": np.array(parts, np.int64),
        "node_value": np.concatenate(values),
        "node_share": np.concatenate(shares),
        "follow_start": np.array(ends, np.int64),
        "follow_node": np.array(nodes, np.int64),
        "follow_weight": np.array(weights, np.float64),
        "begin": begin,
    }


class _Search:
    """The vectors met so far, in order, and how each is guaranteed."""

    def __init__(self, known: Bounded) -> None:
        self.known = known
        self.order: list[Vector] = []
        self.numbers: dict[Vector, int] = {}
        self.stage = cache(lambda partition: stage(known.scaled, partition))
        self.vectors = cache(self._vectors)
        self.columns = cache(lambda partition: _columns(self.stage(partition), self.vectors, known.form.discount))

    def number(self, vector: Vector) -> int:
        """The node of a vector: a new one when it has none."""
        if vector not in self.numbers:
            self.numbers[vector] = len(self.order)
            self.order.append(vector)
        return self.numbers[vector]

    def _vectors(self, partition: int) -> Floats:
        form, scaled = self.known.form, self.known.scaled
        own = slice(int(form.first[partition]), int(form.first[partition + 1]))
        found: Floats = (self.known.vectors(partition) - scaled.least[own]) / scaled.scale
        return found

    def solve(self, vector: Vector) -> tuple[Floats, Floats, list[Follow]]:
        """(what is guaranteed, shares of slots, what follows each branch): as far above the vector as can be."""
        p, which = vector
        own, form = self.stage(p), self.known.form
        payoff, matrix, counts = self.columns(p)
        slots, wide = len(own.pay), payoff.shape[1]
        bound = self.vectors(p)[which][own.state]
        zeros = np.zeros(len(counts))
        most = np.full(wide + 1, np.inf)
        most[:slots][~self.known.mask[form.slot[p] : form.slot[p + 1]]] = 0.0
        found = maximise(
            np.append(np.zeros(wide), 1.0),
            np.append(np.zeros(wide), -np.inf),
            most,
            matrix,
            np.concatenate([bound, zeros, [1.0]]),
            np.concatenate([np.full(own.rows, np.inf), zeros, [1.0]]),
        )
        return _read(own, payoff, np.maximum(found.primal[:-1], 0.0), counts)


def _columns(own: Stage, vectors: Any, discount: float) -> tuple[Floats, Any, list[int]]:
    """([rows, columns] what slots pay and (branch, vector) add, the program's matrix, [branches] vectors).

    Rows of the program: what is had in each row less the margin; shares of a branch = shares of its slot; all shares.
    """
    later = [discount * step @ vectors(after).T for step, after in zip(own.step, own.target)]
    counts = [block.shape[1] for block in later]
    slots, branches, wide = len(own.pay), len(counts), sum(counts)
    branch = np.repeat(np.arange(branches), counts)
    payoff = np.hstack([own.pay.T, *later])
    had = np.hstack([payoff, -np.ones((own.rows, 1))])
    balance = np.zeros((branches + 1, slots + wide + 1))
    balance[np.arange(branches), own.slot] = -1.0
    balance[branch, slots + np.arange(wide)] = 1.0
    balance[branches, :slots] = 1.0
    return payoff, sparse.csc_matrix(np.vstack([had, balance])), counts


def _read(own: Stage, payoff: Floats, primal: Floats, counts: list[int]) -> tuple[Floats, Floats, list[Follow]]:
    """Cut off noise, make shares add up, and measure what is left."""
    share = np.where(primal[: len(own.pay)] > TINY, primal[: len(own.pay)], 0.0)
    share /= share.sum()
    follows: list[Follow] = []
    kept, at = [share], len(share)
    for slot, count in zip(own.slot.tolist(), counts):
        weights = np.where(primal[at : at + count] > TINY * share[slot], primal[at : at + count], 0.0)
        if share[slot] > 0 and weights.sum() == 0:
            weights[0] = 1.0
        weights *= share[slot] / weights.sum() if share[slot] > 0 else 0.0
        follows.append([(int(i), float(weights[i] / share[slot])) for i in np.flatnonzero(weights)])
        kept.append(weights)
        at += count
    had = payoff @ np.concatenate(kept)
    value = np.full(int(own.state[-1]) + 1, np.inf)
    np.minimum.at(value, own.state, had)
    return value, share, follows
