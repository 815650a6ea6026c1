"""Vectors of the lower bound: what a mixture of columns guarantees the blind player in every state, and how."""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import ZERO, kernel
from fogbound.solvers.one_sided.kernels.model import add_record, best_record

MOST_RECALLED = 24  # columns


@kernel
def recall(game, bounds, work, partition):
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
def guaranteed(game, work, partition, used, guarantee):
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
    guaranteed(game, work, partition, used, guarantee)
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
