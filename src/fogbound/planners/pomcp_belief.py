"""What may be true, by weighted particles: states with the others' minds that agree with a history.

As long as few points are possible, all of them are kept and weighed exactly. Where the others could do too much for
that, particles step and those that do not show what was seen are rejected (Gordon, Salmond and Smith 1993); where too
few survive the cloud is reinvigorated (Silver and Veness 2010): some particles try all that could follow, weighed
exactly, so that what is too rare to be hit by a sample comes in. When nothing is left this is never hidden: `deprived`
counts it, `reason` says what was believed instead.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from random import Random

from fogbound.planners.pomcp_cloud import Cloud, Weights, cloud_of, merged, resampled
from fogbound.planners.pomcp_history import History
from fogbound.planners.pomcp_world import Point, World

CHEAP = 4  # things that the others may do, a particle, up to which all of them are tried
ROUNDS = 16  # tries a particle before too few survive
SCARCE = 0.1  # the share of particles that must survive, or the cloud is reinvigorated
EFFORTS = (4, 16)  # times as many particles when a cloud is rebuilt, and when that failed
REBUILT = "no particle showed what was seen: rebuilt from the start with more of them"
SLIPPED = "nothing the others would do shows what was seen: somebody's hand has slipped now"
SLIPPING = "nothing the others would do shows what was seen: rebuilt from the start with hands that slip at every step"
BLIND = "nothing that was tried shows what was seen: no belief is left"


@dataclass(frozen=True)
class Filter:
    """How a cloud of at most `particles` points follows what happens."""

    world: World
    particles: int

    def begin(self, history: History, rng: Random) -> Cloud:
        """The cloud at the first sight: drawn from all deals that show it."""
        found = merged(self.world.begin(history.seen))
        return self._cloud(found, rng) if found else Cloud((), (), 1, BLIND)

    def update(self, before: Cloud, history: History, rng: Random) -> Cloud:
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
        return Cloud((), (), before.deprived + 1, BLIND, revived)

    def rebuilt(self, history: History, rng: Random, slips: bool = False) -> Weights:
        """Through all of `history` again, with more and more particles, everything tried from each of them."""
        for effort in EFFORTS:
            wide = Filter(self.world, self.particles * effort)
            first, *rest = history.chain()
            found = merged(self.world.begin(first.seen))
            for part in rest:
                found = self._tried(self._here(wide._cloud(found, rng), part.action), part, slips)
            if found:
                break
        return found

    def _followed(self, here: Weights, history: History, rng: Random) -> tuple[Weights, bool]:
        """One step by the cheapest way that serves, and whether reinvigoration was needed."""
        if sum(map(self.world.width, here)) <= CHEAP * self.particles:
            return self._tried(here, history), False
        survivors = self._survivors(here, history, rng)
        if sum(survivors.values()) >= SCARCE * self.particles:
            return survivors, False
        return self._tried(self._some(here, rng), history) or survivors or self._tried(here, history), True

    def _here(self, cloud: Cloud, action: Hashable | None) -> Weights:
        """Where I was asked for what I did (None: where I was not asked), and the game was not over."""
        return {
            point: weight
            for point, weight in cloud.weights().items()
            if (action in point.menu if action is not None else point.place < 0 and point.actors)
        }

    def _tried(self, here: Weights, history: History, slips: bool = False) -> Weights:
        """All that may follow and shows what was seen, weighed exactly."""
        action, seen = history.action, history.seen
        return merged(
            (link.point, weight * p)
            for point, weight in here.items()
            for link, p in self.world.branches(point, _place(point, action), slips)
            if link.seen == seen
        )

    def _survivors(self, here: Weights, history: History, rng: Random) -> Weights:
        """Steps drawn from the points until enough show what was seen."""
        cloud, kept, found = cloud_of(here), 0, Weights()
        action, seen, step, draw = history.action, history.seen, self.world.step, rng.random
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
            room -= self.world.width(point)
            if found and room < 0:
                break
            found[point] = weight
        return found

    def _cloud(self, found: Weights, rng: Random, deprived: int = 0, reason: str = "", revived: int = 0) -> Cloud:
        """At most `particles` points: all of them, or as many drawn."""
        if len(found) > self.particles:
            found = resampled(found, self.particles, rng)
        return cloud_of(found, deprived, reason, revived)


def _place(point: Point, action: Hashable | None) -> int:
    return -1 if action is None else point.menu.index(action)
