"""Compiled rules asked one question at a time from Python, by the addresses that a search calls.

A search has loops of its own, but for play at random; the rest is for
those who compare the answers with something else, or show them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.draws import below, drawn
from fogbound.compiled.kernel import kernel
from fogbound.compiled.rules import CompiledRules


@dataclass(frozen=True, eq=False)
class Desk(Bundle):
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


def desk(compiled: CompiledRules) -> Desk:
    """Room for one state of compiled rules."""
    players = len(compiled.players)
    words = {name: np.zeros(players, np.int64) for name in ("actors", "joint", "places", "seen")}
    return Desk(
        state=np.zeros(compiled.width, np.int64),
        legal=np.zeros(compiled.most_actions, np.int64),
        weights=np.zeros(compiled.most_outcomes),
        rewards=np.zeros(players),
        random=np.zeros(1, np.int64),
        returns=np.zeros(players),
        **words,
    )


@kernel
def begins(begin: Any, rules: Any, desk: Any, k: Any) -> Any:
    """The k-th beginning onto the desk; its probability."""
    return begin(rules, k, desk.state, desk.seen)


@kernel
def moves(actors: Any, rules: Any, desk: Any) -> Any:
    """Who moves onto the desk; how many they are."""
    return actors(rules, desk.state, desk.actors)


@kernel
def offers(legal: Any, rules: Any, desk: Any, player: Any) -> Any:
    """What a player may do onto the desk; how much it is."""
    return legal(rules, desk.state, player, desk.legal)


@kernel
def outcomes(chances: Any, rules: Any, desk: Any) -> Any:
    """The probabilities of what may follow the joint move onto the desk; how many they are."""
    return chances(rules, desk.state, desk.joint, desk.places, desk.weights)


@kernel
def follows(follow: Any, rules: Any, desk: Any, k: Any) -> Any:
    """The k-th of what may follow onto the desk."""
    return follow(rules, desk.state, desk.joint, desk.places, k, desk.rewards, desk.seen)


@kernel
def plays_out(play_out: Any, rules: Any, desk: Any, left: Any) -> Any:
    """The compiled rules' own way to play on at random."""
    return play_out(rules, desk.state, desk.random, left, desk.returns)


@kernel
def play_on(actors: Any, legal: Any, chances: Any, follow: Any, rules: Any, desk: Any, left: Any, discount: Any) -> Any:
    """What `plays_out` must do, by the other rules alone: how many steps were played."""
    return play_at_random(actors, legal, chances, follow, rules, desk, desk.legal, desk.returns, left, discount)


@kernel
def play_at_random(
    actors: Any,
    legal: Any,
    chances: Any,
    follow: Any,
    rules: Any,
    desk: Any,
    options: Any,
    returns: Any,
    left: Any,
    discount: Any,
) -> Any:
    """Play on by the compiled rules' rules, everybody at random, for up to `left` steps: how many were played.

    The desk is whatever has room for a state and a question about it; `options` is room for the actions of one mover,
    and what is paid is added to `returns`.
    """
    scale = 1.0
    for step in range(left):
        movers = actors(rules, desk.state, desk.actors)
        if movers == 0:
            return step
        for j in range(movers):
            size = legal(rules, desk.state, desk.actors[j], options)
            place = below(desk.random, size)
            desk.places[j], desk.joint[j] = place, options[place]
        count = chances(rules, desk.state, desk.joint, desk.places, desk.weights)
        k = drawn(desk.random, desk.weights, count)
        follow(rules, desk.state, desk.joint, desk.places, k, desk.rewards, desk.seen)
        for player in range(len(returns)):
            returns[player] += scale * desk.rewards[player]
        scale *= discount
    return left


@kernel
def play_games(begin: Any, play_out: Any, rules: Any, desk: Any, beginnings: Any, games: Any, left: Any) -> Any:
    """Random games one after the other from beginnings in turn, what they pay added up: how many steps they took."""
    steps = 0
    for game in range(games):
        begin(rules, game % beginnings, desk.state, desk.seen)
        steps += play_out(rules, desk.state, desk.random, left, desk.returns)
    return steps
