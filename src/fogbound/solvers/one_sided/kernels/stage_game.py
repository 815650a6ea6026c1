"""Stage games: what one more step adds to what the blind player can guarantee, or can be held to.

A double oracle (McMahan, Gordon and Blum 2003) inside the stage: the other's mixture in every state is found against
the columns so far, and the blind player's best answers to it, with the best known record after each observation, are
the next columns. Below, records are vectors, and it begins with the columns of the vector that is best so far; whatever
it stops at, the guarantee of the mixture of columns is a valid vector. Above, records are facets of the hull of points,
which never promise the blind player too much; when they find no better action, the hull itself is asked, and the value
is measured against the other's mixture in the end.

Columns of a restricted stage game: an action of the blind player, and what it counts on after each observation.

The blind player's best answers to the other's mixture, with the best known record after each observation: vectors in
the game of the lower bound, facets in that of the upper one.

What the player who sees can hold the blind one to: a bound on the value of every action against a mixture of replies.

The sawtooth bound rules out most actions, and only what is left needs the hull of all points.
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import NONE, ONE, ZERO, inlined, kernel
from fogbound.solvers.one_sided.kernels.lower_bound import keep_vector, recall
from fogbound.solvers.one_sided.kernels.master import dual_simplex, put_column, read
from fogbound.solvers.one_sided.kernels.model import MOST_COLUMNS, best_record, sawtooth, successor_belief
from fogbound.solvers.one_sided.kernels.upper_bound import hull, keep_facet, keep_point, note_cover

EAGER = 0.5  # of what the best answer gains: others that gain more than this become columns with it


@kernel
def even(game, work, partition):
    """The other plays evenly in every state."""
    reply_start, first, belief, y = game.reply_start, game.state_start[partition], work.belief, work.y
    for s in range(game.state_start[partition + 1] - first):
        low, high = reply_start[first + s] - reply_start[first], reply_start[first + s + 1] - reply_start[first]
        for k in range(low, high):
            y[k] = belief[s] / (high - low)


@kernel
def balance(game, work, partition):
    """Make the replies of each state add up to its belief again: rounding took a little."""
    reply_start, first, belief, y = game.reply_start, game.state_start[partition], work.belief, work.y
    for s in range(game.state_start[partition + 1] - first):
        low, high = reply_start[first + s] - reply_start[first], reply_start[first + s + 1] - reply_start[first]
        total = 0.0
        for k in range(low, high):
            total += y[k]
        for k in range(low, high):
            y[k] = y[k] * belief[s] / total if total > 0 else belief[s] / (high - low)


@kernel
def replies_of(game, partition):
    """How many replies a partition has."""
    return game.reply_start[game.state_start[partition + 1]] - game.reply_start[game.state_start[partition]]


@kernel
def action_reward(game, action, y, replies):
    """The expected reward of an action now."""
    reward, begin, total = game.reward, game.reward_start[action], 0.0
    for k in range(replies):
        total += y[k] * reward[begin + k]
    return total


@kernel
def oracle(game, bounds, lists, work, partition):
    """The value of the best action against work.y, with the best record of `lists` after each observation; of all."""
    base, first, replies = (
        game.reply_start[game.state_start[partition]],
        game.action_start[partition],
        replies_of(game, partition),
    )
    y, tau, action_values, best = work.y, work.tau, work.action_values, -np.inf
    for action in range(first, game.action_start[partition + 1]):
        action_values[action - first] = -np.inf
        if game.allowed[action]:
            total = action_reward(game, action, y, replies)
            for successor in range(game.successor_start[action], game.successor_start[action + 1]):
                if successor_belief(game, successor, y, base, tau) > 0:
                    q = game.target[successor]
                    total += best_record(bounds, lists, q, game.state_start[q + 1] - game.state_start[q], tau)[0]
            action_values[action - first] = total
            best = max(best, total)
    return best


@kernel
def choose(game, bounds, lists, work, partition, action, number):
    """Pick an action, with the record that is best after each of its successors at work.y."""
    base, low, picks, tau = (
        game.reply_start[game.state_start[partition]],
        game.successor_start[action],
        work.picks,
        work.tau,
    )
    picks[number, 0] = action
    for successor in range(low, game.successor_start[action + 1]):
        q = game.target[successor]
        successor_belief(game, successor, work.y, base, tau)
        picks[number, 1 + successor - low] = best_record(
            bounds, lists, q, game.state_start[q + 1] - game.state_start[q], tau
        )[1]


@kernel
def column_of(game, bounds, work, partition, number):
    """What an action, with a record after each of its successors, brings in all replies."""
    picks, column = work.picks, work.columns[number]
    base, action, replies = game.reply_start[game.state_start[partition]], picks[number, 0], replies_of(game, partition)
    low, begin, reward = game.successor_start[action], game.reward_start[action], game.reward
    source, to, prob, value = game.source, game.to, game.prob, bounds.value
    for k in range(replies):
        column[k] = reward[begin + k]
    for successor in range(low, game.successor_start[action + 1]):
        first, at = game.state_start[game.target[successor]], bounds.at[picks[number, 1 + successor - low]]
        for e in range(game.transition_start[successor], game.transition_start[successor + 1]):
            column[source[e] - base] += prob[e] * value[at + to[e] - first]


@kernel
def extend(game, bounds, lists, work, partition, bar, used):
    """Picks for all actions whose value is `bar` or more by the oracle: how many there are then."""
    first = game.action_start[partition]
    for action in range(first, game.action_start[partition + 1]):
        if work.action_values[action - first] >= bar and used < MOST_COLUMNS:
            choose(game, bounds, lists, work, partition, action, used)
            used += 1
    return used


@kernel
def recall_replies(game, bounds, work, partition):
    """Begin as the other did at the point that says most of this belief; evenly where there is none."""
    first, many, belief = (
        game.state_start[partition],
        game.state_start[partition + 1] - game.state_start[partition],
        work.belief,
    )
    even(game, work, partition)
    number = sawtooth(game, bounds, partition, belief)[1]
    if number >= 0 and bounds.derivation[number] >= 0:
        at, derivation, base, reply_start = (
            bounds.at[number],
            bounds.derivation[number],
            game.reply_start[first],
            game.reply_start,
        )
        for s in range(many):
            held = bounds.value[at + s]
            if held > 0:
                for k in range(reply_start[first + s] - base, reply_start[first + s + 1] - base):
                    work.y[k] = belief[s] * bounds.weight[derivation + k] / held


@inlined
def action_value(here, partition, action, exact, end):
    """(a bound on an action's value, quick or exact; where the derivation that is written from `end` on ends).

    Quickly by the sawtooth, exactly by the hull, whose facets are kept.
    """
    game, bounds, work = here.game, here.bounds, here.work
    base, y, tau = game.reply_start[game.state_start[partition]], work.y, work.tau
    total = action_reward(game, action, y, replies_of(game, partition))
    for successor in range(game.successor_start[action], game.successor_start[action + 1]):
        q, later, points = game.target[successor], 0.0, ZERO
        reached = successor_belief(game, successor, y, base, tau) > 0
        if reached and exact:
            later, points = hull(here, q), game.state_start[q + 1] - game.state_start[q]
            if later > best_record(bounds, bounds.facets, q, points, tau)[0] + 1e-12:
                keep_facet(game, bounds, work, q)
        elif reached:
            later, work.chosen[0], work.cover[0] = sawtooth(game, bounds, q, tau)
            points = ONE
        total += later
        end = note_cover(here, q, points, end)
    return total, end


@inlined
def exact_oracle(here, partition, restricted, tolerance):
    """(value, action, end): a bound on every action's value, and the best of those above `restricted` (-1: none).

    `restricted` is the value of the restricted game.

    Why it is a bound is written at the end of the pool of derivations, until `end`.
    """
    game, bounds, work = here.game, here.bounds, here.work
    link, weight, y = bounds.link, bounds.weight, work.y
    most, best, answer, end = -np.inf, restricted + tolerance, NONE, bounds.used[2]
    for k in range(replies_of(game, partition)):
        link[end], weight[end] = k, y[k]
        end += 1
    for action in range(game.action_start[partition], game.action_start[partition + 1]):
        if game.allowed[action]:
            held, after = np.inf, end
            for exact in range(2):  # quickly first; exactly where that leaves hope
                if held > restricted + tolerance:
                    held, after = action_value(here, partition, action, exact == 1, end)
                    if exact == 1 and held > best:
                        best, answer = held, action
            most, end = max(most, held), after
        else:
            for _ in range(game.successor_start[action], game.successor_start[action + 1]):
                link[end], weight[end] = 0, 0.0
                end += 1
    return most, answer, end


@kernel
def solve_stage(here, partition, tolerance, above):
    """Solve the stage at work.belief and add what it finds, a point (above) or a vector: (its value, columns used).

    work.shares of the actions work.picks[:, 0] become the blind player's mixture, work.y the other's; below,
    work.lower_y, too.
    """
    game, bounds, work = here.game, here.bounds, here.work
    lists, replies = bounds.facets if above else bounds.vectors, replies_of(game, partition)
    used = ZERO if above else recall(game, bounds, work, partition)
    if above:
        recall_replies(game, bounds, work, partition)
    elif used == 0:
        even(game, work, partition)
    sound, asked, restricted, best, value, end = True, False, -np.inf, -np.inf, 0.0, NONE
    fresh, put = used > 0, 0  # whether there are columns that the mixtures do not know of yet; how many they know of
    while True:
        if fresh:
            for j in range(put, used):
                column_of(game, bounds, work, partition, j)
                put_column(game, work, partition, j)
            put = used
            sound = dual_simplex(work) and used < MOST_COLUMNS
            restricted = read(work, replies)
            balance(game, work, partition)
        if sound:
            best = oracle(game, bounds, lists, work, partition)
        fresh = sound and best > restricted + tolerance
        if fresh:
            bar = restricted + max(tolerance, EAGER * (best - restricted)) if used > 0 else best
            used, asked = extend(game, bounds, lists, work, partition, bar, used), False
        elif above:
            sound = sound and not asked  # facets that the hull gave should show what it found
            if not sound:  # measure what the mixture holds the blind player to
                restricted, tolerance = -np.inf, 0.0
            value, answer, end = exact_oracle(here, partition, restricted, tolerance)
            asked = True
            if not sound or answer < 0:
                break
        else:
            break
    if above:
        keep_point(here, partition, value, end)
        return value, used
    for k in range(replies):
        work.lower_y[k] = work.y[k]
    return keep_vector(here, partition, used, not above), used
