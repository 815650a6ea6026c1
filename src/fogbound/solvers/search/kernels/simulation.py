"""One simulation after another: down the tree by the rule, one step beyond it, on without it, and back up.

Kocsis and Szepesvári (2006) for histories instead of states, as in POMCP (Silver and Veness 2010; Algorithm 1 of
document 004, corrected) and in information set search (Cowling, Powley and Whitehouse 2012). Three
ways to say whose statistics a decision is made by:

- OWN: each actor's own history. Each player has a tree of its own (multiple observers), which is also what document
  004's LocalSearch pools in its public game tree: whoever votes knows the public history and its own card.
- OBSERVER: what the one who searches knows. All trees are pooled over what it does not know (single observer).
- ALONE: only the one who searches has a tree; the others move at random. This is POMCP.

Actors who move at once choose each by what it knows, so that nobody sees a vote before it is cast.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from fogbound.compiled.asking import play_at_random
from fogbound.compiled.bundle import Bundle
from fogbound.compiled.draws import below, drawn, mixed, uniform
from fogbound.compiled.kernel import NONE, kernel
from fogbound.solvers.search.kernels.choice import (
    ALONE,
    CAP,
    DEPTH,
    DISCOUNT,
    EXPLORATION,
    KEYS,
    KNOWS,
    ME,
    OBSERVER,
    OWN,
    PLAYS_OUT,
    REGRET,
    RULE,
    SHARE,
    SPREAD,
    WORTHS,
    choose,
    learn,
    learn_regret,
)
from fogbound.solvers.search.kernels.pool import add, edge_of, find

ROOT_DRAWS = 64  # states of the root from which it is told how far worths lie apart
PLAYER_KEY = np.int64(-7703477296131190221)
ACTION_KEY = np.int64(5871781006564002453)


@dataclass(frozen=True, eq=False)
class SearchRoot(Bundle):
    """What may be true at the root, in the order in which it is drawn from."""

    rows: np.ndarray  # [particle, width] states
    marks: np.ndarray  # [particle, player] what each player knows, mixed into a word
    upto: np.ndarray  # [particle] probabilities added up


@dataclass(frozen=True, eq=False)
class SearchWalk(Bundle):
    """Room for one simulation, and what came of all of them."""

    random: np.ndarray  # [1]
    state: np.ndarray  # [width]
    marks: np.ndarray  # [player]
    actors: np.ndarray  # [player]
    joint: np.ndarray  # [player]
    places: np.ndarray  # [player]
    legal: np.ndarray  # [player, action]
    weights: np.ndarray  # [outcome]
    rewards: np.ndarray  # [player]
    seen: np.ndarray  # [player]
    policy: np.ndarray  # [action]
    worths: np.ndarray  # [action]
    paid: np.ndarray  # [step, player]
    gain: np.ndarray  # [player] from here on
    node: np.ndarray  # [move] of the path
    edge: np.ndarray  # [move]
    step: np.ndarray  # [move]
    player: np.ndarray  # [move]
    sums: np.ndarray  # [player] returns added up
    squares: np.ndarray  # [player]
    low: np.ndarray  # [player] the worst return
    high: np.ndarray  # [player]


@kernel
def simulate(
    actors: Any,
    legal: Any,
    chances: Any,
    follow: Any,
    play_out: Any,
    worths: Any,
    knows: Any,
    rules: Any,
    root: Any,
    pool: Any,
    walk: Any,
    way: Any,
    count: Any,
) -> Any:
    """Up to `count` simulations: as many as there is room for. How many were made."""
    players, most = len(walk.marks), len(walk.policy)
    edges = players * most
    if way.choices[KEYS] == OBSERVER:  # where other actions may be legal than before
        edges += way.choices[DEPTH] * most
    for done in range(count):
        if pool.used[0] + players > len(pool.first) or pool.used[1] + edges > len(pool.code):
            return done
        if 2 * (pool.used[0] + players) > len(pool.slots):
            return done
        draw_root(root, walk)
        steps, moves = _descend(actors, legal, chances, follow, worths, knows, rules, pool, walk, way)
        if steps < 0:  # a new node whose worth is known: nothing is played on
            steps = -1 - steps
        else:
            _play_on(actors, legal, chances, follow, play_out, rules, walk, way, steps)
        _back_up(pool, walk, way, steps, moves)
    return count


@kernel
def draw_root(root: Any, walk: Any) -> Any:
    """Draw what is true."""
    _place(root, walk, uniform(walk.random))


@kernel
def _place(root: Any, walk: Any, draw: Any) -> Any:
    """What a number from 0 to 1 falls on."""
    low, high = 0, len(root.upto) - 1
    while low < high:
        middle = (low + high) // 2
        if root.upto[middle] > draw:
            high = middle
        else:
            low = middle + 1
    row, marks = root.rows[low], root.marks[low]
    for place in range(len(walk.state)):
        walk.state[place] = row[place]
    for player in range(len(walk.marks)):
        walk.marks[player] = marks[player]


@kernel
def _descend(
    actors: Any,
    legal: Any,
    chances: Any,
    follow: Any,
    worths: Any,
    knows: Any,
    rules: Any,
    pool: Any,
    walk: Any,
    way: Any,
) -> Any:
    """Down the tree and one step beyond: how many steps (-1 - steps where the worth of a new node says the rest), and
    moves of those who learn."""
    steps, moves, keys, me = 0, 0, way.choices[KEYS], way.choices[ME]
    for player in range(len(walk.gain)):
        walk.gain[player] = 0.0
    while steps < way.choices[DEPTH]:
        movers = actors(rules, walk.state, walk.actors)
        if movers == 0:
            break
        fresh = False
        for j in range(movers):
            player, options = walk.actors[j], walk.legal[j]
            size = legal(rules, walk.state, player, options)
            if keys == ALONE and player != me:
                place = below(walk.random, size)
            else:
                key = _key(knows, rules, walk, way, player)
                node = find(pool, key)
                new = node < 0
                if new:
                    node = add(pool, key, options, size)
                    fresh = True
                if way.choices[WORTHS]:
                    if pool.arrived[node] < way.choices[CAP]:
                        _arrive(worths, rules, pool, walk, node, player)
                    if new:
                        walk.gain[player] = _best_worth(pool, node)
                        return -1 - steps, moves
                place = below(walk.random, size) if new else chosen(pool, node, options, size, walk, way, player)
                walk.node[moves] = node
                walk.edge[moves] = edge_of(pool, node, place, options[place])
                walk.step[moves] = steps
                walk.player[moves] = player
                moves += 1
            walk.places[j] = place
            walk.joint[j] = options[place]
        _step(chances, follow, rules, walk, way, movers)
        for player in range(len(walk.gain)):
            walk.paid[steps, player] = walk.rewards[player]
        steps += 1
        if fresh:
            break
    return steps, moves


@kernel
def _key(knows: Any, rules: Any, walk: Any, way: Any, player: Any) -> Any:
    """The key of the node by which an actor decides."""
    owner = way.choices[ME] if way.choices[KEYS] == OBSERVER else player
    if way.choices[KNOWS]:
        return node_key(mixed(knows(rules, walk.state, owner)), player)
    return node_key(walk.marks[owner], player)


@kernel
def node_key(known: Any, player: Any) -> Any:
    """The key of a player's node, by what is known there, mixed into a word."""
    return known ^ ((player + 1) * PLAYER_KEY)


