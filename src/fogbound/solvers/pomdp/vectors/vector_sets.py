"""Vectors block by block, the value functions of point-based and exact solvers, and where each vector comes from.

The lineage of a vector is the choice that it starts with, and the vector it goes on with after each outcome. Pruning
may drop a vector that others go on with. If a single vector is nowhere below the dropped one, it stands for it; if only
several together are, the dropped one stays in the lineage for as long as something leads to it. So the lineage is
closed: it can be followed for ever, and its greedy policy earns what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from fogbound.core.policy import Strategy
from fogbound.driver.kept import MOST, Kept
from fogbound.driver.protocol import Evidence
from fogbound.forms.arrays import Floats, Longs, ranges
from fogbound.forms.mixed_observability import MixedObservability
from fogbound.solvers.pomdp.greedy import GreedyVectors, unprovable
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP, fixed_policies, fixed_policy_bound
from fogbound.solvers.pomdp.kernels import VectorGraph

LABEL = "lineage-"


@dataclass(frozen=True, eq=False)
class Descent:
    """One vector, and the names of those that follow it, one for each outcome of its choice."""

    choice: int
    vector: Floats
    after: tuple[int, ...]


@dataclass
class Lineage:
    """Vectors by name; a name is never given twice."""

    known: dict[int, Descent] = field(default_factory=dict)
    stands: dict[int, int] = field(default_factory=dict)  # the vector that stands for one that was dropped
    fresh: int = 0

    def record(self, choice: int, vector: Floats, after: Sequence[int]) -> int:
        """The name of a new vector."""
        self.known[self.fresh] = Descent(choice, vector, tuple(after))
        self.fresh += 1
        return self.fresh - 1

    def replace(self, names: Iterable[int], name: int) -> None:
        """Let one vector stand for others, none of which is above it."""
        self.stands |= dict.fromkeys(names, name)

    def current(self, name: int) -> int:
        """The vector itself, or what stands for it."""
        while name in self.stands:
            name = self.stands[name]
        return name

    def keep(self, names: Iterable[int]) -> None:
        """Forget all but these and what they lead to."""
        kept: dict[int, Descent] = {}
        queue = list(dict.fromkeys(map(self.current, names)))
        for name in queue:  # grows while it is walked
            if name not in kept:
                own = self.known[name]
                kept[name] = Descent(own.choice, own.vector, tuple(map(self.current, own.after)))
                queue += kept[name].after
        self.known, self.stands = dict(sorted(kept.items())), {}

    def cover(self, blocks: MixedObservability, block: int, names: Longs, vectors: Floats, margin: float) -> None:
        """Let these vectors of a block stand for the others that one of them is nowhere further below than `margin`."""
        own, low, high = set(names.tolist()), blocks.choice[block], blocks.choice[block + 1]
        for name, old in self.known.items():
            if low <= old.choice < high and name not in own:
                short = (old.vector - vectors).max(axis=1)
                if short.min() <= margin:
                    self.stands[name] = int(names[int(short.argmin())])

    def graph(self, mdp: UnderlyingMDP) -> VectorGraph:
        """All of them, but those of the start, oldest first."""
        live = [(name, own) for name, own in self.known.items() if own.choice >= mdp.blocks.choice[1]]
        number = {name: k for k, (name, _) in enumerate(live)}
        choice = np.array([own.choice for _, own in live], np.int64)
        after = np.array([number[after] for _, own in live for after in own.after], np.int64)
        value = np.concatenate([np.zeros(0), *(own.vector for _, own in live)])
        return mdp.vector_graph(choice, after, value)

    def store(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Lay the lineage out in arrays; nothing is dropped that is not yet forgotten."""
        own = list(self.known.values())
        arrays[LABEL + "names"] = np.array([*self.known, self.fresh], np.int64)
        arrays[LABEL + "choices"] = np.array([one.choice for one in own], np.int64)
        arrays[LABEL + "vectors"] = np.concatenate([np.zeros(0), *(one.vector for one in own)])
        arrays[LABEL + "after"] = np.array([name for one in own for name in one.after], np.int64)

    @staticmethod
    def declare(kept: Kept, blocks: MixedObservability) -> None:
        """Declare what `store` wrote: vectors that lead to vectors of the blocks where their choices' outcomes lead."""
        names = kept.integers(LABEL + "names", (None,))
        kept.require(LABEL + "names", len(names) > 0 and bool((np.diff(names) > 0).all()), "names that rise")
        choices = kept.integers(LABEL + "choices", (len(names) - 1,), high=len(blocks.action) - 1)
        sizes = np.diff(blocks.first)[np.searchsorted(blocks.choice, choices, side="right") - 1]
        kept.reals(LABEL + "vectors", (int(sizes.sum()),))
        outcomes = ranges(blocks.outcome[choices], np.diff(blocks.outcome)[choices])
        after = kept.integers(LABEL + "after", (len(outcomes),))
        own = np.searchsorted(blocks.choice, Lineage.declared_choices(kept, after), side="right") - 1
        kept.equals(LABEL + "after", own, blocks.target[outcomes])

    @staticmethod
    def declared_choices(kept: Kept, names: Longs) -> Longs:
        """[k] the choices of these vectors, in the lineage that a checkpoint holds; names that it lacks are refused."""
        known = kept.integers(LABEL + "names", (None,))[:-1]
        choices = kept.integers(LABEL + "choices", (len(known),))
        place = np.minimum(np.searchsorted(known, names), max(len(known) - 1, 0))
        kept.require(
            LABEL + "names", len(known) > 0 and bool((known[place] == names).all()), "every vector that is named"
        )
        chosen: Longs = choices[place]
        return chosen

    @classmethod
    def stored(cls, arrays: dict[str, NDArray[Any]], blocks: MixedObservability) -> Lineage:
        """What `store` wrote."""
        *names, fresh = arrays[LABEL + "names"].tolist()
        choices = arrays[LABEL + "choices"]
        size = np.diff(blocks.first)[np.searchsorted(blocks.choice, choices, side="right") - 1]
        vectors = np.split(arrays[LABEL + "vectors"], np.cumsum(size)[:-1])
        after = np.split(arrays[LABEL + "after"], np.cumsum(np.diff(blocks.outcome)[choices])[:-1])
        known = {
            name: Descent(choice, vector, tuple(then.tolist()))
            for name, choice, vector, then in zip(names, choices.tolist(), vectors, after)
        }
        return cls(known, {}, fresh)


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


@dataclass(frozen=True, eq=False)
class VectorAnswer:
    """Vectors with what they lead to, settled, and the evidence for both bounds."""

    mdp: UnderlyingMDP
    lineage: Lineage
    upper: float
    above: Callable[[], tuple[dict[str, NDArray[Any]], float]]  # evidence for the upper bound, and what it proves
    details: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def greedy(self) -> GreedyVectors:
        return GreedyVectors.settled(self.mdp, self.lineage.graph(self.mdp))

    def profile(self) -> dict[int, Strategy]:
        return self.greedy.profile()

    def evidence(self) -> Evidence:
        """Vectors with their successors below, what `above` makes above."""
        lower, why = self.greedy.earned(), unprovable(self.mdp.blocks.pomdp)
        if why:
            return Evidence.missing(why, lower, max(lower, self.upper))
        arrays, upper = self.above()
        return Evidence({**self.greedy.evidence(), **arrays}, lower, max(lower, upper), self.details)


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
