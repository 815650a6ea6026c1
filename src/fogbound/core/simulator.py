"""A game as something to step through, from its rules or from arrays: one protocol for both.

Whatever walks over a game (the states that a player cannot tell apart, states together with what fixed players
remember) asks only this. Rules step over the author's own values, which makes them fit for games too large to
enumerate; arrays step over numbers. What stands for a state, an action, a list of legal actions, an observation or an
event is whatever the simulator uses for it; only the methods called labels give the author's words back.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product
from math import isfinite
from typing import Any, NoReturn, Protocol

from fogbound.core.contract import no_action, ordered
from fogbound.core.dist import Dist, Rng, SampledDist
from fogbound.core.errors import GameError, brief, many
from fogbound.core.game import AnyGame, Observation, Outcome

State = Any
Action = Any
Legal = Any  # stands for a list of legal actions
Seen = Any  # stands for an observation of one player
Event = Any  # stands for what an outcome pays and shows
Branch = tuple[State, Event, float]  # an outcome: where it leads, what is paid and seen, its probability


class Labels(Protocol):
    """The author's words for what a model uses in their place."""

    def legal_labels(self, legal: Legal) -> tuple[Hashable, ...]: ...

    def action_label(self, action: Action) -> Hashable | None: ...  # None for `waiting`

    def observation_label(self, player: int, seen: Seen) -> Observation: ...


class GameSimulator(Labels, Protocol):
    """A game, one step at a time."""

    @property
    def spec(self) -> str: ...

    players: tuple[str, ...]
    waiting: Action  # stands for not being asked, where an own action is expected

    def start(self) -> Sequence[Branch]: ...

    def actors(self, state: State) -> tuple[int, ...]: ...  # () = the game is over

    def legal(self, state: State, actors: tuple[int, ...]) -> Sequence[Legal]:
        """One list of legal actions for each of `actors(state)`."""
        ...

    def actions(self, legal: Legal) -> Sequence[Action]: ...  # the list itself

    def step(self, state: State, legal: Sequence[Legal], joint: Sequence[int]) -> Sequence[Branch]:
        """What follows when each actor makes the move at its place of `joint` in its list of `legal(state, actors)`."""
        ...

    def observed(self, event: Event, player: int) -> Seen: ...

    def paid(self, event: Event) -> Sequence[float]: ...  # to each player

    def state_label(self, state: State) -> Hashable: ...


