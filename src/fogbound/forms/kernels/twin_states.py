"""All states of a twin, breadth first: rows of words in a hash table, and what follows each as columns.

Whoever calls makes room. A state is written whole or not at all: where room runs out in its midst, what was begun is
begun again, and finds the states that it has added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.draws import FIRST
from fogbound.compiled.kernel import ZERO, kernel

STATES, EXPANDED, ROWS, OUTCOMES, PAID, NARROW = range(6)  # of `count`; NARROW: whether words have 32 bits
DONE, PAUSE, NO_ROOM, NO_ROWS, NO_OUTCOMES, NO_PAID, WIDE = range(7)  # why `expand` returns
MOST_NARROW = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Store(Bundle):
    """Room for states and what follows them."""

    count: np.ndarray  # [6]
    rows: np.ndarray  # [state, word]
    slot: np.ndarray  # [power of two, at least twice the states] a state, or -1
    choices: np.ndarray  # [state, player] legal actions of each actor, 0 of the others
    row: np.ndarray  # [state + 1] joint moves
    out: np.ndarray  # [joint move + 1] outcomes
    next: np.ndarray  # [outcome]
    prob: np.ndarray  # [outcome], [0] where nothing is left to chance
    pays: np.ndarray  # [state + 1] outcomes that pay
    paid: np.ndarray  # [paying outcome] which outcome it is
    payoff: np.ndarray  # [paying outcome, player]


@dataclass(frozen=True, eq=False)
class Work(Bundle):
    """Room for one joint move."""

    state: np.ndarray  # [width]
    actors: np.ndarray  # [player]
    options: np.ndarray  # [player, action]
    sizes: np.ndarray  # [player]
    joint: np.ndarray  # [player]
    places: np.ndarray  # [player]
    weights: np.ndarray  # [outcome]
    rewards: np.ndarray  # [player]
    seen: np.ndarray  # [player]


@dataclass(frozen=True, eq=False)
class Payoff(Bundle):
    """Room for what outcomes pay."""

    payoff: np.ndarray  # [paying outcome, player]


@kernel
def slot_of_row(state: Any, slots: Any) -> Any:
    """Where a state is first looked for."""
    word = ZERO
    for place in range(len(state)):
        word = (word ^ state[place]) * FIRST
        word ^= (word >> 32) & 0xFFFFFFFF
    return word & (slots - 1)


@kernel
def copy_row(source: Any, state: Any) -> Any:
    for place in range(len(state)):
        state[place] = source[place]


@kernel
def is_row(row: Any, state: Any) -> Any:
    for place in range(len(state)):
        if row[place] != state[place]:
            return False
    return True


@kernel
def find_state(store: Any, state: Any) -> Any:
    """The number of a state, which is added where it is new; -1 where there is no room, -2 where a word is too long."""
    mask = len(store.slot) - 1
    at = slot_of_row(state, len(store.slot))
    while store.slot[at] >= 0:
        if is_row(store.rows[store.slot[at]], state):
            return np.int64(store.slot[at])
        at = (at + 1) & mask
    number = store.count[STATES]
    if number == len(store.rows):
        return np.int64(-1)
    row = store.rows[number]
    for place in range(len(state)):
        if store.count[NARROW] and not -MOST_NARROW <= state[place] <= MOST_NARROW:
            return np.int64(-2)
        row[place] = state[place]
    store.slot[at] = number
    store.count[STATES] += 1
    return number


@kernel
def refile(store: Any, state: Any) -> Any:
    """Fill an empty hash table with the states that there are."""
    mask = len(store.slot) - 1
    for number in range(store.count[STATES]):
        copy_row(store.rows[number], state)
        at = slot_of_row(state, len(store.slot))
        while store.slot[at] >= 0:
            at = (at + 1) & mask
        store.slot[at] = number


@kernel
def prepare(actors: Any, legal: Any, rules: Any, work: Any) -> Any:
    """The actors of a state and what they may do: how many joint moves there are, 0 where it is over."""
    movers = actors(rules, work.state, work.actors)
    joints = 1 if movers else 0
    for j in range(movers):
        work.sizes[j] = legal(rules, work.state, work.actors[j], work.options[j])
        joints *= work.sizes[j]
    for j in range(movers, len(work.sizes)):
        work.sizes[j] = 0
    return joints


@kernel
def take_joint(work: Any, number: Any) -> Any:
    """A joint move by its number, the last actor's place the fastest."""
    for back in range(len(work.sizes)):
        j = len(work.sizes) - 1 - back
        if work.sizes[j]:
            work.places[j] = number % work.sizes[j]
            work.joint[j] = work.options[j, work.places[j]]
            number //= work.sizes[j]


