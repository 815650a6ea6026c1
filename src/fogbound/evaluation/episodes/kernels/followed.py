"""Games of one player who follows alpha vectors, with its belief from the start on.

Beliefs that were met are known: what is played there, and which one follows. They are told apart by all their bits, so
that a game does not depend on what is known. What does not fit is worked out where it is met, and forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.draws import mixed
from fogbound.compiled.kernel import NONE, kernel
from fogbound.evaluation.episodes.kernels.best_vector import best_vector
from fogbound.evaluation.episodes.kernels.steps import CHOICE, CUT, EMPTY, FADED, LEAST, OVER, draw, find, pay

NODES, CELLS, ARROWS = np.int64(0), np.int64(1), np.int64(2)


@dataclass(frozen=True, eq=False)
class ObservedOutcomes(Bundle):
    """A model's outcomes by row and by what they look like: those of one look beside each other, in their old order."""

    group: np.ndarray  # [Z] which observations look alike: being asked comes with the question
    look: np.ndarray  # [O] the group
    next: np.ndarray  # [O]
    prob: np.ndarray  # [O]
    sizes: np.ndarray  # [3] the most legal actions, groups, lists of legal actions + 1


@dataclass(frozen=True, eq=False)
class KnownBeliefs(Bundle):
    """N beliefs of P cells in all, and two that are forgotten again; arrows lead from one to the next."""

    used: np.ndarray  # [3] how many NODES, CELLS and ARROWS there are
    begin: np.ndarray  # [N+2] where a belief's cells begin
    many: np.ndarray  # [N+2] how many there are
    legal: np.ndarray  # [N+2] the list of legal actions, -1 = waits
    place: np.ndarray  # [N+2] what is played: its place among them, -1 = nothing can be
    states: np.ndarray  # [P+2S]
    weights: np.ndarray  # [P+2S]
    bits: np.ndarray  # [P+2S] the weights once more, as whole numbers
    same: np.ndarray  # [2^a] a hash table of beliefs, or EMPTY
    arrow_key: np.ndarray  # [2^b] ((belief x actions + place) x groups + group) x lists + list, or EMPTY
    arrow_to: np.ndarray  # [2^b]


@kernel(nogil=True)
def follow(
    model: Any, seen: Any, tiles: Any, known: Any, room: Any, mass: Any, games: Any, discount: Any, most_steps: Any
) -> Any:
    """Every game to its end. `mass` is a column of zeros over the states, and is again afterwards."""
    for game in range(len(games.state)):
        outcome, node, place = games.outcome[game], NONE, np.int64(0)
        games.state[game] = model.next[outcome]
        while True:
            state = games.state[game]
            if model.actor[state, 0] == -1:
                games.status[game] = OVER
                break
            if games.scale[game] < LEAST:
                games.status[game] = FADED
                break
            if games.count[game] >= most_steps:
                games.status[game] = CUT
                break
            node = _after(model, seen, tiles, known, room, mass, node, place, outcome)
            place = known.place[node]
            if place < 0:
                games.status[game] = CHOICE
                break
            outcome = draw(model, model.row[state] + place, games.random[game])
            pay(model, games, game, outcome)
            games.state[game] = model.next[outcome]
            games.count[game] += 1
            games.scale[game] *= discount


@kernel
def _after(
    model: Any, seen: Any, tiles: Any, known: Any, room: Any, mass: Any, node: Any, place: Any, outcome: Any
) -> Any:
    """The belief that an outcome leads to, with what is played there; node -1 is before the start."""
    last = len(known.begin) - 2  # from here on nothing is kept
    group, legal = seen.group[model.seen[outcome, 0]], model.legal[model.next[outcome], 0]
    key = (((node + 1) * seen.sizes[0] + place) * seen.sizes[1] + group) * seen.sizes[2] + legal + 1
    slot = np.int64(0)
    if node < last:
        slot = find(known.arrow_key, key)
        if known.arrow_key[slot] == key:
            return known.arrow_to[slot]
    fresh = known.used[NODES]
    if fresh == last or known.used[CELLS] + len(mass) > known.begin[last]:
        fresh = np.int64(last if node != last else last + 1)
    else:
        known.begin[fresh] = known.used[CELLS]
    known.legal[fresh] = legal
    _believe(model, seen, known, mass, node, place, group, fresh)
    _asked(model, known, fresh)
    home = _home(known, fresh)
    if known.same[home] != EMPTY:
        fresh = known.same[home]
    else:
        known.place[fresh] = _played(model, tiles, known, room, fresh)
        if fresh < last:
            known.same[home] = fresh
            known.used[NODES] += 1
            known.used[CELLS] += known.many[fresh]
    if node < last and fresh < last and 2 * known.used[ARROWS] < len(known.arrow_key):
        known.arrow_key[slot], known.arrow_to[slot] = key, fresh
        known.used[ARROWS] += 1
    return fresh


