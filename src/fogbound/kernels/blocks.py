"""Which states can be confused: union-find over what one history can lead to."""

from __future__ import annotations

import numpy as np
from numba import njit

from fogbound.kernels.inner import ZERO

FULL = -1
_MIX = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True)
def find(parent, s):
    """The representative of a state's block, halving the path on the way."""
    while parent[s] != s:
        parent[s] = parent[parent[s]]
        s = parent[s]
    return s


@njit(cache=True)
def _slot(keys, key):
    """Where `key` is in an open-addressing table, or the free place where it belongs."""
    mask = len(keys) - 1
    at = np.int64((np.uint64(key) * _MIX) >> np.uint64(20)) & mask
    while keys[at] >= 0 and keys[at] != key:
        at = (at + 1) & mask
    return at


@njit(cache=True)
def _put(todo, waiting, count, member):
    """Put a member into the ring of those to look at, unless it waits there already. Returns the new count."""
    if waiting[member]:
        return count
    waiting[member] = True
    todo[count % len(todo)] = member
    return count + 1


@njit(cache=True)
def _join(parent, size, after, todo, waiting, count, s, t):
    """Make one block of two; the members of the smaller one must be looked at again. Returns the new count."""
    a, b = find(parent, s), find(parent, t)
    if a == b:
        return count
    if size[a] < size[b]:
        a, b = b, a
    parent[b] = a
    size[a] += size[b]
    member = b
    while True:
        count = _put(todo, waiting, count, member)
        member = after[member]
        if member == b:
            break
    after[a], after[b] = after[b], after[a]
    return count


@njit(cache=True)
def find_blocks(row, action, out, next_, obs, labels, sights, parent, size, after, todo, waiting, keys, first):
    """Join states that some (block, action, observation) can lead to.

    The start's outcomes are members of their own, S + k for the k-th: what only the start confuses need not be
    confused ever after. parent [S + starts] (-1 = not reached), size and after alike (the members of a block in a
    circle), todo [ring] and waiting [members]: who is to be looked at; keys and first [power of two]: the table
    (block, action, observation) -> a state it leads to. Returns FULL when the table is too small, else how often
    members were looked at: again only when their block is swallowed by a larger one, so n log n in all.
    """
    states = len(row) - 1
    used, done, count = 0, 0, ZERO
    for k in range(out[1] - out[0]):
        member = states + k
        parent[member] = member
        count = _put(todo, waiting, count, member)
        at = _slot(keys, np.int64(obs[out[0] + k]))
        if keys[at] < 0:
            keys[at] = obs[out[0] + k]
            first[at] = member
            used += 1
        count = _join(parent, size, after, todo, waiting, count, member, first[at])
    while done < count:
        member = todo[done % len(todo)]
        waiting[member] = False
        done += 1
        s = member if member < states else np.int64(next_[out[0] + member - states])
        for r in range(row[s], row[s + 1]):
            for o in range(out[r], out[r + 1]):
                t = np.int64(next_[o])
                if parent[t] < 0:
                    parent[t] = t
                    count = _put(todo, waiting, count, t)
                key = ((find(parent, member) + 1) * labels + action[r] + 1) * sights + obs[o]
                at = _slot(keys, key)
                if keys[at] < 0:
                    if 2 * used > len(keys):
                        return FULL
                    keys[at] = key
                    first[at] = t
                    used += 1
                count = _join(parent, size, after, todo, waiting, count, t, first[at])
    return done


@njit(cache=True)
def label_blocks(parent, label):
    """label [members]: the representative of each member's block, -1 where no history leads."""
    for s in range(len(parent)):
        label[s] = find(parent, s) if parent[s] >= 0 else -1
