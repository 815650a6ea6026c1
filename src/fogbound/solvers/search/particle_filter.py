"""What may be true, by weighted particles: states with the others' minds that agree with a history.

As long as few points are possible, all of them are kept and weighed exactly. Where the others could do too much for
that, particles step and those that do not show what was seen are rejected (Gordon, Salmond and Smith 1993); where too
few survive the cloud is reinvigorated (Silver and Veness 2010): some particles try all that could follow, weighed
exactly, so that what is too rare to be hit by a sample comes in. When nothing is left this is never hidden: `deprived`
counts it, `reason` says what was believed instead.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random

from fogbound.solvers.search.history import ActionObservationHistory
from fogbound.solvers.search.simulator import InducedSimulator, InteractiveState, Legal

# Weighted particles as a value: points of the world, each a state with the minds of the others.


Weights = dict[InteractiveState, float]


@dataclass(frozen=True, eq=False)
class WeightedParticles:
    """Points with a running sum of their weights: a value. No points: nothing is known."""

    points: tuple[InteractiveState, ...] = field(repr=False)
    upto: tuple[float, ...] = field(repr=False)  # the last is the total
    deprived: int = 0  # how often nothing was left
    reason: str = ""  # what was done about it the last time
    revived: int = 0  # how often the cloud was reinvigorated

    def draw(self, rng: Random) -> InteractiveState:
        place = bisect_right(self.upto, rng.random() * self.upto[-1])
        return self.points[min(place, len(self.points) - 1)]

    def weights(self) -> Weights:
        """The share of each point."""
        total = self.upto[-1] if self.upto else 1.0
        return {point: (high - low) / total for point, low, high in zip(self.points, (0.0, *self.upto), self.upto)}

    def asked(self, legal: Legal) -> WeightedParticles:
        """The points at which I am offered exactly `menu`: being asked is something that a player knows."""
        if all(point.legal == legal for point in self.points):
            return self
        found = {point: weight for point, weight in self.weights().items() if point.legal == legal}
        return weighted_particles(found, self.deprived, self.reason, self.revived)


def weighted_particles(weights: Weights, deprived: int = 0, reason: str = "", revived: int = 0) -> WeightedParticles:
    """All of the points, with their weights."""
    return WeightedParticles(tuple(weights), tuple(accumulate(weights.values())), deprived, reason, revived)


def merged(pairs: Iterable[tuple[InteractiveState, float]]) -> Weights:
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


CHEAP = 4  # things that the others may do, a particle, up to which all of them are tried
ROUNDS = 16  # tries a particle before too few survive
SCARCE = 0.1  # the share of particles that must survive, or the cloud is reinvigorated
EFFORTS = (4, 16)  # times as many particles when a cloud is rebuilt, and when that failed
REBUILT = "no particle showed what was seen: rebuilt from the start with more of them"
SLIPPED = "nothing the others would do shows what was seen: somebody's hand has slipped now"
SLIPPING = "nothing the others would do shows what was seen: rebuilt from the start with hands that slip at every step"
BLIND = "nothing that was tried shows what was seen: no belief is left"


@dataclass(frozen=True)
class InteractiveParticleFilter:
    """How a cloud of at most `particles` points follows what happens."""

    simulator: InducedSimulator
    particles: int

    def begin(self, history: ActionObservationHistory, rng: Random) -> WeightedParticles:
        """The cloud at the first observation: drawn from all deals that show it."""
        found = merged(self.simulator.begin(history.seen))
        return self._cloud(found, rng) if found else WeightedParticles((), (), 1, BLIND)

    def update(self, before: WeightedParticles, history: ActionObservationHistory, rng: Random) -> WeightedParticles:
        """The cloud after the last step of `history`, where it was `before`."""
        here, revived = self._here(before, history.action), before.revived
        found, new = self._followed(here, history, rng) if here else ({}, False)
        if found:
            return self._cloud(found, rng, before.deprived, before.reason, revived + new)
        attempts: tuple[tuple[str, Callable[[], Weights]], ...] = (
            (REBUILT, lambda: self.rebuilt(history, rng)),
            (SLIPPED, lambda: self._tried(here, history, slips=True)),
            (SLIPPING, lambda: self.rebuilt(history, rng, slips=True)),
        )
        for reason, attempt in attempts:
            found = attempt()
            if found:
                return self._cloud(found, rng, before.deprived + 1, reason, revived)
        return WeightedParticles((), (), before.deprived + 1, BLIND, revived)

    def rebuilt(self, history: ActionObservationHistory, rng: Random, slips: bool = False) -> Weights:
        """Through all of `history` again, with more and more particles, everything tried from each of them."""
        for effort in EFFORTS:
            wide = InteractiveParticleFilter(self.simulator, self.particles * effort)
            first, *rest = history.chain()
            found = merged(self.simulator.begin(first.seen))
            for part in rest:
                found = self._tried(self._here(wide._cloud(found, rng), part.action), part, slips)
            if found:
                break
        return found

    def _followed(self, here: Weights, history: ActionObservationHistory, rng: Random) -> tuple[Weights, bool]:
        """One step by the cheapest way that serves, and whether reinvigoration was needed."""
        if sum(map(self.simulator.width, here)) <= CHEAP * self.particles:
            return self._tried(here, history), False
        survivors = self._survivors(here, history, rng)
        if sum(survivors.values()) >= SCARCE * self.particles:
            return survivors, False
        return self._tried(self._some(here, rng), history) or survivors or self._tried(here, history), True

    def _here(self, cloud: WeightedParticles, action: Hashable | None) -> Weights:
        """Where I was asked for what I did (None: where I was not asked), and the game was not over."""
        return {
            point: weight
            for point, weight in cloud.weights().items()
            if (action in point.legal if action is not None else point.place < 0 and point.actors)
        }

    def _tried(self, here: Weights, history: ActionObservationHistory, slips: bool = False) -> Weights:
        """All that may follow and shows what was seen, weighed exactly."""
        action, seen = history.action, history.seen
        return merged(
            (link.point, weight * p)
            for point, weight in here.items()
            for link, p in self.simulator.branches(point, _place(point, action), slips)
            if link.seen == seen
        )

    def _survivors(self, here: Weights, history: ActionObservationHistory, rng: Random) -> Weights:
        """Steps drawn from the points until enough show what was seen."""
        cloud, kept, found = weighted_particles(here), 0, Weights()
        action, seen, step, draw = history.action, history.seen, self.simulator.step, rng.random
        for _ in range(ROUNDS * self.particles):
            point = cloud.draw(rng)
            link = step(point, _place(point, action), draw)
            if link.seen == seen:
                found[link.point] = found.get(link.point, 0.0) + 1.0
                kept += 1
                if kept == self.particles:
                    break
        return found

    def _some(self, here: Weights, rng: Random) -> Weights:
        """Points drawn without return until what the others may do there is as much as rejection may try."""
        listed, room = list(here.items()), ROUNDS * self.particles
        rng.shuffle(listed)
        found = Weights()
        for point, weight in listed:
            room -= self.simulator.width(point)
            if found and room < 0:
                break
            found[point] = weight
        return found

    def _cloud(
        self, found: Weights, rng: Random, deprived: int = 0, reason: str = "", revived: int = 0
    ) -> WeightedParticles:
        """At most `particles` points: all of them, or as many drawn."""
        if len(found) > self.particles:
            found = resampled(found, self.particles, rng)
        return weighted_particles(found, deprived, reason, revived)


def _place(point: InteractiveState, action: Hashable | None) -> int:
    return -1 if action is None else point.legal.index(action)
