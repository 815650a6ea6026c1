"""The blind player: it remembers what it promised itself, and plays so that the promise is kept.

To play by belief alone would not do: a belief supposes that the other plays its own best strategy, and one who does
not could take the player where the next plan guarantees less than this one counted on. So what is carried from step
to step is a promise to every state that is possible, and the belief is not needed at all. Horak, Bosansky, Kovarik
and Kiekintveld (2023) keep the value so; Burch, Johanson and Bowling (2014) do the like when they solve subgames.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from fogbound.core.dist import Dist
from fogbound.core.game import Seen
from fogbound.forms.one_sided import WAIT
from fogbound.policies.stored import StoredBounds
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.play.asked import slot_of, the_one
from fogbound.solvers.one_sided.play.promise import Promise, kept_vectors, promise, reached
from fogbound.solvers.one_sided.play.stage import Stage, stage

MOST_KEPT = 50_000  # stages remembered before all are forgotten: they can be found again

# A partition and what was promised there.
Pledge = tuple[int, Promise]
# What may be the case after what was seen: a pledge if it is asked to move, and one if it is not.
Memory = tuple[Pledge, ...]


@dataclass(frozen=True, eq=False)
class Promising:
    """Keeps the promise of the best vector of the lower bound. Empty memory: play was over."""

    known: Bounded = field(repr=False)
    stages: dict[Pledge, Stage] = field(default_factory=dict, repr=False)

    thinks: ClassVar[bool] = True

    def stored(self) -> StoredBounds:
        """As a file holds it."""
        return self.known.stored(blind=True)

    def begin(self, seen: Seen) -> Memory:
        return tuple(self._first(p) for p, first in self.known.form.opening.items() if first == seen)

    def _first(self, partition: int) -> Pledge:
        form = self.known.form
        start = form.start[form.first[partition] : form.first[partition + 1]]
        vectors = kept_vectors(self.known, partition)
        return partition, promise(vectors[int((vectors @ start).argmax())], start > 0)

    def update(self, memory: Memory, action: Hashable | None, seen: Seen) -> Memory:
        if not memory:
            return ()
        form, pledge = self.known.form, self._pledge(memory, action is not None)
        slot = slot_of(form, pledge[0], action)
        ways = range(form.branch[slot], form.branch[slot + 1])
        taken = [b for b in ways if form.observations[form.obs[b]] == seen]
        return tuple(after for b in taken if (after := self._after(pledge, b)) is not None)

    def act(self, memory: Memory, actions: Sequence[Hashable]) -> Dist[Hashable]:  # noqa: ARG002
        form = self.known.form
        shares = self._stage(self._pledge(memory, asked=True)).shares
        return Dist.weighted([(form.actions[0][form.action[slot]], p) for slot, p in shares.items()])

    def _pledge(self, memory: Memory, asked: bool) -> Pledge:
        form = self.known.form
        waits = [int(form.action[form.slot[partition]]) == WAIT for partition, _ in memory]
        return the_one(form, form.blind, memory, waits, asked)

    def _stage(self, pledge: Pledge) -> Stage:
        found = self.stages.get(pledge)
        if found is None:
            if len(self.stages) >= MOST_KEPT:
                self.stages.clear()
            found = self.stages[pledge] = stage(self.known, *pledge)
        return found

    def _after(self, pledge: Pledge, branch: int) -> Pledge | None:
        """The pledge after a branch; None where it cannot be taken.

        After an action that it would not have played nothing was promised: then the vector that is best on average.
        """
        target = int(self.known.form.target[branch])
        promised = self._stage(pledge).after.get(branch)
        if promised is None:
            possible = reached(self.known, *pledge, branch)
            if not possible.any():
                return None
            vectors = kept_vectors(self.known, target)
            promised = promise(vectors[int((vectors @ possible.astype(np.float64)).argmax())], possible)
        return target, promised