@kernel
def _believe(model: Any, seen: Any, known: Any, mass: Any, node: Any, place: Any, group: Any, fresh: Any) -> Any:
    """Bayes' rule: the belief after an action (its place among the legal ones) and what was seen."""
    begin, kept, total = known.begin[fresh], np.int64(0), 0.0
    at = known.begin[node] if node >= 0 else np.int64(0)
    for k in range(known.many[node] if node >= 0 else np.int64(1)):
        row = model.row[known.states[at + k]] + place if node >= 0 else np.int64(0)
        weight = known.weights[at + k] if node >= 0 else 1.0
        outcome, end = _first(seen.look, model.out[row], model.out[row + 1], group), model.out[row + 1]
        while outcome < end and seen.look[outcome] == group:
            joint = weight * seen.prob[outcome]
            if joint > 0:
                state = seen.next[outcome]
                if mass[state] == 0:
                    known.states[begin + kept] = state
                    kept += 1
                mass[state] += joint
                total += joint
            outcome += 1
    for k in range(begin, begin + kept):
        known.weights[k] = mass[known.states[k]] / total
        mass[known.states[k]] = 0.0
    known.many[fresh] = kept


@kernel
def _first(look: Any, low: Any, high: Any, group: Any) -> Any:
    """Where a group begins among the outcomes of a row, which are sorted by group."""
    while low < high:
        middle = (low + high) // 2
        if look[middle] < group:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _asked(model: Any, known: Any, node: Any) -> Any:
    """Keep the states that ask for a move, or those that do not."""
    begin, moves, kept, total = known.begin[node], known.legal[node] >= 0, np.int64(0), 0.0
    for k in range(begin, begin + known.many[node]):
        state = known.states[k]
        if model.actor[state, 0] >= 0 and (model.legal[state, 0] >= 0) == moves:
            known.states[begin + kept], known.weights[begin + kept] = state, known.weights[k]
            total += known.weights[k]
            kept += 1
    if kept < known.many[node]:
        for k in range(begin, begin + kept):
            known.weights[k] /= total
    known.many[node] = kept


@kernel
def _home(known: Any, node: Any) -> Any:
    """Where the same belief stands in the table, or the empty place where this one would."""
    begin, many = known.begin[node], known.many[node]
    word = mixed(known.legal[node] + 1)
    for k in range(begin, begin + many):
        word = mixed(word ^ known.states[k]) ^ known.bits[k]
    mask = len(known.same) - 1
    place = mixed(word) & mask
    while known.same[place] != EMPTY and not _equal(known, known.same[place], node):
        place = (place + 1) & mask
    return place


@kernel
def _equal(known: Any, one: Any, other: Any) -> Any:
    if known.many[one] != known.many[other] or known.legal[one] != known.legal[other]:
        return False
    a, b = known.begin[one], known.begin[other]
    for k in range(known.many[one]):
        if known.states[a + k] != known.states[b + k] or known.bits[a + k] != known.bits[b + k]:
            return False
    return True


@kernel
def rehash(known: Any) -> Any:
    """Enter all beliefs into a table that was emptied."""
    for node in range(known.used[NODES]):
        known.same[_home(known, node)] = node


@kernel
def _played(model: Any, tiles: Any, known: Any, room: Any, node: Any) -> Any:
    """The place of the best vector's action among the legal ones; 0 where the player waits, -1 where there is none."""
    legal = known.legal[node]
    if legal < 0:
        return np.int64(0)
    found = best_vector(tiles, room, known.states, known.weights, known.begin[node], known.many[node], legal)
    for place in range(model.wide[legal]):
        if found >= 0 and model.action[legal, place] == tiles.starts[found]:
            return np.int64(place)
    return NONE
