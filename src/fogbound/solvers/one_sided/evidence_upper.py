"""The upper bound as claims that can be checked: how the player who sees holds the other to each point.

Corners are states that the blind player would see: a matrix game each. For a point the other's mixture is found again,
by a linear program, with a cover of whatever may be believed next by today's points. Only points that are used in
covers, from the start on, are kept.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.table import Floats
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.evidence_corners import corner_mixtures
from fogbound.solvers.one_sided.evidence_cover import Hull, Reply, cover, reply
from fogbound.solvers.one_sided.evidence_settle import settled
from fogbound.solvers.one_sided.evidence_stage import Stage, stage

BETTER = 1e-12  # a state alone is a point where that is worth less than its corner by this share of the scale


def upper_evidence(known: Bounded, steps: Floats | None = None) -> dict[str, NDArray[Any]]:
    """Corners, and the points that covers from the start on need, with mixtures, covers and tolls."""
    search = _Search(known)
    roots = search.roots()
    replies = [search.reply(p, which) for p, which in search.order]  # the order grows while it is walked
    form, scaled = known.form, known.scaled
    hulls = [search.hull(p).beliefs[which] for p, which in search.order]
    firsts = [int(form.first[p]) for p, _ in search.order]
    value, toll, base = settled(form, search.corner, replies, search.stages(), hulls, firsts, steps)
    low = [float(b @ scaled.least[f : f + len(b)]) for b, f in zip(hulls, firsts)]
    found = _beliefs(hulls, firsts) | _covers("cover", [one for own in replies for one in own.covers])
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
        self.known = known
        self.corner, self.seen = corner_mixtures(known.form)
        self.order: list[tuple[int, int]] = []  # partition, number in its hull
        self.numbers: dict[tuple[int, int], int] = {}
        self.stage = cache(lambda partition: stage(known.scaled, partition))
        self.hull = cache(self._hull)

    def _hull(self, partition: int) -> Hull:
        """Points of a partition, shifted and scaled: its own, and the states alone that are worth less than corners."""
        form, scaled = self.known.form, self.known.scaled
        own = slice(int(form.first[partition]), int(form.first[partition + 1]))
        beliefs, values = self.known.points(partition)
        values = (values - beliefs @ scaled.least[own]) / scaled.scale
        keep = values < beliefs @ self.corner[own] - BETTER
        return Hull(beliefs[keep], values[keep], self.corner[own])

    def stages(self) -> list[Stage]:
        """The stage of each point."""
        return [self.stage(p) for p, _ in self.order]

    def named(self, partition: int, weights: Floats) -> list[tuple[int, float]]:
        """Points of a hull by their numbers in the evidence: new ones where they have none."""
        found = []
        for which in np.flatnonzero(weights).tolist():
            if (partition, which) not in self.numbers:
                self.numbers[partition, which] = len(self.order)
                self.order.append((partition, which))
            found.append((self.numbers[partition, which], float(weights[which])))
        return found

    def roots(self) -> list[list[tuple[int, float]]]:
        """The cover of the start, in every partition."""
        form, found = self.known.form, []
        for p in range(len(form.first) - 1):
            start = form.start[form.first[p] : form.first[p + 1]]
            found.append(self.named(p, cover(self.hull(p), start)) if start.any() else [])
        return found

    def reply(self, partition: int, which: int) -> Reply:
        """The other's mixture at a point, with covers by numbers in the evidence."""
        own, belief = self.stage(partition), self.hull(partition).beliefs[which]
        found, weights = reply(own, [self.hull(q) for q in own.target], belief, self.known.form.discount)
        found.covers.extend(self.named(q, one) for q, one in zip(own.target, weights))
        return found


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
