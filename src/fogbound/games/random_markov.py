"""A random Markov game that a few integers define: everybody sees the state, all move at once.

Rewards are uniform on [-1, 1], or zero-sum for two; what follows a joint action are `successors` states, with
probabilities that are uniform on the simplex, or on a `ring` the two neighbours. Some players may wait in some states
and have fewer actions in others (`ragged`), and play may end (`ends`).
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random
from typing import cast

from fogbound.core import Dist, Game, GameGroup, GameRecord, Outcome, SpecError
from fogbound.games.parameters import require_ranges

OVER = -1
MOST_ROWS = 1_000_000


@dataclass(frozen=True)
class RandomMarkov(Game[int, int]):
    """A random game in which whoever moves knows the state.

    Parameters
    ----------
    seed
        Which one.
    seats
        How many players.
    size
        How many states.
    choices
        How many actions each player has.
    successors
        How many states may follow a joint action, at most; 0 = all.
    zero_sum
        Whether what one of two wins the other loses.
    ring
        Whether only neighbours follow.
    ragged
        Whether legal actions differ from state to state, and some players wait in some.
    ends
        How likely every step ends the game.
    discount
        Step t counts discount**t.
    """

    name = "random-markov"
    record = GameRecord("Random Markov game", GameGroup.MORE)

    seed: int = 0
    seats: int = 2
    size: int = 4
    choices: int = 3
    successors: int = 3
    zero_sum: bool = False
    ring: bool = False
    ragged: bool = False
    ends: float = 0.0
    discount: float = 0.95

    def __post_init__(self) -> None:
        least = {"seed": 0, "seats": 1, "size": 1, "choices": 1, "successors": 0}
        require_ranges(self, **{name: (low, math.inf) for name, low in least.items()})
        if self.zero_sum and self.seats != 2:
            raise SpecError(f"random-markov: seats is {self.seats}, expected 2 in a zero-sum game")
        if self.size * self.choices**self.seats > MOST_ROWS:
            raise SpecError(f"random-markov: too large a game, expected size x choices ** seats up to {MOST_ROWS:,}")
        if not 0 <= self.ends <= 1:
            raise SpecError(f"random-markov: ends is {self.ends}, expected from 0 to 1")
        object.__setattr__(self, "players", tuple(f"player-{i}" for i in range(self.seats)))

    def start(self) -> Dist[Outcome[int]]:
        return Dist.uniform(Outcome(state, public=state) for state in range(self.size))

    def actors(self, state: int) -> tuple[int, ...]:
        return () if state == OVER else _rules(self, state)[0]

    def actions(self, state: int, player: int) -> tuple[int, ...]:
        return _rules(self, state)[1][player]

    def step(self, state: int, joint: tuple[int, ...]) -> Dist[Outcome[int]]:
        return _rules(self, state)[2][joint]

    def describe_state(self, state: int) -> str:
        return "the game is over" if state == OVER else f"state {state}"

    def describe_public(self, seen: Hashable) -> str:
        return self.describe_state(cast(int, seen))


Rules = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], dict[tuple[int, ...], Dist[Outcome[int]]]]


@cache
def _rules(game: RandomMarkov, state: int) -> Rules:
    """Who moves in a state, from which actions, and what follows: from a generator of its own."""
    rng = Random(game.seed * 1_000_003 + state)
    legal = [tuple(range(game.choices)) for _ in range(game.seats)]
    movers = tuple(range(game.seats))
    if game.ragged:
        legal = [tuple(range(rng.randint(1, game.choices))) for _ in range(game.seats)]
        subset = rng.randrange(1, 2**game.seats)
        movers = tuple(i for i in range(game.seats) if subset >> i & 1)
    joints = product(*(legal[i] for i in movers))
    return movers, tuple(legal), {joint: _row(game, rng, state) for joint in joints}


def _row(game: RandomMarkov, rng: Random, state: int) -> Dist[Outcome[int]]:
    """What follows one joint action."""
    rewards = tuple(rng.uniform(-1, 1) for _ in range(game.seats))
    if game.zero_sum:
        rewards = (rewards[0], -rewards[0])
    if game.ring:
        states = sorted({(state - 1) % game.size, (state + 1) % game.size})
    else:
        states = rng.sample(range(game.size), min(game.successors or game.size, game.size))
    weights = [rng.expovariate(1.0) for _ in states]
    total = sum(weights)
    pairs = {Outcome(to, rewards, public=to): (1 - game.ends) * w / total for to, w in zip(states, weights)}
    if game.ends:
        pairs[Outcome(OVER, rewards, public=OVER)] = game.ends
    return Dist.of(pairs)
