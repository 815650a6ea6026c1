"""Vectors block by block: the value functions of point-based and exact solvers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from fogbound.driver.kept import MOST, Kept
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.mixed_observability import MixedObservability
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP, fixed_policies, fixed_policy_bound
from fogbound.solvers.pomdp.vectors.lineage import Lineage


@dataclass
class VectorSets:
    """For each block some vectors over its states, each with the choice that it starts with and its name in a lineage.

    Arrays are replaced, never written to, so that a shallow copy is a snapshot.
    """

    vectors: list[Floats]  # [B] of [k, the block's size]
    choices: list[Longs]  # [B] of [k]
    names: list[Longs]  # [B] of [k]

    @property
    def count(self) -> int:
        return sum(map(len, self.choices))

    def snapshot(self) -> VectorSets:
        return VectorSets(list(self.vectors), list(self.choices), list(self.names))

    def every_name(self) -> list[int]:
        return [name for names in self.names for name in names.tolist()]

    def add(self, block: int, vector: Floats, choice: int, name: int) -> list[int]:
        """One more vector; those that it is nowhere below are not needed any more. Their names."""
        keep = (self.vectors[block] > vector).any(axis=1)
        self.vectors[block] = np.concatenate([self.vectors[block][keep], vector[None]])
        self.choices[block] = np.append(self.choices[block][keep], choice)
        gone: list[int] = self.names[block][~keep].tolist()
        self.names[block] = np.append(self.names[block][keep], name)
        return gone

    def store(self, arrays: dict[str, NDArray[Any]], label: str = "") -> None:
        """Lay the sets out in arrays, whose names begin with `label`."""
        arrays[label + "counts"] = np.array([len(choices) for choices in self.choices], np.int64)
        arrays[label + "choices"] = np.concatenate(self.choices)
        arrays[label + "names"] = np.concatenate(self.names)
        arrays[label + "vectors"] = np.concatenate([vectors.ravel() for vectors in self.vectors])

    @classmethod
    def stored(cls, arrays: dict[str, NDArray[Any]], blocks: MixedObservability, label: str = "") -> VectorSets:
        """What `store` wrote."""
        counts, sizes = arrays[label + "counts"], np.diff(blocks.first)
        parts = np.split(arrays[label + "vectors"], np.cumsum(counts * sizes)[:-1])
        vectors = [part.reshape(-1, size) for part, size in zip(parts, sizes.tolist())]
        ends = np.cumsum(counts)[:-1]
        return cls(vectors, *(np.split(arrays[label + name], ends) for name in ("choices", "names")))

    @staticmethod
    def declare(kept: Kept, blocks: MixedObservability, label: str = "") -> None:
        """Declare what `store` wrote: at least one vector a block, with one of its choices, in the lineage."""
        counts = kept.integers(label + "counts", (blocks.size,), 1, MOST // len(blocks.state))
        kept.reals(label + "vectors", (int(counts @ np.diff(blocks.first)),))
        choices = kept.integers(label + "choices", (int(counts.sum()),), high=len(blocks.action) - 1)
        own = np.searchsorted(blocks.choice, choices, side="right") - 1
        kept.equals(label + "choices", own, np.repeat(np.arange(blocks.size), counts))
        names = kept.integers(label + "names", (int(counts.sum()),))
        kept.equals(label + "names", Lineage.declared_choices(kept, names), choices)


def blind_policy_sets(model: UnderlyingMDP) -> tuple[VectorSets, Lineage]:
    """What policies that never look earn: a lower bound that one step of thinking ahead only improves."""
    blocks, sets, lineage = model.blocks, VectorSets([], [], []), Lineage()
    policies = fixed_policies(model)
    values = np.array([fixed_policy_bound(model, policy[blocks.block]) for policy in policies])
    for vector, policy in zip(values, policies):
        choices, first = blocks.choice[:-1] + policy % np.diff(blocks.choice), lineage.fresh  # it goes on as it began
        for block, choice in enumerate(choices.tolist()):
            after = first + blocks.target[blocks.outcome[choice] : blocks.outcome[choice + 1]]
            own = vector[blocks.first[block] : blocks.first[block + 1]]
            name = lineage.record(choice, own, after.tolist())
            if len(sets.choices) == block:
                sets.vectors.append(own[None])
                sets.choices.append(np.array([choice], np.int64))
                sets.names.append(np.array([name], np.int64))
                continue
            above = (sets.vectors[block] >= own).all(axis=1)
            if above.any():
                lineage.replace([name], int(sets.names[block][above.argmax()]))
            else:
                lineage.replace(sets.add(block, own, choice, name), name)
    lineage.keep(sets.every_name())
    return sets, lineage


class BlockDynamics:
    """Where a choice leads, as one matrix an outcome; each is made when first asked for."""

    def __init__(self, blocks: MixedObservability) -> None:
        self.blocks = blocks
        self.owner = np.repeat(np.arange(blocks.size), np.diff(blocks.choice))  # [Q] the block of a choice
        self._moves: dict[int, csr_matrix] = {}

    def choices(self, block: int) -> range:
        return range(int(self.blocks.choice[block]), int(self.blocks.choice[block + 1]))

    def outcomes(self, choice: int) -> range:
        return range(int(self.blocks.outcome[choice]), int(self.blocks.outcome[choice + 1]))

    def reward(self, choice: int) -> Floats:
        """[the block's size]"""
        return self.blocks.reward[self.blocks.offset[choice] : self.blocks.offset[choice + 1]]

    def target(self, outcome: int) -> int:
        return int(self.blocks.target[outcome])

    def moves(self, choice: int, outcome: int) -> csr_matrix:
        """[the block's size, the target's size] discounted probabilities."""
        matrix = self._moves.get(outcome)
        if matrix is None:
            b, block, after = self.blocks, self.owner[choice], self.blocks.target[outcome]
            size = int(b.first[block + 1] - b.first[block])
            start = b.start[b.begin[outcome] : b.begin[outcome] + size + 1]
            span = slice(int(start[0]), int(start[-1]))
            shape = (size, int(b.first[after + 1] - b.first[after]))
            matrix = csr_matrix((b.weight[span], b.to[span], start - start[0]), shape=shape)
            self._moves[outcome] = matrix
        return matrix
