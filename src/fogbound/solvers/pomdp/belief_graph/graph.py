"""A process with bounds on its states, and the graph of all beliefs in it that were ever met. It only grows.

A problem is a start in it. What is known about a belief serves every problem in which it can be held.

Values of states are found by sweeps, and where sweeps do not reach them in time by linear systems, or by improving a
policy until nothing is better: where play ends rarely, sweeps creep towards their limit and look settled long before
they are; then what they show is no bound at all.

In a checkpoint arrays have no room to spare, but how much there was decides when a search next stops to make more, so
that is stored as well. The hash table is filled again: beliefs enter it in their order, so it comes out as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.errors import FormError, GameError, cut_short
from fogbound.core.game import Observation
from fogbound.driver.checkpoint_schema import Arrays
from fogbound.driver.kept import ROUNDING, Kept, run_sums
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.linear_system import fixed_point
from fogbound.forms.pomdp import OVER, POMDP
from fogbound.solvers.growing_pools import GrowingPools
from fogbound.solvers.pomdp.belief_graph.kernels.belief_graph import (
    BELIEFS,
    POOLS,
    ROWS,
    SCHEMA,
    BeliefGraphArrays,
    BoundedProcess,
    open_root,
    rehash_beliefs,
)
from fogbound.solvers.pomdp.belief_graph.kernels.policy_evaluation import (
    informed_rows,
    mark_ends,
    mdp_sweep,
    random_sweep,
)

SWEEPS, SETTLED, RUNS = 500, 1e-14, 3
BETTER = 1e-12  # shares of the largest value by which an action must be better to be taken instead
MOST_TURNS = 1_000


def converges(sweep: Callable[[], float], values: Floats) -> bool:
    """Sweep until what is left, if it shrinks on at the rate of late, is rounding; False when that takes long."""
    before, calm = np.inf, 0
    for _ in range(SWEEPS):
        check()
        change = sweep()
        if change == 0:
            return True
        rate = change / before
        left = change * rate / (1 - rate) if rate < 1 else np.inf
        calm = calm + 1 if np.isfinite(before) and left <= SETTLED * float(np.abs(values).max(initial=0.0)) else 0
        if calm >= RUNS:
            return True
        before = change
    return False


def linear(source: Longs, target: Longs, chance: Floats, reward: Floats) -> Floats | None:
    """The v with v = reward + sum of chance v(target); None where it has no finite solution."""
    from scipy.sparse import csr_matrix

    return fixed_point(csr_matrix((chance, (source, target)), shape=(len(reward), len(reward))), reward)


class SubProcess:
    """The states `first` to `last` of a process as one of their own: the values of earlier states are known."""

    def __init__(self, process: Any, discount: float, first: int, last: int) -> None:
        rows = slice(int(process.row[first]), int(process.row[last]))
        outs = slice(int(process.out[rows.start]), int(process.out[rows.stop]))
        self.first, self.size = first, last - first
        self.counts = np.diff(process.row[first : last + 1])
        self.owner = np.repeat(np.arange(self.size), self.counts)  # [rows]
        self.begin = process.row[first:last] - rows.start
        self.out_row = np.repeat(np.arange(rows.stop - rows.start), np.diff(process.out[rows.start : rows.stop + 1]))
        self.next, self.chance = process.next[outs], discount * process.prob[outs]
        self.reward, self.live = process.reward[rows], np.flatnonzero(self.counts)

    def value(self, share: Floats, known: Floats) -> Floats | None:
        """[size] the value of playing each row with its share, given the values of states before."""
        inside = self.next >= self.first
        weight = share[self.out_row] * self.chance
        own: Floats = np.bincount(self.owner, share * self.reward, self.size).astype(np.float64)
        outer = ~inside
        own += np.bincount(self.owner[self.out_row[outer]], weight[outer] * known[self.next[outer]], self.size)
        return linear(self.owner[self.out_row[inside]], self.next[inside] - self.first, weight[inside], own)

    def even(self) -> Floats:
        """[rows] playing at random."""
        return np.asarray(1.0 / self.counts[self.owner], np.float64)

    def rows(self, values: Floats) -> Floats:
        """[rows] the value of each row when `values` (of all states) follow."""
        q_values: Floats = self.reward + np.bincount(self.out_row, self.chance * values[self.next], len(self.reward))
        return q_values

    def best(self, values: Floats) -> Floats | None:
        """The best values, by improving on the value of play at random (Howard 1960); None where there are none."""
        share, own_states = self.even(), slice(self.first, self.first + self.size)
        for _ in range(MOST_TURNS):
            q_values = self.rows(values)
            top = np.maximum.reduceat(q_values, self.begin[self.live]) if len(self.live) else np.zeros(0)
            now = values[own_states][self.live]
            better = self.live[top > now + BETTER * max(1e-300, float(np.abs(values).max(initial=0.0)))]
            if not len(better):
                return values[own_states]
            for state in better.tolist():
                own = slice(self.begin[state], self.begin[state] + self.counts[state])
                share[own] = 0.0
                share[own.start + int(np.argmax(q_values[own]))] = 1.0
            improved = self.value(share, values)
            if (
                improved is None
                or (improved < values[self.first : self.first + self.size] - 1e-6 * np.abs(improved).max()).any()
            ):
                return None
            values[self.first : self.first + self.size] = improved
        return None


INFORMED_SWEEPS, INFORMED = 60, 1e-10  # at most; changes of no account, as a share of the largest value
ROOM = 4_096  # beliefs at first ...
SHARES = np.array([1, 4, 4, 8])  # ... and entries, rows and outs for each
LEAST_DISCOUNT = 1e-100
MOST_BYTES = 3 << 30


class Process(NamedTuple):
    """S states, R rows, O outcomes; later states may lead to earlier ones, never the other way round."""

    row: Longs  # [S+1] ... at least: arrays may have room to spare
    out: Longs
    next: Longs
    obs: Longs
    prob: Floats
    reward: Floats


@dataclass(frozen=True, eq=False)
class Problem:
    """A start: the states in which play may begin, with what is then seen and how likely; what is paid by then."""

    root: int  # its belief in the belief graph's graph
    state: Longs
    seen: Longs
    chance: Floats
    paid: float


class BeliefGraph:
    """What is known about a process with these observations; `describe` names a state in errors."""

    def __init__(
        self,
        spec: str,
        discount: float,
        observations: Sequence[tuple[Observation, int]],
        describe: Callable[[int], str],
    ) -> None:
        if discount < LEAST_DISCOUNT:
            raise FormError(f"{spec}: the discount is {discount}: nothing after the first step counts; use belief-mdp")
        self.spec, self.discount, self.describe, self.observations = spec, discount, describe, observations
        self.over = np.array([legal == OVER for _, legal in observations], bool)
        self.looked_at = 0  # rows of the graph whose legal actions were checked
        self.states = 0
        self.process: Process
        self.low, self.high, self.q_values = np.zeros(0), np.zeros(0), np.zeros(0)
        self.ends = np.zeros(0, bool)
        self.pools = GrowingPools(POOLS, SCHEMA, {})
        self.pools.begin(ROOM * SHARES, {}, counters=1)
        self.hash_beliefs()

    @classmethod
    def of(cls, form: POMDP) -> BeliefGraph:
        """The belief graph of a POMDP whose start is left to the problems."""
        graph = cls(form.spec, form.discount, form.observations, lambda state: str(form.label(state)))
        begun = int(form.out[1])
        row, out = _longs(form.row - 1), _longs(form.out[1:] - begun)
        following, seen = _longs(form.next[begun:]), _longs(form.obs[begun:])
        graph.extend(Process(row, out, following, seen, form.prob[begun:], form.reward[1:]), form.size)
        return graph

    def extend(self, process: Process, states: int) -> None:
        """Take in states that are new; those already there are unchanged."""
        first, self.states, self.process = self.states, states, process
        if first == states:
            return
        rows = int(process.row[states])
        self.low, self.high = _longer(self.low, states), _longer(self.high, states)
        self.ends, self.q_values = _longer(self.ends, states), _longer(self.q_values, rows)
        shape = (process.row, process.out, process.next)
        mark_ends(*shape, first, states, self.ends)
        if self.discount == 1 and not self.ends[first:states].all():
            self._endless(first + int(np.argmin(self.ends[first:states])))
        rest = (process.prob, process.reward, self.discount, first, states)
        new, part = slice(first, states), SubProcess(process, self.discount, first, states)
        if not converges(lambda: random_sweep(*shape, *rest, self.low), self.low[new]):
            self.low[new] = self._finite(part.value(part.even(), self.low), first)
        self.high[new] = self.low[new]
        if not converges(lambda: mdp_sweep(*shape, *rest, self.high, self.q_values), self.high[new]):
            self.high[new] = self.low[new]
            self.high[new] = self._finite(part.best(self.high), first)
            self.q_values[int(process.row[first]) : rows] = part.rows(self.high)
        for _ in range(INFORMED_SWEEPS):
            if informed_rows(*shape, process.obs, *rest, self.q_values) <= INFORMED * self.scale:
                break

    def _finite(self, values: Floats | None, first: int) -> Floats:
        if values is None:
            raise FormError(
                f"{self.spec}: play can go on for ever and be paid for it, from {self.describe(first)} on or later, so "
                f"without a discount it has no value. Cut it, such as {cut_short(self.spec)}, or give it a discount"
            )
        return values

    @property
    def scale(self) -> float:
        """The largest value that a state may have."""
        return max(1e-300, float(np.abs(self.high[: self.states]).max(initial=0.0)))

    @property
    def model(self) -> BoundedProcess:
        """The process and its bounds, for kernels."""
        return BoundedProcess(*self.process, self.low, self.q_values, self.over, self.discount)

    @property
    def beliefs(self) -> int:
        return int(self.count[BELIEFS])

    def grow(self) -> None:
        """Make room in the graph."""
        self.pools.double()
        self.hash_beliefs()

    def hash_beliefs(self) -> None:
        """The graph as kernels see it, after its arrays have been replaced."""
        self.graph, self.count = self.pools.bundle(BeliefGraphArrays, SCHEMA), self.pools.arrays["used"]
        self.graph.slot[:] = -1
        if self.beliefs:
            rehash_beliefs(self.graph, self.beliefs)

    def open(self, state: Longs, seen: Longs, chance: Floats, paid: float, root: int | None = None) -> Problem:
        """The problem that starts so; its start gets a belief of its own, unless it has a `root` already."""
        while root is None:
            opened = int(open_root(self.model, self.graph, self.count, state, seen, chance, paid))
            if opened >= 0:
                root = opened
            else:
                self.grow()
        return Problem(root, state, seen, chance, paid)

    def check_legal_actions(self) -> None:
        """What may be done must follow from what is seen: one observation after an action goes with one set
        of legal actions at most.
        """
        graph, rows = self.graph, int(self.count[ROWS])
        outs = slice(int(graph.out[self.looked_at]), int(graph.out[rows]))
        owner = np.repeat(np.arange(self.looked_at, rows), np.diff(graph.out[self.looked_at : rows + 1]))
        self.looked_at = rows
        numbers: dict[Observation, int] = {}
        observation = np.array([numbers.setdefault(seen, len(numbers)) for seen, _ in self.observations], np.int64)
        asked = np.array([legal >= 0 for _, legal in self.observations], bool)[graph.obs[outs]]
        keys = owner[asked] * len(numbers) + observation[graph.obs[outs][asked]]
        _, first, count = np.unique(keys, return_index=True, return_counts=True)
        if (count > 1).any():
            seen = self.observations[int(graph.obs[outs][asked][first[int(np.argmax(count))]])][0]
            raise GameError(
                f"{self.spec}: after {seen} the player cannot tell which actions are legal: they "
                "must follow from what was seen (see fogbound check)"
            )

    def _endless(self, state: int) -> None:
        raise FormError(
            f"{self.spec}: play can never end from {self.describe(state)} on, and nothing is discounted. Cut it, "
            f"such as {cut_short(self.spec)}, or give it a discount below 1"
        )


def _longs(array: NDArray[np.generic]) -> Longs:
    return np.ascontiguousarray(array, np.int64)


def _longer(array: NDArray[np.generic], size: int) -> NDArray:  # type: ignore[type-arg]
    """At least `size` entries, zero where they are new; twice as many as before at least, so that growth is cheap."""
    if len(array) >= size:
        return array
    room = np.zeros(max(size, 2 * len(array)), array.dtype)
    room[: len(array)] = array
    return room


def save_graph(belief_graph: BeliefGraph, name: str, arrays: MutableMapping[str, NDArray[Any]]) -> None:
    """Put what is known by now into `arrays`: copies, since a search writes into its graph."""
    arrays.update({f"{name}_{part}": array for part, array in belief_graph.pools.copies().items()})


def restore_graph(belief_graph: BeliefGraph, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Know what was known then, of the same process."""
    parts = ("used", "capacity", *(part for part, one in SCHEMA.items() if not one.slots))
    belief_graph.pools.take({part: arrays[f"{name}_{part}"] for part in parts})
    belief_graph.hash_beliefs()


