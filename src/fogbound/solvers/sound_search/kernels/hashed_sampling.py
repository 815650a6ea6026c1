"""Online outcome sampling where there is no tree, compiled: information sets are hashed as walks come to them.

The same walks as in `outcome_sampling`, over compiled rules. A walk is drawn towards the target by what its player did
and saw on the way there: of the moves and outcomes of a step only those are drawn after which that player sees what it
saw. What looks right for now may lead nowhere later; the walk then goes on as any other, and by the same rule its
probability is known, so that it is weighted right all the same. A walk adds the first information set that it does
not find and keeps nothing of new ones beyond (as printed in Lisý, Lanctot and Bowling 2015, algorithm 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.draws import uniform, weighted_place
from fogbound.compiled.kernel import NONE, kernel
from fogbound.solvers.regret.kernels import match_regrets
from fogbound.solvers.search.kernels.pool import add, lookup_node, take_back
from fogbound.solvers.search.kernels.simulation import mark, node_key
from fogbound.solvers.sound_search.kernels.outcome_sampling import draw_move, restrict

CHANCE = NONE
TARGETED, EXPLORE, DISCOUNT = 0, 1, 2  # the places of `WalkTarget.numbers`
NO_ROOM, CLASH = -1, -2  # instead of a number of choices: nothing was learned from this walk


@dataclass(frozen=True, eq=False)
class Beginnings(Bundle):
    """How the game may begin."""

    rows: np.ndarray  # [beginning, width] states
    marks: np.ndarray  # [beginning, player] what each player knows, mixed into a word
    weight: np.ndarray  # [beginning] probabilities
    upto: np.ndarray  # [beginning] probabilities added up


@dataclass(frozen=True, eq=False)
class WalkTarget(Bundle):
    """The decision that walks are drawn towards, by what its player did and saw; and how they are drawn."""

    player: np.ndarray  # [1]
    action: np.ndarray  # [step] the code of what it did, -1 where it was not asked
    seen: np.ndarray  # [step] the code of what it saw then
    begins: np.ndarray  # [beginning that fits]
    upto: np.ndarray  # [beginning that fits] probabilities among these, added up
    share: np.ndarray  # [beginning] its probability among those that fit, 0 where it does not
    numbers: np.ndarray  # [3] how many walks are drawn towards it, how much the learner strays, the discount


@dataclass(frozen=True, eq=False)
class WalkRoom(Bundle):
    """Work space: one walk, a line for each choice of a player or of chance, and the sums of what walks paid."""

    node: np.ndarray  # [line] the information set, -1 where none is kept
    mover: np.ndarray  # [line]
    taken: np.ndarray  # [line]
    others: np.ndarray  # [line] the probability of coming there by chance and the other player
    sampled: np.ndarray  # [line] the probability with which it was drawn, both ways together
    likely: np.ndarray  # [line] the probability of what was taken, by strategy or chance
    strategy: np.ndarray  # [most moves or outcomes]
    chances: np.ndarray  # [most moves or outcomes] with which they are drawn towards the target
    moves: np.ndarray  # [most moves] which moves of the other player fit the target
    fits: np.ndarray  # [most moves or outcomes] which may be drawn now
    paid: np.ndarray  # [2] to both players together by one walk: the least, the most
    way: np.ndarray  # [3] what the walk was paid; how likely it was drawn towards the target, and otherwise


@kernel
def hashed_walks(actors, legal, chances, follow, rules, root, target, pool, here, ahead, room, random, first, many):
    """Walks number `first` .. `first + many - 1`; players learn in turn. How many were made, and why no more."""
    for done in range(many):
        if 2 * (pool.used[0] + 1) > len(pool.slots) or pool.used[0] + 1 > len(pool.first):
            return done, NO_ROOM
        if pool.used[1] + len(here.legal[0]) > len(pool.code):
            return done, NO_ROOM
        before, sets, learner = random[0], pool.used[0], (first + done) % 2
        lines = _walk(actors, legal, chances, follow, rules, root, target, pool, here, ahead, room, random, learner)
        if lines < 0:
            random[0] = before
            if pool.used[0] > sets:
                take_back(pool)
            return done, lines
        _learn(learner, lines, room.way[0], pool, room)
    return many, 0


@kernel
def _walk(actors, legal, chances, follow, rules, root, target, pool, here, ahead, room, random, learner):
    """One walk: how many lines it has. What it paid the learner, by how likely it was, is `way[0]`."""
    numbers = target.numbers
    targeted = numbers[TARGETED]
    aimed = uniform(random) < targeted
    on = _begin(root, target, here, room, aimed, random)
    others, lines, step, new = room.way[2], 0, 0, False
    gained, total, scale = 0.0, 0.0, 1.0
    while True:
        movers = actors(rules, here.state, here.actors)
        if movers == 0:
            break
        if lines + movers + 1 > len(room.node):
            return NO_ROOM
        for j in range(movers):
            here.sizes[j] = legal(rules, here.state, here.actors[j], here.legal[j])
        own = NONE
        if on:
            on, own = _fits(chances, follow, rules, target, here, ahead, room, movers, step)
        for j in range(movers):
            player, size = here.actors[j], here.sizes[j]
            node, new = _met(pool, here, j, size, new)
            if node == CLASH:
                return CLASH
            if node >= 0:
                match_regrets(pool.first[node], size, pool.regret, room.strategy)
            else:
                for a in range(size):
                    room.strategy[a] = 1.0 / size
            if on:
                for a in range(size):
                    room.fits[a] = a == own if player == target.player[0] else room.moves[a]
            mix = numbers[EXPLORE] if player == learner else 0.0
            a = _choose(room, targeted, size, mix, on, aimed, others, lines, node, player, random)
            on = on and room.fits[a]
            if player != learner:
                others *= room.strategy[a]
            lines += 1
            here.places[j] = a
            here.joint[j] = here.legal[j, a]
        outcomes = chances(rules, here.state, here.joint, here.places, here.weights)
        k = 0
        if outcomes > 1:
            if on:
                for each in range(outcomes):
                    room.fits[each] = _shows(follow, rules, target, here, ahead, here, each, step)
            for each in range(outcomes):
                room.strategy[each] = here.weights[each]
            k = _choose(room, targeted, outcomes, 0.0, on, aimed, others, lines, NONE, CHANCE, random)
            on = on and room.fits[k]
            others *= room.strategy[k]
            lines += 1
        follow(rules, here.state, here.joint, here.places, k, here.rewards, here.seen)
        gained += scale * here.rewards[learner]
        total += scale * (here.rewards[0] + here.rewards[1])
        scale *= numbers[DISCOUNT]
        _remember(here, movers)
        step += 1
    room.paid[0] = min(room.paid[0], total)
    room.paid[1] = max(room.paid[1], total)
    room.way[0] = gained / (targeted * room.way[1] + (1.0 - targeted) * room.way[2])
    return lines


@kernel
def _begin(root, target, here, room, aimed, random):
    """Draw how the game begins; whether that fits the target."""
    k, possible = 0, len(target.begins) > 0
    if len(root.weight) > 1:
        point = uniform(random)
        if aimed and possible:
            k = target.begins[weighted_place(target.upto, point)]
        else:
            k = weighted_place(root.upto, point)
    for column in range(len(here.state)):
        here.state[column] = root.rows[k, column]
    for player in range(len(here.marks)):
        here.marks[player] = root.marks[k, player]
    room.way[2] = root.weight[k]
    room.way[1] = root.weight[k]
    if not possible:
        return False
    room.way[1] = target.share[k]
    return target.share[k] > 0.0


@kernel
def _met(pool, here, j, size, new):
    """The node of an actor's information set, made where the walk has made none yet; and whether it has by now."""
    player = here.actors[j]
    key = node_key(here.marks[player], player)
    node = lookup_node(pool, key)
    if node >= 0 and pool.size[node] != size:
        return np.int64(CLASH), new
    if node < 0 and not new:
        node, new = add(pool, key, here.legal[j], size), True
    return node, new


