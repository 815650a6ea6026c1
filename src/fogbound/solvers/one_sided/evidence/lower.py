"""The guarantee as a strategy that can be checked: which action, and which vector next, for every vector needed.

Vectors that came from a linear program have only their values: how each is guaranteed is found again, by a linear
program against today's vectors, which are nowhere worse than those of the time. Where nodes are replaced by others,
what the strategy that is left guarantees is evaluated anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats
from fogbound.forms.one_sided.form import OneSided
from fogbound.solvers.linear_programs.highs import maximise
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.stages.dense import StageGame, stage_game

SWEEPS, CLOSE = 2_000, 1e-9
Follow = list[tuple[int, float]]  # vectors, by records or nodes, with weights


def guaranteed_values(
    discount: float, stages: list[StageGame], shares: list[Floats], follows: list[Follow], values: list[Floats]
) -> tuple[list[Floats], float]:
    """([nodes] values of the states of each, from these on; by how much one step may still fall short of them).

    Parameters
    ----------
    discount : float
        For how close values must come to each other.
    stages, shares, values
        [nodes] the stage of a node's partition, discounted; its shares of actions; values that are not too low.
    follows
        [nodes and successors] what comes next, by numbers of nodes.
    """
    matrix, constant, heads = _one_step(stages, shares, follows, values)
    x, rest = np.concatenate(values), 0.0
    close = CLOSE * max(1.0 - discount, CLOSE) * max(1.0, float(np.abs(x).max(initial=0.0)))
    for _ in range(SWEEPS):
        check()
        after: Floats = np.minimum.reduceat(constant + matrix @ x, heads)
        rest = max(0.0, float((x - after).max()))
        x = after
        if rest <= close:
            break
    return np.split(x, np.cumsum([len(value) for value in values])[:-1]), rest


def _one_step(
    stages: list[StageGame], shares: list[Floats], follows: list[Follow], values: list[Floats]
) -> tuple[sparse.csr_matrix, Floats, list[int]]:
    """([replies, states] what a step leads to, [replies] what it brings, where the replies of each state begin)."""
    first = np.cumsum([0, *map(len, values)])
    lines, columns, weights, constant, heads, top, at = [], [], [], list[Floats](), list[int](), 0, 0
    for own, share in zip(stages, shares, strict=True):
        constant.append(share @ own.reward)
        heads += (top + np.searchsorted(own.owner, np.arange(own.owner[-1] + 1))).tolist()
        for action, step in zip(own.action.tolist(), own.step):
            reply, state = np.nonzero(step)
            for node, weight in follows[at] if share[action] > 0 else ():
                lines.append(top + reply)
                columns.append(first[node] + state)
                weights.append(share[action] * weight * step[reply, state])
            at += 1
        top += len(own.owner)
    shape = (top, int(first[-1]))
    if not lines:
        return sparse.csr_matrix(shape), np.concatenate(constant), heads
    places = np.concatenate(lines), np.concatenate(columns)
    return sparse.csr_matrix((np.concatenate(weights), places), shape), np.concatenate(constant), heads


SWEEPS, CONVERGED = 10_000, 1e-9


def longest_play(form: OneSided) -> Floats:
    """[S] the expected number of steps for which play can last at most: without a discount, bounds rest on it."""
    cells = form.cells()
    owner = np.repeat(np.arange(form.size), np.diff(form.reply_start))  # [K]
    parts = form.part_of_action
    local = np.arange(int(form.reward_start[-1])) - np.repeat(form.reward_start[:-1], np.diff(form.reward_start))
    state = owner[local + np.repeat(form.reply_start[form.state_start[parts]], np.diff(form.reward_start))]
    steps: Floats = np.ones(form.size)
    for _ in range(SWEEPS):
        check()
        ahead = 1 + np.bincount(cells, form.prob * steps[form.to], len(form.reward))
        longer = np.zeros(form.size)
        np.maximum.at(longer, state, ahead)
        change = float(np.abs(longer - steps).max())
        steps = longer
        if change <= CONVERGED:
            break
    return steps


TINY = 1e-11  # shares below this are noise


class StageResolver:
    """Stages of the lower bound, solved again for vectors of the bounds."""

    def __init__(self, bounds: OneSidedBounds) -> None:
        self.bounds = bounds
        every, vectors = np.ones_like(bounds.mask), cache(bounds.scaled_vectors)
        self.stage = cache(lambda partition: stage_game(bounds.scaled, partition, every))
        self.columns = cache(lambda partition: _columns(self.stage(partition), vectors))

    def targets(self, partition: int) -> list[int]:
        """The partition that each successor of a partition's actions leads to."""
        form = self.bounds.form
        first, last = form.action_start[partition], form.action_start[partition + 1]
        targets: list[int] = form.target[form.successor_start[first] : form.successor_start[last]].tolist()
        return targets

    def solve(self, partition: int, vector: Floats) -> tuple[Floats, Floats, list[Follow]]:
        """(what is guaranteed, shares of actions, what follows each successor): as far above a vector as can be."""
        own, form = self.stage(partition), self.bounds.form
        payoff, matrix, counts = self.columns(partition)
        actions, wide = len(own.reward), payoff.shape[1]
        zeros = np.zeros(len(counts))
        most = np.full(wide + 1, np.inf)
        most[:actions][~self.bounds.mask[form.actions_of(partition)]] = 0.0
        cost, least = np.append(np.zeros(wide), 1.0), np.append(np.zeros(wide), -np.inf)
        below = np.concatenate([vector[own.owner], zeros, [1.0]])
        above = np.concatenate([np.full(len(own.owner), np.inf), zeros, [1.0]])
        optimum = maximise(cost, least, most, matrix, below, above)
        value, share, follows = _read(own, payoff, np.maximum(optimum.primal[:-1], 0.0), counts)
        records = [self.bounds.record_numbers("vectors", q) for q in own.target]
        return value, share, [[(own[i], w) for i, w in one] for own, one in zip(records, follows, strict=True)]


