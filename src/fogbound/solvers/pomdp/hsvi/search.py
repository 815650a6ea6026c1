"""The state of a search over beliefs: T_R, the tree of beliefs, with Gamma below and Upsilon above it.

All of it is in arrays that grow with the search (`kernels.belief_tree`); Gamma and Upsilon are stored by block, a set
of states that can be confused. Nodes, actions, vectors and what they consist of are numbered in the order in which they
come into being, so where each begins is known from the lengths of those before it: a checkpoint is held to that.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property

import numpy as np

from fogbound.certificates.pomdp import CheckSteps
from fogbound.core.errors import LimitError
from fogbound.core.policy import Strategy
from fogbound.driver.checkpoint_schema import Arrays
from fogbound.driver.kept import Kept, run_sums
from fogbound.driver.stops import StopReason
from fogbound.forms.arrays import Floats, Ints, Longs, offsets, ranges
from fogbound.forms.mixed_observability import MixedObservability
from fogbound.forms.pomdp import steps_left
from fogbound.solvers.growing_pools import GrowingPools
from fogbound.solvers.pomdp.hsvi.cyclic_start import NEARER, as_plan, cyclic_policies, near_one
from fogbound.solvers.pomdp.hsvi.kernels.backup import add_vector, refresh
from fogbound.solvers.pomdp.hsvi.kernels.belief_tree import (
    ACTIONS,
    BACKUPS,
    BUNDLES,
    CHILDREN,
    FINENESS,
    LEAST_RANGE,
    LIFTED_AT,
    NEARLY,
    NODES,
    POINTS,
    POOLS,
    REFINED,
    ROOT,
    SCHEMA,
    SUCCESSORS,
    SUPPORTS,
    TRIALS,
    VALUES,
    VECTORS,
    WEIGHTS,
    Search,
    find_node,
)
from fogbound.solvers.pomdp.hsvi.kernels.trials import new_path
from fogbound.solvers.pomdp.hsvi.warm_start import start_vectors
from fogbound.solvers.pomdp.informed_bound import exact_informed_bound
from fogbound.solvers.pomdp.initial_bounds import (
    UnderlyingMDP,
    fixed_policies,
    fixed_policy_bound,
    qmdp_bound,
)

MOST_BYTES = 4 << 30  # of all pools; then the beliefs are forgotten and the search begins a new tree
LEAST_TREE = 0.3  # of them: what must be left for beliefs
LEAST, BACKUPS_AT_FIRST = 1 << 12, 64  # places of a new pool, and backups that it has room for
MET = 1e-12  # bounds this close, relative to their size, have met
FINE = 1e-6  # of the values: a gap that floats may leave for ever
FINEST = 12  # tenths of tenths of what is worth noting, when nothing else is found
INFORMED_WORK = 300_000_000  # multiplications spent on the fast informed bound, at most
INFORMED_STILL = 1e-7  # of the largest entry: ... and sweeps that change less are not worth another
MOST_POINTS, DRY = 5_000, 6  # where the discount is near 1: of points, and of refinements that add none
FEW_POINTS = 1_000  # ... and then trials go on if there are no more
TREE = [NODES, ACTIONS, WEIGHTS, CHILDREN]


class HeuristicSearch:
    """A search in progress. All of its state is in `arrays`, so a checkpoint is these arrays.

    `state` is the same for kernels: named arrays, bundled (see kernels.belief_tree).
    """

    def __init__(self, blocks: MixedObservability, arrays: Arrays) -> None:
        self.blocks, self.arrays, self.mdp = blocks, arrays, UnderlyingMDP(blocks)
        self.model, self.near_one = self.mdp.model, near_one(self.mdp)
        self.unfinished: StopReason | None = None  # why nothing more can be gained although the bounds have not met
        self.sizes = np.diff(blocks.first)
        self.room = self._room_of_backup()
        self.pools, self.path = GrowingPools(POOLS, SCHEMA, arrays), new_path()
        if "used" in arrays:
            self._bundle()
            self.met()  # an end that was met before
        else:
            self._begin()

    def _room_of_backup(self) -> Longs:
        """[POOLS] what one backup may take at most: all actions expanded, a vector and a point."""
        blocks, legal, outcomes = self.blocks, np.diff(self.blocks.choice), np.diff(self.blocks.outcome)
        choice = np.repeat(np.arange(len(blocks.action)), outcomes)  # [J]

        def most(each: Ints) -> int:
            """Of what each outcome takes, for all actions of a block."""
            of_choices = np.bincount(choice, weights=each, minlength=len(outcomes))
            return int(np.add.reduceat(of_choices, blocks.choice[:-1]).max())

        room, largest = np.zeros(len(POOLS), np.int64), int(self.sizes.max())
        room[[NODES, CHILDREN]] = most(np.ones(len(choice), np.int64)) + 1
        room[ACTIONS] = most(legal[blocks.target]) + int(legal.max())
        room[WEIGHTS] = most(self.sizes[blocks.target]) + 2 * largest  # one that turns out to be known, or pruning
        room[[VECTORS, VALUES, SUCCESSORS]] = 1, largest, int(outcomes.max(initial=0))
        room[[POINTS, SUPPORTS]] = 1, largest
        return room

    def _bundle(self) -> None:
        arrays = self.arrays
        parts = {
            label: self.pools.bundle(kind, [place.name for place in fields(kind)], f"{label}_")
            for label, kind in BUNDLES.items()
        }
        own = {name: arrays[name] for name in ("informed", "used", "capacity", "count", "value_range", "met")}
        self.state = Search(model=self.model, room=self.room, **parts, **own)  # type: ignore[arg-type]

    def _begin(self) -> None:
        mdp = self.mdp
        if self.near_one:
            informed = exact_informed_bound(mdp, qmdp_bound(mdp))
        else:
            sweeps = max(2, INFORMED_WORK // max(mdp.sweep_work(), 1))
            informed, _ = mdp.fast_informed_bound(qmdp_bound(mdp), sweeps=sweeps, still=INFORMED_STILL)
        self.arrays |= {"informed": informed, "points_corner": mdp.best(informed)}
        self.pools.begin(np.maximum(BACKUPS_AT_FIRST * self.room, LEAST), {"blocks": self.blocks.size})
        self._bundle()
        self._add_fixed_policies()
        self.state.value_range[0] = self._value_range()
        self.plant(0, np.ones(1))
        self.state.met[0] = MET * max(map(abs, self.bounds()))

    def _value_range(self) -> float:
        """How far apart the value of two states can be."""
        vectors = self.state.vectors
        alphas = zip(vectors.alpha[vectors.default], self.sizes)
        low = min(float(vectors.value[alpha : alpha + size].min()) for alpha, size in alphas)
        return max(float(self.state.points.corner.max()) - low, LEAST_RANGE)

    def _add_fixed_policies(self) -> None:
        """The first alpha vectors: blind-policy lower bounds (Hauskrecht 2000), a vector a block; short cycles."""
        blocks = self.blocks
        for policy in fixed_policies(self.mdp):
            choice = blocks.choice[:-1] + policy % np.diff(blocks.choice)
            targets = [blocks.target[blocks.outcome[c] : blocks.outcome[c + 1]] for c in choice.tolist()]
            value = fixed_policy_bound(self.mdp, policy[blocks.block])
            self.add_vectors(choice, value, np.concatenate(targets))
        cycle = cyclic_policies(self.mdp)
        if cycle is not None:
            self.add_vectors(*as_plan(self.mdp, cycle))

    def add_vectors(self, choice: Ints, value: Floats, after: Ints) -> None:
        """Enter plans into the lower bound: their choices, what they earn state by state, and their successors.

        Parameters
        ----------
        choice : [n]
            What each begins with.
        value
            What each earns in the states of its block, one after the other: no more than it does.
        after
            For each outcome of each choice, which of these n goes on.
        """
        blocks, many, outcomes = self.blocks, len(choice), np.diff(self.blocks.outcome)[choice]
        block = np.searchsorted(blocks.choice, choice, side="right") - 1
        more = np.zeros(len(POOLS), np.int64)
        more[[VECTORS, VALUES, SUCCESSORS]] = many, len(value), len(after)
        self.make_room(more)
        vectors, used = self.state.vectors, self.state.used
        number = used[VECTORS] + np.arange(many)
        vectors.choice[number] = choice
        vectors.alpha[number] = used[VALUES] + offsets(self.sizes[block])[:-1]
        vectors.successors[number] = used[SUCCESSORS] + offsets(outcomes)[:-1]
        vectors.value[used[VALUES] : used[VALUES] + len(value)] = value
        vectors.successor[used[SUCCESSORS] : used[SUCCESSORS] + len(after)] = number[after]
        used += more
        for vector, home in zip(number, block):
            add_vector(self.state, np.int64(home), vector)

    def begin_from(self, policy: Strategy) -> None:
        """Raise the lower bound to what a policy earns."""
        vectors = self.state.vectors
        graph = start_vectors(self.mdp, policy, vectors.choice[vectors.default])
        self.add_vectors(graph.choice, graph.value, graph.after)
        refresh(self.state, np.int64(ROOT))

    def plant(self, block: int, weights: Floats) -> None:
        """A tree with one node: the belief with these weights on the states of a block; the start is block 0's."""
        self._clear_tree()
        self.make_room(self.room)
        self.state.tree.weight[: len(weights)] = weights
        refresh(self.state, np.int64(find_node(self.state, np.int64(block))))

    def _clear_tree(self) -> None:
        self.state.used[TREE] = 0
        self.state.tree.bucket[:] = -1

    def forget_beliefs(self) -> None:
        """Begin a new tree. Of vectors and points those in the lists stay, numbered afresh in their old order."""
        self._clear_tree()
        self._keep_vectors()
        self._keep_points()
        self.plant(0, np.ones(1))

    def _keep_vectors(self) -> None:
        vectors, count, many = self.state.vectors, self.state.count, int(self.state.used[VECTORS])
        last = np.where(vectors.replaced[:many] < 0, np.arange(many), vectors.replaced[:many])
        while (last[last] != last).any():  # what stands for each vector in the end
            last = last[last]
        kept = np.flatnonzero(last == np.arange(many))
        choice = vectors.choice[kept]
        sizes = self.sizes[np.searchsorted(self.blocks.choice, choice, side="right") - 1]
        count[LIFTED_AT] = np.searchsorted(kept, count[LIFTED_AT])
        number = np.append(np.searchsorted(kept, last), -1)  # those that were replaced are named by what replaced them
        runs = {"vectors_alpha": sizes, "vectors_successors": np.diff(self.blocks.outcome)[choice]}
        self.pools.keep("vectors", kept, number, runs)

    def _keep_points(self) -> None:
        points = self.state.points
        kept = np.sort(np.array([p for block in range(self.blocks.size) for p in self.points(block)], np.int64))
        number = np.full(int(self.state.used[POINTS]) + 1, -1)
        number[kept] = np.arange(len(kept))
        self.pools.keep("points", kept, number, {"points_support": points.support[kept + 1] - points.support[kept]})

    def fits(self, more: Ints) -> bool:
        """Whether there is memory for so much more."""
        return int(self.pools.wanted(more) @ self.pools.entry_bytes()) <= MOST_BYTES

    def make_room(self, more: Ints) -> bool:
        """Have so much left in each pool. Past MOST_BYTES beliefs are forgotten.

        Whether they were: then what the caller knows of the tree is void.
        """
        forgets = not self.fits(more) and int(self.state.used[NODES]) > 1
        if forgets:
            self.forget_beliefs()
            if int((self.state.used + more) @ self.pools.entry_bytes()) > (1 - LEAST_TREE) * MOST_BYTES:
                raise LimitError(f"{self.blocks.pomdp.spec}: the search needs more than {MOST_BYTES >> 20:,} MiB")
        if self.pools.make_room(more):
            self._bundle()
        return forgets

    def vectors(self, block: int) -> list[int]:
        """The numbers of a block's vectors, newest first."""
        return _listed(int(self.state.vectors.newest[block]), self.state.vectors.older)

    def points(self, block: int) -> list[int]:
        """The numbers of a block's points, newest first."""
        return _listed(int(self.state.points.newest[block]), self.state.points.older)

    def horizon(self) -> float:
        """The most steps that can be expected from the start, discounted: what an error of 1 a step adds up to."""
        form = self.blocks.pomdp
        if form.discount < 1:
            return 1 / (1 - form.discount)
        first = slice(int(form.out[0]), int(form.out[1]))
        return float(form.prob[first] @ steps_left(form)[form.next[first]])

    @cached_property
    def check_steps(self) -> CheckSteps:
        """What the checker's work is made of."""
        return CheckSteps.of(self.blocks.pomdp.arrays())

    @property
    def trials(self) -> int:
        """How many there were."""
        return int(self.state.count[TRIALS])

    def bounds(self) -> tuple[float, float]:
        """Of the root: the start, unless another was planted."""
        return float(self.state.tree.V_lower[ROOT]), float(self.state.tree.V_upper[ROOT])

    def met(self) -> bool:
        """Whether the bounds have met, or are as near as floats let them come."""
        lower, upper = self.bounds()
        near = upper - lower <= self.state.met[0]
        if not near and self.state.count[FINENESS] > FINEST:
            fine = upper - lower <= FINE * max(abs(lower), abs(upper), float(self.state.value_range[0]))
            stalled = StopReason.DISCOUNT if self.blocks.pomdp.discount > NEARER else StopReason.STALLED
            self.unfinished = StopReason.NUMERICAL if fine else stalled
        if not near and self.refined and int(self.state.points.count.sum()) > FEW_POINTS:
            self.unfinished = StopReason.DISCOUNT
        return bool(near or self.unfinished in (StopReason.NUMERICAL, StopReason.STALLED, StopReason.DISCOUNT))

    @property
    def refined(self) -> bool:
        """Whether the discount is near 1 and refinements (`near_one`) have nothing left to add, or no room for it."""
        many = int(self.state.points.count.sum()) >= MOST_POINTS
        return self.near_one and (many or bool(self.state.count[REFINED] >= DRY))


def _listed(newest: int, older: Longs) -> list[int]:
    """The numbers in a list, newest first."""
    numbers, record = list[int](), newest
    while record >= 0:
        numbers.append(record)
        record = int(older[record])
    return numbers


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
