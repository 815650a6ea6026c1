"""Pocman's rules as compiled rules: cells by number, food as the bits of some words.

A state is (Pocman's cell, what is left of a pill, whether there is more food, the words of the food that is there,
those of the food not yet drawn, the ghosts' cells, the ghosts' directions). What follows a step is chance for the food
and chance for each ghost, whatever the others do: outcomes are numbered in that order, the last ghost counting fastest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fogbound.compiled.bits import counted
from fogbound.compiled.kernel import NONE, ZERO, kernel
from fogbound.compiled.rules import rule

# Of `rules.integers`: numbers, then where tables begin: the first state; [cell] x and y; [cell, direction] the next
# cell; [cell] the walls, as they are sensed; [cell, NEAR] the places of food that is smelt there; [cell] the place of
# its own; [cell, cell of a ghost] what is sensed of it; the words of the pills.
GHOSTS, WORDS, CELLS, REACH, BUMPS = range(5)
HOME, COLUMN, ROW, WAYS, WALLS, NEARBY, OWN, SENSES, PILLS, MAP = range(5, 15)
POCMAN, POWER, MORE, FOOD = range(4)  # of a state; FOOD: the first of the words
NEAR, BITS = 9, 60  # cells in which food is smelt; bits of a word
SMELT, CAUGHT, CLEARED, NOTHING = 256, 1024, 1025, 1026  # what is seen besides ghosts and walls
STEP, MEAL, GHOST, DEATH, LAST, BUMP = -1.0, 10.0, 25.0, -100.0, 1000.0, -25.0
EMPTY, HUNTS, STAYS = 0.5, 0.75, 0.25
FULL = 15
ANYWHERE, HUNTING, FLEEING = range(3)


@kernel
def holds(state: Any, first: Any, place: Any) -> Any:
    """Whether a set whose words begin at `first` holds a place."""
    return (state[first + place // BITS] >> (place % BITS)) & 1


@kernel
def toggle(state: Any, first: Any, place: Any) -> Any:
    """Put a place into a set, or take it out."""
    state[first + place // BITS] ^= np.int64(1) << (place % BITS)


@kernel
def places_in(state: Any, first: Any, words: Any) -> Any:
    """How many places a set holds."""
    count = ZERO
    for word in range(first, first + words):
        count += counted(state[word])
    return count


@kernel
def next_cell(integers: Any, cell: Any, direction: Any) -> Any:
    """One step away; -1 behind a wall."""
    return integers[integers[WAYS] + 4 * cell + direction]


@kernel
def pocman_cell(integers: Any, cell: Any, action: Any) -> Any:
    """Where a step of Pocman leads: a wall stops it."""
    to = next_cell(integers, cell, action)
    return to if to >= 0 else cell


@kernel
def ways_ahead(integers: Any, cell: Any, came: Any) -> Any:
    """The directions that a ghost may take, as bits: not back, where there is another."""
    ahead = 0
    for d in range(4):
        if next_cell(integers, cell, d) >= 0:
            ahead |= 1 << d
    if came >= 0:
        on = ahead & ~(1 << ((came + 2) & 3))
        return on if on else ahead
    return ahead


@kernel
def mood(integers: Any, cell: Any, pocman: Any, power: Any) -> Any:
    """What a ghost is about."""
    x, y = integers[COLUMN], integers[ROW]
    away = abs(integers[x + cell] - integers[x + pocman]) + abs(integers[y + cell] - integers[y + pocman])
    if away >= integers[REACH]:
        return ANYWHERE
    return FLEEING if power > 0 else HUNTING


@kernel
def ghost_choices(integers: Any, cell: Any, came: Any, pocman: Any, power: Any) -> Any:
    """The number of ways in which a ghost may move."""
    about = mood(integers, cell, pocman, power)
    if about == FLEEING:
        return 1 if came < 0 else 2
    return counted(ways_ahead(integers, cell, came)) + (1 if about == HUNTING else 0)


@kernel
def likely(integers: Any, cell: Any, pocman: Any, power: Any, count: Any, choice: Any) -> Any:
    """How likely one of `count` choices is."""
    about = mood(integers, cell, pocman, power)
    if about == ANYWHERE:
        return 1.0 / count
    if about == HUNTING:
        return HUNTS if choice == 0 else (1.0 - HUNTS) * (1.0 / (count - 1))
    if count == 1:
        return 1.0
    return 1.0 - STAYS if choice == 0 else STAYS


@kernel
def ghost_lead(integers: Any, cell: Any, pocman: Any, direction: Any) -> Any:
    """How far a ghost is from Pocman on that side of him."""
    table = integers[ROW] if direction % 2 == 0 else integers[COLUMN]
    ahead = integers[table + cell] - integers[table + pocman]
    return ahead if direction < 2 else -ahead


@kernel
def move_ghost(integers: Any, state: Any, ghost: Any, pocman: Any, power: Any, choice: Any) -> Any:
    """Move a ghost, given by the place of its cell."""
    cell, came = state[ghost], state[ghost + integers[GHOSTS]]
    about, ahead = mood(integers, cell, pocman, power), ways_ahead(integers, cell, came)
    if about == ANYWHERE or (about == HUNTING and choice > 0):
        skipped = choice if about == ANYWHERE else choice - 1
        for d in range(4):
            if (ahead >> d) & 1:
                if skipped == 0:
                    state[ghost] = next_cell(integers, cell, d)
                    state[ghost + integers[GHOSTS]] = d
                skipped -= 1
        return
    state[ghost + integers[GHOSTS]] = -1
    if choice > 0:
        return
    best, most = -1, 0
    for d in range(4):
        if (ahead >> d) & 1:
            far = ghost_lead(integers, cell, pocman, d)
            far = far if about == FLEEING else -far
            if best < 0 or far >= most:
                best, most = d, far
    if about == HUNTING or most >= 0:
        state[ghost] = next_cell(integers, cell, best)


@kernel
def smells(integers: Any, state: Any, cell: Any) -> Any:
    """Whether food that is drawn can be smelt in a cell."""
    for k in range(NEAR):
        place = integers[integers[NEARBY] + NEAR * cell + k]
        if place >= 0 and holds(state, FOOD, place):
            return True
    return False


@kernel
def fresh_places(integers: Any, state: Any, cell: Any) -> Any:
    """How many places may have to be drawn: all near ones that are not yet, or only the own where food is smelt."""
    fresh, own, smelt = ZERO, integers[integers[OWN] + cell], smells(integers, state, cell)
    for k in range(NEAR):
        place = integers[integers[NEARBY] + NEAR * cell + k]
        if place >= 0 and (place == own or not smelt):
            fresh += holds(state, FOOD + integers[WORDS], place)
    return fresh


@kernel
def draw_food(integers: Any, state: Any, cell: Any, fresh: Any, found: Any) -> Any:
    """Of the fresh places those before the `found`-th hold nothing, and that one holds food, if there are so many."""
    undrawn, k = FOOD + integers[WORDS], integers[NEARBY] + NEAR * cell
    drawn = ZERO
    while drawn < fresh and drawn <= found:
        place = integers[k]
        if holds(state, undrawn, place):
            toggle(state, undrawn, place)
            if drawn == found:
                toggle(state, FOOD, place)
            drawn += 1
        k += 1


@kernel
def finishes(integers: Any, state: Any, cell: Any, fresh: Any, found: Any) -> Any:
    """Whether nothing that is drawn will be left once Pocman has eaten in a cell."""
    own, there = integers[integers[OWN] + cell], places_in(state, FOOD, integers[WORDS])
    if own < 0:
        return False
    if holds(state, FOOD, own):
        return there == 1 and not state[MORE]
    return there == 0 and found == 0 and fresh > 0 and holds(state, FOOD + integers[WORDS], own) == 1


@kernel
def meal_chances(integers: Any, state: Any, cell: Any, weights: Any) -> Any:
    """The probabilities of what may become of the food; their number."""
    fresh, undrawn = fresh_places(integers, state, cell), places_in(state, FOOD + integers[WORDS], integers[WORDS])
    before, count = EMPTY**undrawn, 0
    for found in range(fresh + 1):
        drawn = min(found + 1, fresh)
        after, p = EMPTY ** (undrawn - drawn), EMPTY**drawn
        if state[MORE]:
            p = (p if found < fresh else p * (1.0 - after)) / (1.0 - before)
        if finishes(integers, state, cell, fresh, found):
            weights[count] = p * after
            count += 1
            if undrawn > drawn:
                weights[count] = p * (1.0 - after)
                count += 1
        elif p > 0.0:
            weights[count] = p
            count += 1
    return count


@kernel
def meal_of(integers: Any, state: Any, cell: Any, fresh: Any, k: Any) -> Any:
    """Which place is found in the k-th of the meals, and whether it is the last food (1) or the last drawn (2)."""
    if not finishes(integers, state, cell, fresh, ZERO):
        return k, ZERO  # where `more` makes the last of them impossible, it is not counted
    undrawn = places_in(state, FOOD + integers[WORDS], integers[WORDS])
    if undrawn > min(1, fresh):
        return (ZERO, k + 1) if k < 2 else (k - 1, ZERO)
    return (ZERO, k + 1) if k < 1 else (k, ZERO)


@rule
def begin(rules: Any, k: Any, state: Any, seen: Any) -> Any:  # noqa: ARG001
    """Everybody at home, and all food to be drawn but the pills."""
    integers = rules.integers
    for word in range(len(state)):
        state[word] = integers[integers[HOME] + word]
    seen[0] = NOTHING
    return 1.0


@rule
def actors(rules: Any, state: Any, out: Any) -> Any:  # noqa: ARG001
    """Pocman, until he is caught or all is eaten."""
    out[0] = 0
    return np.int64(1 if state[POCMAN] >= 0 else 0)


@rule
def legal(rules: Any, state: Any, player: Any, out: Any) -> Any:  # noqa: ARG001
    """Where there is no wall; everywhere, where bumping is allowed."""
    integers, count = rules.integers, 0
    for d in range(4):
        if integers[BUMPS] or next_cell(integers, state[POCMAN], d) >= 0:
            out[count] = d
            count += 1
    return np.int64(count)


@rule
def chances(rules: Any, state: Any, joint: Any, places: Any, weights: Any) -> Any:  # noqa: ARG001
    """The food's chances times those of one ghost after the other."""
    integers, cell = rules.integers, pocman_cell(rules.integers, state[POCMAN], joint[0])
    power, ghosts = max(state[POWER] - 1, 0), integers[GHOSTS]
    first, count = FOOD + 2 * integers[WORDS], meal_chances(integers, state, cell, weights)
    for ghost in range(first, first + ghosts):
        at, came = state[ghost], state[ghost + ghosts]
        size = ghost_choices(integers, at, came, cell, power)
        for k in range(count - 1, -1, -1):
            weight = weights[k]
            for choice in range(size):
                weights[k * size + choice] = weight * likely(integers, at, cell, power, size, choice)
        count *= size
    return np.int64(count)