def declare_graph(belief_graph: BeliefGraph, name: str, kept: Kept) -> tuple[Arrays, dict[str, int]]:
    """Declare what `save_graph` wrote of the graph of a process, which is in `belief_graph` already.

    What was found, and how many there are of everything.
    """
    label, sizes = f"{name}_", {"states": belief_graph.states, "observations": len(belief_graph.over)}
    found, sizes = belief_graph.pools.read(kept, sizes, label, counters=1, copied=True)
    _declare_room(belief_graph, label, kept, sizes["beliefs"])
    _check_entries(belief_graph, label, kept, found)
    _check_rows(belief_graph, label, kept, found, sizes["rows"])
    return found, sizes


def _declare_room(belief_graph: BeliefGraph, label: str, kept: Kept, beliefs: int) -> None:
    """Room for what there is, in the lengths that growing leads to."""
    name = f"{label}capacity"
    room = kept.integers(name, (len(SHARES),), [beliefs + 1, 0, 0, 0], MOST_BYTES)
    doublings = room // (ROOM * SHARES)
    kept.equals(name, room, ROOM * SHARES * np.maximum(doublings, 1))
    kept.require(name, doublings & (doublings - 1) == 0, "lengths that were doubled")
    total = float(room.astype(np.float64) @ belief_graph.pools.entry_bytes())
    kept.require(name, total <= MOST_BYTES, f"at most {MOST_BYTES:,} bytes in all")