@kernel
def _choose(room, targeted, size, mix, on, aimed, others, line, node, mover, random):
    """Draw one of the moves (or outcomes) of `strategy` and write the line down; a single one is not drawn."""
    room.node[line], room.mover[line], room.others[line] = node, mover, others
    room.sampled[line] = targeted * room.way[1] + (1.0 - targeted) * room.way[2]
    if on:
        restrict(0, size, mix, room.fits, room.strategy, room.chances)
    a = 0
    if size > 1:
        a = draw_move(uniform(random), size, mix, aimed and on, room.strategy, room.chances)
    plain = (1.0 - mix) * room.strategy[a] + mix / size
    room.way[1] *= room.chances[a] if on else plain
    room.way[2] *= plain
    room.taken[line], room.likely[line] = a, room.strategy[a]
    return a


@kernel
def _fits(chances, follow, rules, target, here, ahead, room, movers, step):
    """Whether this step can go as the target's player saw it, and the place of what that player did then.

    `moves` says which moves of the other player fit; where the other does not move, nothing reads it.
    """
    me, own, mine, theirs = target.player[0], NONE, NONE, NONE
    if step >= len(target.action):
        return False, own
    for j in range(movers):
        if here.actors[j] == me:
            mine = np.int64(j)
        else:
            theirs = np.int64(j)
    if (mine >= 0) != (target.action[step] >= 0):
        return False, own
    if mine >= 0:
        for a in range(here.sizes[mine]):
            if here.legal[mine, a] == target.action[step]:
                own = np.int64(a)
        if own < 0:
            return False, own
        ahead.places[mine], ahead.joint[mine] = own, target.action[step]
    possible = False
    for b in range(here.sizes[theirs] if theirs >= 0 else 1):
        if theirs >= 0:
            ahead.places[theirs], ahead.joint[theirs] = b, here.legal[theirs, b]
        outcomes = chances(rules, here.state, ahead.joint, ahead.places, ahead.weights)
        room.moves[b] = False
        for k in range(outcomes):
            if ahead.weights[k] > 0.0 and _shows(follow, rules, target, here, ahead, ahead, k, step):
                room.moves[b] = True
                break
        possible = possible or room.moves[b]
    return possible, own


