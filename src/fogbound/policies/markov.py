"""A Markov policy: what one does depends on the state alone, which whoever moves in a Markov game knows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from fogbound.core.dist import Dist
from fogbound.core.game import Observation
from fogbound.forms.arrays import Floats
from fogbound.forms.markov import MarkovGame
from fogbound.policies.controller import Controller, controller
from fogbound.policies.perfect_information import StatePolicy


@dataclass(frozen=True, eq=False)
class MarkovPolicy:
    """Play by the state. Memory: the states possible after all that was seen, of which one can ask for a move.

    Parameters
    ----------
    form
        The Markov game.
    player
        By index.
    played
        [choices of the player] the probability of each action in each state.

    Examples
    --------
    >>> import fogbound as fb
    >>> form = fb.forms.markov(fb.game("rock-paper-scissors"))
    >>> policy = fb.policies.MarkovPolicy(form, 0, form.uniform[0])
    >>> policy.at(0).support()
    ('rock', 'paper', 'scissors')
    """

    form: MarkovGame = field(repr=False)
    player: int
    played: Floats = field(repr=False)  # [choices of the player]

    @cached_property
    def _follower(self) -> StatePolicy:
        table, number = self.form.enumerated
        return StatePolicy(table, self.player, lambda state, _: self.at(int(number[state])))

    def begin(self, observation: Observation) -> tuple[Any, ...]:
        return self._follower.begin(observation)

    def update(self, memory: tuple[Any, ...], action: Hashable | None, observation: Observation) -> tuple[Any, ...]:
        return self._follower.update(memory, action, observation)

    def act(self, memory: tuple[Any, ...], actions: Sequence[Hashable]) -> Dist[Hashable]:
        return self._follower.act(memory, actions)

    def at(self, state: int) -> Dist[Hashable]:
        """What is played in a state of the form."""
        return self.form.at(self.played, state, self.player)

    def controller(self) -> Controller:
        """The same as a controller that knows how to go on from everywhere, also after what it would not do."""
        return controller(self.form.enumerated[0], self.player, self._follower, total=True)