def _columns(own: StageGame, vectors: Callable[[int], Floats]) -> tuple[Floats, Any, list[int]]:
    """([replies, columns] what they bring, the program's matrix, [successors] vectors).

    Rows of the program: what is had in each reply less the margin, then the sums that a mixture must keep.
    """
    payoff, sums, counts = own.columns([vectors(after) for after in own.target])
    margin = np.concatenate([-np.ones(len(own.owner)), np.zeros(len(sums))])
    return payoff, sparse.csc_matrix(np.column_stack([np.vstack([payoff, sums]), margin])), counts


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


def lower_evidence(bounds: OneSidedBounds, most: float = math.inf) -> tuple[dict[str, NDArray[Any]], float | None]:
    """The nodes reached from the start by positive shares, each with its mixture and what follows.

    Parameters
    ----------
    bounds : OneSidedBounds
        What is proven.
    most : float
        About how many nodes there may be: those that are reached first, and one of every partition that these lead to.
        The others are replaced by the nearest one of their partition, and the strategy that is left evaluated anew.

    Returns
    -------
    dict
        In the checker's layout.
    float or None
        What the strategy guarantees, where nodes were replaced.
    """
    form, scaled, search = bounds.form, bounds.scaled, _Search(bounds, most)
    roots = dict.fromkeys(bounds.parts.tolist(), -1)
    for p in roots:
        best = int(np.argmax(bounds.vectors(p) @ form.start[form.states_of(p)]))
        roots[p] = bounds.record_numbers("vectors", p)[best]
        search.meet((p, roots[p]))
    found = [search.node(p, record) for p, record in search.order]  # the order grows on the way
    parts, values = [p for p, _ in search.order], [value for value, _, _ in found]
    shares, covers = [share for _, share, _ in found], list[Follow]()
    for p, (_, _, follows) in zip(parts, found, strict=True):
        for after, follow in zip(search.again.targets(p), follows, strict=True):
            covers.append(search.named(after, values, follow))
    begin = np.full(len(form.state_start) - 1, -1, np.int64)
    begin[list(roots)] = [search.numbers[vector] for vector in roots.items()]
    owed = 0.0
    if search.nearest:
        values, owed = guaranteed_values(form.discount, [search.again.stage(p) for p in parts], shares, covers, values)
    arrays = {
        "node_part": np.array(parts, np.int64),
        "node_value": np.concatenate(
            [scaled.least[form.states_of(p)] + scaled.scale * value for p, value in zip(parts, values)]
        ),
        "node_share": np.concatenate(shares),
        "begin": begin,
    } | mixture_arrays("follow", "node", covers)
    return arrays, _at_start(bounds, begin, values, owed) if search.nearest else None


