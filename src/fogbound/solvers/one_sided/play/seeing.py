"""The seeing player: it follows what the blind one may believe about it, and mixes so that the belief stays poor.

At every belief the stage game of the upper bound says how to mix in each state. No state is worth more after the
stage than the bound said before, so following stages from belief to belief never pays more than the bound at the
start, whatever the blind player does (Horak, Bosansky, Kovarik and Kiekintveld 2023).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from fogbound.core.dist import Dist
from fogbound.core.game import Seen
from fogbound.forms.one_sided import WAIT
from fogbound.forms.table import Floats
from fogbound.kernels import stage_model
from fogbound.policies.stored import StoredBounds
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.play.asked import row_of, the_one
from fogbound.solvers.one_sided.play.mixture import mixture
from fogbound.solvers.one_sided.play.sights import Sights

DIGITS = 12
HINT = 1e-9  # belief in a state that the player's own strategy would have avoided
MOST_KEPT = 50_000

Belief = tuple[float, ...]  # over the states of a partition
Place = tuple[int, Belief]  # the state, and what the blind player believes if it knows this strategy
Memory = tuple[Place, ...]  # a place if it is asked to move, and one if it is not


@dataclass(frozen=True, eq=False)
class Watching:
    """Plays the upper bound's stage game at the blind player's belief. Empty memory: play was over."""

    known: Bounded = field(repr=False)
    mixtures: dict[tuple[int, Belief, int], Floats] = field(default_factory=dict, repr=False)

    thinks: ClassVar[bool] = True

    def stored(self) -> StoredBounds:
        """As a file holds it."""
        return self.known.stored(blind=False)

    @cached_property
    def sights(self) -> Sights:
        return Sights(self.known.form)

    def begin(self, seen: Seen) -> Memory:
        form, places = self.known.form, dict[Place, None]()
        for sight, state in self.sights.first():
            if sight == seen:
                part = int(form.part[state])
                places[state, _belief(form.start[form.first[part] : form.first[part + 1]])] = None
        return tuple(places)

    def update(self, memory: Memory, action: Hashable | None, seen: Seen) -> Memory:
        if not memory:
            return ()
        place = self._place(memory, action is not None)
        ways = dict.fromkeys(
            (step.branch, step.state) for step in self.sights.after(place[0], action) if step.seen == seen
        )
        return tuple((to, self._believed(place, branch, to)) for branch, to in ways)

    def act(self, memory: Memory, actions: Sequence[Hashable]) -> Dist[Hashable]:
        form = self.known.form
        place = self._place(memory, asked=True)
        base = int(form.row[form.first[form.part[place[0]]]])
        rows = self._mixture(place)
        weights = [(action, float(rows[row_of(form, place[0], action) - base])) for action in actions]
        return Dist.weighted([pair for pair in weights if pair[1] > 0])

    def _place(self, memory: Memory, asked: bool) -> Place:
        form = self.known.form
        waits = [int(form.seeing[form.row[state]]) == WAIT for state, _ in memory]
        return the_one(form, 1 - form.blind, memory, waits, asked)

    def _believed(self, place: Place, branch: int, to: int) -> Belief:
        """The belief after a branch; sure of the state where the player's own strategy would never have led there."""
        form, game = self.known.form, self.known.game
        tau = np.zeros(self.known.scaled.wide)
        base = int(game.row[game.first[form.part[place[0]]]])
        total = stage_model.spread(game, branch, self._mixture(place), base, tau)
        target = int(form.target[branch])
        many = int(form.first[target + 1] - form.first[target])
        if total > 0:
            return _belief(tau[:many])
        return _belief(np.eye(many)[to - int(form.first[target])])

    def _mixture(self, place: Place) -> Floats:
        """[rows of the partition] how the player mixes, weighed by the belief; it always has an answer where it is."""
        state, belief = place
        partition = int(self.known.form.part[state])
        local = state - int(self.known.form.first[partition])
        key = partition, belief, -1 if belief[local] > 0 else state
        found = self.mixtures.get(key)
        if found is None:
            if len(self.mixtures) >= MOST_KEPT:
                self.mixtures.clear()
            weights = np.array(belief)
            weights[local] = max(weights[local], HINT)
            found = self.mixtures[key] = mixture(self.known, partition, weights / weights.sum())
        return found


def _belief(weights: Floats) -> Belief:
    """Weights as a belief, rounded so that equal ones are equal."""
    return tuple((weights / weights.sum()).round(DIGITS).tolist())
