"""What a search knows, as named arrays: the tree of beliefs, the vectors below them and the points above.

Nodes of the tree, their actions and children, vectors and points are numbered in the order in which they come into
being; -1 is none of them. Each array is declared with what it has an entry for and what its entries may be, so that
growth (`solvers.growing_pools`) and checkpoints (`hsvi.checkpoint`) follow from it: `begins` leads to a run in a pool.
A backup takes what it needs from the end of the pools, and the search stops when `room` for one is not left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import kernel
from fogbound.driver.checkpoint_schema import Entries, Schema
from fogbound.solvers.pomdp.kernels.block_model import BlockModel

ROOT = 0  # the first node of every tree
BUCKETS = 1 << 12  # of the table of beliefs
NEARLY = 1 + 1e-9  # what probabilities may sum to
LEAST_RANGE = 1e-300  # of values

# Search.used: how much of each pool is taken.
POOLS = ("nodes", "actions", "weights", "children", "vectors", "values", "successors", "points", "supports")
NODES, ACTIONS, WEIGHTS, CHILDREN, VECTORS, VALUES, SUCCESSORS, POINTS, SUPPORTS = range(len(POOLS))

# Search.count: what has been done so far, and when some of it was done last.
TRIALS, BACKUPS, WORK, LIMIT_WORK, LIFTS, LIFTED_AT, HULL_AT, IDLE, FINENESS = range(9)
COUNTERS = 9


@dataclass(frozen=True, eq=False)
class BeliefTree(Bundle):
    """The beliefs that the search has met (T_R of SARSOP), each once: in fact a graph."""

    block: Annotated[np.ndarray, Entries("nodes", into="blocks")]
    belief: Annotated[np.ndarray, Entries("nodes", begins="weights")]  # a weight for each state of its block
    support: Annotated[np.ndarray, Entries("nodes", bits=True)]  # 64 bits for the states that are possible
    V_lower: Annotated[np.ndarray, Entries("nodes", float)]
    V_upper: Annotated[np.ndarray, Entries("nodes", float)]
    best: Annotated[np.ndarray, Entries("nodes", into="vectors")]  # the vector that is highest here
    seen_vector: Annotated[np.ndarray, Entries("nodes", none=True)]  # the newest vector, ...
    seen_lift: Annotated[np.ndarray, Entries("nodes", none=True)]  # ... the last lift of vectors, ...
    seen_point: Annotated[np.ndarray, Entries("nodes", none=True)]  # ... the newest point ...
    seen_corners: Annotated[np.ndarray, Entries("nodes", none=True)]  # ... and the version of the corners that it knows
    next: Annotated[np.ndarray, Entries("nodes", older=True)]  # the next node in its bucket of the table
    action: Annotated[np.ndarray, Entries("nodes", begins="actions")]  # one for each choice of its block
    Q_upper: Annotated[np.ndarray, Entries("actions", float)]
    looked: Annotated[np.ndarray, Entries("actions")]  # the backup in which it was last looked at
    children: Annotated[
        np.ndarray, Entries("actions", begins="children", none=True)
    ]  # one an outcome; -1: not expanded yet
    reward_lower: Annotated[np.ndarray, Entries("actions", float)]  # with the states left out of beliefs, at least ...
    reward_upper: Annotated[np.ndarray, Entries("actions", float)]  # ... and at most
    goes_on: Annotated[
        np.ndarray, Entries("actions", float, low=0.0, high=NEARLY)
    ]  # discount x the chance that play goes on
    child: Annotated[
        np.ndarray, Entries("children", into="nodes", none=True)
    ]  # its node; -1: the observation cannot come
    child_weight: Annotated[np.ndarray, Entries("children", float, low=0.0, high=NEARLY)]  # discount x its probability
    weight: Annotated[np.ndarray, Entries("weights", float, low=0.0, high=NEARLY)]  # of beliefs
    bucket: Annotated[
        np.ndarray, Entries(BUCKETS, into="nodes", none=True)
    ]  # the newest node of each bucket of the table


@dataclass(frozen=True, eq=False)
class VectorSet(Bundle):
    """The lower bound: alpha vectors (Gamma), in lists by block, newest first; each with the backup that made it."""

    newest: Annotated[np.ndarray, Entries("blocks", into="vectors")]
    count: Annotated[np.ndarray, Entries("blocks")]
    default: Annotated[
        np.ndarray, Entries("blocks", into="vectors")
    ]  # highest on average: for what no belief speaks of
    alpha: Annotated[np.ndarray, Entries("vectors", begins="values")]  # a value for each state of its block
    choice: Annotated[np.ndarray, Entries("vectors", into="choices")]
    older: Annotated[np.ndarray, Entries("vectors", older=True)]  # the next of its block's list
    replaced: Annotated[
        np.ndarray, Entries("vectors", into="vectors", none=True)
    ]  # by one nowhere below it; -1: it is listed
    successors: Annotated[np.ndarray, Entries("vectors", begins="successors")]  # one an outcome of its choice
    value: Annotated[np.ndarray, Entries("values", float)]
    successor: Annotated[np.ndarray, Entries("successors", into="vectors")]  # the vector that goes on


@dataclass(frozen=True, eq=False)
class PointSet(Bundle):
    """The upper bound: (belief, value) points (Upsilon), in lists by block, newest first; and the corners."""

    corner: Annotated[np.ndarray, Entries("states", float)]  # no more than this when the state is known
    version: Annotated[np.ndarray, Entries("blocks")]  # how often its corners have fallen
    newest: Annotated[np.ndarray, Entries("blocks", into="points", none=True)]
    count: Annotated[np.ndarray, Entries("blocks")]
    pruned: Annotated[np.ndarray, Entries("blocks")]  # how many there were after the last pruning
    value: Annotated[np.ndarray, Entries("points", float)]
    excess: Annotated[np.ndarray, Entries("points", float)]  # value less what the corners say: below 0
    older: Annotated[np.ndarray, Entries("points", older=True)]  # the next of its block's list
    mask: Annotated[np.ndarray, Entries("points", bits=True)]  # 64 bits for the states that are possible
    support: Annotated[np.ndarray, Entries("points", begins="supports", extra=1)]  # states and weights, largest first
    state: Annotated[np.ndarray, Entries("supports", into="widest")]  # local
    weight: Annotated[np.ndarray, Entries("supports", float, low=0.0, high=NEARLY)]


@dataclass(frozen=True, eq=False)
class Search(Bundle):
    """All that the search works with: what Python hands to kernels."""

    model: BlockModel
    informed: Annotated[np.ndarray, Entries("rows", float)]  # the fast informed bound
    tree: BeliefTree
    vectors: VectorSet
    points: PointSet
    used: np.ndarray  # [POOLS]
    room: np.ndarray  # [POOLS] what one backup may take
    capacity: np.ndarray  # [POOLS]
    count: Annotated[np.ndarray, Entries(COUNTERS)]
    value_range: Annotated[
        np.ndarray, Entries(1, float, low=LEAST_RANGE)
    ]  # how far apart the value of two states can be
    met: Annotated[np.ndarray, Entries(1, float, low=0.0)]  # the gap at which bounds have met


BUNDLES: dict[str, type[Bundle]] = {"tree": BeliefTree, "vectors": VectorSet, "points": PointSet}
SCHEMA = Schema.of({"": Search, **BUNDLES})


@kernel
def has_room(search):
    """Whether every pool has room for one more backup."""
    for pool in range(len(POOLS)):
        if search.used[pool] + search.room[pool] > search.capacity[pool]:
            return False
    return True