def mixture_arrays(name: str, of: str, mixtures: list[Follow]) -> dict[str, NDArray[Any]]:
    """Weighted lists of numbers in the checker's layout: where each begins, which, and weights."""
    return {
        f"{name}_start": np.cumsum([0, *map(len, mixtures)]).astype(np.int64),
        f"{name}_{of}": np.array([number for one in mixtures for number, _ in one], np.int64),
        f"{name}_weight": np.array([weight for one in mixtures for _, weight in one], np.float64),
    }


def _at_start(bounds: OneSidedBounds, begin: NDArray[np.int64], values: list[Floats], owed: float) -> float:
    """What nodes with these values guarantee at the start, less what the checker takes off for what they owe."""
    form, total = bounds.form, bounds.base
    wait = longest_play(form) if form.discount == 1 else np.full(form.size, 1 / (1 - form.discount))
    for p in bounds.parts.tolist():
        own = form.states_of(p)
        total += bounds.scaled.scale * float(form.start[own] @ (values[begin[p]] - owed * wait[own]))
    return total


class _Search:
    """The vectors met so far, in order, and how each is guaranteed; no more than `most`, if that leads nowhere else."""

    def __init__(self, bounds: OneSidedBounds, most: float) -> None:
        self.bounds, self.again, self.most = bounds, StageResolver(bounds), most
        self.records = bounds.records
        self.order: list[Vector] = []
        self.numbers: dict[Vector, int] = {}
        self.of_part: dict[int, list[int]] = {}
        self.nearest: dict[Vector, int] = {}  # of vectors that are replaced

    def meet(self, vector: Vector) -> None:
        """Make a vector a node, where there is room or no other node of its partition."""
        if vector not in self.numbers and (len(self.order) < self.most or vector[0] not in self.of_part):
            self.numbers[vector] = len(self.order)
            self.of_part.setdefault(vector[0], []).append(len(self.order))
            self.order.append(vector)

    def named(self, partition: int, values: list[Floats], follow: Follow) -> Follow:
        """What follows by numbers of nodes: the nearest of their partition for vectors that are none."""
        shares: dict[int, float] = {}
        for record, weight in follow:
            node = self._number((partition, record), values)
            shares[node] = shares.get(node, 0.0) + weight
        return list(shares.items())

    def _number(self, vector: Vector, values: list[Floats]) -> int:
        node = self.numbers.get(vector, self.nearest.get(vector, -1))
        if node < 0:
            own = self.of_part[vector[0]]
            above = np.array([values[node] for node in own]) - self._value(*vector)
            node = self.nearest[vector] = own[int(above.min(axis=1).argmax())]
        return node

    def _value(self, partition: int, record: int) -> Floats:
        game, at = self.bounds.game, int(self.records.at[record])
        first, last = game.state_start[partition : partition + 2].tolist()
        values: Floats = self.records.value[at : at + last - first]
        return values

    def node(self, partition: int, record: int) -> tuple[Floats, Floats, list[Follow]]:
        """(what is guaranteed, shares of actions, what follows each successor); nodes that it leads to are met."""
        check()
        value, derivation = self._value(partition, record), int(self.records.derivation[record])
        if derivation < 0:
            value, share, follows = self.again.solve(partition, value)
        else:
            share, follows = self._read(partition, derivation)
        for after, follow in zip(self.again.targets(partition), follows, strict=True):
            for which, _ in follow:
                self.meet((after, which))
        return value, share, follows

    def _read(self, partition: int, derivation: int) -> tuple[Floats, list[Follow]]:
        """The mixture of columns that a vector was found from: columns of one action are one with several sequels."""
        game, records = self.bounds.game, self.records
        first, way = int(game.action_start[partition]), int(game.successor_start[game.action_start[partition]])
        share = np.zeros(int(game.action_start[partition + 1]) - first)
        end = int(game.successor_start[game.action_start[partition + 1]])
        after: list[dict[int, float]] = [{} for _ in range(way, end)]
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