@kernel
def expand(actors: Any, legal: Any, chances: Any, follow: Any, rules: Any, store: Any, work: Any, lot: Any) -> Any:
    """Write what follows up to `lot` states; why it ends."""
    for _ in range(lot):
        if store.count[EXPANDED] == store.count[STATES]:
            return DONE
        why = expand_state(actors, legal, chances, follow, rules, store, work)
        if why != DONE:
            return why
    return PAUSE


@kernel
def expand_state(actors: Any, legal: Any, chances: Any, follow: Any, rules: Any, store: Any, work: Any) -> Any:
    """Write what follows the next state."""
    count, s = store.count, store.count[EXPANDED]
    row, outcome, paid = count[ROWS], count[OUTCOMES], count[PAID]
    copy_row(store.rows[s], work.state)
    joints = prepare(actors, legal, rules, work)
    if row + joints >= len(store.out):
        return NO_ROWS
    for player in range(len(work.rewards)):
        store.choices[s, player] = 0
    for j in range(len(work.sizes)):
        if work.sizes[j]:
            store.choices[s, work.actors[j]] = work.sizes[j]
    for number in range(joints):
        take_joint(work, number)
        copy_row(store.rows[s], work.state)
        outcomes = chances(rules, work.state, work.joint, work.places, work.weights)
        if outcome + outcomes > len(store.next):
            return NO_OUTCOMES
        for k in range(outcomes):
            if k:
                copy_row(store.rows[s], work.state)
            follow(rules, work.state, work.joint, work.places, k, work.rewards, work.seen)
            to = find_state(store, work.state)
            if to < 0:
                return NO_ROOM if to == -1 else WIDE
            store.next[outcome] = to
            if len(store.prob):
                store.prob[outcome] = work.weights[k]
            if is_paid(work.rewards):
                if paid == len(store.paid):
                    return NO_PAID
                store.paid[paid] = outcome
                copy_row(work.rewards, store.payoff[paid])
                paid += 1
            outcome += 1
        store.out[row + number + 1] = outcome
    count[EXPANDED], count[ROWS], count[OUTCOMES], count[PAID] = s + 1, row + joints, outcome, paid
    store.row[s + 1], store.pays[s + 1] = row + joints, paid
    return DONE


@kernel
def is_paid(rewards: Any) -> Any:
    """Whether anybody gets or loses something."""
    for player in range(len(rewards)):
        if rewards[player] != 0.0:
            return True
    return False


@kernel
def pay_again(
    actors: Any, legal: Any, follow: Any, rules: Any, store: Any, work: Any, word: Any, number: Any, payoff: Any
) -> Any:
    """Write what outcomes pay where a word of the state is another: -1, or a state where play goes on otherwise."""
    for s in range(len(store.pays) - 1):
        if store.pays[s] == store.pays[s + 1]:
            continue
        copy_row(store.rows[s], work.state)
        work.state[word] = number
        if prepare(actors, legal, rules, work) != store.row[s + 1] - store.row[s]:
            return s
        row = np.int64(store.row[s])
        for place in range(store.pays[s], store.pays[s + 1]):
            outcome = store.paid[place]
            while store.out[row + 1] <= outcome:
                row += 1
            take_joint(work, row - store.row[s])
            copy_row(store.rows[s], work.state)
            work.state[word] = number
            follow(rules, work.state, work.joint, work.places, outcome - store.out[row], work.rewards, work.seen)
            copy_row(work.rewards, payoff.payoff[place])
            if work.state[word] == number:
                work.state[word] = store.rows[store.next[outcome], word]
            if not is_row(store.rows[store.next[outcome]], work.state):
                return s
    return np.int64(-1)
