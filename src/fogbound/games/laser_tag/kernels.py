"""Laser tag as compiled functions: a state is the robot's cell and the opponent's, an observation eight readings."""

from __future__ import annotations

from math import erf, floor, sqrt
from typing import Any

import numpy as np

from fogbound.compiled.draws import below, standard_normal, uniform
from fogbound.compiled.kernel import kernel
from fogbound.compiled.rules import rule
from fogbound.compiled.sampled_rules import SampledRules
from fogbound.games.laser_tag.arena import CAUGHT, DIRECTIONS, MISSED, MOVED, NOISE, WIDE

CELLS, START, MOVES, CLEAR = range(4)  # of `rules.integers`; START: -1 = anywhere; MOVES, CLEAR: where they begin
FAR, FLIGHT, VALUE, LIKELY, PAID = range(4, 9)  # the same: where these begin among `rules.numbers`
HEAD, WAYS, RAYS, READINGS = 9, 5, 8, 16  # integers before the arrays; what an opponent may do; 0 to 15 are read
TAG = 4


@kernel
def pair_of(rules: Any, state: Any) -> Any:
    """The number of a state."""
    return int(state[0]) * rules.integers[CELLS] + int(state[1])


class LaserTagRules:
    """The compiled functions."""

    @rule
    def initial(rules: Any, random: Any, state: Any) -> Any:
        """Both anywhere; the robot where it knows that it begins."""
        start = rules.integers[START]
        state[0] = start if start >= 0 else below(random, rules.integers[CELLS])
        state[1] = below(random, rules.integers[CELLS])
        return 0

    @rule
    def step(rules: Any, state: Any, action: Any, random: Any, rewards: Any, seen: Any) -> Any:
        """Go or tag; the opponent flees; read the ranges."""
        pair = pair_of(rules, state)
        same = state[0] == state[1]
        rewards[0] = rules.numbers[rules.integers[PAID] + (0 if action < TAG else 1 if same else 2)]
        if action == TAG and same:
            for ray in range(RAYS):
                seen[ray] = -1.0
            return 1
        left, flight, way = uniform(random), rules.integers[FLIGHT] + 2 * WAYS * pair, 0
        while way < WAYS - 1 and left >= rules.numbers[flight + 2 * way]:
            left -= rules.numbers[flight + 2 * way]
            way += 1
        state[1] = rules.numbers[flight + 2 * way + 1]
        if action < TAG:
            state[0] = rules.integers[rules.integers[MOVES] + TAG * int(state[0]) + action]
        far = rules.integers[FAR] + RAYS * pair_of(rules, state)
        for ray in range(RAYS):
            distance = rules.numbers[far + ray]
            seen[ray] = max(0.0, floor(distance - abs(NOISE * standard_normal(random)))) if distance > 0.0 else -1.0
        return 0

    @rule
    def observation_density(rules: Any, before: Any, action: Any, state: Any, seen: Any) -> Any:  # noqa: ARG002
        """The product over the eight readings."""
        clear, chance = rules.integers[CLEAR] + RAYS * pair_of(rules, state), 1.0
        if state[0] == state[1]:
            return 1.0 if seen[0] < 0.0 else 0.0
        if seen[0] < 0.0:
            return 0.0
        for ray in range(RAYS):
            kind = 0 if ray < TAG else WIDE
            row = rules.integers[LIKELY] + READINGS * (kind + rules.integers[clear + ray])
            chance *= rules.numbers[row + int(seen[ray])]
        return chance

    @rule
    def value(rules: Any, state: Any) -> Any:
        """What one gets who sees everything."""
        return rules.numbers[rules.integers[VALUE] + pair_of(rules, state)]

    @rule
    def upper(rules: Any, state: Any) -> Any:
        """The same, a bound."""
        return rules.numbers[rules.integers[VALUE] + pair_of(rules, state)]


def compiled_rules(game: Any) -> SampledRules:
    """The compiled functions of `LaserTag`, with its tables."""
    cells, number = game.cells, {cell: k for k, cell in enumerate(game.cells)}
    count = len(cells)
    moves = [[number.get((x + dx, y + dy), k) for dx, dy in DIRECTIONS[:TAG]] for k, (x, y) in enumerate(cells)]
    clear, far = np.zeros((count, count, RAYS), np.int64), np.zeros((count, count, RAYS))
    flight = np.zeros((count, count, WAYS, 2))
    for robot, opponent in np.ndindex(count, count):
        clear[robot, opponent] = [game.clear(cells[robot], cells[opponent], way) for way in DIRECTIONS]
        fled = game.flight(cells[robot], cells[opponent])
        flight[robot, opponent, : len(fled)] = [(chance, number[cell]) for cell, chance in fled.items()]
    far[:] = (clear + 1) * np.where(np.arange(RAYS) < TAG, 1.0, sqrt(2.0))
    far[np.arange(count), np.arange(count)] = 0.0
    values = full_information_values(game.discount, np.array(moves), flight)
    integers, numbers = [np.array(moves), clear], [far, flight, values, reading_chances()]
    numbers.append(np.array([MOVED, CAUGHT, MISSED]))
    starts = np.cumsum([HEAD, *(column.size for column in integers)])[:-1]
    begins = np.cumsum([0, *(column.size for column in numbers)])[:-1]
    head = [count, count // 2 if game.located else -1, *starts, *begins]
    return SampledRules.of(
        game,
        vars(LaserTagRules),
        width=2,
        seen=RAYS,
        integers=np.concatenate([head, *(column.ravel() for column in integers)]),
        numbers=np.concatenate([column.ravel() for column in numbers]),
    )


def reading_chances() -> np.ndarray[Any, Any]:
    """[straight or diagonal * WIDE + free cells, reading] How likely each reading is."""
    found = np.zeros((2 * WIDE, READINGS))
    for kind, free in np.ndindex(2, WIDE):
        far = (free + 1) * (sqrt(2.0) if kind else 1.0)
        below_it = [1.0 + erf((min(reading, far) - far) / (NOISE * sqrt(2.0))) for reading in range(READINGS + 1)]
        found[kind * WIDE + free] = np.diff([0.0, *below_it[1:]])
    return found


def full_information_values(discount: float, moves: Any, flight: Any) -> np.ndarray[Any, Any]:
    """[robot, opponent] What one gets who sees everything, by value iteration from above."""
    count = len(moves)
    chance, to = flight[..., 0], flight[..., 1].astype(np.int64)
    robot = np.arange(count)
    value = np.full((count, count), CAUGHT)
    for _ in range(1000):
        stay = (chance * value[robot[:, None, None], to]).sum(axis=2)
        best = MISSED + discount * stay
        best[robot, robot] = CAUGHT
        for way in range(TAG):
            gone = (chance * value[moves[:, way][:, None, None], to]).sum(axis=2)
            best = np.maximum(best, MOVED + discount * gone)
        change, value = np.abs(best - value).max(), best
        if change < 1e-9:
            break
    return value
