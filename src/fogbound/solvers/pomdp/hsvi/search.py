"""The state of a search over beliefs: the model in blocks, and bounds and beliefs in arrays that grow with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from fogbound.certificates.pomdp import CheckSteps
from fogbound.core.errors import LimitError
from fogbound.core.policy import Strategy
from fogbound.driver.stops import StopReason
from fogbound.forms.arrays import Floats, Ints, offsets
from fogbound.forms.mixed_observability import MixedObservability
from fogbound.forms.pomdp import steps_left
from fogbound.solvers.pomdp.hsvi.kernels.backup import find_node
from fogbound.solvers.pomdp.hsvi.kernels.bounds import add_vector, lift, refresh
from fogbound.solvers.pomdp.hsvi.kernels.search_arrays import (
    ACTIONS,
    CHILDREN,
    FINENESS,
    IDLE,
    LIFTED_AT,
    LIMIT_WORK,
    NODES,
    POINTS,
    POOLS,
    ROOT,
    SUCCESSORS,
    TRIALS,
    VALUES,
    VECTORS,
    WEIGHTS,
    WORK,
)
from fogbound.solvers.pomdp.hsvi.kernels.trials import new_path, trial
from fogbound.solvers.pomdp.hsvi.pools import (
    ENTRY_BYTES,
    Arrays,
    bundled,
    forget_tree,
    lengthen,
    listed,
    new_arrays,
    room_of_backup,
)
from fogbound.solvers.pomdp.hsvi.warm_start import start_vectors
from fogbound.solvers.pomdp.initial_bounds import (
    UnderlyingMDP,
    fast_informed_bound,
    fixed_policies,
    fixed_policy_bound,
    informed_rows,
    qmdp_bound,
    sweep_work,
    underlying_mdp,
)
from fogbound.solvers.pomdp.kernels.block_model import block_model

Before = Callable[[], object]
MOST_BYTES = 4 << 30  # of all pools; then the beliefs are forgotten and the search begins a new tree
LEAST_TREE = 0.3  # of them: what must be left for beliefs
MET = 1e-12  # bounds this close, relative to their size, have met
WORTH_NOTING = 1e-3  # gains below this share of the gap make no vector and no point ...
PATIENCE = 20  # steps: in longer games a step gains so much less, and that is worth noting too
FINE = 1e-6  # of the values: a gap that floats may leave for ever
FINEST = 12  # ... or below a tenth of that, and so on so often, when nothing else is found
LIFT_AFTER, LIFT_GROWTH = 20, 1.1  # vectors are evaluated again when there are so many more of them
INFORMED_WORK = 300_000_000  # multiplications spent on the fast informed bound, at most
INFORMED_STILL = 1e-7  # of the largest entry: ... and sweeps that change less are not worth another


class HeuristicSearch:
    """A search in progress. All of its state is in `arrays`, so a checkpoint is these arrays.

    `state` is the same for kernels: named arrays, bundled (see kernels.search_arrays).
    """

    def __init__(self, blocks: MixedObservability, arrays: Arrays) -> None:
        self.blocks, self.arrays = blocks, arrays
        self.unfinished: StopReason | None = None  # why nothing more can be gained although the bounds have not met
        self.model, self.room = block_model(blocks), room_of_backup(blocks)
        if "used" in arrays:
            self._bundle()
            self._met()  # an end that was met before
        else:
            self._begin()

    def _bundle(self) -> None:
        self.state = bundled(self.model, self.room, self.arrays)

    def _begin(self) -> None:
        mdp = underlying_mdp(self.blocks)
        sweeps = max(2, INFORMED_WORK // max(sweep_work(self.blocks), 1))
        informed, _ = fast_informed_bound(self.blocks, qmdp_bound(mdp), sweeps=sweeps, still=INFORMED_STILL)
        self.arrays |= {"informed": informed, "points_corner": mdp.best(informed)}
        self.arrays |= new_arrays(self.blocks, self.room)
        self._bundle()
        self._add_fixed_policies(mdp)
        self.arrays["value_range"][0] = self._value_range()
        self._root()
        self.arrays["met"] = np.array([MET * max(map(abs, self.bounds()))])

    def _value_range(self) -> float:
        """How far apart the value of two states can be."""
        vectors, sizes = self.state.vectors, np.diff(self.blocks.first)
        alphas = zip(vectors.alpha[vectors.default], sizes)
        low = min(float(vectors.value[alpha : alpha + size].min()) for alpha, size in alphas)
        return max(float(self.state.points.corner.max()) - low, 1e-300)

    def _add_fixed_policies(self, mdp: UnderlyingMDP) -> None:
        """The first vectors, a block each: what policies earn that never look."""
        blocks = self.blocks
        for policy in fixed_policies(mdp):
            choice = blocks.choice[:-1] + policy % np.diff(blocks.choice)
            targets = [blocks.target[blocks.outcome[c] : blocks.outcome[c + 1]] for c in choice.tolist()]
            value = fixed_policy_bound(mdp, policy[blocks.block])
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
        more = np.zeros(POOLS, np.int64)
        more[[VECTORS, VALUES, SUCCESSORS]] = many, len(value), len(after)
        self.make_room(more)
        vectors, used = self.state.vectors, self.state.used
        number = used[VECTORS] + np.arange(many)
        vectors.choice[number] = choice
        vectors.alpha[number] = used[VALUES] + offsets(np.diff(blocks.first)[block])[:-1]
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
        self.arrays["used"][[NODES, ACTIONS, WEIGHTS, CHILDREN]] = 0
        self.arrays["tree_bucket"][:] = -1
        self.make_room(self.room)
        self.state.tree.weight[: len(weights)] = weights
        find_node(self.state, np.int64(block))

    def forget_beliefs(self) -> None:
        """Keep what was learnt at them: vectors and points in fresh lists, and a new root."""
        forget_tree(self.arrays, self.blocks)
        self._root()

    def fits(self, more: Ints) -> bool:
        """Whether there is memory for so much more."""
        return int(self._wanted(more) @ ENTRY_BYTES) <= MOST_BYTES

    def make_room(self, more: Ints) -> bool:
        """Have so much left in each pool, at least doubling what is too small. Past MOST_BYTES beliefs are forgotten.

        Whether they were: then what the caller knows of the tree is void.
        """
        forgets = not self.fits(more) and int(self.state.used[NODES]) > 1
        if forgets:
            self.forget_beliefs()
            if int((self.state.used + more) @ ENTRY_BYTES) > (1 - LEAST_TREE) * MOST_BYTES:
                raise LimitError(f"{self.blocks.pomdp.spec}: the search needs more than {MOST_BYTES >> 20:,} MiB")
        wanted = self._wanted(more)
        if (wanted > self.state.capacity).any():
            lengthen(self.arrays, wanted)
            self._bundle()
        return forgets

    def _wanted(self, more: Ints) -> Ints:
        """[POOLS] how long the pools should be. Where one is too short, those that are half full grow with it."""
        used, capacity = self.state.used, self.state.capacity
        short = used + more > capacity
        grown = np.where(short | (short.any() & (2 * used > capacity)), 2 * capacity, capacity)
        return np.where(short, np.maximum(grown, used + 2 * more), grown)

    def vectors(self, block: int) -> list[int]:
        """The numbers of a block's vectors, newest first."""
        return listed(self.arrays, "vectors", block)

    def points(self, block: int) -> list[int]:
        """The numbers of a block's points, newest first."""
        return listed(self.arrays, "points", block)

    def informed_rows(self) -> Floats:
        """[R] the fast informed bound of each row of the POMDP."""
        return informed_rows(self.blocks, self.arrays["informed"])

    def toll(self) -> float:
        """What a fault of 1 in every step would come to, from the start."""
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
        return int(self.arrays["count"][TRIALS])

    def bounds(self) -> tuple[float, float]:
        """Of the root: the start, unless another was planted."""
        return float(self.state.tree.V_lower[ROOT]), float(self.state.tree.V_upper[ROOT])

    def _met(self) -> bool:
        """Whether the bounds have met, or are as near as floats let them come."""
        lower, upper = self.bounds()
        near = upper - lower <= self.arrays["met"][0]
        if not near and self.arrays["count"][FINENESS] > FINEST:
            fine = upper - lower <= FINE * max(abs(lower), abs(upper), float(self.arrays["value_range"][0]))
            self.unfinished = StopReason.NUMERICAL if fine else StopReason.STALLED
        return bool(near or self.unfinished in (StopReason.NUMERICAL, StopReason.STALLED))

    def run(
        self,
        rules: Ints,
        ratios: Floats,
        work: int,
        most: float = np.inf,
        before: Before = lambda: None,
        stopping: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Trials until about so much work is done; whether the bounds have met, or nothing more can be gained.

        `before` is called before every trial, of which there are `most` in all, and none when it is `stopping`. The
        kinds of trial take turns. When none of them finds anything worth noting down, less becomes enough.
        """
        count, used = self.arrays["count"], self.arrays["used"]
        count[LIMIT_WORK] = count[WORK] + work
        patience, path = min(1.0, PATIENCE / self.toll()), new_path()
        while count[WORK] <= count[LIMIT_WORK] and count[TRIALS] + 1 < most and not stopping():
            before()
            if self._met():
                return True
            lower, upper = self.bounds()
            least = WORTH_NOTING * patience * (upper - lower) * 0.1 ** int(count[FINENESS])
            kind, known = int(count[TRIALS]) % len(rules), used[VECTORS] + used[POINTS]
            while not trial(self.state, path, rules[kind], ratios[kind], least):
                try:
                    if self.make_room(4 * self.room):
                        path = new_path()
                        break
                except LimitError:
                    self.unfinished = StopReason.MEMORY  # the answer so far is as good as that allows
                    return True
            count[TRIALS] += 1
            if used[VECTORS] > LIFT_AFTER + LIFT_GROWTH * count[LIFTED_AT]:
                lift(self.state, np.int64(self.blocks.size))
                refresh(self.state, np.int64(ROOT))
            count[IDLE] = count[IDLE] + 1 if used[VECTORS] + used[POINTS] == known else 0
            if count[IDLE] >= len(rules):
                count[FINENESS] += 1
                count[IDLE] = 0
        return False
