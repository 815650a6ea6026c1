"""A game around a game: everything is handed on, and a transform overrides what it changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from fogbound.core import AnyGame, Board, Dist, Drawing, Game, Outcome, SpecError
from fogbound.core.errors import brief


@dataclass(frozen=True)
class Wrapped(Game[Any, Any]):
    """The same game under another class: the base of every transform."""

    game: AnyGame

    def __post_init__(self) -> None:
        if not isinstance(self.game, Game):
            raise SpecError(f"{self.name}: game is {brief(self.game)}, expected a game")
        object.__setattr__(self, "players", self.game.players)
        object.__setattr__(self, "discount", self.game.discount)

    def inside(self, state: Any) -> Any:
        """The wrapped game's own state."""
        return state

    def start(self) -> Dist[Outcome[Any]]:
        return self.game.start()

    def actors(self, state: Any) -> tuple[int, ...]:
        return self.game.actors(self.inside(state))

    def actions(self, state: Any, player: int) -> Sequence[Any]:
        return self.game.actions(self.inside(state), player)

    def step(self, state: Any, joint: tuple[Any, ...]) -> Dist[Outcome[Any]]:
        return self.game.step(state, joint)

    def describe(self, action: Any) -> str:
        return self.game.describe(action)

    @property
    def tells_states(self) -> bool:
        return self.game.tells_states

    def describe_state(self, state: Any) -> str:
        return self.game.describe_state(self.inside(state))

    def describe_public(self, seen: Hashable) -> str:
        return self.game.describe_public(seen)

    def describe_private(self, seen: Hashable, player: int) -> str:
        return self.game.describe_private(seen, player)

    def board(self, state: Any, player: int | None = None) -> Board | None:
        return self.game.board(self.inside(state), player)

    def hidden_words(self, state: Any, player: int) -> str:
        return self.game.hidden_words(self.inside(state), player)

    def draw(self, state: Any, player: int | None = None, belief: Dist[Any] | None = None) -> Drawing:
        return self.game.draw(self.inside(state), player, belief.map(self.inside) if belief else None)


def mapped(outcomes: Dist[Outcome[Any]], change: Callable[[Outcome[Any]], Outcome[Any]]) -> Dist[Outcome[Any]]:
    """The outcomes, each changed; equal ones stay apart."""
    return Dist(tuple((change(outcome), p) for outcome, p in outcomes))


def index_of(game: AnyGame, player: Any) -> Any:
    """The number of a player who is given by name; anything else as it is."""
    return game.players.index(player) if isinstance(player, str) and player in game.players else player


def moved(outcome: Outcome[Any], state: Any) -> Outcome[Any]:
    """The same rewards and observations, leading to `state`."""
    return Outcome(state, outcome.rewards, outcome.public, outcome.private)
