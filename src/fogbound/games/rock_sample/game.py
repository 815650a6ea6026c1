"""RockSample: a rover on a square grid of rocks, some of them worth sampling, and it cannot see which.

The rover knows where it stands. `check-i` looks at rock i from afar: with efficiency 2^(-distance / half
distance) it tells the truth, otherwise it tosses a coin. Sampling a good rock pays 10 and turns it bad, a bad
one costs 10; leaving over the eastern edge pays 10 and ends the game; leaving over another edge, or sampling
where no rock is, costs 100 and ends it too. Smith and Simmons, "Heuristic search value iteration for POMDPs"
(2004), section 5. The maps of sizes (4, 4) and (7, 8) are those of `RockSample_4_4.pomdp` (whose sensor has
efficiency e^-distance: half distance ln 2) and `RockSample_7_8.pomdpx` (half distance 20); that of (11, 11) is the one
of DESPOT (Ye et al. 2017), that of (15, 15) the one of POMCP (Silver and Veness 2010). Other maps, and these with
another seed: the cells in the order of a generator's draws, the first `rocks` of them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from random import Random
from typing import Any

from fogbound.core import Board, Dist, Drawing, Game, GameGroup, GameRecord, Outcome, SpecError, Tile
from fogbound.core.record import listed
from fogbound.games.parameters import require_ranges

Cell = tuple[int, int]  # (x, y): x grows to the east, y to the north
State = tuple[int, int, tuple[int, ...]]  # (x, y, 1 for each good rock and 0 for each bad one)
OVER: State = (-1, -1, ())
MOVES = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
GOOD, BAD, EXIT, ILLEGAL = (10.0,), (-10.0,), (10.0,), (-100.0,)
HALF_DISTANCE = 20.0
PUBLISHED: dict[tuple[int, int], tuple[tuple[Cell, ...], float]] = {  # (size, rocks): the map, half distance
    (4, 4): (((3, 1), (2, 1), (1, 3), (1, 0)), math.log(2)),
    (7, 8): (((2, 0), (0, 1), (3, 1), (6, 3), (2, 4), (3, 4), (5, 5), (1, 6)), HALF_DISTANCE),
    (11, 11): (
        ((0, 3), (0, 7), (1, 8), (2, 4), (3, 3), (3, 8), (4, 3), (5, 8), (6, 1), (9, 3), (9, 9)),
        HALF_DISTANCE,
    ),
    (15, 15): (
        (
            *((0, 4), (0, 11), (1, 8), (2, 4), (2, 12), (3, 9), (4, 3), (5, 14)),
            *((6, 0), (6, 8), (9, 3), (10, 2), (11, 7), (12, 12), (14, 9)),
        ),
        HALF_DISTANCE,
    ),
}


@dataclass(frozen=True)
class RockSample(Game[State, str]):
    """A grid of `size` x `size` cells with `rocks` rocks; seed 0 is the published map where there is one."""

    name = "rock-sample"
    record = GameRecord("RockSample", GameGroup.ALONE)

    size: int = 4
    rocks: int = 4
    discount: float = 0.95
    seed: int = 0
    half_distance: float | None = None  # where the sensor's efficiency is a half; none: as published, or 20
    players = ("rover",)

    def __post_init__(self) -> None:
        require_ranges(self, size=(1, 100), rocks=(1, min(20, self.size**2)))
        if self.seed < 0:
            raise SpecError(f"rock-sample: seed is {self.seed}, expected 0 or more")
        if self.half_distance is not None and not self.half_distance > 0:
            raise SpecError(f"rock-sample: half_distance is {self.half_distance}, expected a positive number")

    @cached_property
    def site(self) -> tuple[tuple[Cell, ...], float]:
        """Where the rocks lie, and the sensor's half distance."""
        if self.seed == 0 and (self.size, self.rocks) in PUBLISHED:
            places, half = PUBLISHED[self.size, self.rocks]
        else:
            rng = Random(self.seed)
            drawn = sorted((rng.random(), cell) for cell in product(range(self.size), range(self.size)))
            places, half = tuple(cell for _, cell in drawn[: self.rocks]), HALF_DISTANCE
        return places, half if self.half_distance is None else self.half_distance

    @cached_property
    def legal(self) -> tuple[str, ...]:
        return (*MOVES, *(f"check-{rock}" for rock in range(self.rocks)), "sample")

    def truth(self, cell: Cell, rock: int) -> float:
        """How likely a check of `rock` from `cell` is to be right."""
        places, half = self.site
        return (1 + 2 ** (-math.dist(cell, places[rock]) / half)) / 2

    @cached_property
    def _opening(self) -> Dist[Outcome[State]]:
        return Dist.uniform(Outcome((0, self.size // 2, rocks)) for rocks in product((0, 1), repeat=self.rocks))

    def start(self) -> Dist[Outcome[State]]:
        return self._opening  # 2**rocks outcomes: made once

    def actors(self, state: State) -> tuple[int, ...]:
        return () if state == OVER else (0,)

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return self.legal

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        x, y, rocks = state
        (action,) = joint
        if action in MOVES:
            return self._move(x + MOVES[action][0], y + MOVES[action][1], rocks)
        if action == "sample":
            return self._sample(state)
        rock = int(action.removeprefix("check-"))
        p = self.truth((x, y), rock) if rocks[rock] else 1 - self.truth((x, y), rock)
        return Dist.of(((Outcome(state, public="good"), p), (Outcome(state, public="bad"), 1 - p)))

    def _move(self, x: int, y: int, rocks: tuple[int, ...]) -> Dist[Outcome[State]]:
        if x == self.size:
            return Dist.sure(Outcome(OVER, EXIT))
        if x < 0 or not 0 <= y < self.size:
            return Dist.sure(Outcome(OVER, ILLEGAL))
        return Dist.sure(Outcome((x, y, rocks)))

    def _sample(self, state: State) -> Dist[Outcome[State]]:
        x, y, rocks = state
        places, _ = self.site
        if (x, y) not in places:
            return Dist.sure(Outcome(OVER, ILLEGAL))
        rock = places.index((x, y))
        left = (*rocks[:rock], 0, *rocks[rock + 1 :])
        return Dist.sure(Outcome((x, y, left), GOOD if rocks[rock] else BAD))

    def compiled_rules(self) -> Any:
        from fogbound.games.rock_sample.compiled_rules import compiled_rules

        return compiled_rules(self)

    def describe(self, action: str) -> str:
        if action.startswith("check-"):
            return f"check rock {action.removeprefix('check-')}"
        return "sample the rock here" if action == "sample" else f"go {action}"

    def describe_state(self, state: State) -> str:
        if state == OVER:
            return "the rover has left the map"
        x, y, _ = state
        return f"the rover is in column {x}, row {y}; {self.hidden_words(state, 0)}"

    def describe_public(self, seen: Hashable) -> str:
        return f"the rock looks {seen}"

    def hidden_words(self, state: State, player: int) -> str:  # noqa: ARG002
        good = [rock for rock, value in enumerate(state[2]) if value]
        return "" if state == OVER else f"good rocks: {listed(good)}"

    def board(self, state: State, player: int | None = None) -> Board:
        if state == OVER:
            return Board.of_text("The rover has left the map.")
        ys = reversed(range(self.size))
        rows = [[self._tile(state, (x, y), player) for x in range(self.size)] for y in ys]
        return Board.grid(rows, caption="R: the rover; the exit is to the east")

    def draw(self, state: State, player: int | None = None, belief: Dist[State] | None = None) -> Drawing:
        board = self.board(state, player)
        if state == OVER:
            return board.draw()
        from fogbound.games.scenes.rock_sample import rocks

        x, y, good = state
        chances: list[float | None] = [float(rock) for rock in good] if player is None else [None] * self.rocks
        if belief and player is not None:
            chances = [math.fsum(p for held, p in belief if held[2][rock]) for rock in range(self.rocks)]
        return rocks(self.size, (x, y), self.site[0], chances, player is None, board.text())

    def _tile(self, state: State, cell: Cell, player: int | None) -> Tile:
        places, _ = self.site
        text, tone = "", "plain"
        if cell in places:
            rock = places.index(cell)
            good = bool(state[2][rock])
            text = f"{rock}?" if player is not None else f"{rock}+" if good else f"{rock}-"
            tone = "fog" if player is not None else "lamp" if good else "plain"
        return Tile("R" + text, "mine") if cell == state[:2] else Tile(text, tone)
