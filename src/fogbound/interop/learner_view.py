"""One player's side of an environment: its actions by number, which are legal, and what it is shown.

Environments are made of views, and policies of agents that were trained in them are, too: both number and encode alike.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import PolicyError, brief
from fogbound.core.game import AnyGame, Observation
from fogbound.forms.table import Table
from fogbound.interop.encoders import Encoder
from fogbound.interop.extra import environments_extra

Shown = dict[str, Any]  # observation, action_mask


@dataclass(frozen=True, eq=False)
class LearnerView:
    """What one player is shown, and its actions by number.

    Parameters
    ----------
    game
        The rules.
    player
        By index.
    encoder
        How its knowledge becomes numbers.
    actions
        All that it may ever do; its numbers are the places here.
    waits
        Whether there is one number more, the last, for a turn in which it is not asked.
    form
        The game as arrays, where it was enumerated.
    """

    game: AnyGame
    player: int
    encoder: Encoder
    actions: tuple[Hashable, ...]
    waits: bool = False
    form: Table | None = field(default=None, repr=False)

    def __deepcopy__(self, memo: dict[int, Any]) -> LearnerView:
        """A view never changes: copies of an environment share it, and the arrays behind it."""
        return self

    @property
    def name(self) -> str:
        """The player's name."""
        return self.game.players[self.player]

    @property
    def size(self) -> int:
        """How many numbers an action may have."""
        return len(self.actions) + self.waits

    @cached_property
    def _numbers(self) -> dict[Hashable, int]:
        return {action: k for k, action in enumerate(self.actions)}

    @cached_property
    def _masks(self) -> dict[tuple[Hashable, ...], NDArray[np.int8]]:
        return {}

    def begin(self, observation: Observation) -> Any:
        """Memory after the first observation."""
        return self.encoder.begin(observation)

    def update(self, memory: Any, action: Hashable | None, observation: Observation) -> Any:
        """Memory after a step."""
        return self.encoder.update(memory, action, observation)

    def shown(self, memory: Any, legal: tuple[Hashable, ...], over: bool = False) -> Shown:
        """What an environment gives: `legal` is () where the player is not asked."""
        return {"observation": self.encoder.encode(memory, bool(legal)), "action_mask": self.mask(legal, over)}

    def mask(self, legal: tuple[Hashable, ...], over: bool = False) -> NDArray[np.int8]:
        """[size] 1 for what may be done: a legal action, or to wait where there is none and it is not over."""
        if over:
            return np.zeros(self.size, np.int8)
        if legal not in self._masks:
            mask = np.zeros(self.size, np.int8)
            mask[[self.number(action) for action in legal] if legal else slice(len(self.actions), None)] = 1
            self._masks[legal] = mask
        return self._masks[legal].copy()

    def number(self, action: Hashable) -> int:
        """The number of an action; PolicyError where the player never has it."""
        found = self._numbers.get(action)
        if found is None:
            raise PolicyError(f"{self.game}: {self.name} has no action {brief(action)} in this view")
        return found

    def chosen(self, number: Any, legal: tuple[Hashable, ...]) -> int | None:
        """The place among `legal` of the action with a number, -1 for waiting where that is due; None: not legal.

        A number that is no action of the player at all is a mistake whatever is legal: PolicyError.
        """
        try:
            place = index(number)
        except TypeError:
            raise PolicyError(f"{self.name} does {brief(number)}, expected a whole number below {self.size}") from None
        if not 0 <= place < self.size:
            raise PolicyError(f"{self.name} does {place}, expected a whole number from 0 to {self.size - 1}")
        if place == len(self.actions):
            return None if legal else -1
        action = self.actions[place]
        return legal.index(action) if action in legal else None

    def refused(self, number: int, legal: tuple[Hashable, ...]) -> str:
        """The complaint about an action that is not legal."""
        did = "waits" if number == len(self.actions) else f"does {brief(self.actions[number])}"
        may = " or ".join(brief(action) for action in legal[:8]) or ("wait" if self.waits else "do nothing")
        return f"{self.game}: {self.name} {did}, which is not legal now; it may {may} (see action_mask)"

    @cached_property
    def space(self) -> Any:
        """What is shown, as a gymnasium space."""
        with environments_extra():
            from gymnasium.spaces import Dict, MultiBinary
        return Dict({"observation": self.encoder.space(), "action_mask": MultiBinary(self.size)})

    @cached_property
    def action_space(self) -> Any:
        """The numbers of actions, as a gymnasium space."""
        with environments_extra():
            from gymnasium.spaces import Discrete
        return Discrete(self.size)


def price_of(why: str, forfeit: float | None) -> float:
    """What an illegal action is paid, which ends the game.

    Parameters
    ----------
    why
        The complaint about it.
    forfeit
        The price, as an environment was given it.

    Raises
    ------
    PolicyError
        It has no price: then it is a mistake.
    """
    if forfeit is None:
        raise PolicyError(f"{why}; forfeit= makes it the end of the game instead")
    return forfeit
