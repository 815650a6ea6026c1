"""Vectors block by block: the value functions of point-based and exact solvers, and how they become a policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from fogbound.core.policy import Strategy
from fogbound.driver.kept import MOST, Kept
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.mixed_observability import MixedObservability
from fogbound.policies.alpha_vectors import AlphaVectors
from fogbound.policies.mixture import fixed_others
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP, fixed_policies, fixed_policy_bound


@dataclass
class VectorSets:
    """For each block some vectors over its states, each with the slot that it starts with.

    Arrays are replaced, never written to, so that a shallow copy is a snapshot.
    """

    vectors: list[Floats]  # [B] of [k, the block's size]
    slots: list[Longs]  # [B] of [k]

    @property
    def count(self) -> int:
        return sum(map(len, self.slots))

    def snapshot(self) -> VectorSets:
        return VectorSets(list(self.vectors), list(self.slots))

    def add(self, block: int, vector: Floats, slot: int) -> None:
        """One more vector; those that it is nowhere below are not needed any more."""
        keep = (self.vectors[block] > vector).any(axis=1)
        self.vectors[block] = np.concatenate([self.vectors[block][keep], vector[None]])
        self.slots[block] = np.append(self.slots[block][keep], slot)

    def store(self, arrays: dict[str, NDArray[Any]], label: str = "") -> None:
        """Lay the sets out in three arrays, whose names begin with `label`."""
        arrays[label + "counts"] = np.array([len(slots) for slots in self.slots], np.int64)
        arrays[label + "slots"] = np.concatenate(self.slots)
        arrays[label + "vectors"] = np.concatenate([vectors.ravel() for vectors in self.vectors])

    @classmethod
    def stored(cls, arrays: dict[str, NDArray[Any]], blocks: MixedObservability, label: str = "") -> VectorSets:
        """What `store` wrote."""
        counts, sizes = arrays[label + "counts"], np.diff(blocks.first)
        parts = np.split(arrays[label + "vectors"], np.cumsum(counts * sizes)[:-1])
        vectors = [part.reshape(-1, size) for part, size in zip(parts, sizes.tolist())]
        return cls(vectors, np.split(arrays[label + "slots"], np.cumsum(counts)[:-1]))

    @staticmethod
    def declare(kept: Kept, blocks: MixedObservability, label: str = "") -> None:
        """Declare what `store` wrote: at least one vector a block, which begins with one of its actions."""
        counts = kept.integers(label + "counts", (blocks.size,), 1, MOST // len(blocks.state))
        kept.reals(label + "vectors", (int(counts @ np.diff(blocks.first)),))
        slots = kept.integers(label + "slots", (int(counts.sum()),), high=len(blocks.action) - 1)
        own = np.searchsorted(blocks.slot, slots, side="right") - 1
        kept.equals(label + "slots", own, np.repeat(np.arange(blocks.size), counts))

    def profile(self, blocks: MixedObservability) -> dict[int, Strategy]:
        """The player that follows the best vector, and the others as they were fixed. The start takes no decision."""
        form = blocks.pomdp
        slots = np.concatenate(self.slots[1:]) if blocks.size > 1 else np.zeros(0, np.int64)
        vectors, at = np.full((len(slots), form.size), -np.inf), 0
        for block in range(1, blocks.size):
            here = self.vectors[block]
            vectors[at : at + len(here), blocks.state[blocks.first[block] : blocks.first[block + 1]]] = here
            at += len(here)
        return {form.player: AlphaVectors(form, vectors, blocks.action[slots]), **fixed_others(form)}


def blind_policy_sets(model: UnderlyingMDP) -> VectorSets:
    """What policies that never look earn: a lower bound that one step of thinking ahead only improves."""
    blocks, sets = model.blocks, VectorSets([], [])
    policies = fixed_policies(model)
    values = np.array([fixed_policy_bound(model, policy[blocks.block]) for policy in policies])
    for block in range(blocks.size):
        here = values[:, blocks.first[block] : blocks.first[block + 1]]
        wide = int(blocks.slot[block + 1] - blocks.slot[block])
        sets.vectors.append(here[:1])
        sets.slots.append(np.array([blocks.slot[block] + policies[0][block] % wide], np.int64))
        for vector, policy in zip(here[1:], policies[1:]):
            if not (sets.vectors[block] >= vector).all(axis=1).any():
                sets.add(block, vector, int(blocks.slot[block] + policy[block] % wide))
    return sets


class BlockDynamics:
    """Where a slot leads, as one matrix a branch; each is made when first asked for."""

    def __init__(self, blocks: MixedObservability) -> None:
        self.blocks = blocks
        self.owner = np.repeat(np.arange(blocks.size), np.diff(blocks.slot))  # [Q] the block of a slot
        self._moves: dict[int, csr_matrix] = {}

    def slots(self, block: int) -> range:
        return range(int(self.blocks.slot[block]), int(self.blocks.slot[block + 1]))

    def branches(self, slot: int) -> range:
        return range(int(self.blocks.branch[slot]), int(self.blocks.branch[slot + 1]))

    def reward(self, slot: int) -> Floats:
        """[the block's size]"""
        return self.blocks.reward[self.blocks.offset[slot] : self.blocks.offset[slot + 1]]

    def target(self, branch: int) -> int:
        return int(self.blocks.target[branch])

    def moves(self, slot: int, branch: int) -> csr_matrix:
        """[the block's size, the target's size] discounted probabilities."""
        matrix = self._moves.get(branch)
        if matrix is None:
            b, block, after = self.blocks, self.owner[slot], self.blocks.target[branch]
            size = int(b.first[block + 1] - b.first[block])
            start = b.start[b.begin[branch] : b.begin[branch] + size + 1]
            span = slice(int(start[0]), int(start[-1]))
            shape = (size, int(b.first[after + 1] - b.first[after]))
            matrix = csr_matrix((b.weight[span], b.to[span], start - start[0]), shape=shape)
            self._moves[branch] = matrix
        return matrix
