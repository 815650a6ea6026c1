"""RockSample's rules as compiled rules: a state is the rover's cell and the set of good rocks, the bits of a word.

With every rock known the game is a tour: go to a good rock, sample it, go to the next, leave. Moves are sure and cross
each other freely, so that what such a tour is worth from a cell depends on distances alone, and follows from what it is
worth at each rock with fewer of them left: a recursion over subsets, exact, with nothing to iterate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fogbound.compiled.kernel import NONE, kernel
from fogbound.compiled.rules import rule

SIZE, ROCKS, START, CELLS = range(4)  # of `rules.integers`; CELLS: where the rock of each cell is, -1 = none
DISCOUNT, TRUTH = range(2)  # of `rules.numbers`; TRUTH: where [cell, rock] begins, then the values [cell, set]
CELL, GOOD = range(2)  # of a state; the cell is -1 when the game is over
EAST, MOVES = 1, 4  # codes: north, east, south, west, check-0, check-1, …, sample
NOTHING, SEEN_GOOD, SEEN_BAD = range(3)  # what is seen
GAIN, EXIT, RUIN = 10.0, 10.0, -100.0


@kernel
def cell_after(cell: Any, action: Any, size: Any) -> Any:
    """The cell one step away: -1 over the eastern edge, -2 over another."""
    x, y = cell // size, cell % size
    if action == 0:
        return cell + 1 if y + 1 < size else -2
    if action == EAST:
        return cell + size if x + 1 < size else -1
    if action == 2:
        return cell - 1 if y > 0 else -2
    return cell - size if x > 0 else -2


@rule
def begin(rules: Any, k: Any, state: Any, seen: Any) -> Any:
    """The k-th set of good rocks, in the order in which the first rock changes last."""
    rocks, good = rules.integers[ROCKS], 0
    for rock in range(rocks):
        good |= ((k >> (rocks - 1 - rock)) & 1) << rock
    state[CELL] = rules.integers[START]
    state[GOOD] = good
    seen[0] = NOTHING
    return 1.0 / (1 << rocks)


@rule
def actors(rules: Any, state: Any, out: Any) -> Any:  # noqa: ARG001
    """The rover, until it has left."""
    out[0] = 0
    return np.int64(1 if state[CELL] >= 0 else 0)


@rule
def legal(rules: Any, state: Any, player: Any, out: Any) -> Any:  # noqa: ARG001
    """Everything, everywhere."""
    size = MOVES + rules.integers[ROCKS] + 1
    for action in range(size):
        out[action] = action
    return np.int64(size)


@rule
def chances(rules: Any, state: Any, joint: Any, places: Any, weights: Any) -> Any:  # noqa: ARG001
    """A check says good or bad, as far as either may be said; all else is sure."""
    rocks, action = rules.integers[ROCKS], joint[0]
    weights[0] = 1.0
    if MOVES <= action < MOVES + rocks:
        truth = rules.numbers[TRUTH + state[CELL] * rocks + action - MOVES]
        likely = truth if (state[GOOD] >> (action - MOVES)) & 1 else 1.0 - truth
        if 0.0 < likely < 1.0:
            weights[0] = likely
            weights[1] = 1.0 - likely
            return np.int64(2)
    return np.int64(1)


@rule
def follow(rules: Any, state: Any, joint: Any, places: Any, k: Any, rewards: Any, seen: Any) -> Any:  # noqa: ARG001
    """Go, look or sample."""
    rocks, action, cell, good = rules.integers[ROCKS], joint[0], state[CELL], state[GOOD]
    rewards[0] = 0.0
    seen[0] = NOTHING
    if action < MOVES:
        to = cell_after(cell, action, rules.integers[SIZE])
        if to < 0:
            rewards[0] = EXIT if to == -1 else RUIN
            state[GOOD] = 0
        state[CELL] = max(to, NONE)
        return np.int64(0)
    if action < MOVES + rocks:
        truth, really = rules.numbers[TRUTH + cell * rocks + action - MOVES], (good >> (action - MOVES)) & 1
        likely = truth if really else 1.0 - truth
        said = k == 0 if likely > 0.0 else False
        seen[0] = SEEN_GOOD if said else SEEN_BAD
        return np.int64(0)
    rock = rules.integers[CELLS + cell]
    if rock < 0:
        rewards[0] = RUIN
        state[CELL] = -1
        state[GOOD] = 0
    else:
        rewards[0] = GAIN if (good >> rock) & 1 else -GAIN
        state[GOOD] = good & ~(1 << rock)
    return np.int64(0)


@rule
def worths(rules: Any, state: Any, player: Any, out: Any) -> Any:  # noqa: ARG001
    """What each action is worth to a rover that knows all rocks from the next step on."""
    size, rocks, cell, good = rules.integers[SIZE], rules.integers[ROCKS], state[CELL], state[GOOD]
    first, discount = TRUTH + size * size * rocks, rules.numbers[DISCOUNT]
    here = discount * rules.numbers[first + (cell << rocks) + good]
    for action in range(MOVES):
        to = cell_after(cell, action, size)
        if to >= 0:
            out[action] = discount * rules.numbers[first + (to << rocks) + good]
        else:
            out[action] = EXIT if to == -1 else RUIN
    for action in range(MOVES, MOVES + rocks):
        out[action] = here
    rock = rules.integers[CELLS + cell]
    if rock < 0:
        out[MOVES + rocks] = RUIN
    elif (good >> rock) & 1:
        out[MOVES + rocks] = GAIN + discount * rules.numbers[first + (cell << rocks) + (good & ~(1 << rock))]
    else:
        out[MOVES + rocks] = here - GAIN
    return np.int64(MOVES + rocks + 1)


@kernel
def fill_tour_values(size: Any, discount: Any, places: Any, fades: Any, at_rock: Any, values: Any) -> Any:
    """Fill `values` [cell, set of good rocks] with what the best tour is worth.

    `places` holds the rocks' cells, `fades` the powers of the discount, `at_rock` is room [set, rock] for what a tour
    is worth at a rock that is not in the set.
    """
    rocks = len(places)
    for good in range(1 << rocks):  # subsets come before the sets that hold them
        for rock in range(rocks):
            if not (good >> rock) & 1:
                at_rock[good, rock] = _tour(size, discount, places, fades, at_rock, places[rock], good)
    for cell in range(size * size):
        for good in range(1 << rocks):
            values[(cell << rocks) + good] = _tour(size, discount, places, fades, at_rock, cell, good)


@kernel
def _tour(size: Any, discount: Any, places: Any, fades: Any, at_rock: Any, cell: Any, good: Any) -> Any:
    """Leave at once, or go to one of the good rocks first."""
    x, y = cell // size, cell % size
    best = EXIT * fades[size - 1 - x]
    for rock in range(len(places)):
        if (good >> rock) & 1:
            away = abs(places[rock] // size - x) + abs(places[rock] % size - y)
            best = max(best, fades[away] * (GAIN + discount * at_rock[good & ~(1 << rock), rock]))
    return best
