"""Games played step by step over arrays: players are tables of what they do and remember.

A kernel plays every game until it is over or meets something that no table says yet; then the game waits, and whoever
called fills the tables and calls again. Numbers are drawn as a plain game draws them: for each mover in turn where it
has a choice, then for chance where it has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.draws import mixed, uniform
from fogbound.compiled.kernel import kernel

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
def find(keys: Any, key: Any) -> Any:
    """Where a key stands, or the empty place where it would."""
    mask = len(keys) - 1
    place = mixed(key) & mask
    while keys[place] != key and keys[place] != EMPTY:
        place = (place + 1) & mask
    return place


@kernel
def insert(keys: Any, values: Any, key: Any, value: Any) -> Any:
    """Note down many keys, which are not there yet."""
    for k in range(len(key)):
        place = find(keys, key[k])
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
    return find(answers.after_key, key)


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
            place = find(answers.choice_key, key)
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
