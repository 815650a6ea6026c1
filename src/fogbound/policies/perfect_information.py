"""A policy for players who see everything: it knows the state, and chooses by it alone.

A policy of the game is told only what its player sees. Where nothing is hidden that is enough to follow the state:
of the states that were possible, with every legal move of the others tried, those stay that would have looked as
what was seen did. When the player is asked to move and two are left, the game hides something after all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, Protocol

from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError, brief
from fogbound.core.game import AnyGame, Observation
from fogbound.forms.table import START, Table

Choose = Callable[[Any, Sequence[Any]], Dist[Any]]  # (state, legal actions) -> what to play
Observations = Iterator[tuple[Observation, Any]]  # what the player sees of a step, and the state it leads to


@dataclass(frozen=True, eq=False)
class StatePolicy:
    """Play `choose(state, actions)` where the state is. Memory: the states possible after all that was seen.

    `game` is a game, or a table; then states are the table's numbers, in memory and for `choose` alike.
    """

    game: AnyGame | Table = field(repr=False)
    player: int
    choose: Choose = field(repr=False)

    thinks: ClassVar[bool] = True

    @cached_property
    def world(self) -> ObservedSteps:
        return (
            StepsByTable(self.game, self.player)
            if isinstance(self.game, Table)
            else StepsByRules(self.game, self.player)
        )

    def begin(self, seen: Observation) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(state for observation, state in self.world.first() if observation == seen))

    def update(self, memory: tuple[Any, ...], action: Any, seen: Observation) -> tuple[Any, ...]:
        after = (pair for state in memory for pair in self.world.after(state, action))
        return tuple(dict.fromkeys(state for observation, state in after if observation == seen))

    def act(self, memory: tuple[Any, ...], actions: Sequence[Any]) -> Dist[Any]:
        return self.choose(self.state(memory), actions)

    def state(self, memory: tuple[Any, ...]) -> Any:
        """The one state in which the player, who remembers `memory`, can be asked to move."""
        asked = [state for state in memory if self.world.asks(state)]
        if len(asked) == 1:
            return asked[0]
        spec, name = self.world.spec, self.game.players[self.player]
        if not asked:
            raise PolicyError(f"{spec}: {name} is asked to move after observations that the game never shows it then")
        one, other = (brief(self.world.label(state)) for state in asked[:2])
        raise PolicyError(
            f"{spec} hides something: {name} is asked to move and cannot tell state {one} from {other}. This policy "
            "is for players who see everything; use a solver of hidden information, such as sequence-lp or cfr-plus"
        )


class ObservedSteps(Protocol):
    """What one player can see of a game, step by step."""

    spec: str

    def first(self) -> Observations: ...

    def after(self, state: Any, action: Any) -> Observations: ...

    def asks(self, state: Any) -> bool: ...

    def label(self, state: Any) -> Any: ...


class StepsByRules:
    """By asking the game itself."""

    def __init__(self, game: AnyGame, player: int) -> None:
        self.game, self.player, self.spec = game, player, str(game)

    def first(self) -> Observations:
        return ((outcome.seen(self.player), outcome.state) for outcome, p in self.game.start() if p > 0)

    def after(self, state: Any, action: Any) -> Observations:
        """Every outcome of a step in which the player did `action` (None: did not move) and the others anything."""
        game, actors = self.game, self.game.actors(state)
        if (self.player in actors) != (action is not None):
            return
        legal_sets = [(action,) if actor == self.player else game.actions(state, actor) for actor in actors]
        for joint in product(*legal_sets) if actors else ():
            for outcome, p in game.step(state, joint):
                if p > 0:
                    yield outcome.seen(self.player), outcome.state

    def asks(self, state: Any) -> bool:
        return self.player in self.game.actors(state)

    def label(self, state: Any) -> Any:
        return state


class StepsByTable:
    """By reading the table, where states are numbers: no game is needed. Every step is read once."""

    def __init__(self, table: Table, player: int) -> None:
        self.table, self.player, self.spec = table, player, table.spec
        self.read: dict[tuple[int, Any], list[tuple[Observation, Any]]] = {}

    def first(self) -> Observations:
        return self._outcomes(START)

    def after(self, state: Any, action: Any) -> Observations:
        found = self.read.get((state, action))
        if found is None:
            found = self.read[state, action] = list(self._after(state, action))
        return iter(found)

    def _after(self, state: int, action: Any) -> Observations:
        table, actors = self.table, self._actors(state)
        if (self.player in actors) != (action is not None):
            return
        legal_sets = [table.legal_labels(int(legal)) for legal in table.legal[state, : len(actors)]]
        for place, joint in enumerate(product(*legal_sets)) if actors else ():
            if action is None or joint[actors.index(self.player)] == action:
                yield from self._outcomes(int(table.row[state]) + place)

    def asks(self, state: Any) -> bool:
        return self.player in self._actors(state)

    def label(self, state: Any) -> Any:
        return self.table.states[state]

    def _actors(self, state: int) -> list[int]:
        actor_set = self.table.actor_set[state]
        actors: list[int] = self.table.actor_set_players[actor_set, : self.table.actor_set_size[actor_set]].tolist()
        return actors

    def _outcomes(self, row: int) -> Observations:
        table = self.table
        for o in range(table.out[row], table.out[row + 1]):
            yield table.observations[self.player][table.seen[table.event[o], self.player]], int(table.next[o])
