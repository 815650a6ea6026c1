"""Beliefs along a history: how a planner follows what may be true, and the particles of compiled rules.

A belief is a value: a function of the seed and of what the player did and saw. Particles of compiled rules are exact as
long as there is room. Beyond that they are thinned by systematic resampling, with a generator that the seed and the
history decide, and each is led on by trying everything that may follow it. Where much is hidden that is independent, as
ghosts and food in a maze, it still happens that no particle can show what was seen. Then that one observation is
skipped and counted: all that may follow is kept. An exact belief that no state is consistent with has met what cannot
be.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

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
NOTHING_FITS = "nothing that may be true fits what was seen: any legal action"
LET_GO = "an observation was let go before, which no particle could show"

T = TypeVar("T")


class BeliefTracker(ABC, Generic[T]):
    """Follows what one player believes along its history; the latest beliefs are kept, any other is made again.

    Parameters
    ----------
    kept
        How many are.
    """

    def __init__(self, kept: int) -> None:
        self.tally: Counter[str] = Counter()  # how often a belief had to be mended, by what was done about it
        self._most, self._kept = kept, dict[ActionObservationHistory, T]()

    @abstractmethod
    def first(self, history: ActionObservationHistory) -> T:
        """The belief after a first observation."""

    @abstractmethod
    def after(self, believed: T, history: ActionObservationHistory) -> T:
        """The belief after the last step of a history, from the one before it."""

    @abstractmethod
    def at_decision(self, history: ActionObservationHistory, legal: Sequence[Any]) -> Any:
        """What a search draws from where exactly these actions are legal; None where nothing fits."""

    @abstractmethod
    def skipped(self, history: ActionObservationHistory) -> int:
        """How many observations of a history no particle could show."""

    def belief(self, history: ActionObservationHistory) -> T:
        """What is believed after a history."""
        missing, part = list[ActionObservationHistory](), history
        while part not in self._kept and part.before is not None:
            missing.append(part)
            part = part.before
        believed = self._kept[part] if part in self._kept else self._keep(part, self.first(part))
        for part in reversed(missing):
            believed = self._keep(part, self.after(believed, part))
        return believed

    def _keep(self, part: ActionObservationHistory, believed: T) -> T:
        if len(self._kept) >= self._most:
            del self._kept[next(iter(self._kept))]
        self._kept[part] = believed
        return believed


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


class Tracker(BeliefTracker[ParticleBelief | None]):
    """Follows the particles of player `me` in compiled rules; `alone`: what the others know is of no interest."""

    def __init__(self, compiled: CompiledRules, me: int, alone: bool, seed: int, most: int = MOST_PARTICLES) -> None:
        super().__init__(KEPT)
        self.compiled, self.me, self.alone, self.seed, self.most = compiled, me, alone, seed, most

    def first(self, history: ActionObservationHistory) -> ParticleBelief | None:
        return self.begin(self.compiled.observation_code(self.me, history.seen))

    def after(self, believed: ParticleBelief | None, history: ActionObservationHistory) -> ParticleBelief | None:
        if believed is None:
            return None
        action = -1 if history.action is None else self.compiled.action_code(history.action)
        seen = self.compiled.observation_code(self.me, history.seen)
        draw = lambda count: history.generator(self.seed, "thin", count).random()  # noqa: E731
        return self.advance(believed, action, seen, draw)

    def at_decision(self, history: ActionObservationHistory, legal: Sequence[int]) -> ParticleBelief | None:
        """What fits a history after which the player is offered exactly the actions of these codes."""
        believed = self.belief(history)
        offered = None if believed is None else self.offered(believed, legal)
        self.tally.update([NOTHING_FITS] if offered is None else [LET_GO] if offered.let_go else [])
        return offered

    def skipped(self, history: ActionObservationHistory) -> int:
        believed = self.belief(history)
        return 0 if believed is None else believed.let_go

    def begin(self, seen: int) -> ParticleBelief | None:
        """What fits a first observation of this code."""
        compiled, room = self.compiled, FIRST_ROOM
        while True:
            new = _room(compiled, room)
            if kernels.begin_belief(
                compiled.begin, compiled.rules, compiled.beginnings, new, self._trial, self.me, seen, self.alone
            ):
                return _belief(new, True)
            room = min(4 * room, compiled.beginnings)

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
        compiled, exact, particles = self.compiled, old.exact, old.particles
        room = max(FIRST_ROOM, len(particles.weights))
        while True:
            new = _room(compiled, room)
            step = (particles, new, self._trial, self.me, action, seen, self.alone, blind)
            if kernels.advance(*compiled.functions[:4], compiled.rules, *step):
                return _belief(new, exact, old.let_go + blind), exact
            count = int(particles.used[0])
            if 4 * room <= self.most or count == 1:  # what follows from a single state is never cut
                room *= 4
            else:
                left = max(1, count // 4)
                particles, exact = _thinned(particles, left, draw(left)), False

    def offered(self, believed: ParticleBelief, legal: Sequence[int]) -> ParticleBelief | None:
        """What is left once the player is offered exactly the actions of these codes."""
        old, keep = believed.particles, np.zeros(len(believed), np.int64)
        codes = np.array(legal, np.int64)
        kernels.mark_offered(*self.compiled.functions[:2], self.compiled.rules, old, self._trial, self.me, codes, keep)
        if keep.all():
            return believed
        chosen = np.flatnonzero(keep)
        return (
            None
            if len(chosen) == 0
            else ParticleBelief(_picked(old, chosen, old.weights[chosen].copy()), believed.exact, believed.let_go)
        )

    @cached_property
    def _trial(self) -> kernels.Trial:
        return trial_of(self.compiled)


def trial_of(compiled: CompiledRules) -> kernels.Trial:
    """Room for one outcome at a time."""
    players = len(compiled.players)
    names = ("actors", "joint", "places", "sizes", "seen", "marks")
    return kernels.Trial(
        state=np.zeros(compiled.width, np.int64),
        legal=np.zeros((players, compiled.most_actions), np.int64),
        weights=np.zeros(compiled.most_outcomes),
        rewards=np.zeros(players),
        **{name: np.zeros(players, np.int64) for name in names},
    )


def _room(compiled: CompiledRules, count: int) -> ParticleArrays:
    slots = 1 << (2 * count).bit_length()
    return ParticleArrays(
        np.zeros((count, compiled.width), np.int64),
        np.zeros((count, len(compiled.players)), np.int64),
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
