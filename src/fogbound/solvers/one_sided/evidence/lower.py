"""The guarantee as a strategy that can be checked: which action, and which vector next, for every vector needed."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats
from fogbound.solvers.linear_programs.highs import maximise
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.stages.dense import DenseStage, dense_stage

# How a vector is guaranteed, found again: for those that came from a linear program, which kept only their values.
#
# A linear program against today's vectors, which are nowhere worse than those of the time.


TINY = 1e-11  # shares below this are noise
Follow = list[tuple[int, float]]  # records of vectors, with weights


class StageResolver:
    """Stages of the lower bound, solved for vectors that are known."""

    def __init__(self, known: OneSidedBounds) -> None:
        self.known = known
        self.stage = cache(lambda partition: dense_stage(known.scaled, partition))
        self.vectors = cache(self._vectors)
        self.columns = cache(lambda partition: _columns(self.stage(partition), self.vectors, known.form.discount))

    def _vectors(self, partition: int) -> Floats:
        form, scaled = self.known.form, self.known.scaled
        own = slice(int(form.first[partition]), int(form.first[partition + 1]))
        found: Floats = (self.known.vectors(partition) - scaled.least[own]) / scaled.scale
        return found

    def solve(self, partition: int, vector: Floats) -> tuple[Floats, Floats, list[Follow]]:
        """(what is guaranteed, shares of slots, what follows each branch): as far above a vector as can be."""
        own, form = self.stage(partition), self.known.form
        payoff, matrix, counts = self.columns(partition)
        slots, wide = len(own.pay), payoff.shape[1]
        zeros = np.zeros(len(counts))
        most = np.full(wide + 1, np.inf)
        most[:slots][~self.known.mask[form.slot[partition] : form.slot[partition + 1]]] = 0.0
        found = maximise(
            np.append(np.zeros(wide), 1.0),
            np.append(np.zeros(wide), -np.inf),
            most,
            matrix,
            np.concatenate([vector[own.state], zeros, [1.0]]),
            np.concatenate([np.full(own.rows, np.inf), zeros, [1.0]]),
        )
        value, share, follows = _read(own, payoff, np.maximum(found.primal[:-1], 0.0), counts)
        records = [self.known.records("vectors", q) for q in own.target]
        return value, share, [[(own[i], w) for i, w in one] for own, one in zip(records, follows, strict=True)]


def _columns(own: DenseStage, vectors: Any, discount: float) -> tuple[Floats, Any, list[int]]:
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


def _read(own: DenseStage, payoff: Floats, primal: Floats, counts: list[int]) -> tuple[Floats, Floats, list[Follow]]:
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


Vector = tuple[int, int]  # partition, record


def lower_evidence(known: OneSidedBounds) -> dict[str, NDArray[Any]]:
    """The nodes reached from the start by positive shares, each with its mixture and what follows."""
    form, scaled, search = known.form, known.scaled, _Search(known)
    begin = np.full(len(form.first) - 1, -1, np.int64)
    for p in known.parts.tolist():
        start = form.start[form.first[p] : form.first[p + 1]]
        best = int(np.argmax(known.vectors(p) @ start))
        begin[p] = search.number((p, known.records("vectors", p)[best]))
    parts, values, shares, weights, nodes, ends = [], [], [], [], [], [0]
    for p, record in search.order:  # grows while it is walked
        check()
        value, share, follows = search.node(p, record)
        parts.append(p)
        values.append(scaled.least[form.first[p] : form.first[p + 1]] + scaled.scale * value)
        shares.append(share)
        targets = form.target[form.branch[form.slot[p]] : form.branch[form.slot[p + 1]]].tolist()
        for after, follow in zip(targets, follows, strict=True):
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

    def __init__(self, known: OneSidedBounds) -> None:
        self.known, self.again = known, StageResolver(known)
        self.bounds = known.known
        self.order: list[Vector] = []
        self.numbers: dict[Vector, int] = {}

    def number(self, vector: Vector) -> int:
        """The node of a vector: a new one when it has none."""
        if vector not in self.numbers:
            self.numbers[vector] = len(self.order)
            self.order.append(vector)
        return self.numbers[vector]

    def node(self, partition: int, record: int) -> tuple[Floats, Floats, list[Follow]]:
        """(what is guaranteed, shares of slots, what follows each branch)."""
        game, at = self.known.game, int(self.bounds.at[record])
        value = self.bounds.value[at : at + int(game.first[partition + 1] - game.first[partition])]
        if self.bounds.why[record] < 0:
            return self.again.solve(partition, value)
        return value, *self._read(partition, int(self.bounds.why[record]))

    def _read(self, partition: int, why: int) -> tuple[Floats, list[Follow]]:
        """The mixture of columns that a vector was found from: columns of one slot are one with several sequels."""
        game, bounds = self.known.game, self.bounds
        first, way = int(game.slot[partition]), int(game.branch[game.slot[partition]])
        share = np.zeros(int(game.slot[partition + 1]) - first)
        after: list[dict[int, float]] = [{} for _ in range(way, int(game.branch[game.slot[partition + 1]]))]
        many, at = int(bounds.link[why]), why + 1
        for _ in range(many):
            slot, weight = int(bounds.link[at]), float(bounds.weight[at])
            share[slot - first] += weight
            low, high = int(game.branch[slot]), int(game.branch[slot + 1])
            for branch, record in zip(range(low, high), bounds.link[at + 1 : at + 1 + high - low].tolist()):
                after[branch - way][record] = after[branch - way].get(record, 0.0) + weight
            at += 1 + high - low
        whole = [sum(one.values()) for one in after]
        return share, [[(r, w / total) for r, w in one.items()] for one, total in zip(after, whole)]