@kernel
def chosen(pool: Any, node: Any, options: Any, size: Any, walk: Any, way: Any, player: Any) -> Any:
    numbers = way.numbers
    room = numbers[SHARE]
    if way.choices[RULE] != REGRET:
        spread = numbers[SPREAD]
        if spread <= 0.0:
            spread = walk.high[player] - walk.low[player]
        if spread <= 0.0:
            spread = 1.0
        room = numbers[EXPLORATION] * spread
    return choose(pool, node, options, size, way, room, walk.policy, walk.random)


@kernel
def _arrive(worths: Any, rules: Any, pool: Any, walk: Any, node: Any, player: Any) -> Any:
    """Add the worths of one more state that came to a node."""
    size = worths(rules, walk.state, player, walk.worths)
    pool.arrived[node] += 1
    first = pool.first[node]
    for place in range(size):
        pool.prior[first + place] += walk.worths[place]


@kernel
def _best_worth(pool: Any, node: Any) -> Any:
    """The best of the mean worths: the mean of each action first, since whoever acts does not see which state it is."""
    first, best = pool.first[node], -1e300
    for place in range(pool.size[node]):
        best = max(best, pool.prior[first + place])
    return best / pool.arrived[node]


@kernel
def spread_of_worths(worths: Any, rules: Any, root: Any, walk: Any, me: Any, draws: Any) -> Any:
    """By how much what an action is worth varies with what may be true at the root: the mean of all deviations.

    Not the difference between the best and the worst: where one move ruins everything, the others would be searched
    as if they lay as far apart.
    """
    whole, size = 0.0, 1
    place = 0
    while place < size:
        total, squares = 0.0, 0.0
        for draw in range(draws):
            _place(root, walk, (draw + 0.5) / draws)
            size = worths(rules, walk.state, me, walk.worths)
            total += walk.worths[place] / draws
            squares += walk.worths[place] * walk.worths[place] / draws
        whole += sqrt(max(squares - total * total, 0.0))
        place += 1
    return whole / size


