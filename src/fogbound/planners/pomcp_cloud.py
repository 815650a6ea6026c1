"""Weighted particles as a value: points of the world, each a state with the minds of the others."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random

from fogbound.planners.pomcp_minds import Menu
from fogbound.planners.pomcp_world import Point

Weights = dict[Point, float]


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points with a running sum of their weights: a value. No points: nothing is known."""

    points: tuple[Point, ...] = field(repr=False)
    upto: tuple[float, ...] = field(repr=False)  # the last is the total
    deprived: int = 0  # how often nothing was left
    reason: str = ""  # what was done about it the last time
    revived: int = 0  # how often the cloud was reinvigorated

    def draw(self, rng: Random) -> Point:
        place = bisect_right(self.upto, rng.random() * self.upto[-1])
        return self.points[min(place, len(self.points) - 1)]

    def weights(self) -> Weights:
        """The share of each point."""
        total = self.upto[-1] if self.upto else 1.0
        return {point: (high - low) / total for point, low, high in zip(self.points, (0.0, *self.upto), self.upto)}

    def asked(self, menu: Menu) -> Cloud:
        """The points at which I am offered exactly `menu`: being asked is something that a player knows."""
        if all(point.menu == menu for point in self.points):
            return self
        found = {point: weight for point, weight in self.weights().items() if point.menu == menu}
        return cloud_of(found, self.deprived, self.reason, self.revived)


def cloud_of(weights: Weights, deprived: int = 0, reason: str = "", revived: int = 0) -> Cloud:
    """All of the points, with their weights."""
    return Cloud(tuple(weights), tuple(accumulate(weights.values())), deprived, reason, revived)


def merged(pairs: Iterable[tuple[Point, float]]) -> Weights:
    """The weight of each point in all."""
    found = Weights()
    for point, weight in pairs:
        found[point] = found.get(point, 0.0) + weight
    return found


def resampled(found: Weights, count: int, rng: Random) -> Weights:
    """`count` equally spaced draws along the running sum of the weights, from one random start: systematic
    resampling (Carpenter, Clifford and Fearnhead 1999)."""
    kept, spacing = Weights(), sum(found.values()) / count
    mark, upto = rng.random() * spacing, 0.0
    for point, weight in found.items():
        upto += weight
        while mark < upto:
            kept[point] = kept.get(point, 0.0) + 1.0
            mark += spacing
    return kept
