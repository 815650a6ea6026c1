"""Vectors block by block: the value functions of point-based and exact solvers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.mixed_observability import MixedObservability
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP, fixed_policies, fixed_policy_bound
from fogbound.solvers.pomdp.vectors.lineage import Lineage


@dataclass
class VectorSets:
    """For each block some vectors over its states, each with the slot that it starts with and its name in a lineage.

    Arrays are replaced, never written to, so that a shallow copy is a snapshot.
    """

    vectors: list[Floats]  # [B] of [k, the block's size]
    slots: list[Longs]  # [B] of [k]
    names: list[Longs]  # [B] of [k]

    @property
    def count(self) -> int:
        return sum(map(len, self.slots))

    def snapshot(self) -> VectorSets:
        return VectorSets(list(self.vectors), list(self.slots), list(self.names))

    def every_name(self) -> list[int]:
        return [name for names in self.names for name in names.tolist()]

    def add(self, block: int, vector: Floats, slot: int, name: int) -> list[int]:
        """One more vector; those that it is nowhere below are not needed any more. Their names."""
        keep = (self.vectors[block] > vector).any(axis=1)
        self.vectors[block] = np.concatenate([self.vectors[block][keep], vector[None]])
        self.slots[block] = np.append(self.slots[block][keep], slot)
        gone: list[int] = self.names[block][~keep].tolist()
        self.names[block] = np.append(self.names[block][keep], name)
        return gone

    def store(self, arrays: dict[str, NDArray[Any]], label: str = "") -> None:
        """Lay the sets out in arrays, whose names begin with `label`."""
        arrays[label + "counts"] = np.array([len(slots) for slots in self.slots], np.int64)
        arrays[label + "slots"] = np.concatenate(self.slots)
        arrays[label + "names"] = np.concatenate(self.names)
        arrays[label + "vectors"] = np.concatenate([vectors.ravel() for vectors in self.vectors])

    @classmethod
    def stored(cls, arrays: dict[str, NDArray[Any]], blocks: MixedObservability, label: str = "") -> VectorSets:
        """What `store` wrote."""
        counts, sizes = arrays[label + "counts"], np.diff(blocks.first)
        parts = np.split(arrays[label + "vectors"], np.cumsum(counts * sizes)[:-1])
        vectors = [part.reshape(-1, size) for part, size in zip(parts, sizes.tolist())]
        ends = np.cumsum(counts)[:-1]
        return cls(vectors, *(np.split(arrays[label + name], ends) for name in ("slots", "names")))


def blind_policy_sets(model: UnderlyingMDP) -> tuple[VectorSets, Lineage]:
    """What policies that never look earn: a lower bound that one step of thinking ahead only improves."""
    blocks, sets, lineage = model.blocks, VectorSets([], [], []), Lineage()
    policies = fixed_policies(model)
    values = np.array([fixed_policy_bound(model, policy[blocks.block]) for policy in policies])
    for vector, policy in zip(values, policies):
        slots, first = blocks.slot[:-1] + policy % np.diff(blocks.slot), lineage.fresh  # it goes on as it began
        for block, slot in enumerate(slots.tolist()):
            after = first + blocks.target[blocks.branch[slot] : blocks.branch[slot + 1]]
            own = vector[blocks.first[block] : blocks.first[block + 1]]
            name = lineage.record(slot, own, after.tolist())
            if len(sets.slots) == block:
                sets.vectors.append(own[None])
                sets.slots.append(np.array([slot], np.int64))
                sets.names.append(np.array([name], np.int64))
                continue
            above = (sets.vectors[block] >= own).all(axis=1)
            if above.any():
                lineage.replace([name], int(sets.names[block][above.argmax()]))
            else:
                lineage.replace(sets.add(block, own, slot, name), name)
    lineage.keep(sets.every_name())
    return sets, lineage


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
