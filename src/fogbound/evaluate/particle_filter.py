"""Beliefs by sampling: many states that agree with what was seen stand for all that might be true.

The filter is the bootstrap of Gordon, Salmond and Smith (1993): every particle takes the step, those that do
not show what was seen are rejected, and the rest are drawn from until there are as many as before. Some are
reinvigorated (Silver and Veness 2010): drawn anew, here from the exact posterior of the particles' own belief,
so that states too rare to be hit by a sample come back in.

Particles may run out: nobody shows what was seen. That is never hidden. The filter counts how often it happened
and says what was believed instead.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame, Observation
from fogbound.evaluate.sampling import GameSampler, POMDPSampler, Sampler
from fogbound.forms.bayes_filter import Belief, Numbers
from fogbound.forms.pomdp import POMDP, ModelGame

COUNT, SHARE = 1_000, 0.02
ROUNDS = 16  # how often the particles step before their not showing what was seen counts as running out
SMALL = 1_000  # states up to which a form's exact belief is tracked beside the particles


@dataclass(frozen=True, eq=False)
class ParticleBelief:
    """The particles at one time: a value, as all memory is."""

    states: Numbers = field(repr=False)  # [n] one state a particle
    deprived: int = 0  # how often no particle was left
    reason: str = ""  # what was done about it the last time
    exact: Belief | None = field(default=None, repr=False)  # tracked beside them where the form is small

    @cached_property
    def belief(self) -> Belief:
        """The share of the particles that is in each state."""
        return Belief.of(self.states)


class ParticleFilter:
    """A particle filter over a POMDP, or over a game of one player, with `count` particles.

    `share` of them are reinvigorated in each step. Up to `small` states the exact belief is tracked as well, to
    fall back on; `update` takes one from the caller too. Nothing is drawn but from the `rng` that is handed in.
    """

    def __init__(self, source: POMDP | AnyGame, count: int = COUNT, share: float = SHARE, small: int = SMALL) -> None:
        if count < 1 or not 0 <= share <= 1:
            raise SpecError(f"particles: count {count} and share {share}, expected at least 1 and from 0 to 1")
        model = source.form if isinstance(source, ModelGame) else source
        self.sampler: Sampler = POMDPSampler(model) if isinstance(model, POMDP) else GameSampler(model)
        self.tracks = isinstance(model, POMDP) and model.size <= small
        self.count, self.fresh = count, round(share * count)

    def label(self, state: int) -> Any:
        """The state that a particle's number stands for."""
        return self.sampler.label(state)

    def begin(self, seen: Observation, rng: np.random.Generator) -> ParticleBelief:
        """Particles drawn from the start, given the first observation."""
        belief, _ = self.sampler.begin(seen)
        if belief is None:
            belief = self.sampler.start()
            return self._drawn_from(belief, rng, 1, "the start never shows this: the belief is the start's without it")
        return self._drawn_from(belief, rng)

    def update(
        self,
        particles: ParticleBelief,
        action: Hashable | None,
        seen: Observation,
        rng: np.random.Generator,
        exact: Belief | None = None,
    ) -> ParticleBelief:
        """The particles after a step. `exact` is the caller's belief after it, used if no particle is left."""
        if exact is None and particles.exact is not None:
            exact, _ = self.sampler.update(particles.exact, action, seen)
        kept = self._survivors(particles.states, action, seen, rng)
        if not len(kept):
            belief, reason = self._instead(particles, action, seen, exact)
            return self._drawn_from(belief, rng, particles.deprived + 1, reason)
        if len(kept) < self.count:
            kept = np.concatenate([kept, rng.choice(kept, self.count - len(kept))])
        if self.fresh:
            wide, _ = self.sampler.update(particles.belief, action, seen)
            if wide is not None:
                places = rng.choice(self.count, self.fresh, replace=False)
                kept[places] = rng.choice(wide.states, self.fresh, p=wide.weights)
        return ParticleBelief(kept, particles.deprived, particles.reason, exact if self.tracks else None)

    def _survivors(
        self, states: Numbers, action: Hashable | None, seen: Observation, rng: np.random.Generator
    ) -> Numbers:
        """Up to `count` states that a step led to and that show `seen`: all step once, then any of them again.

        What is too much is left out at random: the order of what was drawn may follow the states' own.
        """
        kept = [self.sampler.drawn(states, action, seen, rng)]
        for _ in range(ROUNDS - 1):
            if sum(map(len, kept)) >= self.count:
                break
            kept.append(self.sampler.drawn(rng.choice(states, len(states)), action, seen, rng))
        found = np.concatenate(kept)
        return found if len(found) <= self.count else rng.choice(found, self.count, replace=False)

    def _instead(
        self, particles: ParticleBelief, action: Hashable | None, seen: Observation, exact: Belief | None
    ) -> tuple[Belief, str]:
        """What to believe when no particle shows what was seen, and a word about it."""
        if exact is not None:
            return exact, "no particle showed what was seen: drawn from the exact belief"
        wide, _ = self.sampler.update(particles.belief, action, seen)
        if wide is not None:
            return wide, "no particle showed what was seen: drawn from all that they could lead to, weighed exactly"
        begun, _ = self.sampler.update(self.sampler.start(), action, seen)
        if begun is not None:
            return begun, "no particle could show what was seen: drawn from what the start could lead to"
        return self.sampler.start(), "nothing that is believed could show what was seen: back to the start's belief"

    def _drawn_from(
        self, belief: Belief, rng: np.random.Generator, deprived: int = 0, reason: str = ""
    ) -> ParticleBelief:
        states = rng.choice(belief.states, self.count, p=belief.weights)
        return ParticleBelief(states, deprived, reason, belief if self.tracks else None)
