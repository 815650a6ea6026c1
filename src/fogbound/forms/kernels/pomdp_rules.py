"""The rules of a POMDP as compiled rules: its arrays laid end to end, found by where they begin.

Player 0 is the one who decides. In a state in which it waits somebody else is asked, who has nothing to choose: what
the fixed players do is in the probabilities already.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fogbound.compiled.rules import rule

# What stands first among the integers of the rules: how many are asked at all, then where each array begins.
PLAYERS, ROW, ACTION, OUT, NEXT, SEEN, REWARD, WORTH, HEAD = range(9)  # REWARD, WORTH: among the numbers, after `prob`
WAITS, UNSEEN = -1, 0


@rule
def begin(rules: Any, k: Any, state: Any, seen: Any) -> Any:
    """The k-th outcome of the start."""
    numbers = rules.integers
    state[0] = numbers[numbers[NEXT] + k]
    seen[0] = numbers[numbers[SEEN] + k]
    for player in range(1, numbers[PLAYERS]):
        seen[player] = UNSEEN
    return rules.numbers[k]


@rule
def actors(rules: Any, state: Any, out: Any) -> Any:
    """The one who decides, or somebody else where it waits; nobody where there are no rows."""
    numbers = rules.integers
    row, end = numbers[numbers[ROW] + state[0]], numbers[numbers[ROW] + state[0] + 1]
    if row == end:
        return np.int64(0)
    out[0] = 1 if numbers[numbers[ACTION] + row] == WAITS else 0
    return np.int64(1)


@rule
def legal(rules: Any, state: Any, player: Any, out: Any) -> Any:
    """The actions of the state's rows."""
    numbers = rules.integers
    row, end = numbers[numbers[ROW] + state[0]], numbers[numbers[ROW] + state[0] + 1]
    if player:
        out[0] = 0
        return np.int64(1)
    begins = numbers[ACTION] + row
    for place in range(end - row):
        out[place] = numbers[begins + place]
    return end - row


@rule
def chances(rules: Any, state: Any, joint: Any, places: Any, weights: Any) -> Any:  # noqa: ARG001
    """The probabilities of the outcomes of a row."""
    numbers = rules.integers
    row = numbers[numbers[ROW] + state[0]] + places[0]
    first, end = numbers[numbers[OUT] + row], numbers[numbers[OUT] + row + 1]
    for outcome in range(first, end):
        weights[outcome - first] = rules.numbers[outcome]
    return end - first


@rule
def follow(rules: Any, state: Any, joint: Any, places: Any, k: Any, rewards: Any, seen: Any) -> Any:  # noqa: ARG001
    """One outcome of a row."""
    numbers = rules.integers
    row = numbers[numbers[ROW] + state[0]] + places[0]
    outcome = numbers[numbers[OUT] + row] + k
    state[0] = numbers[numbers[NEXT] + outcome]
    rewards[0] = rules.numbers[numbers[REWARD] + row]
    seen[0] = numbers[numbers[SEEN] + outcome]
    for player in range(1, numbers[PLAYERS]):
        rewards[player] = 0.0
        seen[player] = UNSEEN
    return np.int64(0)


@rule
def worths(rules: Any, state: Any, player: Any, out: Any) -> Any:  # noqa: ARG001
    """What each action is worth to one who sees more from then on."""
    numbers = rules.integers
    row, end = numbers[numbers[ROW] + state[0]], numbers[numbers[ROW] + state[0] + 1]
    begins = numbers[WORTH] + row
    for place in range(end - row):
        out[place] = rules.numbers[begins + place]
    return end - row