@kernel
def _shows(follow, rules, target, here, ahead, moved, k, step):
    """Whether the k-th outcome of a joint move shows the target's player what it saw."""
    for column in range(len(here.state)):
        ahead.state[column] = here.state[column]
    follow(rules, ahead.state, moved.joint, moved.places, k, ahead.rewards, ahead.seen)
    return ahead.seen[target.player[0]] == target.seen[step]


@kernel
def _remember(here, movers):
    """Everybody remembers what it did and saw."""
    for player in range(len(here.marks)):
        action = NONE
        for j in range(movers):
            if here.actors[j] == player:
                action = here.joint[j]
        here.marks[player] = mark(here.marks[player], action, here.seen[player])


@kernel
def _learn(learner, lines, gained, pool, room):
    """Back along the walk: the learner's regrets, and the other's strategy into its average."""
    tail = 1.0  # the probability of the rest of the walk, under everybody's strategies
    for line in range(lines - 1, -1, -1):
        node, taken = room.node[line], room.taken[line]
        if node >= 0:
            q, size = pool.first[node], pool.size[node]
            pool.visits[node] += 1
            match_regrets(q, size, pool.regret, room.strategy)
            if room.mover[line] == learner:
                weight, expected = gained * room.others[line], tail * room.strategy[taken]
                for a in range(size):
                    won = (tail if a == taken else 0.0) - expected
                    pool.regret[q + a] = max(pool.regret[q + a] + weight * won, 0.0)
            else:
                for a in range(size):
                    pool.average[q + a] += room.strategy[a] * room.others[line] / room.sampled[line]
        tail *= room.likely[line]
