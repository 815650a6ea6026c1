"""Whether derivations can be followed: for bounds that come from a file, before any other kernel sees them."""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import NONE, kernel

UNKNOWN, VECTOR, POINT, FACET = -1, 0, 1, 2  # what a record is; `role` is KINDS x its partition + this
KINDS = 3
NEARLY = 1e-6  # up to which beliefs sum to 1


@kernel
def unsound_record(game, bounds, role, queue, count):
    """The first record whose values or derivation lead out of the pools, or to what they must not; -1: there is none.

    role [records] says what is known of each; queue [records] holds the `count` vectors and points that are known.
    Those that derivations lead to are entered in both.
    """
    done = 0
    while done < count:
        record = queue[done]
        done += 1
        partition, kind = role[record] // KINDS, role[record] % KINDS
        if not within_pool(game, bounds, record, partition, kind):
            return record
        if bounds.derivation[record] >= 0:
            if kind == VECTOR:
                count = follow_columns(game, bounds, role, queue, count, record, partition)
            else:
                count = follow_covers(game, bounds, role, queue, count, record, partition)
            if count < 0:
                return record
    return NONE


@kernel
def within_pool(game, bounds, record, partition, kind):
    """Whether a record's values lie in the pool, and whether those of a point begin with a belief."""
    many, at = game.state_start[partition + 1] - game.state_start[partition], bounds.at[record]
    if at + many + (2 if kind == POINT else 0) > bounds.used[1]:
        return False
    total = 0.0
    for s in range(many):
        if kind == POINT and not 0.0 <= bounds.value[at + s] <= 1.0 + NEARLY:
            return False
        total += bounds.value[at + s]
    return kind != POINT or abs(total - 1.0) <= NEARLY


@kernel
def claim(role, queue, count, records, record, wanted):
    """Enter a record as what a derivation takes it for: how many there are then, -1 where it is something else."""
    if record < 0 or record >= records:
        return NONE
    if role[record] == UNKNOWN:
        role[record], queue[count] = wanted, record
        return count + 1
    return count if role[record] == wanted else NONE


@kernel
def follow_columns(game, bounds, role, queue, count, record, partition):
    """Enter the vectors that a vector goes on with; -1 where its derivation cannot be read."""
    link, end, at = bounds.link, bounds.used[2], bounds.derivation[record]
    columns = link[at]
    at += 1
    if columns < 1 or columns > end - at:
        return NONE
    for _ in range(columns):
        if at >= end or link[at] < game.action_start[partition] or link[at] >= game.action_start[partition + 1]:
            return NONE
        low, high = game.successor_start[link[at]], game.successor_start[link[at] + 1]
        if at + high - low >= end or not 0.0 < bounds.weight[at] <= 1.0 + NEARLY:
            return NONE
        for successor in range(low, high):
            at += 1
            role_there = KINDS * game.target[successor] + VECTOR
            count = claim(role, queue, count, bounds.used[0], link[at], role_there)
            if count < 0:
                return NONE
        at += 1
    return count


@kernel
def follow_covers(game, bounds, role, queue, count, record, partition):
    """Enter the points that cover what follows a point; -1 where its derivation cannot be read."""
    link, weight, end, at = bounds.link, bounds.weight, bounds.used[2], bounds.derivation[record]
    first, last = game.state_start[partition], game.state_start[partition + 1]
    replies = game.reply_start[last] - game.reply_start[first]
    if replies > end - at:
        return NONE
    for _ in range(replies):
        if not 0.0 <= weight[at] <= 1.0 + NEARLY:
            return NONE
        at += 1
    first, last = game.action_start[partition], game.action_start[partition + 1]
    for successor in range(game.successor_start[first], game.successor_start[last]):
        if at >= end or link[at] < 0 or link[at] >= end - at:
            return NONE
        points = link[at]
        for _ in range(points):
            at += 1
            role_there = KINDS * game.target[successor] + POINT
            count = claim(role, queue, count, bounds.used[0], link[at], role_there)
            if count < 0 or not 0.0 <= weight[at] < np.inf:
                return NONE
        at += 1
    return count
