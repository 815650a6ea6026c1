"""One pass over a state graph, successors first: values of uniform play, and of a best reply to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import kernel


@dataclass(frozen=True, eq=False)
class SweptStates(Bundle):
    """States that end, and what follows them: the columns of `forms.state_graph`."""

    order: np.ndarray  # [S] states, those that follow first
    choices: np.ndarray  # [S, n]
    row: np.ndarray  # [S+1]
    out: np.ndarray  # [R+1]
    next: np.ndarray  # [O]
    prob: np.ndarray  # [O], [0] where nothing is left to chance
    pays: np.ndarray  # [S+1]
    paid: np.ndarray  # [E]
    payoff: np.ndarray  # [E, n]


@dataclass(frozen=True, eq=False)
class Values(Bundle):
    """What comes of it, and room for one state."""

    value: np.ndarray  # [S, 2n] uniform play to each player, then a best reply of each
    move: np.ndarray  # [2n] of one joint move
    total: np.ndarray  # [2n] of all joint moves of a state
    own: np.ndarray  # [n, action] of those with an own action, to the one who replies


@kernel
def sweep_states(moves: Any, discount: Any, values: Any) -> Any:
    """Fill `values.value`."""
    for place in range(len(moves.order)):
        s = moves.order[place]
        joints = moves.row[s + 1] - moves.row[s]
        clear(moves, s, values)
        pay = np.int64(moves.pays[s])
        for number in range(joints):
            pay = value_move(moves, discount, values, moves.row[s] + number, pay)
            add_move(moves, s, number, values)
        finish(moves, s, joints, values)


@kernel
def clear(moves: Any, s: Any, values: Any) -> Any:
    players = len(values.own)
    for player in range(players):
        values.total[player] = values.total[players + player] = 0.0
        for action in range(moves.choices[s, player]):
            values.own[player, action] = 0.0


@kernel
def value_move(moves: Any, discount: Any, values: Any, row: Any, pay: Any) -> Any:
    """What one joint move is worth; the next paying outcome."""
    players, columns = len(values.own), len(values.move)
    for column in range(columns):
        values.move[column] = 0.0
    for outcome in range(moves.out[row], moves.out[row + 1]):
        p = moves.prob[outcome] if len(moves.prob) else 1.0
        after = values.value[moves.next[outcome]]
        for column in range(columns):
            values.move[column] += p * discount * after[column]
        if pay < len(moves.paid) and moves.paid[pay] == outcome:
            for player in range(players):
                values.move[player] += p * moves.payoff[pay, player]
                values.move[players + player] += p * moves.payoff[pay, player]
            pay += 1
    return pay


@kernel
def add_move(moves: Any, s: Any, number: Any, values: Any) -> Any:
    """A joint move counts for the uniform mean of all, and for those who chose a part of it."""
    players = len(values.own)
    for column in range(2 * players):
        values.total[column] += values.move[column]
    for back in range(players):
        player = players - 1 - back
        size = moves.choices[s, player]
        if size:
            slower = number // size if number >= size else 0
            values.own[player, number - slower * size] += values.move[players + player]
            number = slower


@kernel
def finish(moves: Any, s: Any, joints: Any, values: Any) -> Any:
    """Means of all joint moves; to one who replies, the best of the means with an own action."""
    players = len(values.own)
    for player in range(players):
        uniform, reply, size = values.total[player], values.total[players + player], moves.choices[s, player]
        if size:
            reply = values.own[player, 0]
            for action in range(1, size):
                reply = max(reply, values.own[player, action])
            reply *= size
        values.value[s, player] = uniform / joints if joints else 0.0
        values.value[s, players + player] = reply / joints if joints else 0.0
