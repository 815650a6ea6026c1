"""Many games of one kind, side by side: one game is dealt, moved in and shown by these parts.

They ask compiled rules (`fogbound.compiled.rules`), so one kernel plays every game. Game i draws from its own stream
of random numbers, so what happens in it does not depend on how many games are played beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.draws import draw_place, uniform
from fogbound.compiled.kernel import kernel

CODES, COLUMNS, HISTORY, INFORMATION_SETS = np.int64(0), np.int64(1), np.int64(2), np.int64(3)  # what is shown


@dataclass(frozen=True, eq=False)
class Plays(Bundle):
    """Where each of N games stands."""

    state: np.ndarray  # [N, word]
    random: np.ndarray  # [N, 1]
    time: np.ndarray  # [N] steps played
    movers: np.ndarray  # [N] how many players move now; 0: the game is over
    actors: np.ndarray  # [N, player] who they are
    turn: np.ndarray  # [N] how many of them have chosen
    joint: np.ndarray  # [N, player] codes of the chosen actions, by actor
    places: np.ndarray  # [N, player] their places among the legal actions
    did: np.ndarray  # [N, player] by player: the code of its action in this step and 1, or 0
    seen: np.ndarray  # [N, player] codes of what was seen of the last step
    rewards: np.ndarray  # [N, player] of the last step
    memory: np.ndarray  # [N, player] by number, where memories are followed
    history: np.ndarray  # [N * slots, number] all that was done and seen, encoded
    weights: np.ndarray  # [outcome] room
    options: np.ndarray  # [action] room
    unlisted: np.ndarray  # [2] the code of a legal action that has no number, and whose it is; -1: none


@dataclass(frozen=True, eq=False)
class Encoding(Bundle):
    """How numbers of the rules become numbers that learners use, and how given players choose_place."""

    shares: np.ndarray  # [beginning] cumulated probabilities
    opening: np.ndarray  # [beginning, player] what the start pays
    number: np.ndarray  # [player, code] an action's number for its player; -1: none
    code: np.ndarray  # [player, number] an action's code; -1: it waits
    parts: np.ndarray  # [observation, column] of all players, one after the other
    first_part: np.ndarray  # [player] where its observations begin
    width: np.ndarray  # [player] columns of an observation
    slot: np.ndarray  # [player] its place among the histories of a game; -1: none is recorded
    child_first: np.ndarray  # [memory + 1] where the children of a memory begin
    child_code: np.ndarray  # [child] (own action + 1) * observations + seen, increasing below each memory
    child: np.ndarray  # [child] its number
    observations: np.ndarray  # [player] how many observations it may have
    shown: np.ndarray  # [memory] what it is shown as
    infoset: np.ndarray  # [memory]
    set_first: np.ndarray  # [information set] the owner's sequence of the first move
    behaviour: np.ndarray  # [sequence] of all players, one after the other
    strategy: np.ndarray  # [player] where its behaviour begins; -1: uniform


@kernel
def deal(begin: Any, actors: Any, rules: Any, encoding: Any, plays: Any, game: Any) -> Any:
    """Begin a game anew."""
    last, place = len(encoding.shares) - 1, 0
    if last > 0:
        point, end = uniform(plays.random[game]), last
        while place < end:  # the first share above the point
            middle = (place + end) // 2
            if encoding.shares[middle] > point:
                end = middle
            else:
                place = middle + 1
    begin(rules, place, plays.state[game], plays.seen[game])
    plays.time[game] = 0
    for player in range(len(encoding.slot)):
        plays.rewards[game, player] = encoding.opening[place, player]
        plays.memory[game, player] = player
        plays.did[game, player] = 0
        if encoding.slot[player] >= 0:
            row = plays.history[_history(encoding, plays, game, player)]
            for k in range(len(row)):
                row[k] = 0
    _remember(encoding, plays, game)
    plays.movers[game], plays.turn[game] = actors(rules, plays.state[game], plays.actors[game]), 0


@kernel
def choose_place(plays: Any, game: Any, code: Any, place: Any) -> Any:
    """The next of the movers takes the action at a place among its legal ones."""
    turn = plays.turn[game]
    plays.joint[game, turn], plays.places[game, turn] = code, place
    plays.did[game, plays.actors[game, turn]] = code + 1
    plays.turn[game] = turn + 1


@kernel
def step_game(actors: Any, chances: Any, follow: Any, rules: Any, encoding: Any, plays: Any, game: Any) -> Any:
    """One step of the game, once all movers have chosen."""
    state, joint, places = plays.state[game], plays.joint[game], plays.places[game]
    count = chances(rules, state, joint, places, plays.weights)
    k = draw_place(plays.random[game], plays.weights, count)
    follow(rules, state, joint, places, k, plays.rewards[game], plays.seen[game])
    plays.time[game] += 1
    _remember(encoding, plays, game)
    plays.movers[game], plays.turn[game] = actors(rules, state, plays.actors[game]), 0


@kernel
def place_of(legal: Any, rules: Any, plays: Any, game: Any, player: Any, code: Any) -> Any:
    """Where an action stands among a player's legal ones; -1: it is none."""
    size = legal(rules, plays.state[game], player, plays.options)
    for place in range(size):
        if plays.options[place] == code:
            return place
    return -1


