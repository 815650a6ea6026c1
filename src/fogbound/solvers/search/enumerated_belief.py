"""Beliefs over the states of compiled rules: every outcome of every particle is listed and weighed by its probability.

They are exact as long as there is room. Beyond that particles are thinned by systematic resampling before they step,
with a number that the seed and the history decide. Where much is hidden that is independent, as ghosts and food in a
maze, it still happens that no particle shows what was observed, which is then skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from fogbound.compiled.rules import CompiledRules
from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.search.belief import MOST_PARTICLES, BeliefTracker, ParticleBelief, StepEvidence
from fogbound.solvers.search.history import ActionObservationHistory
from fogbound.solvers.search.kernels import belief as kernels
from fogbound.solvers.search.kernels.belief import ParticleArrays

FIRST_ROOM, GROWTH = 1 << 8, 4


class EnumeratedTracker(BeliefTracker):
    """Follows the particles of player `me` in compiled rules.

    Parameters
    ----------
    compiled
        The rules.
    me
        Whose belief it is.
    alone
        Whether what the others know is of no interest.
    seed, count
        As in `BeliefTracker`.
    """

    def __init__(self, compiled: CompiledRules, me: int, alone: bool, seed: int, count: int = MOST_PARTICLES) -> None:
        super().__init__(seed, count)
        self.compiled, self.me, self.alone = compiled, me, alone

    def evidence(self, history: ActionObservationHistory) -> StepEvidence:
        """The codes of the own action (-1: not asked) and of what was seen."""
        step = super().evidence(history)
        action = -1 if history.action is None else self.compiled.action_code(history.action)
        return step._replace(action=action, observation=self.compiled.observation_code(self.me, history.seen))

    def first(self, history: ActionObservationHistory) -> ParticleBelief:
        return self.begin(self.compiled.observation_code(self.me, history.seen))

    def begin(self, seen: int) -> ParticleBelief:
        """What fits a first observation of this code."""
        compiled, room = self.compiled, FIRST_ROOM
        while True:
            new = _room(compiled, room)
            if kernels.begin_belief(
                compiled.begin, compiled.rules, compiled.beginnings, new, self._trial, self.me, seen, self.alone
            ):
                return _belief(new, True)
            room = min(GROWTH * room, compiled.beginnings)

    def resample(self, believed: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:  # noqa: ARG002
        """Nothing: particles are thinned where there is no room for what follows them."""
        return believed

    def propagate(self, before: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:
        return self._followed(before, evidence, blind=False)

    def scarce(self, found: ParticleBelief) -> bool:  # noqa: ARG002
        """Never: all successors are listed, and no more can be drawn."""
        return False

    def skip(self, believed: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:
        return self._followed(believed, evidence, blind=True)

    def bound(self, found: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:  # noqa: ARG002
        """All of it: what fits into the room."""
        return found

    def _followed(self, believed: ParticleBelief, evidence: StepEvidence, blind: bool) -> ParticleBelief:
        """The successors that show what was observed (`blind`: whatever they show), of fewer where room is short."""
        compiled, exact, particles, room = self.compiled, believed.exact, _arrays(believed), FIRST_ROOM
        step = self.me, evidence.action, evidence.observation, self.alone, blind
        while room < len(believed):
            room *= GROWTH
        while True:
            new = _room(compiled, room)
            if kernels.advance(*compiled.functions[:4], compiled.rules, particles, new, self._trial, *step):
                return _belief(new, exact, believed.skipped + blind)
            count = int(particles.used[0])
            if GROWTH * room <= self.count or count == 1:  # what follows from a single state is never cut
                room *= GROWTH
            else:
                left = max(1, count // GROWTH)
                particles, exact = _thinned(particles, left, self._draw(evidence, left)), False

    def _draw(self, evidence: StepEvidence, count: int) -> float:
        """A number from 0 to below 1, for thinning to a count."""
        history = evidence.history
        return float(evidence.rng.random()) if history is None else history.generator(self.seed, "thin", count).random()

    def offered(self, believed: ParticleBelief, legal: Sequence[int]) -> ParticleBelief:
        """What is left once the player is offered exactly the actions of these codes."""
        keep, codes = np.zeros(len(believed), np.int64), np.array(legal, np.int64)
        if not len(believed):
            return believed
        actors, lists = self.compiled.functions[:2]
        kernels.mark_offered(actors, lists, self.compiled.rules, _arrays(believed), self._trial, self.me, codes, keep)
        if keep.all():
            return believed
        left = _picked(_arrays(believed), chosen := np.flatnonzero(keep), believed.weights[chosen])
        return _belief(left, believed.exact, believed.skipped)

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


def _arrays(believed: ParticleBelief) -> ParticleArrays:
    """A belief as kernels read it."""
    assert believed.marks is not None
    count = np.array([len(believed)], np.int64)
    return ParticleArrays(believed.states, believed.marks, believed.weights, np.full(1, -1, np.int64), count)


def _belief(new: ParticleArrays, exact: bool, skipped: int = 0) -> ParticleBelief:
    n = int(new.used[0])
    return ParticleBelief(new.rows[:n].copy(), new.weights[:n].copy(), skipped, exact, new.marks[:n].copy())
