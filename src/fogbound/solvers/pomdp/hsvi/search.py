"""The state of a search over beliefs: the model packed for the kernels, and the arena that grows with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import LimitError
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.mixed_observability import MixedObservability
from fogbound.forms.pomdp import steps_left
from fogbound.solvers.pomdp.hsvi.kernels import arena
from fogbound.solvers.pomdp.hsvi.packed_model import PackedModel, pack_model
from fogbound.solvers.pomdp.initial_bounds import (
    UnderlyingMDP,
    entry_counts,
    fixed_policies,
    fixed_policy_bound,
    qmdp_bound,
    underlying_mdp,
)

# A search's vectors and points without its tree: what is learnt is kept, the beliefs it was learnt at are not.


def compacted(I: Ints, F: Floats, H: Ints, blocks: MixedObservability) -> dict[str, NDArray[Any]]:
    """New I, F and H of the same lengths that hold the lists of vectors and points alone."""
    copy = _Copy(I, F, H, blocks)
    for block in range(blocks.size):
        copy.vectors(block)
        copy.points(block)
    copy.link()
    return {"I": copy.new_i, "F": copy.new_f, "H": copy.new_h}


class _Copy:
    def __init__(self, I: Ints, F: Floats, H: Ints, blocks: MixedObservability) -> None:
        self.I, self.F, self.H, self.blocks = I, F, H, blocks
        self.new_i, self.new_f, self.new_h = np.zeros_like(I), np.zeros_like(F), H.copy()
        self.new_f[:8] = F[:8]
        self.new_h[[arena.USED_I, arena.USED_F]] = 8
        self.new_h[arena.NODES] = 0
        self.moved = {0: 0}
        self.links: list[tuple[int, int]] = []  # (place in new_i, the old vector that it names)

    def _take(self, integers: int, floats: int) -> tuple[int, int]:
        at = int(self.new_h[arena.USED_I]), int(self.new_h[arena.USED_F])
        self.new_h[arena.USED_I] += integers
        self.new_h[arena.USED_F] += floats
        return at

    def vectors(self, block: int) -> None:
        lists = arena.HEAD + block * arena.LIST_RECORD
        size = int(self.blocks.first[block + 1] - self.blocks.first[block])
        vector = int(self.H[lists + arena.NEWEST_VECTOR])
        before = 0
        while vector:
            slot = int(self.I[vector + arena.SLOT])
            many = int(self.blocks.branch[slot + 1] - self.blocks.branch[slot])
            at, alpha = self._take(arena.SUCCESSORS + many, size)
            self.moved[vector] = at
            old = int(self.I[vector + arena.ALPHA])
            self.new_i[at : at + arena.SUCCESSORS] = self.I[vector : vector + arena.SUCCESSORS]
            self.new_i[at + arena.ALPHA], self.new_i[at + arena.OLDER] = alpha, 0
            self.new_f[alpha : alpha + size] = self.F[old : old + size]
            for j in range(many):
                self.links.append((at + arena.SUCCESSORS + j, int(self.I[vector + arena.SUCCESSORS + j])))
            self._follow(lists + arena.NEWEST_VECTOR, arena.OLDER, before, at)
            before, vector = at, int(self.I[vector + arena.OLDER])

    def points(self, block: int) -> None:
        lists = arena.HEAD + block * arena.LIST_RECORD
        point, before = int(self.H[lists + arena.NEWEST_POINT]), 0
        while point:
            many = int(self.I[point + arena.COUNT])
            at, floats = self._take(arena.STATES + many, 2 + many)
            old = int(self.I[point + arena.POINT_FLOATS])
            self.new_i[at : at + arena.STATES + many] = self.I[point : point + arena.STATES + many]
            self.new_i[at + arena.POINT_FLOATS], self.new_i[at + arena.POINT_OLDER] = floats, 0
            self.new_f[floats : floats + 2 + many] = self.F[old : old + 2 + many]
            self._follow(lists + arena.NEWEST_POINT, arena.POINT_OLDER, before, at)
            before, point = at, int(self.I[point + arena.POINT_OLDER])

    def _follow(self, newest: int, older: int, before: int, at: int) -> None:
        if before:
            self.new_i[before + older] = at
        else:
            self.new_h[newest] = at

    def link(self) -> None:
        """Name the vectors by their new places, those that were replaced by what replaced them."""
        for place, vector in self.links:
            while self.I[vector + arena.REPLACED]:
                vector = int(self.I[vector + arena.REPLACED])
            self.new_i[place] = self.moved[vector]
        for block in range(self.blocks.size):
            at = arena.HEAD + block * arena.LIST_RECORD + arena.DEFAULT_VECTOR
            self.new_h[at] = self.moved[int(self.H[at])]


Arrays = dict[str, NDArray[Any]]
Before = Callable[[], object]
MOST_BYTES = 2 << 30  # of integers, and of floats; then the beliefs are forgotten and the search begins a new tree
LEAST_TREE = 0.3
DEEPEST = 10_000  # steps of a trial, at most
MET = 1e-12  # bounds this close, relative to their size, have met
WORTH_NOTING = 1e-3  # gains below this share of the gap make no vector and no point ...
PATIENCE = 20  # steps: in longer games a step gains so much less, and that is worth noting too
FINEST = 12  # ... or below a tenth of that, and so on so often, when nothing else is found
LIFT_AFTER, LIFT_GROWTH = 20, 1.1  # vectors are evaluated again when there are so many more of them
INFORMED_WORK = 300_000_000  # multiplications spent on the fast informed bound, at most


class HeuristicSearch:
    """A search in progress. All of its state is in `arrays`, so a checkpoint is these arrays."""

    def __init__(self, blocks: MixedObservability, arrays: Arrays) -> None:
        self.packed, self.arrays = pack_model(blocks), arrays
        if "H" not in arrays:
            self._begin()

    @property
    def M(self) -> NDArray[np.int64]:
        return self.packed.M

    def _begin(self) -> None:
        blocks, packed = self.packed.blocks, self.packed
        model = underlying_mdp(blocks)
        rows = len(blocks.reward)
        packed.W[rows : 2 * rows] = qmdp_bound(model)
        self._inform(packed)
        informed = packed.W[rows : 2 * rows]
        packed.W[2 * rows : 2 * rows + len(blocks.state)] = model.best(informed)
        H = np.zeros(arena.HEAD + blocks.size * arena.LIST_RECORD, np.int64)
        H[arena.USED_I] = H[arena.USED_F] = 8  # offset 0 means none
        room = max(64 * max(packed.room), 1 << 16)
        self.arrays |= {
            "W": packed.W,
            "H": H,
            "I": np.zeros(room, np.int64),
            "F": np.zeros(room),
            "T": np.zeros(1 << 12, np.int64),
        }
        self._fixed_vectors(model)
        self.arrays["F"][arena.SPREAD] = self._spread()
        self._root()
        self.arrays["F"][arena.CONVERGED] = MET * max(map(abs, self.bounds()))

    def _spread(self) -> float:
        """How far apart the value of two states can be."""
        blocks, H, I, F = self.packed.blocks, self.arrays["H"], self.arrays["I"], self.arrays["F"]
        corners = 2 * len(blocks.reward)
        low = min(
            float(F[I[vector] : I[vector] + size].min())
            for vector, size in zip(H[arena.HEAD + arena.DEFAULT_VECTOR :: arena.LIST_RECORD], np.diff(blocks.first))
        )
        return max(float(self.packed.W[corners : corners + len(blocks.state)].max()) - low, 1e-300)

    def _inform(self, packed: PackedModel) -> None:
        from fogbound.solvers.pomdp.hsvi.kernels.fast_informed_bound import informed_sweep

        blocks = packed.blocks
        wide = np.diff(blocks.slot)[blocks.target]
        work = int((entry_counts(blocks) * wide).sum()) + len(blocks.reward)
        scale = float(np.abs(packed.W[: 2 * len(blocks.reward)]).max())
        for _ in range(max(2, INFORMED_WORK // max(work, 1))):
            if informed_sweep(packed.M, packed.W, blocks.size) <= 1e-7 * scale:
                break

    def _fixed_vectors(self, model: UnderlyingMDP) -> None:
        from fogbound.solvers.pomdp.hsvi.kernels.bounds import add_vector

        blocks = self.packed.blocks
        H = self.arrays["H"]
        for policy in fixed_policies(model):
            value = fixed_policy_bound(model, policy[blocks.block])
            slots = blocks.slot[:-1] + policy % np.diff(blocks.slot)
            branches = np.diff(blocks.branch)[slots]
            self.grow(int((arena.SUCCESSORS + branches).sum()), len(value))
            I, F = self.arrays["I"], self.arrays["F"]
            vectors = H[arena.USED_I] + np.cumsum(arena.SUCCESSORS + branches) - (arena.SUCCESSORS + branches)
            for block in range(blocks.size):
                vector, many = int(vectors[block]), int(branches[block])
                first = int(blocks.branch[slots[block]])
                I[vector + arena.ALPHA] = H[arena.USED_F] + blocks.first[block]
                I[vector + arena.SLOT] = slots[block]
                after = vector + arena.SUCCESSORS
                I[after : after + many] = vectors[blocks.target[first : first + many]]
            F[H[arena.USED_F] : H[arena.USED_F] + len(value)] = value
            H[arena.USED_I] += int((arena.SUCCESSORS + branches).sum())
            H[arena.USED_F] += len(value)
            for block in range(blocks.size):
                add_vector(self.M, I, F, H, np.int64(block), np.int64(vectors[block]))

    def _root(self) -> None:
        from fogbound.solvers.pomdp.hsvi.kernels.backup import find_node

        self.grow(*self.packed.room)
        a = self.arrays
        a["F"][a["H"][arena.USED_F]] = 1.0
        args = (self.M, a["W"], a["I"], a["F"], a["H"], a["T"])
        a["H"][arena.ROOT] = find_node(*args, np.int64(0), np.int64(a["H"][arena.USED_F]))

    def _recycle(self) -> None:
        """Forget the beliefs and keep what was learnt at them: vectors and points in fresh arrays, a new root."""
        a = self.arrays
        kept = compacted(a["I"], a["F"], a["H"], self.packed.blocks)
        a["H"][:] = kept.pop("H")
        a |= kept
        a["T"][:] = 0
        self._root()

    def grow(self, more_i: int, more_f: int, recycled: bool = False) -> None:
        """Make sure that so much room is left, at least doubling what is too small; past MOST_BYTES, recycling."""
        H = self.arrays["H"]
        for name, used, more in (("I", H[arena.USED_I], more_i), ("F", H[arena.USED_F], more_f)):
            old = self.arrays[name]
            if used + more > len(old):
                size = max(2 * len(old), int(used) + 2 * more)
                if 8 * size > MOST_BYTES and used > LEAST_TREE * len(old):
                    if recycled:
                        raise LimitError(
                            f"{self.packed.blocks.pomdp.spec}: the search needs more than {MOST_BYTES >> 20:,} MiB"
                        )
                    self._recycle()
                    self.grow(more_i, more_f, recycled=True)
                    return
                grown = np.zeros(size, old.dtype)
                grown[:used] = old[:used]
                self.arrays[name] = grown

    def informed_rows(self, W: Floats) -> Floats:
        """[R] the fast informed bound of each row of the POMDP; where no history leads, a bound that always holds."""
        b, form = self.packed.blocks, self.packed.blocks.pomdp
        rows = len(b.reward)
        of_slot = np.repeat(np.arange(b.size), np.diff(b.slot))
        slot = np.repeat(np.arange(len(b.action)), np.diff(b.offset))
        member = b.first[of_slot[slot]] + np.arange(rows) - b.offset[slot]
        row = np.where(b.state[member] >= 0, form.row[b.state[member]], 0) + slot - b.slot[of_slot[slot]]
        found = np.full(len(form.action), np.nan)
        found[row] = W[rows : 2 * rows]
        return np.where(np.isnan(found), self._anywhere(found), found)

    def _anywhere(self, known: Floats) -> Floats:
        """[R] a bound for states that no history leads to, so that what is said of all states is true."""
        form = self.packed.blocks.pomdp
        highest = max(0.0, float(np.nanmax(known)), float(form.reward.max()))
        if form.discount < 1:
            return np.full(len(known), highest / (1 - form.discount))
        steps = np.concatenate([[0.0], np.repeat(steps_left(form), np.diff(form.row))])
        return highest * (1 + steps)

    def toll(self) -> float:
        """What a fault of 1 in every step would come to, from the start."""
        form = self.packed.blocks.pomdp
        if form.discount < 1:
            return 1 / (1 - form.discount)
        first = slice(int(form.out[0]), int(form.out[1]))
        return float(form.prob[first] @ steps_left(form)[form.next[first]])

    def bounds(self) -> tuple[float, float]:
        at = self.arrays["I"][self.arrays["H"][arena.ROOT] + arena.BOUNDS]
        return float(self.arrays["F"][at]), float(self.arrays["F"][at + 1])

    def run(self, rules: Ints, ratios: Floats, work: int, most: float = np.inf, before: Before = lambda: None) -> bool:
        """Trials until about so much work is done; whether the bounds have met, or nothing more can be gained.

        `before` is called before every trial, of which there are `most` in all. The kinds of trial take turns. When
        none of them finds anything worth noting down, less becomes enough.
        """
        from fogbound.solvers.pomdp.hsvi.kernels.bounds import lift, refresh
        from fogbound.solvers.pomdp.hsvi.kernels.trials import trial

        a, H = self.arrays, self.arrays["H"]
        H[arena.LIMIT_WORK] = H[arena.WORK] + work
        path, patience = np.zeros(DEEPEST, np.int64), min(1.0, PATIENCE / self.toll())
        room_i, room_f = (np.int64(room) for room in self.packed.room)
        while H[arena.WORK] <= H[arena.LIMIT_WORK] and H[arena.TRIALS] + 1 < most:
            before()
            lower, upper = self.bounds()
            if upper - lower <= a["F"][arena.CONVERGED] or H[arena.FINENESS] > FINEST:
                return True
            enough = WORTH_NOTING * patience * (upper - lower) * 0.1 ** int(H[arena.FINENESS])
            kind, known = int(H[arena.TRIALS]) % len(rules), H[arena.VECTORS] + H[arena.POINTS]
            search = (self.M, a["W"], a["I"], a["F"], H)
            done = trial(*search, a["T"], path, rules[kind], ratios[kind], room_i, room_f, enough)
            H[arena.TRIALS] += 1
            if H[arena.VECTORS] > LIFT_AFTER + LIFT_GROWTH * H[arena.LIFTED_AT]:
                lift(*search, np.int64(self.packed.blocks.size))
                refresh(*search, H[arena.ROOT])
            idle = H[arena.VECTORS] + H[arena.POINTS] == known and done
            H[arena.IDLE] = H[arena.IDLE] + 1 if idle else 0
            if H[arena.IDLE] >= len(rules):
                H[arena.FINENESS] += 1
                H[arena.IDLE] = 0
            if not done:
                try:
                    self.grow(4 * int(room_i), 4 * int(room_f))
                except LimitError:
                    return True  # the answer so far is as good as the memory allows
        return False
