"""Vectors block by block: the value functions of point-based and exact solvers, and how they become a policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from fogbound.core.policy import Strategy
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.mixed_observability import MixedObservability
from fogbound.policies.alpha_vectors import AlphaVectors
from fogbound.policies.mixture import fixed_others
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP, fixed_policies, fixed_policy_bound


@dataclass
class VectorSets:
    """For each block some vectors over its states, each with the choice that it starts with.

    Arrays are replaced, never written to, so that a shallow copy is a snapshot.
    """

    vectors: list[Floats]  # [B] of [k, the block's size]
    choices: list[Longs]  # [B] of [k]

    @property
    def count(self) -> int:
        return sum(map(len, self.choices))

    def snapshot(self) -> VectorSets:
        return VectorSets(list(self.vectors), list(self.choices))

    def add(self, block: int, vector: Floats, choice: int) -> None:
        """One more vector; those that it is nowhere below are not needed any more."""
        keep = (self.vectors[block] > vector).any(axis=1)
        self.vectors[block] = np.concatenate([self.vectors[block][keep], vector[None]])
        self.choices[block] = np.append(self.choices[block][keep], choice)

    def store(self, arrays: dict[str, NDArray[Any]], label: str = "") -> None:
        """Lay the sets out in three arrays, whose names begin with `label`."""
        arrays[label + "counts"] = np.array([len(choices) for choices in self.choices], np.int64)
        arrays[label + "choices"] = np.concatenate(self.choices)
        arrays[label + "vectors"] = np.concatenate([vectors.ravel() for vectors in self.vectors])

    @classmethod
    def stored(cls, arrays: dict[str, NDArray[Any]], blocks: MixedObservability, label: str = "") -> VectorSets:
        """What `store` wrote."""
        counts, sizes = arrays[label + "counts"], np.diff(blocks.first)
        parts = np.split(arrays[label + "vectors"], np.cumsum(counts * sizes)[:-1])
        vectors = [part.reshape(-1, size) for part, size in zip(parts, sizes.tolist())]
        return cls(vectors, np.split(arrays[label + "choices"], np.cumsum(counts)[:-1]))

    def profile(self, blocks: MixedObservability) -> dict[int, Strategy]:
        """The player that follows the best vector, and the others as they were fixed. The start takes no decision."""
        form = blocks.pomdp
        choices = np.concatenate(self.choices[1:]) if blocks.size > 1 else np.zeros(0, np.int64)
        vectors, at = np.full((len(choices), form.size), -np.inf), 0
        for block in range(1, blocks.size):
            here = self.vectors[block]
            vectors[at : at + len(here), blocks.state[blocks.first[block] : blocks.first[block + 1]]] = here
            at += len(here)
        return {form.player: AlphaVectors(form, vectors, blocks.action[choices]), **fixed_others(form)}


def blind_policy_sets(model: UnderlyingMDP) -> VectorSets:
    """What policies that never look earn: a lower bound that one step of thinking ahead only improves."""
    blocks, sets = model.blocks, VectorSets([], [])
    policies = fixed_policies(model)
    values = np.array([fixed_policy_bound(model, policy[blocks.block]) for policy in policies])
    for block in range(blocks.size):
        here = values[:, blocks.first[block] : blocks.first[block + 1]]
        wide = int(blocks.choice[block + 1] - blocks.choice[block])
        sets.vectors.append(here[:1])
        sets.choices.append(np.array([blocks.choice[block] + policies[0][block] % wide], np.int64))
        for vector, policy in zip(here[1:], policies[1:]):
            if not (sets.vectors[block] >= vector).all(axis=1).any():
                sets.add(block, vector, int(blocks.choice[block] + policy[block] % wide))
    return sets


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
