"""What a search knows, as named arrays: the tree of beliefs, the vectors below them and the points above.

Nodes of the tree, their actions and children, vectors and points are numbered in the order in which they come into
being; -1 is none of them. What an array holds is written beside it: [nodes] has an entry for each node, and an entry
that says where something begins leads into the pool named there. Numba grows nothing by itself: a backup takes what
it needs from the end of the pools, the search stops when `room` for one is not left, Python makes longer arrays, and it
goes on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import kernel
from fogbound.solvers.pomdp.kernels.block_model import BlockModel

ROOT = 0  # the first node of every tree
BUCKETS = 1 << 12  # of the table of beliefs

# Search.used: how much of each pool is taken.
NODES, ACTIONS, WEIGHTS, CHILDREN, VECTORS, VALUES, SUCCESSORS, POINTS, SUPPORTS = range(9)
POOLS = 9

# Search.count: what has been done so far, and when some of it was done last.
TRIALS, BACKUPS, WORK, LIMIT_WORK, LIFTS, LIFTED_AT, HULL_AT, IDLE, FINENESS = range(9)
COUNTERS = 9


@dataclass(frozen=True, eq=False)
class BeliefTree(Bundle):
    """The beliefs that the search has met (T_R of SARSOP), each once: in fact a graph."""

    # [nodes]
    block: np.ndarray
    belief: np.ndarray  # where its weights begin in `weight`: one for each state of its block
    support: np.ndarray  # 64 bits for the states that are possible
    V_lower: np.ndarray
    V_upper: np.ndarray
    best: np.ndarray  # the vector that is highest here
    seen_vector: np.ndarray  # the newest vector, ...
    seen_lift: np.ndarray  # ... the last lift of vectors, ...
    seen_point: np.ndarray  # ... the newest point ...
    seen_corners: np.ndarray  # ... and the version of the corners that its bounds know of
    next: np.ndarray  # the next node in its bucket of the table
    action: np.ndarray  # where its actions begin
    # [actions] of nodes
    Q_upper: np.ndarray
    looked: np.ndarray  # the backup in which it was last looked at
    children: np.ndarray  # where its children begin, one for each outcome of its choice; -1: not expanded yet
    reward_lower: np.ndarray  # what is surely had at least, with the states that were left out of beliefs ...
    reward_upper: np.ndarray  # ... and at most
    goes_on: np.ndarray  # discount x the chance that play goes on
    # [children]
    child: np.ndarray  # its node; -1: the observation cannot come
    child_weight: np.ndarray  # discount x its probability
    # pools and the table
    weight: np.ndarray  # [weights] of beliefs
    bucket: np.ndarray  # [BUCKETS] the newest node


@dataclass(frozen=True, eq=False)
class VectorSet(Bundle):
    """The lower bound: alpha vectors (Gamma), in lists by block, newest first; each with the backup that made it."""

    # [blocks]
    newest: np.ndarray
    count: np.ndarray
    default: np.ndarray  # the one that is highest on average: for what no belief speaks of
    # [vectors]
    alpha: np.ndarray  # where its values begin in `value`: one for each state of its block
    choice: np.ndarray
    older: np.ndarray  # the next of its block's list
    replaced: np.ndarray  # the vector that is nowhere below it and stands for it; -1: it is in the list itself
    successors: np.ndarray  # where its successors begin in `successor`: one for each outcome of its choice
    # pools
    value: np.ndarray
    successor: np.ndarray  # the vector that goes on


@dataclass(frozen=True, eq=False)
class PointSet(Bundle):
    """The upper bound: (belief, value) points (Upsilon), in lists by block, newest first; and the corners."""

    corner: np.ndarray  # [states] no more than this when the state is known
    # [blocks]
    version: np.ndarray  # how often its corners have fallen
    newest: np.ndarray
    count: np.ndarray
    pruned: np.ndarray  # how many there were after the last pruning
    # [points]
    value: np.ndarray
    excess: np.ndarray  # value less what the corners say: below 0
    older: np.ndarray  # the next of its block's list
    mask: np.ndarray  # 64 bits for the states that are possible
    support: np.ndarray  # [points + 1] where its states and weights begin, largest first
    # [supports]
    state: np.ndarray  # local
    weight: np.ndarray


@dataclass(frozen=True, eq=False)
class Search(Bundle):
    """All that the search works with: what Python hands to kernels."""

    model: BlockModel
    informed: np.ndarray  # [rows] the fast informed bound
    tree: BeliefTree
    vectors: VectorSet
    points: PointSet
    used: np.ndarray  # [POOLS]
    room: np.ndarray  # [POOLS] what one backup may take
    capacity: np.ndarray  # [POOLS]
    count: np.ndarray  # [COUNTERS]
    value_range: np.ndarray  # [1] how far apart the value of two states can be


# The arrays that grow with each pool, by bundle.
GROWING: dict[int, dict[str, tuple[str, ...]]] = {
    NODES: {
        "tree": (
            *("block", "belief", "support", "V_lower", "V_upper", "best"),
            *("seen_vector", "seen_lift", "seen_point", "seen_corners", "next", "action"),
        )
    },
    ACTIONS: {"tree": ("Q_upper", "looked", "children", "reward_lower", "reward_upper", "goes_on")},
    WEIGHTS: {"tree": ("weight",)},
    CHILDREN: {"tree": ("child", "child_weight")},
    VECTORS: {"vectors": ("alpha", "choice", "older", "replaced", "successors")},
    VALUES: {"vectors": ("value",)},
    SUCCESSORS: {"vectors": ("successor",)},
    POINTS: {"points": ("value", "excess", "older", "mask", "support")},
    SUPPORTS: {"points": ("state", "weight")},
}


@kernel
def has_room(search):
    """Whether every pool has room for one more backup."""
    for pool in range(POOLS):
        if search.used[pool] + search.room[pool] > search.capacity[pool]:
            return False
    return True
