"""Games played step by step over arrays: players are tables of what they do and remember.

A kernel plays every game until it is over or meets something that no table says yet; then the game waits, and whoever
called fills the tables and calls again. Numbers are drawn as a plain game draws them: for each mover in turn where it
has a choice, then for chance where it has one.

Games of one player who follows alpha vectors, with its belief from the start on.

Beliefs that were met are known: what is played there, and which one follows. They are told apart by all their bits, so
that a game does not depend on what is known. What does not fit is worked out where it is met, and forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.draws import mixed, uniform
from fogbound.compiled.kernel import NONE, kernel
from fogbound.evaluation.episodes.kernels.best_vector import best_vector

RUNS, OVER, FADED, CUT, CHOICE, AFTER = np.int64(0), np.int64(1), np.int64(2), np.int64(3), np.int64(4), np.int64(5)
LEAST = 1e-12  # a discount that has come to this leaves nothing to play for
EMPTY = np.int64(-1)


@dataclass(frozen=True, eq=False)
class EpisodeModel(Bundle):
    """A game's arrays: S states, R rows of joint actions, O outcomes, n players."""

    row: np.ndarray  # [S+1]
    out: np.ndarray  # [R+1]
    next: np.ndarray  # [O]
    prob: np.ndarray  # [O]
    upto: np.ndarray  # [O] its running sums within a row
    seen: np.ndarray  # [O, n] the number of what each player sees
    reward: np.ndarray  # [O, n]
    actor: np.ndarray  # [S, n] the players who move, in the order of joint actions, padded with -1
    legal: np.ndarray  # [S, n] the list of legal actions of each of these
    action: np.ndarray  # [M, K] the actions of each list
    wide: np.ndarray  # [M] how many there are


@dataclass(frozen=True, eq=False)
class Answers(Bundle):
    """What players said: two hash tables of open addressing, and the distributions that one of them points to."""

    choice_key: np.ndarray  # [2^a] memory * lists + list, or EMPTY
    choice_row: np.ndarray  # [2^a]
    after_key: np.ndarray  # [2^b] (memory * (actions + 1) + action + 1) * observations + seen, or EMPTY
    after_to: np.ndarray  # [2^b] the memory that follows
    begin: np.ndarray  # [D+1] where a distribution's places begin
    place: np.ndarray  # [P] among the legal actions
    chance: np.ndarray  # [P]
    strays: np.ndarray  # [D] whether it is what somebody does who met what it was not made for
    sizes: np.ndarray  # [3] lists of legal actions, actions + 1, observations


@dataclass(frozen=True, eq=False)
class EpisodeStates(Bundle):
    """Games in progress."""

    state: np.ndarray  # [G]
    memory: np.ndarray  # [G, n]
    paid: np.ndarray  # [G, n]
    scale: np.ndarray  # [G]
    count: np.ndarray  # [G] steps so far
    random: np.ndarray  # [G, 1]
    outcome: np.ndarray  # [G] one that is not yet remembered, or -1
    lost: np.ndarray  # [G, n] whether a player was asked who had met what it was not made for
    did: np.ndarray  # [G, n] what each did on the way to it, -1 = nothing
    status: np.ndarray  # [G]
    missing: np.ndarray  # [G] the key that no table has


@kernel
def find_key(keys: Any, key: Any) -> Any:
    """Where a key stands, or the empty place where it would."""
    mask = len(keys) - 1
    place = mixed(key) & mask
    while keys[place] != key and keys[place] != EMPTY:
        place = (place + 1) & mask
    return place


@kernel
def insert_keys(keys: Any, values: Any, key: Any, value: Any) -> Any:
    """Note down many keys, which are not there yet."""
    for k in range(len(key)):
        place = find_key(keys, key[k])
        keys[place] = key[k]
        values[place] = value[k]


@kernel
def play(model: Any, answers: Any, games: Any, discount: Any, most_steps: Any, rows: Any) -> Any:
    """Every game that runs or waits for an answer, until it is over or waits again."""
    for game in range(len(games.state)):
        if games.status[game] != OVER and games.status[game] != FADED and games.status[game] != CUT:
            games.status[game] = RUNS
            while games.status[game] == RUNS:
                if games.outcome[game] >= 0:
                    remember(model, answers, games, game)
                else:
                    move(model, answers, games, game, discount, most_steps, rows)


