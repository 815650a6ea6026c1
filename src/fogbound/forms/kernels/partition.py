"""What one player always knows: the states that some history of its own can confuse, united.

Which states can be confused: union-find over what one history can lead to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import ZERO, kernel
from fogbound.forms.arrays import Ints

FULL = -1
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class PlayerSteps(Bundle):
    """Rows of states and their outcomes, row 0 the start; what the player does in a row and sees of an outcome."""

    row: np.ndarray
    move: np.ndarray
    out: np.ndarray
    next: np.ndarray
    obs: np.ndarray


@dataclass(frozen=True, eq=False)
class UnionFind(Bundle):
    """Members (states, and the start's outcomes after them) in blocks, and who is to be looked at."""

    parent: np.ndarray  # [members] -1 = not reached
    size: np.ndarray  # [members]
    after: np.ndarray  # [members] the members of a block in a circle
    todo: np.ndarray  # [ring]
    waiting: np.ndarray  # [members] whether they are in the ring
    keys: np.ndarray  # [places, a power of two] (block, action, observation), -1 = free
    first: np.ndarray  # [places] a member that it leads to


@kernel
def find(parent, s):
    """The representative of a state's block, halving the path on the way."""
    while parent[s] != s:
        parent[s] = parent[parent[s]]
        s = parent[s]
    return s


@kernel
def _slot(keys, places, key):
    """Where `key` is in an open-addressing table, or the free place where it belongs."""
    at = np.int64((np.uint64(key) * _MIX) >> np.uint64(20)) & (places - 1)
    while keys[at] >= 0 and keys[at] != key:
        at = (at + 1) & (places - 1)
    return at


@kernel
def _put(blocks, ring, count, member):
    """Put a member into the ring of those to look at, unless it waits there already. Returns the new count."""
    if blocks.waiting[member]:
        return count
    blocks.waiting[member] = True
    blocks.todo[count % ring] = member
    return count + 1


@kernel
def _join(blocks, ring, count, s, t):
    """Make one block of two; the members of the smaller one must be looked at again. Returns the new count."""
    parent, size, after = blocks.parent, blocks.size, blocks.after
    a, b = find(parent, s), find(parent, t)
    if a == b:
        return count
    if size[a] < size[b]:
        a, b = b, a
    parent[b] = a
    size[a] += size[b]
    member = b
    while True:
        count = _put(blocks, ring, count, member)
        member = after[member]
        if member == b:
            break
    after[a], after[b] = after[b], after[a]
    return count


@kernel
def find_blocks(steps, blocks, states, labels, observations, ring, places):
    """Join states that some (block, action, observation) can lead to.

    The start's outcomes are members of their own, S + k for the k-th: what only the start confuses need not be
    confused ever after. Returns FULL when the table is too small, else how often members were looked at: again only
    when their block is swallowed by a larger one, so n log n in all.
    """
    row, move, out, next_, obs = steps.row, steps.move, steps.out, steps.next, steps.obs
    parent, keys, first = blocks.parent, blocks.keys, blocks.first
    used, done, count, begun = 0, 0, ZERO, out[0]
    for k in range(out[1] - begun):
        parent[states + k] = states + k
        count = _put(blocks, ring, count, states + k)
        at = _slot(keys, places, np.int64(obs[begun + k]))
        if keys[at] < 0:
            keys[at] = obs[begun + k]
            first[at] = states + k
            used += 1
        count = _join(blocks, ring, count, states + k, first[at])
    while done < count:
        member = blocks.todo[done % ring]
        blocks.waiting[member] = False
        done += 1
        s = member if member < states else np.int64(next_[begun + member - states])
        for r in range(row[s], row[s + 1]):
            for o in range(out[r], out[r + 1]):
                t = np.int64(next_[o])
                if parent[t] < 0:
                    parent[t] = t
                    count = _put(blocks, ring, count, t)
                key = ((find(parent, member) + 1) * labels + move[r] + 1) * observations + obs[o]
                at = _slot(keys, places, key)
                if keys[at] < 0:
                    if 2 * used > places:
                        return FULL
                    keys[at] = key
                    first[at] = t
                    used += 1
                count = _join(blocks, ring, count, t, first[at])
    return done


@kernel
def label_blocks(blocks, members):
    """todo [members] becomes the representative of each member's block, -1 where no history leads."""
    for s in range(members):
        blocks.todo[s] = find(blocks.parent, s) if blocks.parent[s] >= 0 else -1


def confusable(row: Ints, move: Ints, out: Ints, next_: Ints, obs: Ints, moves: int, observations: int) -> Ints:
    """[S + outcomes of row 0] a number that members of one set share; -1 where no step leads.

    Row 0 is the start; `move` [R] is what the player itself does in a row, from -1 to below `moves`, so rows that
    differ only in what others do share it. The start's outcomes are members of their own after the S states:
    what only the start confuses is then not confused for ever.
    """
    states = len(row) - 1
    steps, size = PlayerSteps(row, move, out, next_, obs), states + int(out[1])
    ring, places = 2 * size + 2, 1 << max(10, (len(next_) // 2).bit_length())
    while True:
        parent, sizes, after = np.full(size, -1), np.ones(size, np.int64), np.arange(size)
        todo, waiting = np.empty(ring, np.int64), np.zeros(size, np.bool_)
        blocks = UnionFind(parent, sizes, after, todo, waiting, np.full(places, -1), np.empty(places, np.int64))
        if find_blocks(steps, blocks, states, moves + 1, observations, ring, places) != FULL:
            label_blocks(blocks, size)
            return todo[:size]
        places *= 4
