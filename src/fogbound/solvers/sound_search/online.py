"""A policy that thinks when it is asked: what it remembers is what its player has done and seen, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError
from fogbound.core.game import Observation
from fogbound.forms.arrays import Floats
from fogbound.forms.tree import Tree
from fogbound.policies.tabular import Tabular


@dataclass(frozen=True, eq=False)
class SearchingPolicy:
    """Play what `think` finds at the information set that was reached. Memory is the tree's number of what is known.

    Parameters
    ----------
    tree
        The game tree.
    player
        By index.
    think
        The probability of each move at an information set: a function of the set alone, so that play is too.
    """

    tree: Tree = field(repr=False)
    player: int
    think: Callable[[int], Floats] = field(repr=False)

    thinks: ClassVar[bool] = True

    @cached_property
    def _known(self) -> Tabular:
        """Follows what is seen."""
        return Tabular(self.tree, self.player, np.ones(1))

    def begin(self, observation: Observation) -> int:
        return self._known.begin(observation)

    def update(self, memory: int, action: Hashable | None, observation: Observation) -> int:
        return self._known.update(memory, action, observation)

    def act(self, memory: int, actions: Sequence[Hashable]) -> Dist[Hashable]:  # noqa: ARG002
        infoset = int(self.tree.memory_infoset[memory])
        if infoset < 0:
            raise PolicyError(f"a strategy for {self.tree.spec} is asked to move where that game never asks")
        found = self.think(infoset).tolist()
        return Dist(tuple((a, p) for a, p in zip(self.tree.moves(infoset), found) if p > 0))
