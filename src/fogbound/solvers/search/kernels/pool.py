"""The search tree in arrays: a node is what one player knows when it is asked to move, an edge one of its actions.

Nodes are found by a key of 64 mixed bits, the history of what the player did and saw: two histories that are not alike
share a key with a chance of about one in 10^19 a pair. Edges of a node lie side by side in the order of its legal
actions. Where nodes are pooled over what the one who looks does not know, other actions may be legal when a node is
met again; those are chained behind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import NONE, kernel


@dataclass(frozen=True, eq=False)
class Pool(Bundle):
    """Nodes, edges, and the hash table of keys. Columns that only some searches need are empty in the others."""

    used: np.ndarray  # [2] nodes, edges
    slots: np.ndarray  # [slots, 2] a power of two: a key and its node, -1 = free
    first: np.ndarray  # [node] its first edge
    size: np.ndarray  # [node] edges that lie side by side
    more: np.ndarray  # [node] the first edge of the chain behind, -1 = none
    visits: np.ndarray  # [node]
    arrived: np.ndarray  # [node] states whose worths were added up
    key: np.ndarray  # [node]
    code: np.ndarray  # [edge] the action
    next: np.ndarray  # [edge] in the chain
    tried: np.ndarray  # [edge] how often it was chosen
    open: np.ndarray  # [edge] how often it was legal (single observer)
    preferred: np.ndarray  # [edge] whether it is preferred (where the planner has preferred actions)
    total: np.ndarray  # [edge] what it brought the player in all
    regret: np.ndarray  # [edge] cumulative (rule=regret)
    average: np.ndarray  # [edge] the strategies added up (rule=regret)
    prior: np.ndarray  # [edge] worths of the states that arrived, added up (where the game has worths)


@kernel
def lookup_node(pool, key):
    """The node of a key, -1 where there is none."""
    mask = len(pool.slots) - 1
    slot = key & mask
    node = pool.slots[slot, 1]
    while node >= 0:
        if pool.slots[slot, 0] == key:
            return node
        slot = (slot + 1) & mask
        node = pool.slots[slot, 1]
    return NONE


@kernel
def file(pool, key, node):
    """Put a node into the hash table."""
    mask = len(pool.slots) - 1
    slot = key & mask
    while pool.slots[slot, 1] >= 0:
        slot = (slot + 1) & mask
    pool.slots[slot, 0] = key
    pool.slots[slot, 1] = node


@kernel
def add(pool, key, legal, size):
    """A new node with an edge for each legal action."""
    node, first = pool.used[0], pool.used[1]
    pool.used[0] = node + 1
    pool.used[1] = first + size
    pool.first[node] = first
    pool.size[node] = size
    pool.more[node] = -1
    pool.visits[node] = 0
    pool.arrived[node] = 0
    pool.key[node] = key
    for place in range(size):
        pool.code[first + place] = legal[place]
    _clear(pool, first, first + size)
    file(pool, key, node)
    return node


@kernel
def take_back(pool):
    """Forget the node that was added last: whatever else is in the hash table was put there without it."""
    node = pool.used[0] - 1
    mask = len(pool.slots) - 1
    slot = pool.key[node] & mask
    while pool.slots[slot, 1] != node:
        slot = (slot + 1) & mask
    pool.slots[slot, 1] = -1
    pool.used[0] = node
    pool.used[1] = pool.first[node]


@kernel
def _clear(pool, first, end):
    """Nothing is known of edges: column by column, which is faster."""
    for edge in range(first, end):
        pool.tried[edge] = 0
    for edge in range(first, end):
        pool.total[edge] = 0.0
    if len(pool.prior) > 0:
        for edge in range(first, end):
            pool.prior[edge] = 0.0
    if len(pool.preferred) > 0:
        for edge in range(first, end):
            pool.preferred[edge] = 0
    if len(pool.open) > 0:
        for edge in range(first, end):
            pool.open[edge] = 0
    if len(pool.regret) > 0:
        for edge in range(first, end):
            pool.regret[edge] = 0.0
            pool.average[edge] = 0.0


@kernel
def edge_of(pool, node, place, code):
    """The edge of an action that stands at `place` of the legal ones now; made where it was never legal here before."""
    first, size = pool.first[node], pool.size[node]
    if place < size and pool.code[first + place] == code:
        return first + place
    for edge in range(first, first + size):
        if pool.code[edge] == code:
            return edge
    edge = pool.more[node]
    last = NONE
    while edge >= 0:
        if pool.code[edge] == code:
            return edge
        last = edge
        edge = pool.next[edge]
    edge = pool.used[1]
    pool.used[1] = edge + 1
    _clear(pool, edge, edge + 1)
    pool.code[edge] = code
    pool.next[edge] = -1
    if last < 0:
        pool.more[node] = edge
    else:
        pool.next[last] = edge
    return edge


@kernel
def empty(pool):
    """Forget all nodes."""
    pool.used[0] = 0
    pool.used[1] = 0
    for slot in range(len(pool.slots)):
        pool.slots[slot, 1] = -1


@kernel
def refile(pool):
    """Fill a hash table that was made anew."""
    for node in range(pool.used[0]):
        file(pool, pool.key[node], node)
