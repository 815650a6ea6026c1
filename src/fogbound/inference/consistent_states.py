"""What a player can work out from the rules alone: who has moved, and what it has been paid.

A table could simply tell; but pay, or whose turn it was, may depend on what is hidden. So only that is told which is
the same in every course of the game that fits what the player did and saw, whatever the others are like.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from fogbound.core.game import AnyGame, Observation, Outcome

MOST_STEPS = 20_000  # steps of the game that may be thought through after one observation
MOST_STATES = 20_000


@dataclass(frozen=True)
class Deduction:
    """After one step: who moved (None: not known), and the least and the most one can have been paid by now."""

    movers: tuple[int, ...] | None
    paid: tuple[float, float] | None  # None: there are too many possibilities to think through


class ConsistentStates:
    """All courses of the game that fit what `player` did and saw, as (state, pay so far) each once."""

    def __init__(self, game: AnyGame, player: int, most: int = MOST_STEPS) -> None:
        self.game, self.player, self.most = game, player, most
        self.scale = 1.0
        self.possible: set[tuple[Any, float]] | None = None

    def begin(self, seen: Observation) -> Deduction:
        """Take in the first observation."""
        outcomes = self.game.start().support()
        found = {(o.state, self._pay(o)) for o in outcomes if o.seen(self.player) == seen}
        self.possible = found if len(found) <= MOST_STATES else None
        return Deduction((), self._paid())

    def update(self, action: Hashable | None, seen: Observation) -> Deduction:
        """Take in a step: the own action (None: not asked) and what was seen of it."""
        found: set[tuple[Any, float]] = set()
        movers: set[tuple[int, ...]] = set()
        count = 0
        for state, paid in self.possible or ():
            actors = self.game.actors(state)
            for outcomes in self._steps(state, actors, action):
                count += 1
                fits = [o for o in outcomes if o.seen(self.player) == seen]
                found |= {(o.state, round(paid + self.scale * self._pay(o), 9)) for o in fits}
                if fits:
                    movers.add(actors)
            if count > self.most or len(found) > MOST_STATES:
                found.clear()
                break
        self.scale *= self.game.discount
        self.possible = found or None
        return Deduction(self._movers(movers, action), self._paid())

    def _steps(
        self, state: Any, actors: tuple[int, ...], action: Hashable | None
    ) -> Iterator[tuple[Outcome[Any], ...]]:
        """The outcomes of everything that the others may do at a state beside the own action."""
        if not actors or (self.player in actors) != (action is not None):
            return
        legal_sets = [(action,) if i == self.player else tuple(self.game.actions(state, i)) for i in actors]
        if self.player in actors and action not in self.game.actions(state, self.player):
            return
        for joint in product(*legal_sets):
            yield self.game.step(state, joint).support()

    def _movers(self, movers: set[tuple[int, ...]], action: Hashable | None) -> tuple[int, ...] | None:
        """Who moved, where that is known: with two players one who has not moved knows who has."""
        if self.possible is not None:
            return next(iter(movers)) if len(movers) == 1 else None
        return (1 - self.player,) if action is None and len(self.game.players) == 2 else None

    def _pay(self, outcome: Outcome[Any]) -> float:
        return float(outcome.rewards[self.player]) if outcome.rewards else 0.0

    def _paid(self) -> tuple[float, float] | None:
        paid = [paid for _, paid in self.possible or ()]
        return (min(paid), max(paid)) if paid else None
