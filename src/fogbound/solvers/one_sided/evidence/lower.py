"""The guarantee as a strategy that can be checked: which action, and which vector next, for every vector needed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.table import Floats
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.evidence.again import Again, Follow

Vector = tuple[int, int]  # partition, record


def lower_evidence(known: Bounded) -> dict[str, NDArray[Any]]:
    """The nodes reached from the start by positive shares, each with its mixture and what follows."""
    form, scaled, search = known.form, known.scaled, _Search(known)
    begin = np.full(len(form.first) - 1, -1, np.int64)
    for p in known.parts.tolist():
        start = form.start[form.first[p] : form.first[p + 1]]
        best = int(np.argmax(known.vectors(p) @ start))
        begin[p] = search.number((p, known.records("vectors", p)[best]))
    parts, values, shares, weights, nodes, ends = [], [], [], [], [], [0]
    for p, record in search.order:  # grows while it is walked
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

    def __init__(self, known: Bounded) -> None:
        self.known, self.again = known, Again(known)
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
