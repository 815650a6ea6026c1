"""The upper bound as claims that can be checked: how the player who sees holds the other to each point.

Corners are states that the blind player would see: a matrix game each. A point keeps the other's mixture, and covers of
whatever may be believed next; where it came from a linear program, which kept neither, both are found again. Only
points that are used in covers, from the start on, are kept.

How the player who sees replies at a point of the upper bound, and by a linear program where that was not kept.

With mixtures and covers fixed: what the claims of an upper bound come down to, and the tolls that faults cost.

A toll says how much a cost of 1 in every claim that a cover uses comes to; covers may be too large, so it can exceed
the number of steps.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats
from fogbound.forms.one_sided.form import OneSided
from fogbound.solvers.one_sided.bounds import OneSidedBounds, seeing_all
from fogbound.solvers.one_sided.evidence.lower import mixture_arrays
from fogbound.solvers.one_sided.kernels.initial_bounds import seen_sweep
from fogbound.solvers.one_sided.shaping import ShapedGame
from fogbound.solvers.one_sided.stages.dense import TINY, PointHull, PointReply, StageGame, point_reply, stage_game


def corner_mixtures(scaled: ShapedGame) -> tuple[Floats, Floats]:
    """([S] values, shifted and scaled, [K] shares of replies) that hold together, whatever points know better."""
    sweep = scaled.sweep()
    sweep.values[:] = seeing_all(scaled)
    seen_sweep(scaled.game, scaled.work(), sweep, len(scaled.game.state_start) - 1)
    return sweep.values, np.maximum(sweep.mixture, 0.0)


SWEEPS, CLOSE = 5_000, 1e-10


def claim_values(
    form: OneSided,
    corner: Floats,
    point_replies: list[PointReply],
    stages: list[StageGame],
    beliefs: list[Floats],
    firsts: list[int],
    steps: Floats | None,
) -> tuple[Floats, Floats, Floats]:
    """([points] values, [points] tolls, [S] tolls of corners)."""
    base = np.full(form.size, 1 / (1 - form.discount)) if steps is None else steps
    now, lasting, line, column, weight, heads = [], [], [], [], [], [0]
    for own, step in zip(point_replies, stages):
        paid, longer = step.reward @ own.y, np.ones(len(step.reward))
        for action, after, lead, one in zip(step.action.tolist(), step.target, step.step, own.covers):
            left = own.y @ lead
            for point, share in one:
                left = left - share * beliefs[point]
                line.append(heads[-1] + action)
                column.append(point)
                weight.append(form.discount * share)
            left, first = np.maximum(left, 0.0), int(form.state_start[after])
            paid[action] += form.discount * float(left @ corner[first : first + len(left)])
            longer[action] += form.discount * float(left @ base[first : first + len(left)])
        now.append(paid)
        lasting.append(longer)
        heads.append(heads[-1] + len(paid))
    if not point_replies:
        return np.zeros(0), np.zeros(0), base
    matrix = sparse.csr_matrix((weight, (line, column)), (heads[-1], len(point_replies)))
    top = np.array([float(belief @ corner[f : f + len(belief)]) for belief, f in zip(beliefs, firsts)])
    return _limit(matrix, now, heads, top), _limit(matrix, lasting, heads, np.ones(len(point_replies))), base


def _limit(matrix: sparse.csr_matrix, first: list[Floats], heads: list[int], begin: Floats) -> Floats:
    """The limit of x = max over actions of (first + matrix x), from `begin` on."""
    constant, x = np.concatenate(first), begin
    for _ in range(SWEEPS):
        check()
        after: Floats = np.maximum.reduceat(constant + matrix @ x, heads[:-1])
        change = float(np.abs(after - x).max())
        x = after
        if change <= CLOSE * max(1.0, float(np.abs(x).max())) or not np.isfinite(change):
            break
    return x


POINTS = 0.35  # of all records: about how many points covers of the start lead to
Cover = list[tuple[int, float]]  # points, by records or by numbers in the evidence, with weights


def upper_evidence(
    bounds: OneSidedBounds, steps: Floats | None = None, most: float = math.inf
) -> tuple[dict[str, NDArray[Any]], float | None]:
    """Corners, and the points that covers from the start on need, with mixtures, covers and tolls.

    Parameters
    ----------
    bounds : OneSidedBounds
        What is proven.
    steps : array, optional
        [S] how long play can last, where there is no discount.
    most : float
        How many points there may be: those that an earlier bound needed, and of these those that are met first. In
        covers the others are replaced by the best multiple of one of these, and corners; values are found anew.

    Returns
    -------
    dict
        In the checker's layout.
    float or None
        What is proven at the start, where points were replaced.
    """
    search, (now, roots) = _Search(bounds, most), _affordable(bounds, most)
    for p, one in enumerate(roots):
        search.meet(p, one)
    point_replies = [search.reply(p, record) for p, record in search.order]  # the order grows on the way
    form, scaled = bounds.form, bounds.scaled
    roots = [search.named(p, one) for p, one in enumerate(roots)]
    for own, stage in zip(point_replies, search.stages(), strict=True):
        own.covers[:] = [search.named(q, one) for q, one in zip(stage.target, own.covers, strict=True)]
    beliefs = [search.belief(p, record) for p, record in search.order]
    firsts = [int(form.state_start[p]) for p, _ in search.order]
    value, toll, base = claim_values(form, search.corner, point_replies, search.stages(), beliefs, firsts, steps)
    low = [float(b @ scaled.least[f : f + len(b)]) for b, f in zip(beliefs, firsts)]
    covers = [one for own in point_replies for one in own.covers]
    arrays = sparse_beliefs(beliefs, firsts) | mixture_arrays("cover", "point", covers)
    arrays |= mixture_arrays("root", "point", roots) | {
        "corner": scaled.least + scaled.scale * search.corner,
        "seen": search.seen,
        "least": scaled.least,
        "point_value": np.array(low) + scaled.scale * value,
        "point_reply": np.concatenate([own.shares for own in point_replies] or [np.zeros(0)]),
        "toll": np.concatenate([base, toll]),
    }
    whole = now and not search.replaced
    return arrays, None if whole else _at_start(bounds, search.corner, roots, beliefs, value)


def _affordable(bounds: OneSidedBounds, most: float) -> tuple[bool, list[Cover]]:
    """(Whether they are today's, [partitions] covers of the start), by records, that need about that number of points.

    Earlier points need fewer others, and lose less than today's do where many of these are replaced.
    """
    if POINTS * int(bounds.arrays["used"][0]) <= most or not bounds.earlier:
        return True, bounds.start_covers()
    fitting = [covers for records, covers in bounds.earlier if POINTS * records <= most]
    return False, fitting[-1] if fitting else bounds.earlier[0][1]


def _at_start(
    bounds: OneSidedBounds, corner: Floats, roots: list[Cover], beliefs: list[Floats], value: Floats
) -> float:
    """What the covers of the start cost."""
    form, total = bounds.form, bounds.base
    for p in bounds.parts.tolist():
        own = form.states_of(p)
        left = form.start[own].copy()
        for point, weight in roots[p]:
            left -= weight * beliefs[point]
            total += bounds.scaled.scale * weight * float(value[point])
        total += bounds.scaled.scale * float(np.maximum(left, 0.0) @ corner[own])
    return total


class _Search:
    """The points met so far, in order, and no more than `most`."""

    def __init__(self, bounds: OneSidedBounds, most: float) -> None:
        self.bounds, self.records, self.most = bounds, bounds.records, most
        self.corner, self.seen = corner_mixtures(bounds.scaled)
        self.order: list[tuple[int, int]] = []  # partition, record
        self.numbers: dict[int, int] = {}
        self.replaced: dict[int, Cover] = {}  # by record
        every = np.ones_like(bounds.mask)
        self.stage = cache(lambda partition: stage_game(bounds.scaled, partition, every, discounted=False))
        self.hull = cache(self._hull)
        self.met = cache(self._met)

    def stages(self) -> list[StageGame]:
        """The stage of each point."""
        return [self.stage(p) for p, _ in self.order]

    def belief(self, partition: int, record: int) -> Floats:
        first, at = self.bounds.game.state_start, int(self.records.at[record])
        weights: Floats = self.records.value[at : at + int(first[partition + 1] - first[partition])]
        return weights

    def meet(self, partition: int, cover: Cover) -> Cover:
        """Keep the points of a cover, by records, as long as there is room for them."""
        for record, _ in cover:
            if record not in self.numbers and len(self.order) < self.most:
                self.numbers[record] = len(self.order)
                self.order.append((partition, record))
        return cover

    def named(self, partition: int, cover: Cover) -> Cover:
        """A cover by numbers in the evidence, once all points are met."""
        shares: dict[int, float] = {}
        for record, weight in cover:
            for point, part in self._number(partition, record):
                shares[point] = shares.get(point, 0.0) + weight * part
        return list(shares.items())

    def _number(self, partition: int, record: int) -> Cover:
        """The point itself, or what replaces it: the multiple of another one that leaves least to the corners."""
        if record in self.numbers:
            return [(self.numbers[record], 1.0)]
        if record not in self.replaced:
            numbers, beliefs, saved = self.met(partition)
            belief = self.belief(partition, record)
            held = np.where(beliefs > 0, belief / np.where(beliefs > 0, beliefs, 1.0), np.inf)
            ratio = held.min(axis=1, initial=np.inf)
            best = int((ratio * saved).argmax()) if len(numbers) else -1
            self.replaced[record] = [(numbers[best], float(ratio[best]))] if best >= 0 and ratio[best] > TINY else []
        return self.replaced[record]

    def _met(self, partition: int) -> tuple[list[int], Floats, Floats]:
        """The points of a partition that were met: numbers, beliefs, and how far they lie below the corners."""
        listed = [(self.numbers[record], record) for p, record in self.order if p == partition]
        own = self.bounds.form.states_of(partition)
        beliefs = np.array([self.belief(partition, r) for _, r in listed]).reshape(len(listed), own.stop - own.start)
        value = self.records.value[[int(self.records.at[r]) + own.stop - own.start for _, r in listed]]
        return [number for number, _ in listed], beliefs, np.maximum(beliefs @ self.corner[own] - value, 0.0)

    def reply(self, partition: int, record: int) -> PointReply:
        """The other's mixture at a point, with covers by records."""
        check()
        belief, derivation = self.belief(partition, record), int(self.records.derivation[record])
        answer, covers = self._again(partition, belief) if derivation < 0 else self._read(partition, belief, derivation)
        answer.covers.extend(self.meet(q, one) for q, one in zip(self.stage(partition).target, covers, strict=True))
        return answer

    def _read(self, partition: int, belief: Floats, derivation: int) -> tuple[PointReply, list[Cover]]:
        """What a point was found from. Steps are discounted in the kernels, and not in the evidence."""
        own, records = self.stage(partition), self.records
        y = own.balanced(records.weight[derivation : derivation + len(own.owner)], belief)
        covers, at = [], derivation + len(own.owner)
        for _ in own.target:
            end = at + 1 + int(records.link[at])
            weights = records.weight[at + 1 : end] / self.bounds.form.discount
            covers.append(list(zip(records.link[at + 1 : end].tolist(), weights.tolist())))
            at = end
        return PointReply.of(own, belief, y), covers

    def _again(self, partition: int, belief: Floats) -> tuple[PointReply, list[Cover]]:
        """The stage solved once more, with today's points."""
        own = self.stage(partition)
        hulls = [self.hull(q) for q in own.target]
        reply, weights, _ = point_reply(own, hulls, belief, self.bounds.form.discount)
        chosen = [np.flatnonzero(one).tolist() for one in weights]
        picked = zip(hulls, weights, chosen, strict=True)
        return reply, [[(hull.records[i], float(one[i])) for i in some] for hull, one, some in picked]

    def _hull(self, partition: int) -> PointHull:
        """Points of a partition, shifted and scaled: its own, and the states alone whose value is below corners."""
        form = self.bounds.form
        own = form.states_of(partition)
        vertices = [record for record in self.records.vertex[own].tolist() if record >= 0]
        records = [*self.bounds.record_numbers("points", partition), *vertices]
        at = self.records.at[records].astype(np.int64)[:, None]
        beliefs = self.records.value[at + np.arange(own.stop - own.start)]
        values = self.records.value[at[:, 0] + own.stop - own.start]
        return PointHull(beliefs, values, self.corner[own], records)


def sparse_beliefs(beliefs: list[Floats], firsts: list[int]) -> dict[str, NDArray[Any]]:
    """Beliefs over the states of a partition, from its first on, without what is impossible."""
    places = [np.flatnonzero(belief) for belief in beliefs]
    states = [place + first for place, first in zip(places, firsts)]
    return {
        "point_start": np.cumsum([0, *map(len, places)]).astype(np.int64),
        "point_state": np.concatenate([np.zeros(0, np.int64), *states]).astype(np.int64),
        "point_weight": np.concatenate([np.zeros(0), *(belief[place] for belief, place in zip(beliefs, places))]),
    }
