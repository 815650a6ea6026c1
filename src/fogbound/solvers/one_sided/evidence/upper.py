"""The upper bound as claims that can be checked: how the player who sees holds the other to each point.

Corners are states that the blind player would see: a matrix game each. A point keeps the other's mixture, and covers of
whatever may be believed next; where it came from a linear program, which kept neither, both are found again. Only
points that are used in covers, from the start on, are kept.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.table import Floats
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.evidence.corners import corner_mixtures
from fogbound.solvers.one_sided.evidence.cover import Hull, Reply, mixture, reply
from fogbound.solvers.one_sided.evidence.settle import settled
from fogbound.solvers.one_sided.evidence.stage import Stage, stage

Cover = list[tuple[int, float]]  # records of points, with weights


def upper_evidence(known: Bounded, steps: Floats | None = None) -> dict[str, NDArray[Any]]:
    """Corners, and the points that covers from the start on need, with mixtures, covers and tolls."""
    search = _Search(known)
    roots = search.roots()
    replies = [search.reply(p, record) for p, record in search.order]  # the order grows while it is walked
    form, scaled = known.form, known.scaled
    beliefs = [search.belief(p, record) for p, record in search.order]
    firsts = [int(form.first[p]) for p, _ in search.order]
    value, toll, base = settled(form, search.corner, replies, search.stages(), beliefs, firsts, steps)
    low = [float(b @ scaled.least[f : f + len(b)]) for b, f in zip(beliefs, firsts)]
    found = _beliefs(beliefs, firsts) | _covers("cover", [one for own in replies for one in own.covers])
    return (
        found
        | _covers("root", roots)
        | {
            "corner": scaled.least + scaled.scale * search.corner,
            "seen": search.seen,
            "least": scaled.least,
            "point_value": np.array(low) + scaled.scale * value,
            "point_row": np.concatenate([own.shares for own in replies] or [np.zeros(0)]),
            "toll": np.concatenate([base, toll]),
        }
    )


class _Search:
    """The points met so far, in order."""

    def __init__(self, known: Bounded) -> None:
        self.known, self.bounds = known, known.known
        self.corner, self.seen = corner_mixtures(known.scaled)
        self.order: list[tuple[int, int]] = []  # partition, record
        self.numbers: dict[int, int] = {}
        self.stage = cache(lambda partition: stage(known.scaled, partition))
        self.hull = cache(self._hull)

    def stages(self) -> list[Stage]:
        """The stage of each point."""
        return [self.stage(p) for p, _ in self.order]

    def belief(self, partition: int, record: int) -> Floats:
        first, at = self.known.game.first, int(self.bounds.at[record])
        found: Floats = self.bounds.value[at : at + int(first[partition + 1] - first[partition])]
        return found

    def named(self, partition: int, cover: list[tuple[int, float]]) -> list[tuple[int, float]]:
        """Points by their numbers in the evidence: new ones where they have none."""
        for record, _ in cover:
            if record not in self.numbers:
                self.numbers[record] = len(self.order)
                self.order.append((partition, record))
        return [(self.numbers[record], weight) for record, weight in cover]

    def roots(self) -> list[list[tuple[int, float]]]:
        """The cover of the start, in every partition: by points, where these were found with all actions."""
        form, whole, found = self.known.form, bool(self.known.mask.all()), []
        for p in range(len(form.first) - 1):
            start = form.start[form.first[p] : form.first[p + 1]]
            found.append(self.named(p, self.known.cover(p, start)) if whole and start.any() else [])
        return found

    def reply(self, partition: int, record: int) -> Reply:
        """The other's mixture at a point, with covers by numbers in the evidence."""
        belief, why = self.belief(partition, record), int(self.bounds.why[record])
        found, covers = self._again(partition, belief) if why < 0 else self._read(partition, belief, why)
        found.covers.extend(self.named(q, one) for q, one in zip(self.stage(partition).target, covers, strict=True))
        return found

    def _read(self, partition: int, belief: Floats, why: int) -> tuple[Reply, list[Cover]]:
        """What a point was found from. Steps are discounted in the kernels, and not in the evidence."""
        own, bounds = self.stage(partition), self.bounds
        y = mixture(own, belief, np.arange(own.rows), bounds.weight[why : why + own.rows])
        covers, at = [], why + own.rows
        for _ in own.target:
            end = at + 1 + int(bounds.link[at])
            weights = bounds.weight[at + 1 : end] / self.known.form.discount
            covers.append(list(zip(bounds.link[at + 1 : end].tolist(), weights.tolist())))
            at = end
        return Reply.of(own, belief, y), covers

    def _again(self, partition: int, belief: Floats) -> tuple[Reply, list[Cover]]:
        """The stage solved once more, with today's points."""
        own = self.stage(partition)
        hulls = [self.hull(q) for q in own.target]
        found, weights = reply(own, hulls, belief, self.known.form.discount)
        chosen = [np.flatnonzero(one).tolist() for one in weights]
        picked = zip(hulls, weights, chosen, strict=True)
        return found, [[(hull.records[i], float(one[i])) for i in some] for hull, one, some in picked]

    def _hull(self, partition: int) -> Hull:
        """Points of a partition, shifted and scaled: its own, and the states alone that are worth less than corners."""
        form = self.known.form
        own = slice(int(form.first[partition]), int(form.first[partition + 1]))
        crowns = [record for record in self.bounds.crown[own].tolist() if record >= 0]
        records = [*self.known.records("points", partition), *crowns]
        at = self.bounds.at[records].astype(np.int64)[:, None]
        beliefs = self.bounds.value[at + np.arange(own.stop - own.start)]
        values = self.bounds.value[at[:, 0] + own.stop - own.start]
        return Hull(beliefs, values, self.corner[own], records)


def _beliefs(beliefs: list[Floats], firsts: list[int]) -> dict[str, NDArray[Any]]:
    places = [np.flatnonzero(belief) for belief in beliefs]
    states = [place + first for place, first in zip(places, firsts)]
    return {
        "point_start": np.cumsum([0, *map(len, places)]).astype(np.int64),
        "point_state": np.concatenate([np.zeros(0, np.int64), *states]).astype(np.int64),
        "point_weight": np.concatenate([np.zeros(0), *(belief[place] for belief, place in zip(beliefs, places))]),
    }


def _covers(name: str, covers: list[list[tuple[int, float]]]) -> dict[str, NDArray[Any]]:
    return {
        f"{name}_start": np.cumsum([0, *map(len, covers)]).astype(np.int64),
        f"{name}_point": np.array([point for one in covers for point, _ in one], np.int64),
        f"{name}_weight": np.array([weight for one in covers for _, weight in one], np.float64),
    }
