"""A random partially observable stochastic game that a few integers define: food for tests and benchmarks.

All players move in every step with the same actions everywhere; what follows depends on the state and the joint
action, what each then sees on the joint action and the state arrived at, as in the literature's T, O and R.
Probabilities and rewards are eighths, so that sums are exact in floating point. For games with turns, ends and public
signals see `random`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from random import Random
from typing import TypeVar

from fogbound.core import Dist, Game, GameGroup, GameRecord, Outcome, SpecError
from fogbound.games.parameters import require_ranges
from fogbound.games.random_game import EIGHTHS, MOST_ROWS, seeded_generator

State = int
T = TypeVar("T")
Shares = list[tuple[T, float]]
REWARDS = ("own", "shared", "opposed")
MOST_FOLLOWING = 3  # different things that can follow one thing
START, MOVE, SIGNAL = range(3)  # what a generator is for


@dataclass(frozen=True)
class RandomPOSG(Game[State, str]):
    """Each player has rewards of its `own`, all have one that is `shared`, or two are `opposed`: zero-sum."""

    name = "random-posg"
    record = GameRecord("Random POSG", GameGroup.MORE)

    seed: int = 0
    seats: int = 2
    states: int = 3
    actions_: int = 2  # of each player
    signals: int = 2  # of each player
    rewards: str = "own"
    discount: float = 1.0

    def __post_init__(self) -> None:
        sizes = dict.fromkeys(("seats", "states", "actions_", "signals"), (1, math.inf))
        require_ranges(self, seed=(0, math.inf), **sizes)
        if self.rewards not in REWARDS or (self.rewards == "opposed" and self.seats != 2):
            raise SpecError(
                f"random-posg: rewards is {self.rewards} for {self.seats} players, expected own or shared, or opposed "
                "for 2"
            )
        if self.states * max(self.actions_, self.signals) ** self.seats > MOST_ROWS:
            raise SpecError(f"random-posg: too large a game, expected states x actions_ ** seats up to {MOST_ROWS:,}")
        object.__setattr__(self, "players", tuple(f"player-{i}" for i in range(self.seats)))

    @cached_property
    def _actions(self) -> tuple[str, ...]:
        return tuple(f"a{k}" for k in range(self.actions_))

    @cached_property
    def _signals(self) -> list[tuple[str, ...]]:
        return list(product((f"o{k}" for k in range(self.signals)), repeat=self.seats))

    @cached_property
    def _shown(self) -> dict[tuple[State, tuple[int, ...]], Shares[tuple[str, ...]]]:
        """What can be seen after a joint action, by the state that it led to, as far as asked for."""
        return {}

    @cached_property
    def _rows(self) -> dict[tuple[State, tuple[str, ...]], Dist[Outcome[State]]]:
        """What follows, as far as asked for."""
        return {}

    def start(self) -> Dist[Outcome[State]]:
        return Dist.of((Outcome(s), p) for s, p in shares(seeded_generator(self.seed, START), range(self.states)))

    def actors(self, state: State) -> tuple[int, ...]:  # noqa: ARG002
        return tuple(range(self.seats))

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return self._actions

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        if (state, joint) not in self._rows:
            self._rows[state, joint] = self._row(state, tuple(map(self._actions.index, joint)))
        return self._rows[state, joint]

    def describe_state(self, state: State) -> str:
        return f"state {state}"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return f"signal {str(seen).removeprefix('o')}"

    def _row(self, state: State, joint: tuple[int, ...]) -> Dist[Outcome[State]]:
        rng = seeded_generator(self.seed, MOVE, state, *joint)
        moves, paid = shares(rng, range(self.states)), self._paid(rng)
        outcomes = []
        for after, moved in moves:
            if (after, joint) not in self._shown:
                rng = seeded_generator(self.seed, SIGNAL, after, *joint)
                self._shown[after, joint] = shares(rng, self._signals)
            for private, shown in self._shown[after, joint]:
                outcomes.append((Outcome(after, paid, private=private), moved * shown))
        return Dist.of(outcomes)

    def _paid(self, rng: Random) -> tuple[float, ...]:
        own = tuple(rng.randint(-16, 16) / EIGHTHS for _ in range(self.seats))
        if self.rewards == "shared":
            return own[:1] * self.seats
        return (own[0], 0.0 - own[0]) if self.rewards == "opposed" else own


def shares(rng: Random, things: Sequence[T]) -> Shares[T]:
    """A few of some things in random eighths."""
    many = min(rng.randint(1, MOST_FOLLOWING), len(things))
    cuts = sorted(rng.sample(range(1, EIGHTHS), many - 1))
    return [
        (thing, (b - a) / EIGHTHS) for thing, (a, b) in zip(rng.sample(things, many), pairwise((0, *cuts, EIGHTHS)))
    ]
