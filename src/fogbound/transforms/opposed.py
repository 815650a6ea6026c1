"""One player against all the others, who want nothing but its loss: what it can guarantee itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fogbound.core import AnyGame, Dist, Outcome, SpecError
from fogbound.transforms.team import Team
from fogbound.transforms.wrapped import Wrapped, mapped


@dataclass(frozen=True)
class Opposed(Wrapped):
    """A zero-sum game of two whose value is the maxmin of `player`: what it can have whatever the others do.

    Several others become one, who sees all that they see and so can do more than they could: then the value is a lower
    bound on what `player` can guarantee itself.

    Parameters
    ----------
    game
        The game, of two players or more.
    player
        The one who is opposed.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.game("opposed(game=card-poker(ranks=3), player=1)").players
    ('gambler', 'dealer')
    """

    player: int = 0
    name = "opposed"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.game.players) < 2 or self.player not in range(len(self.game.players)):
            players = len(self.game.players)
            raise SpecError(f"opposed: player {self.player} of {players}, expected one of two or more, counted from 0")
        object.__setattr__(self, "players", self.inner.players)

    @cached_property
    def inner(self) -> AnyGame:
        """The game of two, in which the others are one."""
        others = tuple(p for p in range(len(self.game.players)) if p != self.player)
        return self.game if len(others) == 1 else Team(self.game, others, "others")

    @cached_property
    def place(self) -> int:
        """Where `player` is among the two."""
        return min(self.player, 1)

    def start(self) -> Dist[Outcome[Any]]:
        return mapped(self.inner.start(), self._outcome)

    def actors(self, state: Any) -> tuple[int, ...]:
        return self.inner.actors(state)

    def actions(self, state: Any, player: int) -> Any:
        return self.inner.actions(state, player)

    def step(self, state: Any, joint: tuple[Any, ...]) -> Dist[Outcome[Any]]:
        return mapped(self.inner.step(state, joint), self._outcome)

    def describe(self, action: Any) -> str:
        return self.inner.describe(action)

    def _outcome(self, outcome: Outcome[Any]) -> Outcome[Any]:
        if not outcome.rewards:
            return outcome
        own = outcome.rewards[self.place]
        rewards = (own, -own) if self.place == 0 else (-own, own)
        return Outcome(outcome.state, rewards, outcome.public, outcome.private)
