"""A random finite game that a few integers define: food for tests and benchmarks.

Every state draws its own rules from a generator seeded with (seed, state) and nothing else: who moves (any
non-empty set of players), where each joint action may lead, what is paid on the way and at the end, and what
is seen of it, in public and in private. Probabilities and rewards are eighths, so that sums are exact in floating
point. A row may list one outcome twice, and the start may already pay, as the core allows.

A player's actions depend on the step and the player only (on the player alone when the game has loops), so
they follow from what it knows; whether it is asked to move may differ between states it cannot tell apart.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from random import Random

from fogbound.core import Dist, Game, GameGroup, GameRecord, Outcome, SpecError
from fogbound.games.parameters import require_ranges

State = tuple[int, int]  # (layer, place in the layer)
Rules = tuple[tuple[int, ...], dict[tuple[str, ...], Dist[Outcome[State]]]]  # who moves; what joint moves do
OVER: State = (-1, 0)
EIGHTHS = 8
MOST_ROWS = 1_000_000
STATE, LEGAL, START = range(3)  # what a generator is for


def seeded_generator(*numbers: int) -> Random:
    """A generator of its own for each list of small non-negative integers."""
    seed = 0
    for number in numbers:
        seed = seed * 1_000_003 + number + 1
    return Random(seed)


@dataclass(frozen=True)
class RandomGame(Game[State, str]):
    """A game of `depth` steps over layers of `width` states; with `loops` a step may lead to any state."""

    name = "random"
    record = GameRecord("Random game", GameGroup.MORE)

    seed: int = 0
    seats: int = 2
    depth: int = 3
    width: int = 3
    actions_: int = 2  # the most actions a player has
    signals: int = 2  # how many different public and private signals there are
    zero_sum: bool = False
    discount: float = 1.0
    loops: bool = False  # every step may end the game, none is sure to be the last

    def __post_init__(self) -> None:
        if self.zero_sum and self.seats < 2:
            raise SpecError(f"random: seats is {self.seats}, expected at least 2 in a zero-sum game")
        sizes = dict.fromkeys(("seats", "depth", "width", "actions_", "signals"), (1, math.inf))
        require_ranges(self, seed=(0, math.inf), **sizes)
        if self.depth * self.width * self.actions_**self.seats > MOST_ROWS:
            raise SpecError(f"random: too large a game, expected depth x width x actions_ ** seats up to {MOST_ROWS:,}")
        object.__setattr__(self, "players", tuple(f"player-{i}" for i in range(self.seats)))

    @cached_property
    def legal_sets(self) -> dict[State, tuple[str, ...]]:
        """The actions by (layer, player); with loops every layer has those of the first."""
        return {key: self._legal(*key) for key in product(range(self.depth), range(self.seats))}

    @cached_property
    def rules(self) -> dict[State, Rules]:
        """Everything that `actors` and `step` say, by state."""
        return {state: self._rules(state) for state in product(range(self.depth), range(self.width))}

    def start(self) -> Dist[Outcome[State]]:
        rng = seeded_generator(self.seed, START)
        first = [(0, rng.randrange(self.width)) for _ in range(rng.randint(1, 3))]
        return self._row(rng, first, paid=0.25)

    def actors(self, state: State) -> tuple[int, ...]:
        return () if state == OVER else self.rules[state][0]

    def actions(self, state: State, player: int) -> tuple[str, ...]:
        return self.legal_sets[state[0], player]

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        return self.rules[state][1][joint]

    def describe_state(self, state: State) -> str:
        return "the game is over" if state == OVER else f"state {state[1]} of layer {state[0]}"

    def describe_public(self, seen: Hashable) -> str:
        return f"signal {seen}"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return f"signal {seen}"

    def _legal(self, layer: int, player: int) -> tuple[str, ...]:
        rng = seeded_generator(self.seed, LEGAL, 0 if self.loops else layer, player)
        return tuple(f"a{i}" for i in range(rng.randint(1, self.actions_)))

    def _rules(self, state: State) -> Rules:
        rng = seeded_generator(self.seed, STATE, *state)
        subset = rng.randrange(1, 2**self.seats)
        movers = tuple(player for player in range(self.seats) if subset >> player & 1)
        joints = product(*(self.actions(state, player) for player in movers))
        return movers, {joint: self._row(rng, self._next(rng, state)) for joint in joints}

    def _next(self, rng: Random, state: State) -> list[State]:
        """Where one joint action may lead: onwards, or, with loops, anywhere and in any case to the end."""
        layer = state[0] + 1
        many = rng.randint(1, 3)
        if self.loops:
            return [OVER] + [(rng.randrange(self.depth), rng.randrange(self.width)) for _ in range(many)]
        ends = [layer == self.depth or rng.random() < 0.1 for _ in range(many)]
        return [OVER if end else (layer, rng.randrange(self.width)) for end in ends]

    def _row(self, rng: Random, states: Iterable[State], paid: float = 0.5) -> Dist[Outcome[State]]:
        """Outcomes that lead to `states`, in random eighths; now and then one of them listed twice."""
        outcomes = [self._outcome(rng, state, paid) for state in states]
        if rng.random() < 0.2:
            outcomes.append(outcomes[0])
        cuts = sorted(rng.sample(range(1, EIGHTHS), len(outcomes) - 1))
        return Dist.of(zip(outcomes, ((b - a) / EIGHTHS for a, b in pairwise((0, *cuts, EIGHTHS)))))

    def _outcome(self, rng: Random, state: State, paid: float) -> Outcome[State]:
        rewards: tuple[float, ...] = ()
        if state == OVER or rng.random() < paid:
            rewards = tuple(rng.randint(-16, 16) / EIGHTHS for _ in range(self.seats))
        if rewards and self.zero_sum:
            rewards = (*rewards[:-1], 0.0 - sum(rewards[:-1]))
        public = self._signal(rng)
        private = tuple(self._signal(rng) for _ in range(self.seats))
        return Outcome(state, rewards, public, private if rng.random() < 0.8 else ())

    def _signal(self, rng: Random) -> int | None:
        return rng.randrange(self.signals) if rng.random() < 0.5 else None
