"""What the arrays of a checkpoint of a search must be to each other, so that no kernel is led astray by it.

Nodes, actions, vectors and what they consist of are numbered in the order in which they come into being, so where each
begins is known from the lengths of those before it (`kernels.search_arrays` declares each array by itself).
"""

from __future__ import annotations

import numpy as np

from fogbound.driver.checkpoint_schema import Arrays
from fogbound.driver.kept import Kept, run_sums
from fogbound.forms.arrays import Longs, offsets, ranges
from fogbound.forms.mixed_observability import MixedObservability
from fogbound.solvers.growing_pools import GrowingPools
from fogbound.solvers.pomdp.hsvi.kernels.search_arrays import BACKUPS, NEARLY, POOLS, SCHEMA


def declare_search(blocks: MixedObservability, kept: Kept) -> None:
    """Declare all arrays of a `HeuristicSearch` on these blocks."""
    sizes = {"blocks": blocks.size, "states": len(blocks.state), "choices": len(blocks.action)}
    sizes |= {"rows": len(blocks.reward), "widest": int(np.diff(blocks.first).max())}
    found, used = GrowingPools(POOLS, SCHEMA, {}).read(kept, sizes)
    checks = _Checks(blocks, kept, found, used)
    checks.vectors()
    checks.points()
    checks.tree()
    checks.children()


class _Checks:
    """The arrays that were found, each in its limits."""

    def __init__(self, blocks: MixedObservability, kept: Kept, found: Arrays, used: dict[str, int]) -> None:
        self.blocks, self.kept, self.found, self.used = blocks, kept, found, used
        self.states, self.legal, self.outcomes = map(np.diff, (blocks.first, blocks.choice, blocks.outcome))
        self.home = np.searchsorted(blocks.choice, found["vectors_choice"], side="right") - 1  # [vectors] block

    def in_order(self, name: str, begins: Longs, lengths: Longs) -> Longs:
        """Where runs begin: one after the other, with nothing between them, to the end of their pool."""
        first, pool = offsets(lengths), SCHEMA[name].begins
        self.kept.equals(name, begins, first[:-1])
        self.kept.equals("used", np.array([self.used[pool]]), int(first[-1]))
        return first

    def listed(self, which: str) -> Longs:
        """[records] the block in whose list each vector or point is, -1: in none; blocks count theirs."""
        found, parts = self.found, self.blocks.size
        owner = self.kept.lists(f"{which}_older", found[f"{which}_newest"], found[f"{which}_older"], which)
        count = np.bincount(owner[owner >= 0], minlength=parts)
        self.kept.equals(f"{which}_count", found[f"{which}_count"], count)
        return owner

    def vectors(self) -> None:
        """Each is in the list of its block until it is replaced, and goes on in the blocks that branches lead to."""
        kept, found, blocks, home = self.kept, self.found, self.blocks, self.home
        choice, replaced, default = (found[f"vectors_{name}"] for name in ("choice", "replaced", "default"))
        self.in_order("vectors_alpha", found["vectors_alpha"], self.states[home])
        self.in_order("vectors_successors", found["vectors_successors"], self.outcomes[choice])
        target = blocks.target[ranges(blocks.outcome[choice], self.outcomes[choice])]
        there = home[found["vectors_successor"]] == target
        kept.require("vectors_successor", there, "a vector of the block that the branch leads to")
        gone = replaced >= 0
        kept.require("vectors_replaced", ~gone | (replaced > np.arange(len(home))), "a newer vector")
        kept.require("vectors_replaced", ~gone | (home[replaced] == home), "a vector of the same block")
        owner = self.listed("vectors")
        kept.equals("vectors_replaced", gone, owner < 0)
        kept.equals("vectors_choice", home[~gone], owner[~gone])
        kept.require("vectors_default", home[default] == np.arange(blocks.size), "a vector of the block")

    def points(self) -> None:
        """Beliefs over the states of the block in whose list they are; what was pruned is never looked at again."""
        kept, support, weight = self.kept, self.found["points_support"], self.found["points_weight"]
        size = np.diff(support)
        owner = self.listed("points")
        whose = np.repeat(owner, size)
        inside = (whose < 0) | (self.found["points_state"] < self.states[whose])
        kept.require("points_state", inside, "a state of the point's block")
        kept.require("points_weight", weight > 0, "more than 0")
        kept.chances("points_weight", run_sums(weight, support[:-1], size)[owner >= 0])

    def tree(self) -> None:
        """Beliefs over the states of their blocks, with a vector of the block each."""
        kept, found, block = self.kept, self.found, self.found["tree_block"]
        kept.require("tree_block", bool(len(block)) and block[0] == 0, "a root where play begins")
        belief = self.in_order("tree_belief", found["tree_belief"], self.states[block])
        self.in_order("tree_action", found["tree_action"], self.legal[block])
        kept.chances("tree_weight", run_sums(found["tree_weight"], belief[:-1], self.states[block]))
        kept.require("tree_best", self.home[found["tree_best"]] == block, "a vector of the node's block")
        looked = found["tree_looked"]
        kept.require("tree_looked", looked <= found["count"][BACKUPS], "a backup that was made")
        kept.require("tree_children", (found["tree_children"] >= 0) | (looked == 0), "children, since it was looked at")

    def children(self) -> None:
        """What expanded actions lead to, in the order in which they were expanded."""
        kept, found, blocks, block = self.kept, self.found, self.blocks, self.found["tree_block"]
        choice, begins = ranges(blocks.choice[block], self.legal[block]), found["tree_children"]  # [actions]
        expanded = np.flatnonzero(begins >= 0)
        order = expanded[np.lexsort((self.outcomes[choice[expanded]], begins[expanded]))]
        lengths, child = self.outcomes[choice[order]], found["tree_child"]
        first = self.in_order("tree_children", begins[order], lengths)
        target = blocks.target[ranges(blocks.outcome[choice[order]], lengths)]
        there = (child < 0) | (block[child] == target)
        kept.require("tree_child", there, "a node of the block that the branch leads to")
        ahead = run_sums(found["tree_child_weight"], first[:-1], lengths)
        kept.require("tree_goes_on", found["tree_goes_on"][order] >= ahead / NEARLY, "at least what its children weigh")