class RuleSimulator:
    """Steps by asking the game itself: nothing is numbered, nothing is kept, what the author returns is checked.

    It is the one that asks the rules of a game as it is played. Who walks over all that may follow takes branches; who
    plays takes the distribution of `opening` and `outcomes`, and draws from it.
    """

    waiting = None

    def __init__(self, game: AnyGame) -> None:
        self.game, self.players = game, tuple(game.players)
        self.actors, self._actions, self._step = game.actors, game.actions, game.step
        self._unpaid = (0.0,) * len(self.players)

    @cached_property
    def spec(self) -> str:
        return str(self.game)

    def opening(self) -> Dist[Outcome[Any]]:
        """How the game may begin."""
        return self._checked(self.game.start(), None, None)

    def outcomes(self, state: State, actions: tuple[Hashable, ...]) -> Dist[Outcome[Any]]:
        """What may follow when the actors do `actions`, one each, as the author lists it."""
        return self._checked(self._step(state, actions), state, actions)

    def drawn(self, state: State, actions: tuple[Hashable, ...], rng: Rng) -> Outcome[Any]:
        """One of those `outcomes`."""
        outcomes = self._step(state, actions)
        if isinstance(outcomes, SampledDist):
            return self._checked(outcomes, state, actions).sample(rng)
        pairs = outcomes.pairs
        if len(pairs) == 1 and pairs[0][1] == 1.0:  # the usual case, and nothing can be wrong with it
            return pairs[0][0]
        return self._checked(outcomes, state, actions).sample(rng)

    def start(self) -> list[Branch]:
        return _branches(self.opening())

    def legal(self, state: State, actors: tuple[int, ...]) -> list[tuple[Hashable, ...]]:
        lists = []
        for player in actors:
            offered = self._actions(state, player)
            legal = offered if type(offered) is tuple else ordered(self.game, offered, state)
            if not legal:
                raise GameError(no_action(self.game, player, state))
            lists.append(legal)
        return lists

    def actions(self, legal: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        return legal

    def step(self, state: State, legal: Sequence[tuple[Hashable, ...]], joint: Sequence[int]) -> list[Branch]:
        return _branches(self.outcomes(state, tuple([offered[place] for offered, place in zip(legal, joint)])))

    def _checked(self, outcomes: Dist[Outcome[Any]], state: Any, joint: Any) -> Dist[Outcome[Any]]:
        fault = outcomes.fault()
        if fault:
            where = "in start()" if joint is None else f"at state {brief(state)} after {brief(joint)}"
            raise GameError(f"{self.spec}: found {fault}, {where}")
        return outcomes

    def observed(self, event: Outcome[Any], player: int) -> Observation:
        private = event.private
        if private and len(private) != len(self.players):
            self._refuse("private", private)
        return Observation(event.public, private[player] if private else None)

    def paid(self, event: Outcome[Any]) -> tuple[float, ...]:
        rewards = event.rewards
        if not rewards:
            return self._unpaid
        if len(rewards) != len(self.players):
            self._refuse("rewards", rewards)
        if not all(map(isfinite, rewards)):
            raise GameError(f"{self.spec}: rewards {brief(rewards)}, expected finite numbers")
        return rewards

    def _refuse(self, name: str, entries: tuple[Any, ...]) -> NoReturn:
        expected = f"expected {len(self.players)} or ()"
        raise GameError(f"{self.spec}: {name} {brief(entries)} has {many(len(entries), 'entry')}, {expected}")

    def state_label(self, state: State) -> Hashable:
        return state  # type: ignore[no-any-return]

    def legal_labels(self, legal: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        return legal

    def action_label(self, action: Hashable | None) -> Hashable | None:
        return action

    def observation_label(self, player: int, observation: Observation) -> Observation:  # noqa: ARG002
        return observation


def _branches(outcomes: Dist[Outcome[Any]]) -> list[Branch]:
    return [(outcome.state, outcome, p) for outcome, p in outcomes.pairs if p > 0]


def legal_for(simulator: GameSimulator, state: State, player: int) -> Legal | None:
    """The list of legal actions from which `player` chooses at a state, None where it is not asked."""
    actors = simulator.actors(state)
    return simulator.legal(state, actors)[actors.index(player)] if player in actors else None


def steps(simulator: GameSimulator, state: State, player: int, action: Hashable | None) -> Iterator[Sequence[Branch]]:
    """The outcomes of each joint move in which `player` does `action` and the others anything.

    `action` is the author's word, None where the player is not asked. There is no such move where the action is not
    legal, or the game over, or the player is asked without having done anything.
    """
    actors = simulator.actors(state)
    if not actors or (player in actors) != (action is not None):
        return
    legal = simulator.legal(state, actors)
    options: list[Sequence[int]] = [range(len(simulator.actions(offered))) for offered in legal]
    if action is not None:
        labels = simulator.legal_labels(legal[actors.index(player)])
        options[actors.index(player)] = [labels.index(action)] if action in labels else []
    for joint in product(*options):
        yield simulator.step(state, legal, joint)


def successors(
    simulator: GameSimulator, states: Iterable[State], player: int, action: Hashable | None
) -> Iterator[Branch]:
    """All those outcomes, from each of `states`."""
    return (branch for state in states for step in steps(simulator, state, player, action) for branch in step)


def by_observation(simulator: GameSimulator, player: int, branches: Iterable[Branch]) -> dict[Seen, dict[State, None]]:
    """The states that branches lead to, each once, by what `player` sees of the way there."""
    states: dict[Seen, dict[State, None]] = {}
    for state, event, _ in branches:
        states.setdefault(simulator.observed(event, player), {})[state] = None
    return states
