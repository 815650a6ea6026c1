"""What a checkpoint of a search over beliefs must hold, so that no kernel is led astray by it.

Nodes, actions, vectors and what they consist of are numbered in the order in which they come into being, so where each
begins is known from the lengths of those before it (`kernels.search_arrays` says what lies where).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.driver.kept import ANY, LARGEST, MOST, Kept, run_sums
from fogbound.forms.arrays import Floats, Longs, offsets, ranges
from fogbound.forms.mixed_observability import MixedObservability
from fogbound.solvers.pomdp.hsvi.kernels.search_arrays import (
    ACTIONS,
    BACKUPS,
    BUCKETS,
    CHILDREN,
    COUNTERS,
    NODES,
    POINTS,
    POOLS,
    SUCCESSORS,
    SUPPORTS,
    VALUES,
    VECTORS,
    WEIGHTS,
)

LEAST_RANGE = 1e-300  # of values
NEARLY = 1 + 1e-9  # what probabilities may sum to


def declare_search(blocks: MixedObservability, kept: Kept) -> None:
    """Declare all arrays of a `HeuristicSearch` on these blocks."""
    kept.reals("informed", (len(blocks.reward),))
    kept.reals("met", (1,), 0)
    kept.reals("value_range", (1,), LEAST_RANGE)
    used = kept.integers("used", (POOLS,))
    at_least = used + (
        np.arange(POOLS) == POINTS
    )  # where the last point's support ends is noted in the next one's place
    sizes = _Sizes(blocks, used, kept.integers("capacity", (POOLS,), at_least))
    backups = int(kept.integers("count", (COUNTERS,))[BACKUPS])
    home = _declare_vectors(sizes, kept)
    _declare_points(sizes, kept)
    _declare_tree(sizes, kept, home, backups)


@dataclass(frozen=True, eq=False)
class _Sizes:
    """How much there is of everything."""

    blocks: MixedObservability
    used: Longs  # [POOLS]
    capacity: Longs  # [POOLS]

    @property
    def states(self) -> Longs:
        """[blocks]"""
        return np.diff(self.blocks.first)

    @property
    def legal(self) -> Longs:
        """[blocks] actions"""
        return np.diff(self.blocks.choice)

    @property
    def outcomes(self) -> Longs:
        """[slots]"""
        return np.diff(self.blocks.outcome)

    def indices(self, kept: Kept, pool: int, name: str, low: int | Longs, high: int | Longs) -> Longs:
        """What is used of an array of a pool: numbers within limits."""
        return kept.integers(name, (int(self.capacity[pool]),), low, high, int(self.used[pool]))

    def any_bits(self, kept: Kept, pool: int, name: str) -> None:
        """Bits, of which any may be set."""
        self.indices(kept, pool, name, *ANY)

    def values(self, kept: Kept, pool: int, name: str, low: float = -LARGEST, high: float = LARGEST) -> Floats:
        """What is used of an array of a pool: values within limits."""
        return kept.reals(name, (int(self.capacity[pool]),), low, high, int(self.used[pool]))

    def in_order(self, kept: Kept, pool: int, name: str, lengths: Longs, into: int) -> Longs:
        """Where each of a pool begins in another: one after the other, with nothing between them."""
        first = offsets(lengths)
        begins = self.indices(kept, pool, name, 0, int(self.used[into]))
        kept.equals(name, begins, first[:-1])
        kept.equals("used", self.used[into : into + 1], int(first[-1]))
        return begins


def _declare_vectors(sizes: _Sizes, kept: Kept) -> Longs:
    """[vectors] the block of each."""
    blocks, many, parts = sizes.blocks, int(sizes.used[VECTORS]), sizes.blocks.size
    number, last = np.arange(many), many - 1
    choice = sizes.indices(kept, VECTORS, "vectors_choice", 0, len(blocks.action) - 1)
    home = np.searchsorted(blocks.choice, choice, side="right") - 1
    sizes.in_order(kept, VECTORS, "vectors_alpha", sizes.states[home], VALUES)
    sizes.in_order(kept, VECTORS, "vectors_successors", sizes.outcomes[choice], SUCCESSORS)
    sizes.values(kept, VALUES, "vectors_value")
    successor = sizes.indices(kept, SUCCESSORS, "vectors_successor", 0, last)
    target = blocks.target[ranges(blocks.outcome[choice], sizes.outcomes[choice])]
    kept.require("vectors_successor", home[successor] == target, "a vector of the block that the branch leads to")
    older = sizes.indices(kept, VECTORS, "vectors_older", -1, number - 1)
    replaced = sizes.indices(kept, VECTORS, "vectors_replaced", -1, last)
    gone = replaced >= 0
    kept.require("vectors_replaced", ~gone | (replaced > number), "a newer vector")
    kept.require("vectors_replaced", ~gone | (home[replaced] == home), "a vector of the same block")
    newest = kept.integers("vectors_newest", (parts,), 0, last)
    owner = kept.lists("vectors_older", newest, older, "vectors")
    kept.equals("vectors_replaced", gone, owner < 0)  # in its list until it is replaced
    kept.equals("vectors_choice", home[~gone], owner[~gone])
    kept.equals("vectors_count", kept.integers("vectors_count", (parts,)), np.bincount(home[~gone], minlength=parts))
    default = kept.integers("vectors_default", (parts,), 0, last)
    kept.require("vectors_default", home[default] == np.arange(parts), "a vector of the block")
    return home


def _declare_points(sizes: _Sizes, kept: Kept) -> None:
    blocks, many, parts = sizes.blocks, int(sizes.used[POINTS]), sizes.blocks.size
    kept.reals("points_corner", (len(blocks.state),))
    kept.integers("points_version", (parts,))
    kept.integers("points_pruned", (parts,))
    for name in ("points_value", "points_excess"):
        sizes.values(kept, POINTS, name)
    sizes.any_bits(kept, POINTS, "points_mask")
    cells = int(sizes.used[SUPPORTS])
    support = kept.offsets("points_support", many, cells, used=many + 1)
    same = len(kept.declared("points_support")) == int(sizes.capacity[POINTS])
    kept.require("points_support", same, "as many entries as there is capacity for points")
    older = sizes.indices(kept, POINTS, "points_older", -1, np.arange(many) - 1)
    owner = kept.lists("points_older", kept.integers("points_newest", (parts,), -1, many - 1), older, "points")
    listed = owner >= 0
    count = kept.integers("points_count", (parts,))
    kept.equals("points_count", count, np.bincount(owner[listed], minlength=parts))
    whose = np.repeat(owner, np.diff(support))  # what was pruned is never looked at again
    state = sizes.indices(kept, SUPPORTS, "points_state", 0, int(sizes.states.max()) - 1)
    kept.require("points_state", (whose < 0) | (state < sizes.states[whose]), "a state of the point's block")
    weight = sizes.values(kept, SUPPORTS, "points_weight", 0.0, NEARLY)
    kept.require("points_weight", weight > 0, "more than 0")
    sums = run_sums(weight, support[:-1], np.diff(support))
    kept.chances("points_weight", sums[listed])


def _declare_tree(sizes: _Sizes, kept: Kept, home: Longs, backups: int) -> None:
    """The beliefs: home [vectors] says of which block each vector is."""
    blocks, many, vectors = sizes.blocks, int(sizes.used[NODES]), int(sizes.used[VECTORS])
    block = sizes.indices(kept, NODES, "tree_block", 0, blocks.size - 1)
    kept.require("tree_block", bool(len(block)) and block[0] == 0, "a root where play begins")
    belief = sizes.in_order(kept, NODES, "tree_belief", sizes.states[block], WEIGHTS)
    sizes.in_order(kept, NODES, "tree_action", sizes.legal[block], ACTIONS)
    weight = sizes.values(kept, WEIGHTS, "tree_weight", 0.0, NEARLY)
    kept.chances("tree_weight", run_sums(weight, belief, sizes.states[block]))
    best = sizes.indices(kept, NODES, "tree_best", 0, vectors - 1)
    kept.require("tree_best", home[best] == block, "a vector of the node's block")
    sizes.indices(kept, NODES, "tree_next", -1, np.arange(many) - 1)
    kept.integers("tree_bucket", (BUCKETS,), -1, many - 1)
    sizes.any_bits(kept, NODES, "tree_support")
    for name in ("tree_V_lower", "tree_V_upper"):
        sizes.values(kept, NODES, name)
    for name in ("tree_seen_vector", "tree_seen_lift", "tree_seen_point", "tree_seen_corners"):
        sizes.indices(kept, NODES, name, -1, MOST)
    sizes.values(kept, ACTIONS, "tree_Q_upper")
    _declare_children(sizes, kept, block, sizes.indices(kept, ACTIONS, "tree_looked", 0, backups))


def _declare_children(sizes: _Sizes, kept: Kept, block: Longs, looked: Longs) -> None:
    """What expanded actions lead to; block [nodes], looked [actions]."""
    blocks, many = sizes.blocks, len(block)
    choice = ranges(blocks.choice[block], sizes.legal[block])  # [actions]
    begins = sizes.indices(kept, ACTIONS, "tree_children", -1, int(sizes.used[CHILDREN]))
    kept.require("tree_children", (begins >= 0) | (looked == 0), "children, since the action was looked at")
    expanded = np.flatnonzero(begins >= 0)
    order = expanded[np.lexsort((sizes.outcomes[choice[expanded]], begins[expanded]))]  # in which they were expanded
    lengths = sizes.outcomes[choice[order]]
    first = offsets(lengths)
    kept.equals("tree_children", begins[order], first[:-1])
    kept.equals("used", sizes.used[CHILDREN : CHILDREN + 1], int(first[-1]))
    child = sizes.indices(kept, CHILDREN, "tree_child", -1, many - 1)
    target = blocks.target[ranges(blocks.outcome[choice[order]], lengths)]
    kept.require("tree_child", (child < 0) | (block[child] == target), "a node of the block that the branch leads to")
    weight = sizes.values(kept, CHILDREN, "tree_child_weight", 0.0, NEARLY)
    for name in ("tree_reward_lower", "tree_reward_upper"):
        sizes.values(kept, ACTIONS, name)
    goes_on = sizes.values(kept, ACTIONS, "tree_goes_on", 0.0, NEARLY)[order]
    ahead = run_sums(weight, first[:-1], lengths)
    kept.require("tree_goes_on", goes_on >= ahead / NEARLY, "at least what its children weigh")
