"""What all searches on compiled rules share: drawing the root, a step, a rollout, the backup, and keys of nodes.

Kocsis and Szepesvári's UCT (2006) for histories instead of states. A search is these and its own way down the tree:
`pomcp` and `information_sets` (both kinds of IS-MCTS, POMCP-PGT).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from fogbound.compiled.asking import play_at_random
from fogbound.compiled.bundle import Bundle
from fogbound.compiled.draws import draw_place, mixed, uniform, weighted_place
from fogbound.compiled.kernel import NONE, kernel
from fogbound.solvers.search.kernels.choice import BY_TABLE, DEPTH, DISCOUNT, KNOWS, PLAYS_OUT, ROLLS, WORTHS, learn

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
def has_space(pool, walk, more):
    """Whether one more simulation fits: a node for each player, and edges for these and `more` actions."""
    players, most = len(walk.marks), len(walk.policy)
    return (
        pool.used[0] + players <= len(pool.first)
        and pool.used[1] + players * most + more <= len(pool.code)
        and 2 * (pool.used[0] + players) <= len(pool.slots)
    )


@kernel
def draw_root(root, walk):
    """Draw what is true."""
    _place(root, walk, uniform(walk.random))


@kernel
def _place(root, walk, draw):
    """What a number from 0 to 1 falls on."""
    particle = weighted_place(root.upto, draw)
    row, marks = root.rows[particle], root.marks[particle]
    for place in range(len(walk.state)):
        walk.state[place] = row[place]
    for player in range(len(walk.marks)):
        walk.marks[player] = marks[player]


@kernel
def key_of(knows, rules, walk, way, owner, player):
    """The key of the node by which `player` decides, by what `owner` knows."""
    if way.choices[KNOWS]:
        return node_key(mixed(knows(rules, walk.state, owner)), player)
    return node_key(walk.marks[owner], player)


@kernel
def node_key(known, player):
    """The key of a player's node, by what is known there, mixed into a word."""
    return known ^ ((player + 1) * PLAYER_KEY)


@kernel
def note_move(walk, move, step, player, node, edge):
    """Write a move down on the way, for the backup."""
    walk.node[move] = node
    walk.edge[move] = edge
    walk.step[move] = step
    walk.player[move] = player


@kernel
def spread_of_worths(worths, rules, root, walk, me, draws):
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
def play_step(chances, follow, rules, walk, way, movers, step, first, last):
    """Play the joint move; players `first` up to `last` remember what they did and saw."""
    outcomes = chances(rules, walk.state, walk.joint, walk.places, walk.weights)
    outcome = draw_place(walk.random, walk.weights, outcomes)
    follow(rules, walk.state, walk.joint, walk.places, outcome, walk.rewards, walk.seen)
    for player in range(len(walk.gain)):
        walk.paid[step, player] = walk.rewards[player]
    if way.choices[KNOWS]:
        return
    for player in range(first, last):
        action = NONE
        for j in range(movers):
            if walk.actors[j] == player:
                action = walk.joint[j]
        walk.marks[player] = mark(walk.marks[player], action, walk.seen[player])


@kernel
def mark(before, action, seen):
    """What a player knows one step later, mixed into a word; `action` is -1 where it did not move."""
    return mixed(before + (action + 2) * ACTION_KEY + (seen + 1) * PLAYER_KEY)


@kernel
def roll_out(actors, legal, chances, follow, play_out, rules, walk, way, steps):
    """ROLLOUT: by the rollout policy, or everybody at random, to the end or as deep as is looked: the gain."""
    for player in range(len(walk.gain)):
        walk.gain[player] = 0.0
    left = way.choices[DEPTH] - steps
    if left <= 0:
        return
    if way.choices[ROLLS]:
        _play_by_table(actors, legal, chances, follow, rules, walk, way, left)
        return
    if way.choices[PLAYS_OUT]:
        play_out(rules, walk.state, walk.random, left, walk.gain)
        return
    options, discount = walk.legal[0], way.numbers[DISCOUNT]
    play_at_random(actors, legal, chances, follow, rules, walk, options, walk.gain, left, discount)


@kernel
def _play_by_table(actors, legal, chances, follow, rules, walk, way, left):
    """Play on, everybody by the table of the rollout policy; who is not in it plays at random."""
    scale, options = 1.0, walk.legal[0]
    for _ in range(left):
        movers = actors(rules, walk.state, walk.actors)
        if movers == 0:
            return
        for j in range(movers):
            size = legal(rules, walk.state, walk.actors[j], options)
            place = 0 if size == 1 else _rolled(way, walk, walk.actors[j], size)
            walk.places[j] = place
            walk.joint[j] = options[place]
        outcomes = chances(rules, walk.state, walk.joint, walk.places, walk.weights)
        outcome = draw_place(walk.random, walk.weights, outcomes)
        follow(rules, walk.state, walk.joint, walk.places, outcome, walk.rewards, walk.seen)
        for player in range(len(walk.gain)):
            walk.gain[player] += scale * walk.rewards[player]
        scale *= way.numbers[DISCOUNT]


@kernel
def _rolled(way, walk, player, size):
    """The place of an action that the rollout policy draws in a state."""
    entry, left = way.entry[walk.state[0], player], uniform(walk.random)
    if entry < 0:
        return int(left * size)
    for place in range(size - 1):
        left -= way.chance[entry + place]
        if left < 0.0:
            return place
    return size - 1


@kernel
def arrive(worths, rules, pool, walk, way, node, player):
    """Add the initial values of one more state that came to a node."""
    pool.arrived[node] += 1
    first = pool.first[node]
    if way.choices[WORTHS] == BY_TABLE:
        entry = way.entry[walk.state[0], player]
        for place in range(pool.size[node]):
            pool.prior[first + place] += way.initial[entry + place]
        return
    size = worths(rules, walk.state, player, walk.worths)
    for place in range(size):
        pool.prior[first + place] += walk.worths[place]


@kernel
def value_state(walk, way):
    """What a table says of the state: everybody's gain."""
    for player in range(len(walk.gain)):
        walk.gain[player] = way.value[walk.state[0], player]


@kernel
def back_up_returns(pool, walk, way, steps, moves):
    """BACKUP: tell every move on the way what came of it, the last first."""
    move = moves - 1
    for back in range(steps):
        step = steps - 1 - back
        for player in range(len(walk.gain)):
            walk.gain[player] = walk.paid[step, player] + way.numbers[DISCOUNT] * walk.gain[player]
        while move >= 0 and walk.step[move] == step:
            learn(pool, walk.node[move], walk.edge[move], walk.gain[walk.player[move]], way, walk.policy)
            move -= 1
    count_returns(walk)


@kernel
def count_returns(walk):
    """Count the returns of a whole simulation."""
    for player in range(len(walk.gain)):
        gain = walk.gain[player]
        walk.sums[player] += gain
        walk.squares[player] += gain * gain
        walk.low[player] = min(walk.low[player], gain)
        walk.high[player] = max(walk.high[player], gain)
