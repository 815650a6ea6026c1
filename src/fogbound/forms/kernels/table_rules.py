"""The rules of an enumerated game as compiled rules: its arrays laid end to end, found by where they begin."""

from __future__ import annotations

from typing import Any

import numpy as np

from fogbound.compiled.draws import below, uniform
from fogbound.compiled.kernel import kernel
from fogbound.compiled.rules import rule

# What stands first among the integers of the rules: sizes, then where each array begins.
PLAYERS, ACTORS, ACTIONS, TURN, SET_PLAYERS, LEGAL, LEGAL_ACTIONS, LEGAL_SIZE = range(8)
OUT, NEXT, EVENT, SEEN, REWARD, DISCOUNT, HEAD = range(8, 15)  # REWARD, DISCOUNT: among the numbers
MOVERS, SET, FIRST, ROW, TURN_WIDTH = range(5)  # of a state's turn: how many move, who, the first of them, its rows


@rule
def begin(rules: Any, k: Any, state: Any, seen: Any) -> Any:
    """The k-th outcome of the start."""
    numbers = rules.integers
    event = numbers[numbers[EVENT] + k]
    state[0] = numbers[numbers[NEXT] + k]
    for player in range(numbers[PLAYERS]):
        seen[player] = numbers[numbers[SEEN] + event * numbers[PLAYERS] + player]
    return rules.numbers[k]


@kernel
def _turn(rules: Any, state: Any) -> Any:
    """Where what is asked most of a state lies side by side."""
    return rules.integers[TURN] + state[0] * TURN_WIDTH


@rule
def actors(rules: Any, state: Any, out: Any) -> Any:
    """The players of the state's set of actors."""
    numbers, turn = rules.integers, _turn(rules, state)
    size = numbers[turn + MOVERS]
    out[0] = numbers[turn + FIRST]
    for k in range(1, size):
        out[k] = numbers[numbers[SET_PLAYERS] + numbers[turn + SET] * numbers[ACTORS] + k]
    return size


@rule
def legal(rules: Any, state: Any, player: Any, out: Any) -> Any:
    """The list of legal actions of an actor."""
    numbers, turn, k = rules.integers, _turn(rules, state), 0
    if numbers[turn + FIRST] != player:
        who = numbers[turn + SET]
        while numbers[numbers[SET_PLAYERS] + who * numbers[ACTORS] + k] != player:
            k += 1
    listed = numbers[numbers[LEGAL] + state[0] * numbers[ACTORS] + k]
    size, begins = numbers[numbers[LEGAL_SIZE] + listed], numbers[LEGAL_ACTIONS] + listed * numbers[ACTIONS]
    for place in range(size):
        out[place] = numbers[begins + place]
    return size


@kernel
def _row(rules: Any, state: Any, places: Any) -> Any:
    """Rows of a state are its joint moves in mixed radix, the last actor the fastest."""
    numbers, turn = rules.integers, _turn(rules, state)
    place = places[0]
    for k in range(1, numbers[turn + MOVERS]):
        listed = numbers[numbers[LEGAL] + state[0] * numbers[ACTORS] + k]
        place = place * numbers[numbers[LEGAL_SIZE] + listed] + places[k]
    return numbers[turn + ROW] + place


@rule
def chances(rules: Any, state: Any, joint: Any, places: Any, weights: Any) -> Any:  # noqa: ARG001
    """The probabilities of the outcomes of a row."""
    numbers = rules.integers
    row = _row(rules, state, places)
    first, end = numbers[numbers[OUT] + row], numbers[numbers[OUT] + row + 1]
    for outcome in range(first, end):
        weights[outcome - first] = rules.numbers[outcome]
    return end - first


@rule
def follow(rules: Any, state: Any, joint: Any, places: Any, k: Any, rewards: Any, seen: Any) -> Any:  # noqa: ARG001
    """One outcome of a row."""
    numbers = rules.integers
    outcome, players = numbers[numbers[OUT] + _row(rules, state, places)] + k, numbers[PLAYERS]
    event = numbers[numbers[EVENT] + outcome]
    state[0] = numbers[numbers[NEXT] + outcome]
    for player in range(players):
        rewards[player] = rules.numbers[numbers[REWARD] + event * players + player]
        seen[player] = numbers[numbers[SEEN] + event * players + player]
    return np.int64(0)


@rule
def play_out(rules: Any, state: Any, random: Any, left: Any, returns: Any) -> Any:
    """Random places, then a random outcome where there are several, to the end or for so many steps."""
    numbers, players, scale = rules.integers, rules.integers[PLAYERS], 1.0
    for step in range(left):
        turn, place = _turn(rules, state), 0
        movers = numbers[turn + MOVERS]
        if movers == 0:
            return step
        for k in range(movers):
            size = numbers[numbers[LEGAL_SIZE] + numbers[numbers[LEGAL] + state[0] * numbers[ACTORS] + k]]
            place = place * size + below(random, size)
        row = numbers[turn + ROW] + place
        outcome, last = numbers[numbers[OUT] + row], numbers[numbers[OUT] + row + 1] - 1
        if outcome < last:
            chance = uniform(random)
            while outcome < last:
                chance -= rules.numbers[outcome]
                if chance < 0.0:
                    break
                outcome += 1
        paid = numbers[REWARD] + numbers[numbers[EVENT] + outcome] * players
        for player in range(players):
            returns[player] += scale * rules.numbers[paid + player]
        scale *= rules.numbers[numbers[DISCOUNT]]
        state[0] = numbers[numbers[NEXT] + outcome]
    return left
