"""The guarantee as a strategy that can be checked: which action, and which vector next, for every vector needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats
from fogbound.solvers.linear_programs.highs import maximise
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.stages.dense import StageGame, stage_game

# How a vector is guaranteed, found again: for those that came from a linear program, which kept only their values.
#
# A linear program against today's vectors, which are nowhere worse than those of the time.


TINY = 1e-11  # shares below this are noise
Follow = list[tuple[int, float]]  # records of vectors, with weights


class StageResolver:
    """Stages of the lower bound, solved again for vectors of the bounds."""

    def __init__(self, bounds: OneSidedBounds) -> None:
        self.bounds = bounds
        every, vectors = np.ones_like(bounds.mask), cache(bounds.scaled_vectors)
        self.stage = cache(lambda partition: stage_game(bounds.scaled, partition, every))
        self.columns = cache(lambda partition: _columns(self.stage(partition), vectors))

    def solve(self, partition: int, vector: Floats) -> tuple[Floats, Floats, list[Follow]]:
        """(what is guaranteed, shares of actions, what follows each successor): as far above a vector as can be."""
        own, form = self.stage(partition), self.bounds.form
        payoff, matrix, counts = self.columns(partition)
        actions, wide = len(own.reward), payoff.shape[1]
        zeros = np.zeros(len(counts))
        most = np.full(wide + 1, np.inf)
        most[:actions][~self.bounds.mask[form.actions_of(partition)]] = 0.0
        optimum = maximise(
            np.append(np.zeros(wide), 1.0),
            np.append(np.zeros(wide), -np.inf),
            most,
            matrix,
            np.concatenate([vector[own.owner], zeros, [1.0]]),
            np.concatenate([np.full(len(own.owner), np.inf), zeros, [1.0]]),
        )
        value, share, follows = _read(own, payoff, np.maximum(optimum.primal[:-1], 0.0), counts)
        records = [self.bounds.record_numbers("vectors", q) for q in own.target]
        return value, share, [[(own[i], w) for i, w in one] for own, one in zip(records, follows, strict=True)]


def _columns(own: StageGame, vectors: Callable[[int], Floats]) -> tuple[Floats, Any, list[int]]:
    """([replies, columns] rewards, and what (successor, vector) add, the program's matrix, [successors] vectors).

    Rows of the program: what is had in each reply less the margin, then the sums that a mixture must keep.
    """
    later = [step @ vectors(after).T for step, after in zip(own.step, own.target, strict=True)]
    counts = [block.shape[1] for block in later]
    payoff = np.hstack([own.reward.T, *later])
    had = np.hstack([payoff, -np.ones((len(own.owner), 1))])
    sums = own.shared(counts)
    matrix = np.vstack([had, np.hstack([sums, np.zeros((len(sums), 1))])])
    return payoff, sparse.csc_matrix(matrix), counts


def _read(own: StageGame, payoff: Floats, primal: Floats, counts: list[int]) -> tuple[Floats, Floats, list[Follow]]:
    """Cut off noise, make shares add up, and measure what is left."""
    share = np.where(primal[: len(own.reward)] > TINY, primal[: len(own.reward)], 0.0)
    share /= share.sum()
    follows: list[Follow] = []
    kept, at = [share], len(share)
    for action, count in zip(own.action.tolist(), counts):
        weights = np.where(primal[at : at + count] > TINY * share[action], primal[at : at + count], 0.0)
        if share[action] > 0 and weights.sum() == 0:
            weights[0] = 1.0
        weights *= share[action] / weights.sum() if share[action] > 0 else 0.0
        follows.append([(int(i), float(weights[i] / share[action])) for i in np.flatnonzero(weights)])
        kept.append(weights)
        at += count
    had = payoff @ np.concatenate(kept)
    value = np.full(int(own.owner[-1]) + 1, np.inf)
    np.minimum.at(value, own.owner, had)
    return value, share, follows


Vector = tuple[int, int]  # partition, record


def lower_evidence(bounds: OneSidedBounds) -> dict[str, NDArray[Any]]:
    """The nodes reached from the start by positive shares, each with its mixture and what follows."""
    form, scaled, search = bounds.form, bounds.scaled, _Search(bounds)
    begin = np.full(len(form.state_start) - 1, -1, np.int64)
    for p in bounds.parts.tolist():
        start = form.start[form.states_of(p)]
        best = int(np.argmax(bounds.vectors(p) @ start))
        begin[p] = search.number((p, bounds.record_numbers("vectors", p)[best]))
    parts, values, shares, weights, nodes, ends = [], [], [], [], [], [0]
    for p, record in search.order:  # grows on the way
        check()
        value, share, follows = search.node(p, record)
        parts.append(p)
        values.append(scaled.least[form.states_of(p)] + scaled.scale * value)
        shares.append(share)
        targets = form.target[
            form.successor_start[form.action_start[p]] : form.successor_start[form.action_start[p + 1]]
        ].tolist()
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

    def __init__(self, bounds: OneSidedBounds) -> None:
        self.bounds, self.again = bounds, StageResolver(bounds)
        self.records = bounds.records
        self.order: list[Vector] = []
        self.numbers: dict[Vector, int] = {}

    def number(self, vector: Vector) -> int:
        """The node of a vector: a new one when it has none."""
        if vector not in self.numbers:
            self.numbers[vector] = len(self.order)
            self.order.append(vector)
        return self.numbers[vector]

    def node(self, partition: int, record: int) -> tuple[Floats, Floats, list[Follow]]:
        """(what is guaranteed, shares of actions, what follows each successor)."""
        game, at = self.bounds.game, int(self.records.at[record])
        value = self.records.value[at : at + int(game.state_start[partition + 1] - game.state_start[partition])]
        if self.records.derivation[record] < 0:
            return self.again.solve(partition, value)
        return value, *self._read(partition, int(self.records.derivation[record]))

    def _read(self, partition: int, derivation: int) -> tuple[Floats, list[Follow]]:
        """The mixture of columns that a vector was found from: columns of one action are one with several sequels."""
        game, records = self.bounds.game, self.records
        first, way = int(game.action_start[partition]), int(game.successor_start[game.action_start[partition]])
        share = np.zeros(int(game.action_start[partition + 1]) - first)
        after: list[dict[int, float]] = [
            {} for _ in range(way, int(game.successor_start[game.action_start[partition + 1]]))
        ]
        many, at = int(records.link[derivation]), derivation + 1
        for _ in range(many):
            action, weight = int(records.link[at]), float(records.weight[at])
            share[action - first] += weight
            low, high = int(game.successor_start[action]), int(game.successor_start[action + 1])
            for successor, record in zip(range(low, high), records.link[at + 1 : at + 1 + high - low].tolist()):
                after[successor - way][record] = after[successor - way].get(record, 0.0) + weight
            at += 1 + high - low
        whole = [sum(one.values()) for one in after]
        return share, [[(r, w / total) for r, w in one.items()] for one, total in zip(after, whole)]
