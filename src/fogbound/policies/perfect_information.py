"""Policies of players who know the state, where nothing is hidden and in Markov games: they choose by it alone.

A policy of the game is told only what its player sees. Where nothing is hidden that is enough to follow the state:
of the states that were possible, with every legal move of the others tried, those stay that would have looked as
what was seen did. When the player is asked to move and two are left, the game hides something after all.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError, brief
from fogbound.core.game import AnyGame, Observation
from fogbound.core.simulator import Branch, GameSimulator, by_observation, successors
from fogbound.forms.arrays import Floats
from fogbound.forms.markov import MarkovGame
from fogbound.forms.table import Table
from fogbound.forms.table_simulator import simulator
from fogbound.policies.controller import Controller, controller

Choose = Callable[[Any, Sequence[Any]], Dist[Any]]  # (state, legal actions) -> what to play


@dataclass(frozen=True, eq=False)
class StatePolicy:
    """Play `choose(state, actions)` where the state is. Memory: the states possible after all that was seen.

    Parameters
    ----------
    game
        A game, or a table; then states are the table's numbers, in memory and for `choose` alike.
    player
        By index.
    choose
        What to play, from the state and the legal actions.
    """

    game: AnyGame | Table = field(repr=False)
    player: int
    choose: Choose = field(repr=False)

    thinks: ClassVar[bool] = True

    @cached_property
    def simulator(self) -> GameSimulator:
        return simulator(self.game)

    def begin(self, observation: Observation) -> tuple[Any, ...]:
        return self._consistent(self.simulator.start(), observation)

    def update(self, memory: tuple[Any, ...], action: Any, observation: Observation) -> tuple[Any, ...]:
        return self._consistent(successors(self.simulator, memory, self.player, action), observation)

    def _consistent(self, branches: Iterable[Branch], observation: Observation) -> tuple[Any, ...]:
        """The states that look as what was seen did."""
        groups = by_observation(self.simulator, self.player, branches)
        label = self.simulator.observation_label
        return next((tuple(states) for z, states in groups.items() if label(self.player, z) == observation), ())

    def act(self, memory: tuple[Any, ...], actions: Sequence[Any]) -> Dist[Any]:
        return self.choose(self.state(memory), actions)

    def state(self, memory: tuple[Any, ...]) -> Any:
        """The one state in which the player, who remembers `memory`, can be asked to move."""
        asked = [state for state in memory if self.player in self.simulator.actors(state)]
        if len(asked) == 1:
            return asked[0]
        spec, name = self.simulator.spec, self.game.players[self.player]
        if not asked:
            raise PolicyError(f"{spec}: {name} is asked to move after observations that the game never shows it then")
        one, other = (brief(self.simulator.state_label(state)) for state in asked[:2])
        raise PolicyError(
            f"{spec} hides something: {name} is asked to move and cannot tell state {one} from {other}. This policy "
            "is for players who see everything; use a solver of hidden information"
        )


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