@kernel
def _step(chances: Any, follow: Any, rules: Any, walk: Any, way: Any, movers: Any) -> Any:
    """Play the joint move; everybody who is looked at remembers what it did and saw."""
    outcomes = chances(rules, walk.state, walk.joint, walk.places, walk.weights)
    outcome = drawn(walk.random, walk.weights, outcomes)
    follow(rules, walk.state, walk.joint, walk.places, outcome, walk.rewards, walk.seen)
    if way.choices[KNOWS]:
        return
    first, last = 0, len(walk.marks)
    if way.choices[KEYS] != OWN:
        first = way.choices[ME]
        last = first + 1
    for player in range(first, last):
        action = NONE
        for j in range(movers):
            if walk.actors[j] == player:
                action = walk.joint[j]
        walk.marks[player] = mark(walk.marks[player], action, walk.seen[player])


@kernel
def mark(before: Any, action: Any, seen: Any) -> Any:
    """What a player knows one step later, mixed into a word; `action` is -1 where it did not move."""
    return mixed(before + (action + 2) * ACTION_KEY + (seen + 1) * PLAYER_KEY)


@kernel
def _play_on(
    actors: Any, legal: Any, chances: Any, follow: Any, play_out: Any, rules: Any, walk: Any, way: Any, steps: Any
) -> Any:
    """Without a tree, at random, to the end or as deep as is looked."""
    left = way.choices[DEPTH] - steps
    if left <= 0:
        return
    if way.choices[PLAYS_OUT]:
        play_out(rules, walk.state, walk.random, left, walk.gain)
        return
    options, discount = walk.legal[0], way.numbers[DISCOUNT]
    play_at_random(actors, legal, chances, follow, rules, walk, options, walk.gain, left, discount)


@kernel
def _back_up(pool: Any, walk: Any, way: Any, steps: Any, moves: Any) -> Any:
    """Tell every move on the way what came of it, the last first."""
    discount, rule, move = way.numbers[DISCOUNT], way.choices[RULE], moves - 1
    for back in range(steps):
        step = steps - 1 - back
        for player in range(len(walk.gain)):
            walk.gain[player] = walk.paid[step, player] + discount * walk.gain[player]
        while move >= 0 and walk.step[move] == step:
            gain = walk.gain[walk.player[move]]
            if rule == REGRET:
                learn_regret(pool, walk.node[move], walk.edge[move], gain, way.numbers[SHARE], walk.policy)
            learn(pool, walk.node[move], walk.edge[move], gain)
            move -= 1
    for player in range(len(walk.gain)):
        gain = walk.gain[player]
        walk.sums[player] += gain
        walk.squares[player] += gain * gain
        walk.low[player] = min(walk.low[player], gain)
        walk.high[player] = max(walk.high[player], gain)
