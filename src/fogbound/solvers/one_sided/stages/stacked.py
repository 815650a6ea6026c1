"""One stage of a one-sided game with all that may follow in a few arrays: an oracle asks every action at once.

Branches of all slots are stacked, padded to the largest target. What a stage leads to never changes and is laid out
once; what is known about the targets changes now and then, and only what did is laid out again.
"""

from __future__ import annotations

import numpy as np

from fogbound.forms.table import Floats
from fogbound.solvers.one_sided.stages.block import Block
from fogbound.solvers.one_sided.stages.game import After, Longs, Steps

TINY = 1e-300  # a state that a point does not need must not limit its weight: 0 times infinity would


class Stacked:
    """The steps of a partition, and the bounds of whatever follows them."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.first = np.cumsum([0, *(len(ways) for ways in steps.ways)])  # [slots + 1] branches
        ways = [way for ways in steps.ways for way in ways]
        self.targets = [way.target for way in ways]
        self.sizes = [way.matrix.shape[1] for way in ways]
        self.slot = np.repeat(np.arange(len(steps.slots)), np.diff(self.first))  # [branches]
        self._branches = np.arange(len(ways))
        self.wide = max(self.sizes, default=0)
        self.matrix = np.zeros((len(ways), len(steps.owner), self.wide))
        for place, way in enumerate(ways):
            self.matrix[place, :, : self.sizes[place]] = way.matrix
        self._flat = np.ascontiguousarray(self.matrix.transpose(1, 0, 2).reshape(len(steps.owner), -1))
        self.after: list[After] = []
        self.most = (1, 1)  # vectors and points of any target
        self._lay_out(1, 1)

    def follow(self, after: dict[int, After]) -> None:
        """Take over what is known now about the targets."""
        now = [after[q] for q in self.targets]
        before = dict(enumerate(self.after))
        changed = [place for place, known in enumerate(now) if before.get(place) is not known]
        if not changed:
            return
        self.most = max(len(known.vectors) for known in now), max(len(known.gaps) for known in now)
        if self.most[0] > self._vectors.shape[1] or self.most[1] > self._gaps.shape[1]:
            self._lay_out(2 * self.most[0], 2 * self.most[1])
            changed = list(range(len(now)))
        for place in changed:
            self._put(place, now[place])
        self.after = now

    def _lay_out(self, vectors: int, points: int) -> None:
        """Room for so many; what is not filled is worth 0 below and takes nothing off above."""
        many, wide = len(self.targets), self.wide
        self._vectors = np.zeros((many, vectors, wide))
        self._corner = np.zeros((many, wide))
        self._gaps = np.zeros((many, points))
        self._turned = np.zeros((many, wide, points))

    def _put(self, place: int, known: After) -> None:
        size = self.sizes[place]
        inner, gaps = known.beliefs[size:], known.gaps
        for padded in (self._vectors, self._gaps, self._turned):
            padded[place] = 0.0
        self._vectors[place, : len(known.vectors), :size] = known.vectors
        self._corner[place, :size] = known.values[:size]
        self._gaps[place, : len(gaps)] = gaps
        self._turned[place, :, : len(gaps)] = np.inf
        np.divide(1.0, inner.T, out=self._turned[place, :size, : len(gaps)], where=inner.T > 0)

    def spread(self, y: Floats) -> Floats:
        """[branches, states] what the blind player is left with after each branch, not normalised."""
        found: Floats = (y @ self._flat).reshape(len(self.targets), self.wide)
        return found

    def lower(self, y: Floats) -> tuple[Floats, Longs]:
        """([slots] what each is worth by the best vector after each branch, [branches] which vector that is)."""
        worth = (self._vectors[:, : self.most[0]] @ self.spread(y)[:, :, None])[:, :, 0]
        chosen = worth.argmax(axis=1)
        return self._summed(y, worth[self._branches, chosen]), chosen

    def column(self, slot: int, chosen: Longs) -> Floats:
        """[rows] what a slot is worth when a chosen vector follows each of its branches."""
        own = self.own(slot)
        after = self._vectors[np.arange(own.start, own.stop), chosen[own]]
        found: Floats = self.steps.reward[slot] + (self.matrix[own] @ after[:, :, None])[:, :, 0].sum(axis=0)
        return found

    def own(self, slot: int) -> slice:
        """The branches of a slot."""
        return slice(int(self.first[slot]), int(self.first[slot + 1]))

    def block(self, slot: int) -> Block:
        """What covering all that follows a slot takes; it knows no points yet."""
        own = self.own(slot)
        reached = [self.matrix[place, :, : self.sizes[place]].T for place in range(own.start, own.stop)]
        return Block(slot, self.steps.reward[slot], reached, self.after[own])

    def sawtooth(self, y: Floats) -> Floats:
        """[slots] no more than this: after a branch the corners, and the one point that takes most off them."""
        tau = self.spread(y)
        held = ((tau + TINY)[:, :, None] * self._turned[:, :, : self.most[1]]).min(axis=1, initial=np.inf)
        off = (self._gaps[:, : self.most[1]] * held).min(axis=1, initial=0.0)
        return self._summed(y, (self._corner * tau).sum(axis=1) + off)

    def _summed(self, y: Floats, after: Floats) -> Floats:
        found: Floats = self.steps.reward @ y + np.bincount(self.slot, after, len(self.steps.slots))
        return found
