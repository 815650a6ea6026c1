"""All states of compiled rules, breadth first: rows of words in a hash table, and what follows each as columns.

Whoever calls makes room. A state is written whole or not at all: where room runs out in its midst, what was begun is
begun again. The states that follow wait until there are many and are then looked up together: memory is asked for all
of them before the first is compared, since a look-up far away takes longer than all the rules of a move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.draws import FIRST
from fogbound.compiled.kernel import ZERO, kernel

SIZE, NARROW = range(2)  # of `Interned.count`; NARROW: words have 32 bits
EXPANDED, ROWS, OUTCOMES, PAID, WAITING, FOUND = range(6)  # of `Store.count`
DONE, PAUSE, NO_ROOM, NO_ROWS, NO_OUTCOMES, NO_PAID, NO_LISTS, NO_EVENTS, WIDE, FULL = range(
    10
)  # why `expand_states` returns
MOST_NARROW, CODE_AT = 2**31 - 1, 32  # CODE_AT: in a slot, the bit where the code begins


@dataclass(frozen=True, eq=False)
class Interned(Bundle):
    """Different rows of words, numbered in the order in which they were met."""

    count: np.ndarray  # [2]
    rows: np.ndarray  # [number, word]
    slot: np.ndarray  # [power of two, at least twice the rows] a number with the row's code before it, or -1


@dataclass(frozen=True, eq=False)
class Store(Bundle):
    """Room for states and what follows them. `legal` and `event` are empty where the caller needs no table."""

    count: np.ndarray  # [6]
    states: Interned
    lists: Interned  # of legal actions, their codes padded with -1
    events: Interned  # what each player sees, then the bits of what it is paid
    choices: np.ndarray  # [state, player] legal actions of each actor, 0 of the others
    legal: np.ndarray  # [state, player] the list of the k-th actor, -1 after the last
    row: np.ndarray  # [state + 1] joint moves
    out: np.ndarray  # [joint move + 1] outcomes
    next: np.ndarray  # [outcome]
    event: np.ndarray  # [outcome]
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
    note: np.ndarray  # [2 * player] the same memory as `seen` and `rewards`, one after the other
    seen: np.ndarray  # [player]
    rewards: np.ndarray  # [player]


@dataclass(frozen=True, eq=False)
class Waiting(Bundle):
    """Successors that are not looked up yet."""

    rows: np.ndarray  # [place, word]
    code: np.ndarray  # [place] of the row
    outcome: np.ndarray  # [place] whose successor it is
    near: np.ndarray  # [place] what was read of the store, so that it is at hand


@kernel
def code_of(state: Any) -> Any:
    """31 bits that say where a state is first looked for, and mostly that it is not another one."""
    word = ZERO
    for place in range(len(state)):
        word = (word ^ state[place]) * FIRST
        word ^= (word >> 32) & 0xFFFFFFFF
    return word & MOST_NARROW


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
def intern(known: Any, row: Any, code: Any) -> Any:
    """The number of a row, which is added where it is new; -1 where there is no room, -2 where a word is too long."""
    mask = len(known.slot) - 1
    at = code & mask
    while known.slot[at] >= 0:
        number = known.slot[at] & MOST_NARROW
        if known.slot[at] >> CODE_AT == code and is_row(known.rows[number], row):
            return number
        at = (at + 1) & mask
    number = known.count[SIZE]
    if number == len(known.rows):
        return np.int64(-1)
    written = known.rows[number]
    for place in range(len(row)):
        if known.count[NARROW] and not -MOST_NARROW <= row[place] <= MOST_NARROW:
            return np.int64(-2)
        written[place] = row[place]
    known.slot[at] = (code << CODE_AT) | number
    known.count[SIZE] += 1
    return number


@kernel
def number_of(known: Any, row: Any) -> Any:
    """The number of a row, as `intern` gives it."""
    return intern(known, row, code_of(row))


@kernel
def number_starts(states: Any, begun: Any, numbers: Any) -> Any:
    """Number the states to begin from, where there is -1 still: DONE, or why not all."""
    for k in range(len(numbers)):
        if numbers[k] < 0:
            numbers[k] = number_of(states, begun.rows[k])
            if numbers[k] < 0:
                return NO_ROOM if numbers[k] == -1 else WIDE
    return DONE


@kernel
def rehash_rows(before: Any, known: Any) -> Any:
    """Fill an empty hash table with what another one holds."""
    mask = len(known.slot) - 1
    for place in range(len(before.slot)):
        if before.slot[place] >= 0:
            at = (before.slot[place] >> CODE_AT) & mask
            while known.slot[at] >= 0:
                at = (at + 1) & mask
            known.slot[at] = before.slot[place]


@kernel
def number_all(store: Any, waiting: Any) -> Any:
    """Number all that wait, in their order: DONE, or why not all."""
    count, states = store.count, store.states
    mask = len(states.slot) - 1
    for place in range(count[FOUND], count[WAITING]):
        waiting.near[place] = states.slot[waiting.code[place] & mask]
    for place in range(count[FOUND], count[WAITING]):
        if waiting.near[place] >= 0:
            waiting.near[place] = states.rows[waiting.near[place] & MOST_NARROW, 0]
    while count[FOUND] < count[WAITING]:
        place = count[FOUND]
        to = intern(states, waiting.rows[place], waiting.code[place])
        if to < 0:
            return NO_ROOM if to == -1 else WIDE
        store.next[waiting.outcome[place]] = to
        count[FOUND] += 1
    count[WAITING] = count[FOUND] = 0
    return DONE


@kernel
def write_choices(actors: Any, legal: Any, rules: Any, work: Any) -> Any:
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
def first_joint(work: Any) -> Any:
    """The joint move in which every actor takes its first action."""
    for j in range(len(work.sizes)):
        if work.sizes[j]:
            work.places[j] = 0
            work.joint[j] = work.options[j, 0]


@kernel
def next_joint(work: Any) -> Any:
    """The joint move that comes after this one, the last actor's place the fastest."""
    for back in range(len(work.sizes)):
        j = len(work.sizes) - 1 - back
        if work.sizes[j]:
            work.places[j] = work.places[j] + 1 if work.places[j] + 1 < work.sizes[j] else 0
            work.joint[j] = work.options[j, work.places[j]]
            if work.places[j]:
                return


