"""One exact step of value iteration in a block: vectors of what may be seen, added up crosswise and pruned on the way.

Zhang and Liu (1996) prune after each sum rather than after the last, which is what makes it incremental. Beliefs at
which vectors were found to be best are handed on: sums are likely to be best there too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from fogbound.core.errors import FormError
from fogbound.forms.bayes import Numbers
from fogbound.forms.blocks import Blocks
from fogbound.forms.table import Floats
from fogbound.solvers.vectors.prune import prune
from fogbound.solvers.vectors.sets import Dynamics, VectorSets


@dataclass(frozen=True, eq=False)
class Summand:
    """A pruned set, beliefs at which its members are best, and what pruning may have lost so far."""

    vectors: Floats
    points: Floats
    loss: float


@dataclass(frozen=True, eq=False)
class CrossSums:
    """Backups of whole blocks; a set of more than `most` vectors is refused."""

    cut: Blocks
    steps: Dynamics
    most: int
    margin: float  # what one pruning may lose, beyond rounding
    stopping: Callable[[], bool]

    def backup(self, block: int, sets: VectorSets) -> tuple[Floats, Numbers, float]:
        """The vectors of one step more in a block, their slots, and what pruning may have lost."""
        found = [self.summed(slot, sets) for slot in self.steps.slots(block)]
        slots = np.repeat(np.array(self.steps.slots(block), np.int64), [len(one.vectors) for one in found])
        vectors = np.concatenate([one.vectors for one in found])
        points = np.concatenate([one.points for one in found])
        last = prune(vectors, points, self.margin, self.stopping)
        return vectors[last.keep], slots[last.keep], last.loss + max(one.loss for one in found)

    def summed(self, slot: int, sets: VectorSets) -> Summand:
        """All that an action may be worth: one vector for each sight, chosen freely."""
        parts = [self.moved(slot, branch, sets) for branch in self.steps.branches(slot)]
        reward = self.steps.reward(slot)
        alone = Summand(reward[None], np.zeros((0, len(reward))), 0.0)
        return reduce(self.cross, sorted(parts, key=lambda part: len(part.vectors)), alone)

    def moved(self, slot: int, branch: int, sets: VectorSets) -> Summand:
        """What the target's vectors are worth before the step, weighted with how likely the sight is."""
        vectors = np.asarray(self.steps.moves(slot, branch) @ sets.vectors[self.steps.target(branch)].T).T
        return self.pruned(Summand(vectors, np.zeros((0, vectors.shape[1])), 0.0))

    def cross(self, one: Summand, two: Summand) -> Summand:
        many = len(one.vectors) * len(two.vectors)
        if many > self.most:
            raise FormError(
                f"incremental-pruning: {self.cut.pomdp.spec} needs a set of {many:,} vectors, expected at most "
                f"{self.most:,}; raise `most`, or use pbvi, which bounds the optimum without all of them"
            )
        vectors = (one.vectors[:, None] + two.vectors[None]).reshape(many, -1)
        return self.pruned(Summand(vectors, np.concatenate([one.points, two.points]), one.loss + two.loss))

    def pruned(self, given: Summand) -> Summand:
        found = prune(given.vectors, given.points, self.margin, self.stopping)
        return Summand(given.vectors[found.keep], found.points, given.loss + found.loss)