@rule
def follow(rules: Any, state: Any, joint: Any, places: Any, k: Any, rewards: Any, seen: Any) -> Any:  # noqa: ARG001
    """Pocman goes, the ghosts go, somebody may be eaten; then the food."""
    integers, cell = rules.integers, pocman_cell(rules.integers, state[POCMAN], joint[0])
    power, ghosts, words = max(state[POWER] - 1, 0), integers[GHOSTS], integers[WORDS]
    rewards[0] = STEP if next_cell(integers, state[POCMAN], joint[0]) >= 0 else STEP + BUMP
    first, met = FOOD + 2 * words, NONE
    for ghost in range(first + ghosts - 1, first - 1, -1):
        at = state[ghost]
        size = ghost_choices(integers, at, state[ghost + ghosts], cell, power)
        move_ghost(integers, state, ghost, cell, power, k % size)
        k //= size
        if met < 0 and cell in (at, state[ghost]):
            met = np.int64(ghost)
    fresh = fresh_places(integers, state, cell)
    found, ends = meal_of(integers, state, cell, fresh, k)
    if met >= 0:
        rewards[0] += GHOST if power > 0 else DEATH
        state[met] = integers[integers[HOME] + first]
        state[met + ghosts] = -1
    caught = met >= 0 and power == 0
    if caught or ends == 1:
        rewards[0] += 0.0 if caught else LAST
        seen[0] = CAUGHT if caught else CLEARED
        for word in range(len(state)):
            state[word] = 0
        state[POCMAN] = -1 if caught else -2
        return np.int64(0)
    state[POCMAN], state[POWER] = cell, power
    draw_food(integers, state, cell, fresh, found)
    state[MORE] = 1 if ends == 2 or (state[MORE] and found >= fresh) else 0
    bits = integers[integers[WALLS] + cell] + (SMELT if smells(integers, state, cell) else 0)
    own = integers[integers[OWN] + cell]
    if own >= 0 and holds(state, FOOD, own):
        toggle(state, FOOD, own)
        rewards[0] += MEAL
        if holds(integers, integers[PILLS], own):
            state[POWER] = FULL
    for ghost in range(first, first + ghosts):
        bits |= integers[integers[SENSES] + integers[CELLS] * cell + state[ghost]]
    seen[0] = bits
    return np.int64(0)
