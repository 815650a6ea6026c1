"""Stage games: what one more step adds to what the blind player can guarantee, or can be held to.

A double oracle (McMahan, Gordon and Blum 2003) inside the stage: the other's mixture in every state is found against
the columns so far, and the blind player's best answers to it, with the best known record after each observation, are
the next columns. Below, records are vectors, and it begins with the columns of the vector that is best so far; whatever
it stops at, the guarantee of the mixture of columns is a valid vector. Above, records are facets of the hull of points,
which never promise the blind player too much; when they find no better action, the hull itself is asked, and the value
is measured against the other's mixture in the end.
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import NONE, ONE, ZERO, inlined, kernel
from fogbound.solvers.one_sided.kernels.lower_bound import keep_vector, recall
from fogbound.solvers.one_sided.kernels.master import dual_simplex, put_column, read
from fogbound.solvers.one_sided.kernels.model import MOST_COLUMNS, best_record, sawtooth, successor_belief
from fogbound.solvers.one_sided.kernels.upper_bound import hull, keep_facet, keep_point, note_cover

# Columns of a restricted stage game: an action of the blind player, and what it counts on after each observation.
#
# The blind player's best answers to the other's mixture, with the best known record after each branch: vectors in the
# game of the lower bound, facets in that of the upper one.


EAGER = 0.5  # of what the best answer gains: others that gain more than this become columns with it


@kernel
def even(game, work, partition):
    """The other plays evenly in every state."""
    row, first, belief, y = game.row, game.first[partition], work.belief, work.y
    for s in range(game.first[partition + 1] - first):
        low, high = row[first + s] - row[first], row[first + s + 1] - row[first]
        for k in range(low, high):
            y[k] = belief[s] / (high - low)


@kernel
def balance(game, work, partition):
    """Make the rows of each state add up to its belief again: rounding took a little."""
    row, first, belief, y = game.row, game.first[partition], work.belief, work.y
    for s in range(game.first[partition + 1] - first):
        low, high = row[first + s] - row[first], row[first + s + 1] - row[first]
        total = 0.0
        for k in range(low, high):
            total += y[k]
        for k in range(low, high):
            y[k] = y[k] * belief[s] / total if total > 0 else belief[s] / (high - low)


@kernel
def rows_of(game, partition):
    """How many rows a partition has."""
    return game.row[game.first[partition + 1]] - game.row[game.first[partition]]


@kernel
def slot_pay(game, slot, y, rows):
    """What a slot pays now."""
    reward, pay, total = game.reward, game.pay[slot], 0.0
    for k in range(rows):
        total += y[k] * reward[pay + k]
    return total


@kernel
def oracle(game, bounds, lists, work, partition):
    """The most that any slot is worth against work.y, with the best record of `lists` after each branch; all worths."""
    base, first, rows = game.row[game.first[partition]], game.slot[partition], rows_of(game, partition)
    y, tau, worths, best = work.y, work.tau, work.worths, -np.inf
    for slot in range(first, game.slot[partition + 1]):
        worths[slot - first] = -np.inf
        if game.allowed[slot]:
            total = slot_pay(game, slot, y, rows)
            for branch in range(game.branch[slot], game.branch[slot + 1]):
                if successor_belief(game, branch, y, base, tau) > 0:
                    q = game.target[branch]
                    total += best_record(bounds, lists, q, game.first[q + 1] - game.first[q], tau)[0]
            worths[slot - first] = total
            best = max(best, total)
    return best


@kernel
def choose(game, bounds, lists, work, partition, slot, number):
    """Pick a slot, with the record that is best after each of its branches at work.y."""
    base, low, picks, tau = game.row[game.first[partition]], game.branch[slot], work.picks, work.tau
    picks[number, 0] = slot
    for branch in range(low, game.branch[slot + 1]):
        q = game.target[branch]
        successor_belief(game, branch, work.y, base, tau)
        picks[number, 1 + branch - low] = best_record(bounds, lists, q, game.first[q + 1] - game.first[q], tau)[1]


@kernel
def column_of(game, bounds, work, partition, number):
    """What a slot, with a record after each of its branches, is worth in all rows."""
    picks, column = work.picks, work.columns[number]
    base, slot, rows = game.row[game.first[partition]], picks[number, 0], rows_of(game, partition)
    low, pay, reward = game.branch[slot], game.pay[slot], game.reward
    source, to, prob, value = game.source, game.to, game.prob, bounds.value
    for k in range(rows):
        column[k] = reward[pay + k]
    for branch in range(low, game.branch[slot + 1]):
        first, at = game.first[game.target[branch]], bounds.at[picks[number, 1 + branch - low]]
        for e in range(game.entry[branch], game.entry[branch + 1]):
            column[source[e] - base] += prob[e] * value[at + to[e] - first]


@kernel
def extend(game, bounds, lists, work, partition, bar, used):
    """Picks for all slots that are worth `bar` or more, as the oracle found: how many there are then."""
    first = game.slot[partition]
    for slot in range(first, game.slot[partition + 1]):
        if work.worths[slot - first] >= bar and used < MOST_COLUMNS:
            choose(game, bounds, lists, work, partition, slot, used)
            used += 1
    return used


# What the player who sees can hold the blind one to: a bound on the worth of every action against a mixture of rows.
#
# The sawtooth bound rules out most actions, and only what is left needs the hull of all points.


@kernel
def recall_rows(game, bounds, work, partition):
    """Begin as the other did at the point that says most of this belief; evenly where there is none."""
    first, many, belief = game.first[partition], game.first[partition + 1] - game.first[partition], work.belief
    even(game, work, partition)
    number = sawtooth(game, bounds, partition, belief)[1]
    if number >= 0 and bounds.derivation[number] >= 0:
        at, derivation, base, row = bounds.at[number], bounds.derivation[number], game.row[first], game.row
        for s in range(many):
            held = bounds.value[at + s]
            if held > 0:
                for k in range(row[first + s] - base, row[first + s + 1] - base):
                    work.y[k] = belief[s] * bounds.weight[derivation + k] / held


@inlined
def slot_worth(here, partition, slot, exact, end):
    """(what an action may be worth at most, quickly or exactly; where the reason that is written from `end` on ends).

    Quickly by the sawtooth, exactly by the hull, whose facets are kept.
    """
    game, bounds, work = here.game, here.bounds, here.work
    base, y, tau = game.row[game.first[partition]], work.y, work.tau
    total = slot_pay(game, slot, y, rows_of(game, partition))
    for branch in range(game.branch[slot], game.branch[slot + 1]):
        q, worth, points = game.target[branch], 0.0, ZERO
        reached = successor_belief(game, branch, y, base, tau) > 0
        if reached and exact:
            worth, points = hull(here, q), game.first[q + 1] - game.first[q]
            if worth > best_record(bounds, bounds.facets, q, points, tau)[0] + 1e-12:
                keep_facet(game, bounds, work, q)
        elif reached:
            worth, work.chosen[0], work.cover[0] = sawtooth(game, bounds, q, tau)
            points = ONE
        total += worth
        end = note_cover(here, q, points, end)
    return total, end


@inlined
def exact_oracle(here, partition, worth, tolerance):
    """(value, slot, end): a bound on what any action is worth, and the best of those above `worth` (-1: none).

    Why it is a bound is written at the end of the pool of reasons, until `end`.
    """
    game, bounds, work = here.game, here.bounds, here.work
    link, weight, y = bounds.link, bounds.weight, work.y
    most, best, found, end = -np.inf, worth + tolerance, NONE, bounds.used[2]
    for k in range(rows_of(game, partition)):
        link[end], weight[end] = k, y[k]
        end += 1
    for slot in range(game.slot[partition], game.slot[partition + 1]):
        if game.allowed[slot]:
            held, after = np.inf, end
            for exact in range(2):  # quickly first; exactly where that leaves hope
                if held > worth + tolerance:
                    held, after = slot_worth(here, partition, slot, exact == 1, end)
                    if exact == 1 and held > best:
                        best, found = held, slot
            most, end = max(most, held), after
        else:
            for _ in range(game.branch[slot], game.branch[slot + 1]):
                link[end], weight[end] = 0, 0.0
                end += 1
    return most, found, end


@kernel
def solve_stage(here, partition, tolerance, above):
    """Solve the stage at work.belief and add what it finds, a point (above) or a vector: (its worth, columns used).

    work.shares of the slots work.picks[:, 0] become the blind player's mixture, work.y the other's; below, work.reply,
    too.
    """
    game, bounds, work = here.game, here.bounds, here.work
    lists, rows = bounds.facets if above else bounds.vectors, rows_of(game, partition)
    used = ZERO if above else recall(game, bounds, work, partition)
    if above:
        recall_rows(game, bounds, work, partition)
    elif used == 0:
        even(game, work, partition)
    sound, asked, worth, best, value, end = True, False, -np.inf, -np.inf, 0.0, NONE
    fresh, put = used > 0, 0  # whether there are columns that the mixtures do not know of yet; how many they know of
    while True:
        if fresh:
            for j in range(put, used):
                column_of(game, bounds, work, partition, j)
                put_column(game, work, partition, j)
            put = used
            sound = dual_simplex(work) and used < MOST_COLUMNS
            worth = read(work, rows)
            balance(game, work, partition)
        if sound:
            best = oracle(game, bounds, lists, work, partition)
        fresh = sound and best > worth + tolerance
        if fresh:
            bar = worth + max(tolerance, EAGER * (best - worth)) if used > 0 else best
            used, asked = extend(game, bounds, lists, work, partition, bar, used), False
        elif above:
            sound = sound and not asked  # facets that the hull gave should show what it found
            if not sound:  # measure what the mixture holds the blind player to
                worth, tolerance = -np.inf, 0.0
            value, found, end = exact_oracle(here, partition, worth, tolerance)
            asked = True
            if not sound or found < 0:
                break
        else:
            break
    if above:
        keep_point(here, partition, value, end)
        return value, used
    for k in range(rows):
        work.reply[k] = work.y[k]
    return keep_vector(here, partition, used, not above), used
