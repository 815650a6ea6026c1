"""What a player may hold for true in a game that is handed over as a twin: all of it, or as many particles as allowed.

Exact as long as there is room. Beyond that the particles are thinned, by systematic resampling with a generator that
the seed and the history decide, and led on by trying everything that may follow each of them. Where much is hidden
that has nothing to do with each other, as ghosts and food in a maze, it still happens that none of a sample can show
what was seen. Then that one observation is let go: all that may follow is kept, and the belief says so. An exact belief
that nothing fits has met what cannot be. The belief is a value: a function of the seed and of what the player did and
saw.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fogbound.compiled.rules import CompiledRules
from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.search.history import ActionObservationHistory
from fogbound.solvers.search.kernels import belief as kernels
from fogbound.solvers.search.kernels.belief import ParticleArrays
from fogbound.solvers.search.kernels.simulation import SearchRoot

FIRST_ROOM = 1 << 8
MOST_PARTICLES = 1 << 16
KEPT = 64  # beliefs of the latest histories


@dataclass(frozen=True, eq=False)
class ParticleBelief:
    """ParticleArrays, and whether they are all that is possible."""

    particles: ParticleArrays = field(repr=False)
    exact: bool
    let_go: int = 0  # observations that no particle could show

    def __len__(self) -> int:
        return int(self.particles.used[0])

    @cached_property
    def root(self) -> SearchRoot:
        """What a search draws from."""
        n, whole = len(self), self.particles.weights[: len(self)]
        upto = np.cumsum(whole / whole.sum())
        upto[-1] = 1.0
        return SearchRoot(self.particles.rows[:n].copy(), self.particles.marks[:n].copy(), upto)


class Tracker:
    """Follows what player `me` may hold for true; `alone`: what the others know is of no interest."""

    def __init__(self, twin: CompiledRules, me: int, alone: bool, seed: int, most: int = MOST_PARTICLES) -> None:
        self.twin, self.me, self.alone, self.seed, self.most = twin, me, alone, seed, most
        self._kept: dict[ActionObservationHistory, ParticleBelief | None] = {}

    def belief(self, history: ActionObservationHistory) -> ParticleBelief | None:
        """What fits a history; None where nothing does."""
        missing, part = [], history
        while part not in self._kept and part.before is not None:
            missing.append(part)
            part = part.before
        if part not in self._kept:
            self._keep(part, self.begin(self.twin.observation_code(self.me, part.seen)))
        believed = self._kept[part]
        for part in reversed(missing):
            believed = None if believed is None else self._one_on(believed, part)
            self._keep(part, believed)
        return believed

    def at_decision(self, history: ActionObservationHistory, legal: list[int]) -> ParticleBelief | None:
        """What fits a history after which the player is offered exactly the actions of these codes."""
        believed = self.belief(history)
        return None if believed is None else self.offered(believed, legal)

    def begin(self, seen: int) -> ParticleBelief | None:
        """What fits a first observation of this code."""
        twin, room = self.twin, FIRST_ROOM
        while True:
            new = _room(twin, room)
            if kernels.begin_belief(
                twin.begin, twin.rules, twin.beginnings, new, self._trial, self.me, seen, self.alone
            ):
                return _belief(new, True)
            room = min(4 * room, twin.beginnings)

    def advance(
        self, old: ParticleBelief, action: int, seen: int, draw: Callable[[int], float]
    ) -> ParticleBelief | None:
        """What fits one step later: the code of the own action (-1: not asked) and of what was seen.

        `draw` gives a number from 0 to below 1 for a count of particles, where they have to be thinned to so many.
        """
        found, exact = self._followed(old, action, seen, draw, blind=False)
        return found if found or exact else self._followed(old, action, seen, draw, blind=True)[0]

    def _followed(
        self, old: ParticleBelief, action: int, seen: int, draw: Callable[[int], float], blind: bool
    ) -> tuple[ParticleBelief | None, bool]:
        """What follows and shows what was seen (`blind`: whatever it shows), and whether nothing was left out."""
        twin, exact, particles = self.twin, old.exact, old.particles
        room = max(FIRST_ROOM, len(particles.weights))
        while True:
            new = _room(twin, room)
            step = (particles, new, self._trial, self.me, action, seen, self.alone, blind)
            if kernels.advance(*twin.functions[:4], twin.rules, *step):
                return _belief(new, exact, old.let_go + blind), exact
            count = int(particles.used[0])
            if 4 * room <= self.most or count == 1:  # what follows from a single state is never cut
                room *= 4
            else:
                left = max(1, count // 4)
                particles, exact = _thinned(particles, left, draw(left)), False

    def offered(self, believed: ParticleBelief, legal: list[int]) -> ParticleBelief | None:
        """What is left once the player is offered exactly the actions of these codes."""
        old, keep = believed.particles, np.zeros(len(believed), np.int64)
        codes = np.array(legal, np.int64)
        kernels.asked(*self.twin.functions[:2], self.twin.rules, old, self._trial, self.me, codes, keep)
        if keep.all():
            return believed
        chosen = np.flatnonzero(keep)
        return (
            None
            if len(chosen) == 0
            else ParticleBelief(_picked(old, chosen, old.weights[chosen].copy()), believed.exact, believed.let_go)
        )

    def _keep(self, part: ActionObservationHistory, believed: ParticleBelief | None) -> None:
        if len(self._kept) >= KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[part] = believed

    def _one_on(self, old: ParticleBelief, part: ActionObservationHistory) -> ParticleBelief | None:
        action = -1 if part.action is None else self.twin.action_code(part.action)
        seen = self.twin.observation_code(self.me, part.seen)
        return self.advance(old, action, seen, lambda count: part.generator(self.seed, "thin", count).random())

    @cached_property
    def _trial(self) -> kernels.Trial:
        return trial_of(self.twin)


def trial_of(twin: CompiledRules) -> kernels.Trial:
    """Room for one outcome at a time."""
    players = len(twin.players)
    names = ("actors", "joint", "places", "sizes", "seen", "marks")
    return kernels.Trial(
        state=np.zeros(twin.width, np.int64),
        legal=np.zeros((players, twin.most_actions), np.int64),
        weights=np.zeros(twin.most_outcomes),
        rewards=np.zeros(players),
        **{name: np.zeros(players, np.int64) for name in names},
    )


def _room(twin: CompiledRules, count: int) -> ParticleArrays:
    slots = 1 << (2 * count).bit_length()
    return ParticleArrays(
        np.zeros((count, twin.width), np.int64),
        np.zeros((count, len(twin.players)), np.int64),
        np.zeros(count),
        np.full(slots, -1, np.int64),
        np.zeros(1, np.int64),
    )


def _thinned(old: ParticleArrays, count: int, draw: float) -> ParticleArrays:
    """Systematic resampling: each particle about as often as it is likely, equal weights."""
    n = int(old.used[0])
    upto = np.cumsum(old.weights[:n])
    places = np.searchsorted(upto, (np.arange(count) + draw) / count * upto[-1], side="right").clip(0, n - 1)
    chosen, times = np.unique(places, return_counts=True)
    return _picked(old, chosen, times.astype(np.float64))


def _picked(old: ParticleArrays, chosen: Longs, weights: Floats) -> ParticleArrays:
    """Some of the particles."""
    count = np.array([len(chosen)], np.int64)
    return ParticleArrays(old.rows[chosen].copy(), old.marks[chosen].copy(), weights, np.full(1, -1, np.int64), count)


def _belief(new: ParticleArrays, exact: bool, let_go: int = 0) -> ParticleBelief | None:
    """None where nothing fits."""
    return ParticleBelief(new, exact, let_go) if new.used[0] > 0 else None
