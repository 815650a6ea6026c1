"""A game as something to step through, from its rules or from arrays: one protocol for both.

Whatever walks over a game (the states that a player cannot tell apart, states together with what fixed players
remember) asks only this. Rules step over the author's own values, which makes them fit for games too large to
enumerate; arrays step over numbers. What stands for a state, an action, a list of legal actions, an observation or an
event is whatever the simulator uses for it; only the methods called labels give the author's words back.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any, Protocol

from fogbound.core.contract import no_action, ordered
from fogbound.core.dist import Dist
from fogbound.core.errors import GameError, brief
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


class Simulator(Labels, Protocol):
    """A game, one step at a time."""

    spec: str
    players: tuple[str, ...]
    waiting: Action  # stands for not being asked, where an own action is expected

    def start(self) -> Sequence[Branch]: ...

    def actors(self, state: State) -> tuple[int, ...]: ...  # () = the game is over

    def legal(self, state: State) -> Sequence[Legal]: ...  # one list of legal actions for each actor

    def actions(self, legal: Legal) -> Sequence[Action]: ...  # the list itself

    def step(self, state: State, legal: Sequence[Legal], joint: Sequence[int]) -> Sequence[Branch]:
        """What follows when each actor makes the move at its place of `joint` in its list of `legal(state)`."""
        ...

    def observed(self, event: Event, player: int) -> Seen: ...

    def paid(self, event: Event) -> Sequence[float]: ...  # to each player

    def state_label(self, state: State) -> Hashable: ...


class RuleSimulator:
    """Steps by asking the game itself: nothing is numbered, nothing is kept, what the author returns is checked."""

    waiting = None

    def __init__(self, game: AnyGame) -> None:
        self.game, self.spec, self.players = game, str(game), tuple(game.players)
        self.actors = game.actors
        self._unpaid = (0.0,) * len(self.players)

    def start(self) -> list[Branch]:
        return self._branches(self.game.start(), None, None)

    def legal(self, state: State) -> list[tuple[Hashable, ...]]:
        game, actors = self.game, self.actors(state)
        lists = [ordered(game, game.actions(state, player), state) for player in actors]
        if () in lists:
            raise GameError(no_action(game, actors[lists.index(())], state))
        return lists

    def actions(self, legal: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        return legal

    def step(self, state: State, legal: Sequence[tuple[Hashable, ...]], joint: Sequence[int]) -> list[Branch]:
        actions = tuple([offered[place] for offered, place in zip(legal, joint)])
        return self._branches(self.game.step(state, actions), state, actions)

    def _branches(self, outcomes: Dist[Outcome[Any]], state: Any, joint: Any) -> list[Branch]:
        pairs = outcomes.pairs
        if len(pairs) == 1 and pairs[0][1] == 1.0:  # the usual case, and nothing can be wrong with it
            return [(pairs[0][0].state, *pairs[0])]
        fault = outcomes.fault()
        if fault:
            where = "in start()" if joint is None else f"at state {brief(state)} after {brief(joint)}"
            raise GameError(f"{self.spec}: found {fault}, {where}")
        return [(outcome.state, outcome, p) for outcome, p in pairs if p > 0]

    def observed(self, event: Outcome[Any], player: int) -> Observation:
        return event.observation(player)

    def paid(self, event: Outcome[Any]) -> tuple[float, ...]:
        return event.rewards or self._unpaid

    def state_label(self, state: State) -> Hashable:
        return state  # type: ignore[no-any-return]

    def legal_labels(self, legal: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        return legal

    def action_label(self, action: Hashable | None) -> Hashable | None:
        return action

    def observation_label(self, player: int, observation: Observation) -> Observation:  # noqa: ARG002
        return observation


# What one player can hold for possible: every step that fits what it did and saw, whatever the others do.


def legal_for(simulator: Simulator, state: State, player: int) -> Legal | None:
    """The list of legal actions from which `player` chooses at a state, None where it is not asked."""
    actors = simulator.actors(state)
    return simulator.legal(state)[actors.index(player)] if player in actors else None


def steps(simulator: Simulator, state: State, player: int, action: Hashable | None) -> Iterator[Sequence[Branch]]:
    """The outcomes of each joint move in which `player` does `action` and the others anything.

    `action` is the author's word, None where the player is not asked. There is no such move where the action is not
    legal, or the game over, or the player is asked without having done anything.
    """
    actors = simulator.actors(state)
    if not actors or (player in actors) != (action is not None):
        return
    legal = simulator.legal(state)
    options: list[Sequence[int]] = [range(len(simulator.actions(offered))) for offered in legal]
    if action is not None:
        labels = simulator.legal_labels(legal[actors.index(player)])
        options[actors.index(player)] = [labels.index(action)] if action in labels else []
    for joint in product(*options):
        yield simulator.step(state, legal, joint)


def successors(simulator: Simulator, states: Iterable[State], player: int, action: Hashable | None) -> Iterator[Branch]:
    """All those outcomes, from each of `states`."""
    return (branch for state in states for step in steps(simulator, state, player, action) for branch in step)


def by_observation(simulator: Simulator, player: int, branches: Iterable[Branch]) -> dict[Seen, dict[State, None]]:
    """The states that branches lead to, each once, by what `player` sees of the way there."""
    states: dict[Seen, dict[State, None]] = {}
    for state, event, _ in branches:
        states.setdefault(simulator.observed(event, player), {})[state] = None
    return states
