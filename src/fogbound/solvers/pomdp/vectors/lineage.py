"""Where vectors come from: the choice that each starts with, and the vector it goes on with after each outcome.

Pruning keeps the maximum and may drop a vector that others go on with. If a single vector is nowhere below the dropped
one, it stands for it; if only several together are, the dropped one stays in the lineage for as long as something
leads to it. So the lineage is closed: it can be followed for ever, and its greedy policy earns what it says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.driver.kept import Kept
from fogbound.forms.arrays import Floats, Longs, offsets, ranges
from fogbound.forms.mixed_observability import MixedObservability
from fogbound.solvers.pomdp.kernels.policy_evaluation import VectorGraph

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

    def graph(self, blocks: MixedObservability) -> VectorGraph:
        """All of them, but those of the start, oldest first."""
        live = [(name, own) for name, own in self.known.items() if own.choice >= blocks.choice[1]]
        number = {name: k for k, (name, _) in enumerate(live)}
        return VectorGraph(
            choice=np.array([own.choice for _, own in live], np.int64),
            pairs=offsets(np.array([len(own.vector) for _, own in live], np.int64)),
            arrows=offsets(np.array([len(own.after) for _, own in live], np.int64)),
            after=np.array([number[after] for _, own in live for after in own.after], np.int64),
            value=np.concatenate([np.zeros(0), *(own.vector for _, own in live)]),
            first=np.zeros(0, np.int64),
        )

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