@kernel
def expand_states(
    actors: Any, legal: Any, chances: Any, follow: Any, rules: Any, store: Any, waiting: Any, work: Any, lot: Any
) -> Any:
    """Write what follows up to `lot` states; why it ends."""
    count = store.count
    for _ in range(lot):
        why = FULL
        if count[EXPANDED] < store.states.count[SIZE]:
            why = expand_state(actors, legal, chances, follow, rules, store, waiting, work)
        if why == FULL:
            if count[WAITING] == 0:
                return DONE if count[EXPANDED] == store.states.count[SIZE] else FULL
            why = number_all(store, waiting)
        if why != DONE:
            return why
    return PAUSE


@kernel
def expand_state(
    actors: Any, legal: Any, chances: Any, follow: Any, rules: Any, store: Any, waiting: Any, work: Any
) -> Any:
    """Write what follows the next state, but for the numbers of those that wait: DONE, or what there is no room for."""
    count, s = store.count, store.count[EXPANDED]
    row, outcome, paid, waits = count[ROWS], count[OUTCOMES], count[PAID], count[WAITING]
    copy_row(store.states.rows[s], work.state)
    joints = write_choices(actors, legal, rules, work)
    if row + joints >= len(store.out):
        return NO_ROWS
    for player in range(len(work.rewards)):
        store.choices[s, player] = 0
    for j in range(len(work.sizes)):
        if work.sizes[j]:
            store.choices[s, work.actors[j]] = work.sizes[j]
    if len(store.legal) and not write_lists(store, work, s):
        return NO_LISTS
    first_joint(work)
    for number in range(joints):
        if number:
            next_joint(work)
            copy_row(store.states.rows[s], work.state)
        outcomes = 1
        if len(store.prob):
            outcomes = chances(rules, work.state, work.joint, work.places, work.weights)
        if outcome + outcomes > len(store.next):
            return NO_OUTCOMES
        if waits + outcomes > len(waiting.code):
            return FULL
        for k in range(outcomes):
            if k:
                copy_row(store.states.rows[s], work.state)
            follow(rules, work.state, work.joint, work.places, k, work.rewards, work.seen)
            copy_row(work.state, waiting.rows[waits])
            waiting.code[waits], waiting.outcome[waits] = code_of(work.state), outcome
            waits += 1
            if len(store.prob):
                store.prob[outcome] = work.weights[k]
            if len(store.event):
                for player in range(len(work.rewards)):
                    work.rewards[player] += 0.0  # -0 is 0
                store.event[outcome] = number_of(store.events, work.note)
                if store.event[outcome] < 0:
                    return NO_EVENTS
            elif is_paid(work.rewards):
                if paid == len(store.paid):
                    return NO_PAID
                store.paid[paid] = outcome
                copy_row(work.rewards, store.payoff[paid])
                paid += 1
            outcome += 1
        store.out[row + number + 1] = outcome
    count[EXPANDED], count[ROWS], count[OUTCOMES], count[PAID], count[WAITING] = (
        s + 1,
        row + joints,
        outcome,
        paid,
        waits,
    )
    store.row[s + 1], store.pays[s + 1] = row + joints, paid
    return DONE


@kernel
def write_lists(store: Any, work: Any, s: Any) -> Any:
    """Write the list of legal actions of each actor: whether there was room."""
    for j in range(len(work.sizes)):
        store.legal[s, j] = -1
        if work.sizes[j]:
            options = work.options[j]
            for place in range(work.sizes[j], len(options)):
                options[place] = -1
            store.legal[s, j] = number_of(store.lists, options)
            if store.legal[s, j] < 0:
                return False
    return True


@kernel
def merge_outcomes(store: Any) -> Any:
    """Make outcomes of a joint move that are equal one, in place, and their probabilities add up to 1: how many remain.

    The sum is the correctly rounded one (Neumaier 1974), as `math.fsum` has it.
    """
    begin, written = ZERO, ZERO
    for row in range(store.count[ROWS]):
        first, end = written, np.int64(store.out[row + 1])
        for outcome in range(begin, end):
            same = first
            while same < written and (
                store.next[same] != store.next[outcome] or store.event[same] != store.event[outcome]
            ):
                same += 1
            if same < written:
                store.prob[same] += store.prob[outcome]
            else:
                store.next[same], store.event[same] = store.next[outcome], store.event[outcome]
                store.prob[same] = store.prob[outcome]
                written += 1
        total, lost = 0.0, 0.0
        for outcome in range(first, written):
            p = store.prob[outcome]
            sum_ = total + p
            lost += (total - sum_) + p if total >= p else (p - sum_) + total
            total = sum_
        for outcome in range(first, written):
            store.prob[outcome] /= total + lost
        store.out[row + 1], begin = written, end
    return written


@kernel
def is_paid(rewards: Any) -> Any:
    """Whether anybody gets or loses something."""
    for player in range(len(rewards)):
        if rewards[player] != 0.0:
            return True
    return False
