"""Where the search starts: bounds that need no search.

Above: the MDP (all is seen), QMDP (all is seen after one step) and the fast informed bound. Below: blind policies
(Hauskrecht 1997), one for each place in the lists of legal actions, and a fixed policy that knows only what is always
known: one action a block. Each is exact up to rounding, and moved by its own residual so that rounding cannot make it a
false bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from scipy.sparse import csr_matrix

from fogbound.core import cancel
from fogbound.core.cancel import check
from fogbound.core.errors import FormError, cut_short
from fogbound.forms.arrays import Floats, Ints, Longs, offsets, ranges, runs_of
from fogbound.forms.linear_system import factorised
from fogbound.forms.mixed_observability import MixedObservability, mixed_observability
from fogbound.forms.pomdp import POMDP, steps_left
from fogbound.solvers.pomdp.kernels import BlockModel, VectorGraph, informed_sweep

FEW_DIRECT = 20_000  # states up to which linear systems are factorised; beyond, sweeps where they converge ...
MOST_DIRECT = 60_000  # ... and from here on wherever there is a discount
SETTLED = 1e-9  # of the largest value: a sweep that changes less is the last
SWEEPS = 2_000
NO_NODES: Longs = np.zeros(0, np.int64)
INFORMED_STILL = 1e-9  # of the largest entry: a sweep of the fast informed bound that changes less is the last


@dataclass(frozen=True, eq=False)
class UnderlyingMDP:
    """The blocks' states as an ordinary Markov decision process; a row is (choice, local state) as in `reward`."""

    blocks: MixedObservability

    @cached_property
    def model(self) -> BlockModel:
        """The blocks for kernels."""
        arrays = {place.name: getattr(self.blocks, place.name) for place in fields(BlockModel)}
        kinds = {name: np.float64 if name in ("weight", "reward") else np.int64 for name in arrays}
        return BlockModel(**{name: np.ascontiguousarray(array, kinds[name]) for name, array in arrays.items()})

    @cached_property
    def entries(self) -> Ints:
        """[J] how many entries an outcome has."""
        blocks = self.blocks
        ends = np.append(blocks.begin[1:], len(blocks.start)) - 1
        return blocks.start[ends] - blocks.start[blocks.begin] if len(blocks.begin) else np.zeros(0, np.int64)

    @cached_property
    def owner(self) -> Ints:
        """[rows] the member that each row belongs to."""
        blocks = self.blocks
        of_choice = np.repeat(np.arange(blocks.size), np.diff(blocks.choice))
        local = np.arange(len(blocks.reward)) - np.repeat(blocks.offset[:-1], np.diff(blocks.offset))
        return np.asarray(blocks.first[np.repeat(of_choice, np.diff(blocks.offset))] + local)

    @cached_property
    def moves(self) -> csr_matrix:
        """[rows, N] discounted."""
        blocks, sizes = self.blocks, np.diff(self.blocks.first)
        of_choice = np.repeat(np.arange(blocks.size), np.diff(blocks.choice))
        choice = np.repeat(np.arange(len(blocks.action)), np.diff(blocks.outcome))  # [J]
        count, size = np.diff(blocks.start, append=0), sizes[of_choice[choice]]
        first = np.repeat(choice, size + 1) if len(choice) else np.zeros(0, np.int64)
        place = np.arange(len(blocks.start)) - np.repeat(blocks.begin, size + 1)
        inside = place != np.repeat(size, size + 1)
        rows = np.repeat((blocks.offset[first] + place)[inside], count[inside])  # [E]
        target = blocks.first[np.repeat(blocks.target, self.entries)] + blocks.to
        return csr_matrix((blocks.weight, (rows, target)), shape=(len(blocks.reward), len(blocks.state)))

    @cached_property
    def order(self) -> Ints:
        """Rows sorted by member."""
        return np.argsort(self.owner, kind="stable")

    @cached_property
    def begin(self) -> Ints:
        """[N] where a member's rows begin in `order`."""
        return np.searchsorted(self.owner[self.order], np.arange(len(self.blocks.state)))

    @cached_property
    def steps(self) -> Floats:
        """[N] the most steps that can be expected to remain, as a discounted sum."""
        discount = self.blocks.pomdp.discount
        if discount < 1:
            return np.full(len(self.blocks.state), 1 / (1 - discount))
        return self.optimal_values(np.ones(len(self.blocks.reward)))  # of a process that is paid 1 a step

    def choose(self, places: Ints) -> Ints:
        """[N] the row of each member when it takes the given place among its actions (modulo their number)."""
        wide = np.diff(np.append(self.begin, len(self.order)))
        chosen: Ints = self.order[self.begin + places % wide]
        return chosen

    def ahead(self, value: Floats) -> Floats:
        """[rows] the value of each action if `value` is had afterwards."""
        return np.asarray(self.blocks.reward + self.moves @ value)

    def best(self, q_values: Floats) -> Floats:
        return np.asarray(np.maximum.reduceat(q_values[self.order], self.begin))

    def sweep_work(self) -> int:
        """How many multiplications a sweep of the fast informed bound takes."""
        blocks = self.blocks
        return len(blocks.reward) + int((self.entries * np.diff(blocks.choice)[blocks.target]).sum())

    def by_rows(self, informed: Floats) -> Floats:
        """[R] a bound on each (choice, state), by rows of the POMDP; where no history leads, one that always holds."""
        blocks, form = self.blocks, self.blocks.pomdp
        choice = np.repeat(np.arange(len(blocks.action)), np.diff(blocks.offset))
        low = np.where(blocks.state[self.owner] >= 0, form.row[blocks.state[self.owner]], 0)
        bound = np.full(len(form.action), np.nan)
        bound[low + choice - blocks.choice[blocks.block[self.owner]]] = informed
        highest = max(0.0, float(np.nanmax(bound)), float(form.reward.max()))
        if form.discount < 1:
            anywhere = np.full(len(bound), highest / (1 - form.discount))
        else:
            anywhere = highest * (1 + np.concatenate([[0.0], np.repeat(steps_left(form), np.diff(form.row))]))
        return np.where(np.isnan(bound), anywhere, bound)

    def vector_graph(
        self, choice: Longs, after: Longs, value: Floats | None = None, first: Longs = NO_NODES
    ) -> VectorGraph:
        """Vectors by what they begin with and go on with; without values they are worth 0 so far."""
        size = np.diff(self.blocks.first)[runs_of(self.blocks.choice, choice)]
        values = np.zeros(int(size.sum())) if value is None else value
        arrows = offsets(np.diff(self.blocks.outcome)[choice])
        return VectorGraph(self.model, choice, offsets(size), arrows, after, values, first)

    def members(self, graph: VectorGraph) -> Ints:
        """[pairs] the place of each pair's state among those of all blocks."""
        return ranges(self.blocks.first[runs_of(self.blocks.choice, graph.choice)], np.diff(graph.pairs))

    def value_at_start(self, values: Floats, begins: Callable[[int], Ints]) -> float:
        """The value of vectors at the start: for each first observation, the best one of the block that it leads to.

        The vectors of a block begin in `values` at the places `begins(block)`, an entry for each of its states.
        """
        blocks = self.blocks
        total = float(blocks.reward[0])
        for outcome in range(blocks.outcome[0], blocks.outcome[1]):
            span = slice(blocks.start[blocks.begin[outcome]], blocks.start[blocks.begin[outcome] + 1])
            at = begins(int(blocks.target[outcome]))
            total += float((values[at[:, None] + blocks.to[span]] @ blocks.weight[span]).max())
        return total

    def bound_at_start(self, q_values: Floats) -> float:
        """The value at the start of a bound on every (choice, state)."""
        offset, choice = self.blocks.offset, self.blocks.choice
        return self.value_at_start(q_values, lambda block: offset[choice[block] : choice[block + 1]])

    def policy_values(self, chosen: Ints, reward: Floats, above: bool) -> Floats:
        """[N] v = reward + moves v of the chosen rows: by factorisation, or by sweeps from a bound on that side."""
        blocks, moves, reward = self.blocks, self.moves[chosen], reward[chosen]
        size = len(reward)
        if _factorises(size, blocks.pomdp.discount):
            try:
                return np.asarray(factorised(moves).solve(reward))
            except RuntimeError as error:
                raise FormError(f"{blocks.pomdp.spec}: play ends too rarely for its value to be computed") from error
        reach = 1 / (1 - blocks.pomdp.discount)
        value = np.full(size, (max(0.0, reward.max()) if above else min(0.0, reward.min())) * reach)  # play may end
        return _swept(value, lambda value: reward + moves @ value)

    def optimal_values(self, reward: Floats) -> Floats:
        """[N] policy iteration (Howard 1960), or for large models sweeps from above."""
        many = len(self.begin)
        if not _factorises(many, self.blocks.pomdp.discount):
            highest = max(0.0, float(reward.max())) / (1 - self.blocks.pomdp.discount)
            return _swept(np.full(many, highest), lambda value: self.best(reward + self.moves @ value))
        chosen, value = self.order[self.begin], np.zeros(many)
        for _ in range(200):
            check()
            value = self.policy_values(chosen, reward, above=True)
            q_values = reward + self.moves @ value
            best = self.best(q_values)
            better = best > q_values[chosen] + 1e-12 * np.abs(best)
            if not better.any():
                break
            match = q_values[self.order] >= np.repeat(best, np.diff(np.append(self.begin, len(self.order))))
            first = np.flatnonzero(match)
            owner = np.searchsorted(self.begin, first, side="right") - 1
            chosen = np.where(better, self.order[first[np.searchsorted(owner, np.arange(many))]], chosen)
        return value

    def fast_informed_bound(
        self,
        above: Floats,
        stopping: Callable[[], bool] = lambda: False,
        sweeps: float = np.inf,
        still: float = INFORMED_STILL,
    ) -> tuple[Floats, bool]:
        """[rows] the fast informed bound (Hauskrecht 2000) by sweeps from an upper bound; whether they have converged.

        They have when a sweep changes nothing by more than `still` times the largest entry. Every sweep leaves an upper
        bound, so it may be cut short: when `stopping`, when a token around the call says so, or after `sweeps` sweeps.
        """
        Q = np.array(above)
        scale = max(float(np.abs(rows).max(initial=0.0)) for rows in (self.blocks.reward, Q))
        converged, done = False, 0
        while not converged and done < sweeps and not stopping() and not cancel.stopping():
            converged = bool(informed_sweep(self.model, Q, self.blocks.size) <= still * scale)
            done += 1
        return Q, converged


