"""The number of the information set in which a player is asked to move: what a table of values is indexed by."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fogbound.core.game import Observation
from fogbound.forms.decisions import Decisions, History
from fogbound.interop.extra import environments_extra
from fogbound.policies.tabular import Tabular


@dataclass(frozen=True, eq=False)
class InformationSetNumber:
    """From 1 on, parents first; 0 wherever the player is not asked. Memory is what the player knows, by number.

    Parameters
    ----------
    decisions
        The memories and information sets of the game.
    player
        By index.
    """

    decisions: Decisions = field(repr=False)
    player: int

    @cached_property
    def _follower(self) -> Tabular:
        """Finds memories; what it would do is not asked."""
        return Tabular(self.decisions, self.player, np.zeros(0))

    @cached_property
    def _number(self) -> list[int]:
        """[memories] what each is shown as."""
        number = {int(infoset): k + 1 for k, infoset in enumerate(self.decisions.sets_of(self.player))}
        return [number.get(infoset, 0) for infoset in self.decisions.memory_infoset.tolist()]

    def begin(self, observation: Observation) -> int:
        return self._follower.begin(observation)

    def update(self, memory: int, action: Hashable | None, observation: Observation) -> int:
        return self._follower.update(memory, action, observation)

    def encode(self, memory: int, asked: bool) -> np.int64:
        return np.int64(self._number[memory] if asked else 0)

    def history(self, number: int) -> History:
        """What the player knows in the information set that is shown as `number`: all it saw and did, in words."""
        infoset = self.decisions.sets_of(self.player)[number - 1]
        return self.decisions.history(self.player, int(self.decisions.set_memory[infoset]))

    def space(self) -> Any:
        with environments_extra():
            from gymnasium.spaces import Discrete
        return Discrete(len(self.decisions.sets_of(self.player)) + 1)
