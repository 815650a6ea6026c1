"""What a player can work out from the rules alone: who has moved, and what it has been paid.

A table could simply tell; but rewards, or whose turn it was, may depend on what is hidden. So only that is said
which is the same in every course of the game that fits what the player did and saw, whatever the others are like.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from fogbound.core.game import AnyGame, Observation
from fogbound.core.simulator import Event, RuleSimulator, steps

MOST_STEPS = 20_000  # steps of the game that may be thought through after one observation
MOST_STATES = 20_000


@dataclass(frozen=True)
class Deduction:
    """After one step: who moved (None: not known), and the least and the most one can have been paid by now."""

    movers: tuple[int, ...] | None
    paid: tuple[float, float] | None  # None: there are too many possibilities to think through


class ConsistentStates:
    """All courses of the game that fit what `player` did and saw, as (state, rewards so far) each once."""

    def __init__(self, game: AnyGame, player: int, most: int = MOST_STEPS) -> None:
        self.game, self.player, self.most = game, player, most
        self.simulator = RuleSimulator(game)
        self.scale = 1.0
        self.possible: dict[tuple[Any, float], None] | None = None  # in the order of the rules

    def begin(self, observation: Observation) -> Deduction:
        """Take in the first observation."""
        fits = ((state, event) for state, event, _ in self.simulator.start() if self._fits(event, observation))
        possible = dict.fromkeys((state, self._reward(event)) for state, event in fits)
        self.possible = possible if len(possible) <= MOST_STATES else None
        return Deduction((), self._paid())

    def update(self, action: Hashable | None, observation: Observation) -> Deduction:
        """Take in a step: the own action (None: not asked) and what was seen of it."""
        simulator = self.simulator
        possible: dict[tuple[Any, float], None] = {}
        movers: set[tuple[int, ...]] = set()
        count = 0
        for state, paid in self.possible or ():
            for branches in steps(simulator, state, self.player, action):
                count += 1
                fits = [(after, event) for after, event, _ in branches if self._fits(event, observation)]
                for after, event in fits:
                    possible[after, round(paid + self.scale * self._reward(event), 9)] = None
                if fits:
                    movers.add(simulator.actors(state))
            if count > self.most or len(possible) > MOST_STATES:
                possible.clear()
                break
        self.scale *= self.game.discount
        self.possible = possible or None
        return Deduction(self._movers(movers, action), self._paid())

    def _fits(self, event: Event, observation: Observation) -> bool:
        return bool(self.simulator.observed(event, self.player) == observation)

    def _reward(self, event: Event) -> float:
        return float(self.simulator.paid(event)[self.player])

    def _movers(self, movers: set[tuple[int, ...]], action: Hashable | None) -> tuple[int, ...] | None:
        """Who moved, where that is known: with two players one who has not moved knows who has."""
        if self.possible is not None:
            return next(iter(movers)) if len(movers) == 1 else None
        return (1 - self.player,) if action is None and len(self.game.players) == 2 else None

    def _paid(self) -> tuple[float, float] | None:
        paid = [paid for _, paid in self.possible or ()]
        return (min(paid), max(paid)) if paid else None