def _swept(value: Floats, sweep: Callable[[Floats], Floats]) -> Floats:
    """Sweep values until a sweep changes next to nothing: from above or from below, wherever that is stopped."""
    for _ in range(SWEEPS):
        check()
        swept = sweep(value)
        change, value = float(np.abs(swept - value).max()), swept
        if change <= SETTLED * float(np.abs(value).max()):
            break
    return np.asarray(value)


def _factorises(size: int, discount: float) -> bool:
    """Whether systems of this size are factorised: where sweeps do not converge, or factors cannot fill up much."""
    if discount == 1 or size <= FEW_DIRECT:
        return True
    return size <= MOST_DIRECT and discount**SWEEPS > SETTLED


def qmdp_bound(model: UnderlyingMDP) -> Floats:
    """[rows] QMDP (Littman, Cassandra and Kaelbling 1995): an upper bound, its residual paid."""
    value = model.optimal_values(model.blocks.reward)
    excess = float((model.best(model.ahead(value)) - value).max())
    return model.ahead(value + max(excess, 0.0) * model.steps)


def fixed_policy_bound(model: UnderlyingMDP, places: Ints) -> Floats:
    """[N] what the policy that takes the actions at these places, block by block, earns: a lower bound."""
    chosen = model.choose(places)
    moves, reward = model.moves[chosen], model.blocks.reward[chosen]
    value = model.policy_values(chosen, model.blocks.reward, above=False)
    short = float((value - reward - moves @ value).max())
    return value - max(short, 0.0) * model.steps