@kernel
def remember(model: Any, answers: Any, games: Any, game: Any) -> Any:
    """What each player remembers after the last outcome; all or nobody, so that a game that waits is as it was."""
    outcome, players = games.outcome[game], len(games.memory[game])
    for player in range(players):
        if answers.after_key[_after(answers, games, game, player, model.seen[outcome, player])] == EMPTY:
            memory, did = games.memory[game, player], games.did[game, player]
            games.missing[game] = (memory * answers.sizes[1] + did + 1) * answers.sizes[2] + model.seen[outcome, player]
            games.status[game] = AFTER
            return
    for player in range(players):
        place = _after(answers, games, game, player, model.seen[outcome, player])
        games.memory[game, player] = answers.after_to[place]
    games.state[game] = model.next[outcome]
    games.outcome[game] = -1


@kernel
def _after(answers: Any, games: Any, game: Any, player: Any, seen: Any) -> Any:
    key = (games.memory[game, player] * answers.sizes[1] + games.did[game, player] + 1) * answers.sizes[2] + seen
    return find_key(answers.after_key, key)


@kernel
def move(model: Any, answers: Any, games: Any, game: Any, discount: Any, most_steps: Any, rows: Any) -> Any:
    """One step: who moves chooses, then chance; nothing is drawn before all choices are known."""
    state, players = games.state[game], len(games.memory[game])
    if model.actor[state, 0] == -1:
        games.status[game] = OVER
        return
    if games.scale[game] < LEAST:
        games.status[game] = FADED
        return
    if games.count[game] >= most_steps:
        games.status[game] = CUT
        return
    for k in range(players):
        player = model.actor[state, k]
        if player >= 0 and model.legal[state, k] >= 0:
            key = games.memory[game, player] * answers.sizes[0] + model.legal[state, k]
            place = find_key(answers.choice_key, key)
            if answers.choice_key[place] == EMPTY:
                games.missing[game], games.status[game] = key, CHOICE
                return
            rows[k] = answers.choice_row[place]
    for player in range(players):
        games.did[game, player] = -1
    joint = np.int64(0)
    for k in range(players):
        player, legal = model.actor[state, k], model.legal[state, k]
        if player >= 0 and legal >= 0:
            place = choose(answers, rows[k], games.random[game])
            games.lost[game, player] |= answers.strays[rows[k]]
            joint = joint * model.wide[legal] + place
            games.did[game, player] = model.action[legal, place]
    pay(model, games, game, draw(model, model.row[state] + joint, games.random[game]))
    games.count[game] += 1
    games.scale[game] *= discount


@kernel
def choose(answers: Any, row: Any, random: Any) -> Any:
    """A place among the legal actions."""
    first, last = answers.begin[row], answers.begin[row + 1] - 1
    if first == last:
        return answers.place[first]
    left = uniform(random)
    for k in range(first, last):
        left -= answers.chance[k]
        if left < 0:
            return answers.place[k]
    return answers.place[last]


@kernel
def draw(model: Any, row: Any, random: Any) -> Any:
    """An outcome of a row, by bisection; nothing is drawn where there is one."""
    low, high = np.int64(model.out[row]), np.int64(model.out[row + 1] - 1)
    if low == high:
        return low
    point = uniform(random)
    while low < high:
        middle = (low + high) // 2
        if point < model.upto[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def pay(model: Any, games: Any, game: Any, outcome: Any) -> Any:
    for player in range(len(games.paid[game])):
        games.paid[game, player] += games.scale[game] * model.reward[outcome, player]
    games.outcome[game] = outcome


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
def follow_beliefs(
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
            node = _next_belief(model, seen, tiles, known, room, mass, node, place, outcome)
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
def _next_belief(
    model: Any, seen: Any, tiles: Any, known: Any, room: Any, mass: Any, node: Any, place: Any, outcome: Any
) -> Any:
    """The belief that an outcome leads to, with what is played there; node -1 is before the start."""
    last = len(known.begin) - 2  # from here on nothing is kept
    group, legal = seen.group[model.seen[outcome, 0]], model.legal[model.next[outcome], 0]
    key = (((node + 1) * seen.sizes[0] + place) * seen.sizes[1] + group) * seen.sizes[2] + legal + 1
    slot = np.int64(0)
    if node < last:
        slot = find_key(known.arrow_key, key)
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
        known.place[fresh] = _played_there(model, tiles, known, room, fresh)
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
def reenter_beliefs(known: Any) -> Any:
    """Enter all beliefs into a table that was emptied."""
    for node in range(known.used[NODES]):
        known.same[_home(known, node)] = node


@kernel
def _played_there(model: Any, tiles: Any, known: Any, room: Any, node: Any) -> Any:
    """The place of the best vector's action among the legal ones; 0 where the player waits, -1 where there is none."""
    legal = known.legal[node]
    if legal < 0:
        return np.int64(0)
    found = best_vector(tiles, room, known.states, known.weights, known.begin[node], known.many[node], legal)
    for place in range(model.wide[legal]):
        if found >= 0 and model.action[legal, place] == tiles.starts[found]:
            return np.int64(place)
    return NONE
