"""A multi-armed bandit: pull arms whose chances nobody tells you, and learn them from what they pay.

Each of `arms` arms pays 1 with a chance of its own, else nothing; the chances are drawn once, each of `levels` values
spread evenly between 0 and 1 being as likely as any other, and never shown. There are `pulls` pulls. Exploring pays off
later or never: with known odds of the hidden chances this is a POMDP, and its solution is the Bayes-optimal balance of
exploring and exploiting. Document 004, section 2.1.3; Robbins, "Some aspects of the sequential design of experiments"
(1952). What learning rules without any prior lose is measured by `evaluation.bandit_regret`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, Outcome, SpecError, Tile
from fogbound.core.errors import many
from fogbound.core.record import listed
from fogbound.games.parameters import require_ranges

State = tuple[tuple[float, ...], int]  # (the arms' chances, pulls left)
OVER: State = ((), 0)
MOST_STATES = 1_000_000
PAYS, FAILS = "pays", "fails"


@dataclass(frozen=True)
class Bandit(Game[State, int]):
    """`arms` arms whose chances are one of `levels` each, pulled `pulls` times."""

    name = "bandit"
    record = GameRecord("Bandit", GameGroup.ALONE)

    arms: int = 2
    levels: int = 3  # chances k / (levels + 1)
    pulls: int = 6
    discount: float = 1.0
    players = ("gambler",)

    def __post_init__(self) -> None:
        require_ranges(self, **dict.fromkeys(("arms", "levels", "pulls"), (1, math.inf)))
        if self.arms * self.pulls * self.levels**self.arms > MOST_STATES:
            raise SpecError(f"bandit: expected arms x pulls x levels ** arms up to {MOST_STATES:,}")

    @cached_property
    def _chances(self) -> tuple[float, ...]:
        return tuple(k / (self.levels + 1) for k in range(1, self.levels + 1))

    def start(self) -> Dist[Outcome[State]]:
        return Dist.uniform(Outcome((arms, self.pulls)) for arms in product(self._chances, repeat=self.arms))

    def actors(self, state: State) -> tuple[int, ...]:
        return () if state == OVER else (0,)

    def actions(self, state: State, player: int) -> tuple[int, ...]:  # noqa: ARG002
        return tuple(range(1, self.arms + 1))

    def step(self, state: State, joint: tuple[int, ...]) -> Dist[Outcome[State]]:
        chances, left = state
        after, chance = (chances, left - 1) if left > 1 else OVER, chances[joint[0] - 1]
        return Dist.of({Outcome(after, (1.0,), public=PAYS): chance, Outcome(after, public=FAILS): 1 - chance})

    def describe(self, action: int) -> str:
        return f"pull arm {action}"

    def describe_state(self, state: State) -> str:
        chances, left = state
        if state == OVER:
            return "all pulls are spent"
        return f"arms pay with chances {listed(f'{chance:g}' for chance in chances)}; {many(left, 'pull')} left"

    def describe_public(self, seen: Hashable) -> str:
        return f"the arm {seen}"

    def board(self, state: State, player: int | None = None) -> Board:
        if state == OVER:
            return Board.of_text("All pulls are spent.")
        chances, left = state
        row = [Tile("?", "fog") if player is not None else Tile(f"{chance:.2g}", "lamp") for chance in chances]
        return Board.grid([row], caption=f"{many(left, 'pull')} left")