def _check_entries(belief_graph: BeliefGraph, label: str, kept: Kept, found: Arrays) -> None:
    """Beliefs over states in which play goes on, with as many actions in all of them; one action at a start."""
    row, first, state = belief_graph.process.row, found["first"], found["state"]
    size = np.diff(first)
    kept.rising(f"{label}state", state, first)
    kept.chances(f"{label}weight", run_sums(found["weight"], first[:-1], size)[size > 0])
    own, actions = row[state + 1] - row[state], np.ones(len(size), np.int64)
    actions[size > 0] = own[first[:-1][size > 0]]
    kept.equals(f"{label}state", own, np.repeat(actions, size))
    kept.require(f"{label}state", own > 0, "states in which play goes on")
    kept.equals(f"{label}many", found["many"], np.where(found["rows"] < 0, 0, actions))


def _check_rows(belief_graph: BeliefGraph, label: str, kept: Kept, found: Arrays, rows: int) -> None:
    """Rows of expanded beliefs, and outcomes that lead to beliefs."""
    row, many, best, size = found["rows"], found["many"], found["best"], np.diff(found["first"])
    kept.require(f"{label}rows", row + many <= rows, f"rows up to {rows}")
    kept.require(f"{label}rows", (row >= 0) | (size > 0), "starts that were looked into")
    kept.require(f"{label}best", (best < 0) | ((best >= row) & (best < row + many)), "one of the belief's own rows")
    out = found["out"]
    total = run_sums(found["prob"], out[:-1], np.diff(out)) * belief_graph.discount  # a start is not discounted
    kept.require(f"{label}prob", total <= 1 + ROUNDING, "probabilities of at most 1 in all")
    kept.rising(f"{label}obs", found["obs"], out)
    kept.require(f"{label}child", size[found["child"]] > 0, "beliefs, not starts")
