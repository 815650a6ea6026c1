"""Phantom tic-tac-toe's rules as compiled rules: crosses, noughts and what was found, each the bits of a word."""

from __future__ import annotations

from typing import Any

import numpy as np

from fogbound.compiled.bits import chosen, counted
from fogbound.compiled.draws import below
from fogbound.compiled.kernel import kernel
from fogbound.compiled.rules import rule

ABRUPT = 0  # of `rules.integers`
FOUND, MOVER = 2, 3  # of a state, after the marks of either player
BOARD, SQUARES = 511, 9  # all squares, and how many they are
NOTHING, PLACED, TAKEN, DRAWN, WON = range(5)  # what is seen; WON + who


@kernel
def has_line(marks: Any) -> Any:
    """Whether a row, a column or a diagonal is full."""
    rows = marks & (marks >> 1) & (marks >> 2) & 0b001001001
    columns = marks & (marks >> 3) & (marks >> 6)
    return (rows | columns) != 0 or (marks & 0b100010001) == 0b100010001 or (marks & 0b001010100) == 0b001010100


@kernel
def over(state: Any) -> Any:
    """A line, or no room for one."""
    return has_line(state[0]) or has_line(state[1]) or (state[0] | state[1]) == BOARD


@kernel
def unknown(state: Any, player: Any) -> Any:
    """The squares that a player may try: all but its own and those of the other that it ran into."""
    return BOARD & ~(state[player] | (state[1 - player] & state[FOUND]))


@kernel
def tried(rules: Any, state: Any, square: Any) -> Any:
    """The mover chooses a square, given as a set: whether it was free."""
    mover = state[MOVER]
    if state[1 - mover] & square:
        state[FOUND] |= square
        if rules.integers[ABRUPT]:
            state[MOVER] = 1 - mover
        return False
    state[mover] |= square
    state[MOVER] = 1 - mover
    return True


@rule
def begin(rules: Any, k: Any, state: Any, seen: Any) -> Any:  # noqa: ARG001
    """An empty board."""
    for word in range(MOVER + 1):
        state[word] = 0
    seen[0] = seen[1] = NOTHING
    return 1.0


@rule
def actors(rules: Any, state: Any, out: Any) -> Any:  # noqa: ARG001
    """Whose turn it is."""
    out[0] = state[MOVER]
    return np.int64(0 if over(state) else 1)


@rule
def legal(rules: Any, state: Any, player: Any, out: Any) -> Any:  # noqa: ARG001
    """Every square of which the player knows nothing."""
    squares, count = unknown(state, player), 0
    for square in range(SQUARES):
        if (squares >> square) & 1:
            out[count] = square
            count += 1
    return np.int64(count)


@rule
def chances(rules: Any, state: Any, joint: Any, places: Any, weights: Any) -> Any:  # noqa: ARG001
    """Nothing is left to chance."""
    weights[0] = 1.0
    return np.int64(1)


@rule
def follow(rules: Any, state: Any, joint: Any, places: Any, k: Any, rewards: Any, seen: Any) -> Any:  # noqa: ARG001
    """The mover is told how it went; all hear of the end."""
    mover, square = state[MOVER], 1 << joint[0]
    rewards[0] = rewards[1] = 0.0
    seen[0] = seen[1] = NOTHING
    seen[mover] = PLACED if tried(rules, state, square) else TAKEN
    if has_line(state[mover]):
        rewards[mover], rewards[1 - mover] = 1.0, -1.0
        seen[0] = seen[1] = WON + mover
    elif over(state):
        seen[0] = seen[1] = DRAWN
    return np.int64(0)


@rule
def play_out(rules: Any, state: Any, random: Any, left: Any, returns: Any) -> Any:
    """The same steps at random, without a list of what is legal: how many were played."""
    for step in range(left):
        if over(state):
            return np.int64(step)
        mover = state[MOVER]
        squares = unknown(state, mover)
        tried(rules, state, chosen(squares, below(random, counted(squares))))
        if has_line(state[mover]):
            returns[mover] += 1.0
            returns[1 - mover] -= 1.0
    return np.int64(left)