def fixed_policies(model: UnderlyingMDP) -> list[Ints]:
    """Policies that never look, [B] the place that each block takes: blind ones, and some that know their block."""
    wide = np.diff(model.blocks.choice)
    policies = [np.full(model.blocks.size, k) for k in range(int(wide.max()))]
    values = [fixed_policy_bound(model, policy[model.blocks.block]) for policy in policies]
    best = policies[int(np.argmax([value[0] for value in values]))]
    value = max(values, key=lambda own: float(own[0]))
    for _ in range(4):
        ahead = model.ahead(value)
        sums = np.add.reduceat(ahead, model.blocks.offset[:-1])  # [Q] over the block's states
        places = np.array([int(np.argmax(sums[a:b])) for a, b in zip(model.blocks.choice, model.blocks.choice[1:])])
        if any((places == other % wide).all() for other in [*policies, best]):
            break
        policies.append(places)
        value = fixed_policy_bound(model, places[model.blocks.block])
    return policies


def model_of(form: POMDP, solver: str) -> UnderlyingMDP:
    """The form in blocks, as a decision process. Without a discount, play must end whatever is done."""
    cut = mixed_observability(form)
    if form.discount == 1 and not form.ends and np.isin(form.endless, cut.state).any():
        raise FormError(
            f"{solver}: in {form.spec} play can go on for ever and nothing is discounted. "
            f"Cut it, such as {cut_short(form.spec)}, or give it a discount below 1"
        )
    return UnderlyingMDP(cut)
