"""The rules of an enumerated game as a twin's functions: its arrays laid end to end, found by where they begin."""

from __future__ import annotations

from typing import Any

import numpy as np

from fogbound.compiled.kernel import kernel
from fogbound.compiled.twin import rule

# What stands first among the integers of the rules: sizes, then where each array begins.
PLAYERS, ACTORS, ACTIONS, SET, SET_PLAYERS, SET_SIZE, LEGAL, LEGAL_ACTIONS, LEGAL_SIZE = range(9)
ROW, OUT, NEXT, EVENT, SEEN, REWARD, WORTH, HEAD = range(9, 17)  # REWARD, WORTH: among the numbers, after `prob`


@rule
def begin(rules: Any, k: Any, state: Any, seen: Any) -> Any:
    """The k-th outcome of the start."""
    numbers = rules.integers
    event = numbers[numbers[EVENT] + k]
    state[0] = numbers[numbers[NEXT] + k]
    for player in range(numbers[PLAYERS]):
        seen[player] = numbers[numbers[SEEN] + event * numbers[PLAYERS] + player]
    return rules.numbers[k]


@rule
def actors(rules: Any, state: Any, out: Any) -> Any:
    """The players of the state's set of actors."""
    numbers = rules.integers
    who = numbers[numbers[SET] + state[0]]
    size = numbers[numbers[SET_SIZE] + who]
    for k in range(size):
        out[k] = numbers[numbers[SET_PLAYERS] + who * numbers[ACTORS] + k]
    return size


@rule
def legal(rules: Any, state: Any, player: Any, out: Any) -> Any:
    """The list of legal actions of an actor."""
    numbers = rules.integers
    who, k = numbers[numbers[SET] + state[0]], 0
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
    numbers = rules.integers
    size, place = numbers[numbers[SET_SIZE] + numbers[numbers[SET] + state[0]]], 0
    for k in range(size):
        listed = numbers[numbers[LEGAL] + state[0] * numbers[ACTORS] + k]
        place = place * numbers[numbers[LEGAL_SIZE] + listed] + places[k]
    return numbers[numbers[ROW] + state[0]] + place


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
def worths(rules: Any, state: Any, player: Any, out: Any) -> Any:  # noqa: ARG001
    """What each action of the only player is worth to one who sees everything from then on."""
    numbers = rules.integers
    size = numbers[numbers[LEGAL_SIZE] + numbers[numbers[LEGAL] + state[0] * numbers[ACTORS]]]
    for place in range(size):
        out[place] = rules.numbers[numbers[WORTH] + state[0] * numbers[ACTIONS] + place]
    return size
