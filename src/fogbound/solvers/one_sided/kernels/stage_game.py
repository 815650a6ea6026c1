"""Stage games: what one more step adds to what the blind player can guarantee, or can be held to.

A double oracle (McMahan, Gordon and Blum 2003) inside the stage: the other's mixture in every state is found against
the columns so far, and the blind player's best answers to it, with the best known record after each observation, are
the next columns. Below, records are vectors, and it begins with the columns of the vector that is best so far; whatever
it stops at, the guarantee of the mixture of columns is a valid vector. Above, records are facets of the hull of points,
which never promise the blind player too much; when they find no better action, the hull itself is asked, and the value
is measured against the other's mixture in the end.

A column is an action of the blind player, with what it counts on after each observation. Above, the sawtooth bound
rules out most actions, and only what is left needs the hull of all points.

Where a trial through beliefs of the blind player leads: the choices of PG-HSVI.

Horak, Bosansky and Pechoucek (2017); in the form of Horak, Bosansky, Kovarik and Kiekintveld, "Solving zero-sum
one-sided partially observable stochastic games" (2023): the blind player's action comes from the upper stage game,
the other's from the lower one, and what is looked at next is where the gap exceeds what may be left there, weighted
by how likely it is. The upper bound comes down slowly, since points say little of beliefs around them and were found
from worse ones: so most trials lead through the beliefs of known points instead of new ones.
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import NONE, ONE, ZERO, inlined, kernel
from fogbound.solvers.one_sided.kernels.master import dual_simplex, put_column, read
from fogbound.solvers.one_sided.kernels.model import MOST_COLUMNS, add_record, best_record, sawtooth, successor_belief
from fogbound.solvers.one_sided.kernels.upper_bound import hull, keep_facet, keep_point, note_cover

MOST_RECALLED = 24  # columns


@kernel
def recall_columns(game, bounds, work, partition):
    """Pick the columns of the vector that is best at work.belief again: how many; 0 when there are too many."""
    many, link, picks = game.state_start[partition + 1] - game.state_start[partition], bounds.link, work.picks
    at = bounds.derivation[best_record(bounds, bounds.vectors, partition, many, work.belief)[1]]
    if at < 0 or link[at] > MOST_RECALLED:
        return ZERO
    columns = link[at]
    at += 1
    for j in range(columns):
        ways = game.successor_start[link[at] + 1] - game.successor_start[link[at]]
        for way in range(ways + 1):  # the action, and what is counted on after each observation
            picks[j, way] = link[at + way]
        at += 1 + ways
    return columns


@kernel
def mixture_guarantee(game, work, partition, used, guarantee):
    """What a mixture of columns is sure of in every state."""
    reply_start, first, columns, shares = game.reply_start, game.state_start[partition], work.columns, work.shares
    for s in range(game.state_start[partition + 1] - first):
        least = np.inf
        for k in range(reply_start[first + s] - reply_start[first], reply_start[first + s + 1] - reply_start[first]):
            total = 0.0
            for j in range(used):
                total += shares[j] * columns[j, k]
            least = min(least, total)
        guarantee[s] = least


@kernel
def superfluous(bounds, partition, many, guarantee):
    """Whether some vector is nowhere below a new one; those that are nowhere above it are dropped."""
    record, before, value, older = bounds.vectors[partition], -1, bounds.value, bounds.older
    while record >= 0:
        at, above, below = bounds.at[record], True, True
        for s in range(many):
            above = above and value[at + s] >= guarantee[s]
            below = below and value[at + s] <= guarantee[s]
        if above:
            return True
        if below and before >= 0:
            older[before] = older[record]
        elif below:
            bounds.vectors[partition] = older[record]
        else:
            before = record
        record = older[record]
    return False


@kernel
def keep_vector(here, partition, used, derived):
    """Add the guarantee of the mixture of columns as a vector, unless one is nowhere below it. Its value there."""
    game, bounds, work = here.game, here.bounds, here.work
    many = game.state_start[partition + 1] - game.state_start[partition]
    guarantee, total = work.tau, 0.0
    mixture_guarantee(game, work, partition, used, guarantee)
    for s in range(many):
        total += work.belief[s] * guarantee[s]
    if superfluous(bounds, partition, many, guarantee):
        return total
    number = add_record(bounds, bounds.vectors, partition, many)
    at, value = bounds.at[number], bounds.value
    for s in range(many):
        value[at + s] = guarantee[s]
    if derived:
        bounds.derivation[number] = bounds.used[2]
        bounds.used[2] = note_columns(game, bounds, work, used, bounds.used[2])
    return total


@kernel
def note_columns(game, bounds, work, used, end):
    """Write the mixture of columns in the pool of derivations from `end` on; where that ends."""
    link, weight, shares, picks = bounds.link, bounds.weight, work.shares, work.picks
    head, end = end, end + 1
    link[head], weight[head] = 0, 0.0
    for j in range(used):
        if shares[j] > 0.0:
            link[head] += 1
            ways = game.successor_start[picks[j, 0] + 1] - game.successor_start[picks[j, 0]]
            for way in range(ways + 1):
                link[end + way], weight[end + way] = picks[j, way], 0.0
            weight[end] = shares[j]
            end += 1 + ways
    return end


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
    base, first = game.reply_start[game.state_start[partition]], game.action_start[partition]
    replies = replies_of(game, partition)
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
def pick_column(game, bounds, lists, work, partition, action, number):
    """Pick an action, with the record that is best after each of its successors at work.y."""
    base, low = game.reply_start[game.state_start[partition]], game.successor_start[action]
    picks, tau = work.picks, work.tau
    picks[number, 0] = action
    for successor in range(low, game.successor_start[action + 1]):
        q = game.target[successor]
        many = game.state_start[q + 1] - game.state_start[q]
        successor_belief(game, successor, work.y, base, tau)
        picks[number, 1 + successor - low] = best_record(bounds, lists, q, many, tau)[1]


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
            pick_column(game, bounds, lists, work, partition, action, used)
            used += 1
    return used


@kernel
def recall_replies(game, bounds, work, partition):
    """Begin as the other did at the point that says most of this belief; evenly where there is none."""
    first, belief = game.state_start[partition], work.belief
    many = game.state_start[partition + 1] - first
    even(game, work, partition)
    number = sawtooth(game, bounds, partition, belief)[1]
    if number >= 0 and bounds.derivation[number] >= 0:
        at, derivation, reply_start = bounds.at[number], bounds.derivation[number], game.reply_start
        base = reply_start[first]
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
    used = ZERO if above else recall_columns(game, bounds, work, partition)
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


UNMIXED, UNLIKELY = 1e-9, 1e-12  # shares and probabilities up to which nothing is looked at


@kernel
def bounds_at(here, partition):
    """The most that a vector guarantees at the unnormalised belief work.tau, and what the hull of points says there."""
    game, bounds = here.game, here.bounds
    many = game.state_start[partition + 1] - game.state_start[partition]
    return best_record(bounds, bounds.vectors, partition, many, here.work.tau)[0], hull(here, partition)


@kernel
def promising(here, partition, used, left):
    """The successor with the largest weighted excess of the gap over `left`; -1 when there is none.

    The blind player's mixture is work.shares of the actions work.picks[:used, 0], the other's work.lower_y.
    """
    game, bounds, work = here.game, here.bounds, here.work
    base, picks, shares, tau = game.reply_start[game.state_start[partition]], work.picks, work.shares, work.tau
    most, chosen = 0.0, NONE
    for j in range(used):
        if shares[j] > UNMIXED:
            for successor in range(game.successor_start[picks[j, 0]], game.successor_start[picks[j, 0] + 1]):
                total = successor_belief(game, successor, work.lower_y, base, tau)
                if total > UNLIKELY:
                    q = game.target[successor]
                    quick = sawtooth(game, bounds, q, tau)[0]
                    low = best_record(bounds, bounds.vectors, q, game.state_start[q + 1] - game.state_start[q], tau)[0]
                    if shares[j] * (quick - low - left * total) > most:
                        excess = shares[j] * (hull(here, q) - low - left * total)
                        if excess > most:
                            most, chosen = excess, successor
    return chosen


@kernel
def forward(here, partition, successor):
    """work.tau becomes the belief after an observation against work.lower_y, unnormalised. Its sum."""
    game, work = here.game, here.work
    return successor_belief(game, successor, work.lower_y, game.reply_start[game.state_start[partition]], work.tau)


@kernel
def heaviest(here, partition):
    """Of the points that cover work.tau, as the hull left them, the one whose gap weighs most; -1: there is none."""
    game, bounds, work = here.game, here.bounds, here.work
    many = game.state_start[partition + 1] - game.state_start[partition]
    best, point = 0.0, NONE
    for r in range(many):
        if work.cover[r] > 0.0:
            at = bounds.at[work.chosen[r]]
            for s in range(many):
                work.facet[s] = bounds.value[at + s]
            low = best_record(bounds, bounds.vectors, partition, many, work.facet)[0]
            weight = work.cover[r] * (bounds.value[at + many] - low)
            if weight > best:
                best, point = weight, work.chosen[r]
    return point
