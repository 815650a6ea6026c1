"""The state of a search over beliefs: T_R, the tree of beliefs, with Gamma below and Upsilon above it.

All of it is in arrays that grow with the search (`kernels.search_arrays`); Gamma and Upsilon are kept by block, a set
of states that can be confused.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property

import numpy as np

from fogbound.certificates.pomdp import CheckSteps
from fogbound.core.errors import LimitError
from fogbound.core.policy import Strategy
from fogbound.driver.checkpoint_schema import Arrays
from fogbound.driver.stops import StopReason
from fogbound.forms.arrays import Floats, Ints, Longs, offsets
from fogbound.forms.mixed_observability import MixedObservability
from fogbound.forms.pomdp import steps_left
from fogbound.solvers.growing_pools import GrowingPools
from fogbound.solvers.pomdp.hsvi.kernels.backup import add_vector, refresh
from fogbound.solvers.pomdp.hsvi.kernels.belief_tree import find_node
from fogbound.solvers.pomdp.hsvi.kernels.search_arrays import (
    ACTIONS,
    BUNDLES,
    CHILDREN,
    FINENESS,
    LEAST_RANGE,
    LIFTED_AT,
    NODES,
    POINTS,
    POOLS,
    ROOT,
    SCHEMA,
    SUCCESSORS,
    SUPPORTS,
    TRIALS,
    VALUES,
    VECTORS,
    WEIGHTS,
    Search,
)
from fogbound.solvers.pomdp.hsvi.kernels.trials import new_path
from fogbound.solvers.pomdp.hsvi.warm_start import start_vectors
from fogbound.solvers.pomdp.initial_bounds import (
    UnderlyingMDP,
    fixed_policies,
    fixed_policy_bound,
    informed_rows,
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
TREE = [NODES, ACTIONS, WEIGHTS, CHILDREN]


class HeuristicSearch:
    """A search in progress. All of its state is in `arrays`, so a checkpoint is these arrays.

    `state` is the same for kernels: named arrays, bundled (see kernels.search_arrays).
    """

    def __init__(self, blocks: MixedObservability, arrays: Arrays) -> None:
        self.blocks, self.arrays, self.mdp = blocks, arrays, UnderlyingMDP(blocks)
        self.model = self.mdp.model
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
        sweeps = max(2, INFORMED_WORK // max(mdp.sweep_work(), 1))
        informed, _ = mdp.fast_informed_bound(qmdp_bound(mdp), sweeps=sweeps, still=INFORMED_STILL)
        self.arrays |= {"informed": informed, "points_corner": mdp.best(informed)}
        self.pools.begin(np.maximum(BACKUPS_AT_FIRST * self.room, LEAST), {"blocks": self.blocks.size})
        self._bundle()
        self._add_fixed_policies()
        self.state.value_range[0] = self._value_range()
        self._root()
        self.state.met[0] = MET * max(map(abs, self.bounds()))

    def _value_range(self) -> float:
        """How far apart the value of two states can be."""
        vectors = self.state.vectors
        alphas = zip(vectors.alpha[vectors.default], self.sizes)
        low = min(float(vectors.value[alpha : alpha + size].min()) for alpha, size in alphas)
        return max(float(self.state.points.corner.max()) - low, LEAST_RANGE)

    def _add_fixed_policies(self) -> None:
        """The first alpha vectors: blind-policy lower bounds (Hauskrecht 2000), a vector a block."""
        blocks = self.blocks
        for policy in fixed_policies(self.mdp):
            choice = blocks.choice[:-1] + policy % np.diff(blocks.choice)
            targets = [blocks.target[blocks.outcome[c] : blocks.outcome[c + 1]] for c in choice.tolist()]
            value = fixed_policy_bound(self.mdp, policy[blocks.block])
            self.add_vectors(choice, value, np.concatenate(targets))

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
        graph = start_vectors(self.blocks, policy, vectors.choice[vectors.default])
        self.add_vectors(graph.choice, graph.value, graph.after)
        refresh(self.state, np.int64(ROOT))

    def _root(self) -> None:
        """A node for the start, where block 0 has one state."""
        self.plant(0, np.ones(1))

    def plant(self, block: int, weights: Floats) -> None:
        """A tree with one node: the belief with these weights on the states of a block."""
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
        self._root()

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

    def informed_rows(self) -> Floats:
        """[R] the fast informed bound of each row of the POMDP."""
        return informed_rows(self.blocks, self.arrays["informed"])

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
            self.unfinished = StopReason.NUMERICAL if fine else StopReason.STALLED
        return bool(near or self.unfinished in (StopReason.NUMERICAL, StopReason.STALLED))


def _listed(newest: int, older: Longs) -> list[int]:
    """The numbers in a list, newest first."""
    numbers, record = list[int](), newest
    while record >= 0:
        numbers.append(record)
        record = int(older[record])
    return numbers