@kernel
def drawn_place(encoding: Any, plays: Any, game: Any, player: Any, size: Any) -> Any:
    """The place that a given player chooses: from its strategy, or uniformly. Nothing is drawn where one is certain."""
    begins = encoding.strategy[player]
    if begins < 0:
        if size == 1:
            return 0
        point = uniform(plays.random[game])
        for place in range(size - 1):
            point -= 1.0 / size
            if point < 0:
                return place
        return size - 1
    first = begins + encoding.set_first[encoding.infoset[plays.memory[game, player]]]
    likely, last = 0, 0
    for place in range(size):
        if encoding.behaviour[first + place] > 0:
            likely, last = likely + 1, place
    if likely <= 1:
        return last
    point = uniform(plays.random[game])
    for place in range(last):
        point -= encoding.behaviour[first + place]
        if point < 0 and encoding.behaviour[first + place] > 0:
            return place
    return last


@kernel
def show(encoding: Any, plays: Any, game: Any, player: Any, asked: Any, kind: Any, out: Any) -> Any:
    """Write what a player is shown."""
    if kind == CODES:
        out[0] = plays.seen[game, player]
    elif kind == COLUMNS:
        row = encoding.parts[encoding.first_part[player] + plays.seen[game, player]]
        for k in range(encoding.width[player]):
            out[k] = row[k]
        for k in range(encoding.width[player], len(out)):
            out[k] = 0
    elif kind == HISTORY:
        row = plays.history[_history(encoding, plays, game, player)]
        for k in range(len(row)):
            out[k] = row[k]
    else:
        out[0] = encoding.shown[plays.memory[game, player]] if asked else 0


@kernel
def write_mask(legal: Any, rules: Any, encoding: Any, plays: Any, game: Any, player: Any, out: Any) -> Any:
    """Write 1 for the numbers of a player's legal actions and 0 for all others."""
    for k in range(len(out)):
        out[k] = 0
    size = legal(rules, plays.state[game], player, plays.options)
    for place in range(size):
        code = plays.options[place]
        number = encoding.number[player, code] if code < len(encoding.number[player]) else -1
        if number < 0:
            plays.unlisted[0], plays.unlisted[1] = code, player
        else:
            out[number] = 1


@kernel
def _history(encoding: Any, plays: Any, game: Any, player: Any) -> Any:
    """The row of a player's history."""
    return game * (len(plays.history) // len(plays.time)) + encoding.slot[player]


@kernel
def _remember(encoding: Any, plays: Any, game: Any) -> Any:
    """Add to every player's memory what it did and saw in the last step."""
    for player in range(len(encoding.slot)):
        did, seen = plays.did[game, player], plays.seen[game, player]
        plays.did[game, player] = 0
        if len(encoding.child):
            code = did * encoding.observations[player] + seen
            plays.memory[game, player] = _below(encoding, plays.memory[game, player], code)
        if encoding.slot[player] >= 0:
            columns = encoding.width[player]
            row, at = plays.history[_history(encoding, plays, game, player)], plays.time[game] * (1 + columns)
            row[at] = encoding.number[player, did - 1] + 1 if did > 0 else 0
            parts = encoding.parts[encoding.first_part[player] + seen]
            for k in range(columns):
                row[at + 1 + k] = parts[k] + 1


@kernel
def _below(encoding: Any, memory: Any, code: Any) -> Any:
    """The memory that follows."""
    place, end = encoding.child_first[memory], encoding.child_first[memory + 1] - 1
    while place < end:
        middle = (place + end) // 2
        if encoding.child_code[middle] < code:
            place = middle + 1
        else:
            end = middle
    return encoding.child[place]
