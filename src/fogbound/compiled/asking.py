"""Compiled rules asked one question at a time from Python, by the addresses that a search calls.

A search has loops of its own, but for play at random; the rest is for
those who compare the answers with something else, or show them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.draws import below, draw_place
from fogbound.compiled.kernel import kernel
from fogbound.compiled.rules import CompiledRules


@dataclass(frozen=True, eq=False)
class StepArrays(Bundle):
    """Room for one state, a question about it and the answer."""

    state: np.ndarray  # [width]
    actors: np.ndarray  # [player]
    legal: np.ndarray  # [action]
    joint: np.ndarray  # [player]
    places: np.ndarray  # [player]
    weights: np.ndarray  # [outcome]
    rewards: np.ndarray  # [player]
    seen: np.ndarray  # [player]
    random: np.ndarray  # [1]
    returns: np.ndarray  # [player]


def step_arrays(compiled: CompiledRules) -> StepArrays:
    """Room for one state of compiled rules."""
    players = len(compiled.players)
    words = {name: np.zeros(players, np.int64) for name in ("actors", "joint", "places", "seen")}
    return StepArrays(
        state=np.zeros(compiled.width, np.int64),
        legal=np.zeros(compiled.most_actions, np.int64),
        weights=np.zeros(compiled.most_outcomes),
        rewards=np.zeros(players),
        random=np.zeros(1, np.int64),
        returns=np.zeros(players),
        **words,
    )


@dataclass(frozen=True, eq=False)
class Openings(Bundle):
    """Every way to begin."""

    rows: np.ndarray  # [k, word]
    seen: np.ndarray  # [k, player]
    weights: np.ndarray  # [k]


def beginnings(compiled: CompiledRules) -> Openings:
    """Every way to begin, in order."""
    many = compiled.beginnings
    found = Openings(
        rows=np.zeros((many, compiled.width), np.int64),
        seen=np.zeros((many, len(compiled.players)), np.int64),
        weights=np.zeros(many),
    )
    write_beginnings(compiled.begin, compiled.rules, found)
    return found


@kernel
def write_beginnings(begin: Any, rules: Any, found: Any) -> Any:
    """Fill the room for every way to begin."""
    for k in range(len(found.weights)):
        found.weights[k] = begin(rules, k, found.rows[k], found.seen[k])


@kernel
def begins(begin: Any, rules: Any, room: Any, k: Any) -> Any:
    """Write the k-th beginning into the arrays; its probability."""
    return begin(rules, k, room.state, room.seen)


@kernel
def find_actors(actors: Any, rules: Any, room: Any) -> Any:
    """Write who moves; how many they are."""
    return actors(rules, room.state, room.actors)


@kernel
def offers(legal: Any, rules: Any, room: Any, player: Any) -> Any:
    """Write the codes of legal actions; how many they are."""
    return legal(rules, room.state, player, room.legal)


@kernel
def outcomes(chances: Any, rules: Any, room: Any) -> Any:
    """Write the probabilities of the outcomes of the joint action; how many they are."""
    return chances(rules, room.state, room.joint, room.places, room.weights)


@kernel
def follows(follow: Any, rules: Any, room: Any, k: Any) -> Any:
    """Write the k-th outcome of the joint action."""
    return follow(rules, room.state, room.joint, room.places, k, room.rewards, room.seen)


@kernel
def plays_out(play_out: Any, rules: Any, room: Any, left: Any) -> Any:
    """The compiled rules' own way to play on at random."""
    return play_out(rules, room.state, room.random, left, room.returns)


@kernel
def play_on(actors: Any, legal: Any, chances: Any, follow: Any, rules: Any, room: Any, left: Any, discount: Any) -> Any:
    """What `plays_out` must do, by the other rules alone: how many steps were played."""
    return play_at_random(actors, legal, chances, follow, rules, room, room.legal, room.returns, left, discount)


@kernel
def play_at_random(
    actors: Any,
    legal: Any,
    chances: Any,
    follow: Any,
    rules: Any,
    room: Any,
    options: Any,
    returns: Any,
    left: Any,
    discount: Any,
) -> Any:
    """Play on by the compiled rules' rules, everybody at random, for up to `left` steps: how many were played.

    `room` is any bundle with the arrays of a step; `options` is room for the actions of one mover,
    and what is paid is added to `returns`.
    """
    scale = 1.0
    for step in range(left):
        movers = actors(rules, room.state, room.actors)
        if movers == 0:
            return step
        for j in range(movers):
            size = legal(rules, room.state, room.actors[j], options)
            place = below(room.random, size)
            room.places[j], room.joint[j] = place, options[place]
        count = chances(rules, room.state, room.joint, room.places, room.weights)
        k = draw_place(room.random, room.weights, count)
        follow(rules, room.state, room.joint, room.places, k, room.rewards, room.seen)
        for player in range(len(returns)):
            returns[player] += scale * room.rewards[player]
        scale *= discount
    return left
