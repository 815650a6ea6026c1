"""Beliefs by sampling: many states that agree with what was seen stand for all that might be true.

The filter is the bootstrap of Gordon, Salmond and Smith (1993): every particle takes the step, those that do
not show what was seen are rejected, and the rest are drawn from until there are as many as before. Some are
reinvigorated (Silver and Veness 2010): drawn anew, here from the exact posterior of the particles' own belief,
so that states too rare to be hit by a sample come back in.

Particles may run out: nobody shows what was seen. That is never hidden. The cloud counts how often it happened
and says what was believed instead.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame, Seen
from fogbound.evaluate.stepping import FormSteps, GameSteps, Steps
from fogbound.forms.bayes import Belief, Numbers
from fogbound.forms.modelled import Modelled
from fogbound.forms.pomdp import POMDP

COUNT, SHARE = 1_000, 0.02
ROUNDS = 16  # how often the particles step before their not showing what was seen counts as running out
SMALL = 1_000  # states up to which a form's exact belief is tracked beside the particles


@dataclass(frozen=True, eq=False)
class Cloud:
    """The particles at one time: a value, as all memory is."""

    states: Numbers = field(repr=False)  # [n] one state a particle
    deprived: int = 0  # how often no particle was left
    reason: str = ""  # what was done about it the last time
    exact: Belief | None = field(default=None, repr=False)  # tracked beside them where the form is small

    @cached_property
    def belief(self) -> Belief:
        """The share of the particles that is in each state."""
        return Belief.of(self.states)


class Particles:
    """A particle filter over a POMDP, or over a game of one player, with `count` particles.

    `share` of them are reinvigorated in each step. Up to `small` states the exact belief is tracked as well, to
    fall back on; `update` takes one from the caller too. Nothing is drawn but from the `rng` that is handed in.
    """

    def __init__(self, source: POMDP | AnyGame, count: int = COUNT, share: float = SHARE, small: int = SMALL) -> None:
        if count < 1 or not 0 <= share <= 1:
            raise SpecError(f"particles: count {count} and share {share}, expected at least 1 and from 0 to 1")
        model = source.form if isinstance(source, Modelled) else source
        self.steps: Steps = FormSteps(model) if isinstance(model, POMDP) else GameSteps(model)
        self.tracks = isinstance(model, POMDP) and model.size <= small
        self.count, self.fresh = count, round(share * count)

    def label(self, state: int) -> Any:
        """The state that a particle's number stands for."""
        return self.steps.label(state)

    def begin(self, seen: Seen, rng: np.random.Generator) -> Cloud:
        """Particles drawn from the start, given the first sight."""
        belief, _ = self.steps.begin(seen)
        if belief is None:
            belief = self.steps.start()
            return self._cloud(belief, rng, 1, "the start never shows this: the belief is the start's without it")
        return self._cloud(belief, rng)

    def update(
        self, cloud: Cloud, action: Hashable | None, seen: Seen, rng: np.random.Generator, exact: Belief | None = None
    ) -> Cloud:
        """The particles after a step. `exact` is the caller's belief after it, used if no particle is left."""
        if exact is None and cloud.exact is not None:
            exact, _ = self.steps.update(cloud.exact, action, seen)
        kept = self._survivors(cloud.states, action, seen, rng)
        if not len(kept):
            belief, reason = self._instead(cloud, action, seen, exact)
            return self._cloud(belief, rng, cloud.deprived + 1, reason)
        if len(kept) < self.count:
            kept = np.concatenate([kept, rng.choice(kept, self.count - len(kept))])
        if self.fresh:
            wide, _ = self.steps.update(cloud.belief, action, seen)
            if wide is not None:
                places = rng.choice(self.count, self.fresh, replace=False)
                kept[places] = rng.choice(wide.states, self.fresh, p=wide.weights)
        return Cloud(kept, cloud.deprived, cloud.reason, exact if self.tracks else None)

    def _survivors(self, states: Numbers, action: Hashable | None, seen: Seen, rng: np.random.Generator) -> Numbers:
        """Up to `count` states that a step led to and that show `seen`: all step once, then any of them again.

        What is too much is left out at random: the order of what was drawn may follow the states' own.
        """
        kept = [self.steps.drawn(states, action, seen, rng)]
        for _ in range(ROUNDS - 1):
            if sum(map(len, kept)) >= self.count:
                break
            kept.append(self.steps.drawn(rng.choice(states, len(states)), action, seen, rng))
        found = np.concatenate(kept)
        return found if len(found) <= self.count else rng.choice(found, self.count, replace=False)

    def _instead(self, cloud: Cloud, action: Hashable | None, seen: Seen, exact: Belief | None) -> tuple[Belief, str]:
        """What to believe when no particle shows what was seen, and a word about it."""
        if exact is not None:
            return exact, "no particle showed what was seen: drawn from the exact belief"
        wide, _ = self.steps.update(cloud.belief, action, seen)
        if wide is not None:
            return wide, "no particle showed what was seen: drawn from all that they could lead to, weighed exactly"
        begun, _ = self.steps.update(self.steps.start(), action, seen)
        if begun is not None:
            return begun, "no particle could show what was seen: drawn from what the start could lead to"
        return self.steps.start(), "nothing that is believed could show what was seen: back to the start's belief"

    def _cloud(self, belief: Belief, rng: np.random.Generator, deprived: int = 0, reason: str = "") -> Cloud:
        states = rng.choice(belief.states, self.count, p=belief.weights)
        return Cloud(states, deprived, reason, belief if self.tracks else None)
