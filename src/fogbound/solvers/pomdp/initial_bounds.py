"""Where the search starts: bounds that need no search.

Above: the MDP (all is seen), QMDP (all is seen after one step) and the fast informed bound. Below: blind policies
(Hauskrecht 1997), one for each place in the lists of legal actions, and a fixed policy that knows only what is always
known: one action a block. Each is exact up to rounding, and moved by its own residual so that rounding cannot make it a
false bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from fogbound.core import cancel
from fogbound.core.cancel import check
from fogbound.core.errors import FormError, cut_short
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.linear_system import factorised
from fogbound.forms.mixed_observability import MixedObservability, mixed_observability
from fogbound.forms.pomdp import POMDP, steps_left
from fogbound.solvers.pomdp.kernels.block_model import block_model
from fogbound.solvers.pomdp.kernels.fast_informed_bound import informed_sweep

FEW_DIRECT = 20_000  # states up to which linear systems are factorised; beyond, sweeps where they converge ...
MOST_DIRECT = 60_000  # ... and from here on wherever there is a discount
SETTLED = 1e-9  # of the largest value: a sweep that changes less is the last
SWEEPS = 2_000
INFORMED_STILL = 1e-9  # of the largest entry: a sweep of the fast informed bound that changes less is the last


@dataclass(frozen=True, eq=False)
class UnderlyingMDP:
    """The blocks' states as an ordinary Markov decision process; a row is (choice, local state) as in `reward`."""

    blocks: MixedObservability
    moves: csr_matrix  # [rows, N] discounted
    order: Ints  # rows sorted by member
    begin: Ints  # [N] where a member's rows begin in `order`
    steps: Floats  # [N] the most steps that can be expected to remain, as a discounted sum

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


def underlying_mdp(blocks: MixedObservability) -> UnderlyingMDP:
    rows, owner = _rows(blocks)
    order = np.argsort(owner, kind="stable")
    begin = np.searchsorted(owner[order], np.arange(len(blocks.state)))
    target = blocks.first[np.repeat(blocks.target, entry_counts(blocks))] + blocks.to
    moves = csr_matrix((blocks.weight, (rows, target)), shape=(len(blocks.reward), len(blocks.state)))
    bare = UnderlyingMDP(blocks, moves, order, begin, np.zeros(len(blocks.state)))
    discount = blocks.pomdp.discount
    steps = np.full(len(blocks.state), 1 / (1 - discount)) if discount < 1 else _longest(bare)
    return UnderlyingMDP(blocks, moves, order, begin, steps)


def entry_counts(blocks: MixedObservability) -> Ints:
    """[J] how many entries an outcome has."""
    ends = np.append(blocks.begin[1:], len(blocks.start)) - 1
    return blocks.start[ends] - blocks.start[blocks.begin] if len(blocks.begin) else np.zeros(0, np.int64)


def _rows(blocks: MixedObservability) -> tuple[Ints, Ints]:
    """[E] the row of each entry, and [rows] the member that each row belongs to."""
    sizes = np.diff(blocks.first)
    of_choice = np.repeat(np.arange(blocks.size), np.diff(blocks.choice))
    local = np.arange(len(blocks.reward)) - np.repeat(blocks.offset[:-1], np.diff(blocks.offset))
    owner = blocks.first[np.repeat(of_choice, np.diff(blocks.offset))] + local
    choice = np.repeat(np.arange(len(blocks.action)), np.diff(blocks.outcome))  # [J]
    count = np.diff(blocks.start, append=0)
    first = np.repeat(choice, sizes[of_choice[choice]] + 1) if len(choice) else np.zeros(0, np.int64)
    place = np.arange(len(blocks.start)) - np.repeat(blocks.begin, sizes[of_choice[choice]] + 1)
    last = place == np.repeat(sizes[of_choice[choice]], sizes[of_choice[choice]] + 1)
    row = (blocks.offset[first] + place)[~last]
    return np.repeat(row, count[~last]), owner


def _factorises(size: int, discount: float) -> bool:
    """Whether systems of this size are factorised: where sweeps do not converge, or factors cannot fill up much."""
    if discount == 1 or size <= FEW_DIRECT:
        return True
    return size <= MOST_DIRECT and discount**SWEEPS > SETTLED


def _solve(moves: csr_matrix, reward: Floats, blocks: MixedObservability, above: bool) -> Floats:
    """v = reward + moves v: by factorisation, or for large models by sweeps from a bound on the wanted side."""
    size = len(reward)
    if _factorises(size, blocks.pomdp.discount):
        try:
            return np.asarray(factorised(moves).solve(reward))
        except RuntimeError as error:
            raise FormError(f"{blocks.pomdp.spec}: play ends too rarely for its value to be computed") from error
    reach = 1 / (1 - blocks.pomdp.discount)
    value = np.full(size, (max(0.0, reward.max()) if above else min(0.0, reward.min())) * reach)  # play may end
    for _ in range(SWEEPS):
        check()
        swept = reward + moves @ value
        change, value = float(np.abs(swept - value).max()), swept
        if change <= SETTLED * float(np.abs(value).max()):
            break
    return np.asarray(value)


def _longest(model: UnderlyingMDP) -> Floats:
    """The most steps that can be expected to remain: a decision process that is paid 1 a step."""
    return _policy_iteration(model, np.ones(len(model.blocks.reward)))


def _policy_iteration(model: UnderlyingMDP, reward: Floats) -> Floats:
    """The MDP's optimal values: policy iteration (Howard 1960), or for large models sweeps from above."""
    places = model.begin
    if not _factorises(len(places), model.blocks.pomdp.discount):
        return _value_iteration(model, reward)
    chosen = model.order[places]
    value = np.zeros(len(places))
    for _ in range(200):
        check()
        value = _solve(model.moves[chosen], reward[chosen], model.blocks, above=True)
        q_values = reward + model.moves @ value
        best = np.asarray(np.maximum.reduceat(q_values[model.order], model.begin))
        better = best > q_values[chosen] + 1e-12 * np.abs(best)
        if not better.any():
            break
        match = q_values[model.order] >= np.repeat(best, np.diff(np.append(model.begin, len(model.order))))
        first = np.flatnonzero(match)
        owner = np.searchsorted(model.begin, first, side="right") - 1
        pick = first[np.searchsorted(owner, np.arange(len(places)))]
        chosen = np.where(better, model.order[pick], chosen)
    return value


def _value_iteration(model: UnderlyingMDP, reward: Floats) -> Floats:
    """Value iteration from above: wherever it is stopped, no state's value is higher."""
    value = np.full(len(model.begin), max(0.0, float(reward.max())) / (1 - model.blocks.pomdp.discount))
    for _ in range(SWEEPS):
        check()
        swept = model.best(reward + model.moves @ value)
        change, value = float(np.abs(swept - value).max()), swept
        if change <= SETTLED * float(np.abs(value).max()):
            break
    return value


def fast_informed_bound(
    blocks: MixedObservability,
    above: Floats,
    stopping: Callable[[], bool] = lambda: False,
    sweeps: float = np.inf,
    still: float = INFORMED_STILL,
) -> tuple[Floats, bool]:
    """[rows] the fast informed bound (Hauskrecht 2000) by sweeps from an upper bound, and whether they have converged.

    They have when a sweep changes nothing by more than `still` times the largest entry. Every sweep leaves an upper
    bound, so it may be cut short: when `stopping`, when a token around the call says so, or after `sweeps` sweeps.
    """
    model, Q = block_model(blocks), np.array(above)
    scale = max(float(np.abs(rows).max(initial=0.0)) for rows in (blocks.reward, Q))
    converged, done = False, 0
    while not converged and done < sweeps and not stopping() and not cancel.stopping():
        converged = bool(informed_sweep(model, Q, blocks.size) <= still * scale)
        done += 1
    return Q, converged


def informed_rows(blocks: MixedObservability, informed: Floats) -> Floats:
    """[R] a bound on each (choice, state), by rows of the POMDP; where no history leads, one that always holds."""
    form = blocks.pomdp
    of_choice = np.repeat(np.arange(blocks.size), np.diff(blocks.choice))
    choice = np.repeat(np.arange(len(blocks.action)), np.diff(blocks.offset))
    member = blocks.first[of_choice[choice]] + np.arange(len(blocks.reward)) - blocks.offset[choice]
    low = np.where(blocks.state[member] >= 0, form.row[blocks.state[member]], 0)
    bound = np.full(len(form.action), np.nan)
    bound[low + choice - blocks.choice[of_choice[choice]]] = informed
    highest = max(0.0, float(np.nanmax(bound)), float(form.reward.max()))
    if form.discount < 1:
        anywhere = np.full(len(bound), highest / (1 - form.discount))
    else:
        anywhere = highest * (1 + np.concatenate([[0.0], np.repeat(steps_left(form), np.diff(form.row))]))
    return np.where(np.isnan(bound), anywhere, bound)


def sweep_work(blocks: MixedObservability) -> int:
    """How many multiplications a sweep of the fast informed bound takes."""
    return len(blocks.reward) + int((entry_counts(blocks) * np.diff(blocks.choice)[blocks.target]).sum())


def qmdp_bound(model: UnderlyingMDP) -> Floats:
    """[rows] QMDP (Littman, Cassandra and Kaelbling 1995): an upper bound, its residual paid."""
    value = _policy_iteration(model, model.blocks.reward)
    excess = float((model.best(model.ahead(value)) - value).max())
    return model.ahead(value + max(excess, 0.0) * model.steps)


def fixed_policy_bound(model: UnderlyingMDP, places: Ints) -> Floats:
    """[N] what the policy that takes the actions at these places, block by block, earns: a lower bound."""
    chosen = model.choose(places)
    moves, reward = model.moves[chosen], model.blocks.reward[chosen]
    value = _solve(moves, reward, model.blocks, above=False)
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


# The model that solvers by vectors start from, refused where the sum of all rewards need not exist.


SURE = 1 - 1e-12


def model_of(form: POMDP, solver: str) -> UnderlyingMDP:
    """The form in blocks, as a decision process. Without a discount, play must end whatever is done."""
    cut = mixed_observability(form)
    if form.discount == 1 and not form.ends and _may_go_on(form, cut):
        raise FormError(
            f"{solver}: in {form.spec} play can go on for ever and nothing is discounted. "
            f"Cut it, such as {cut_short(form.spec)}, or give it a discount below 1"
        )
    return underlying_mdp(cut)


def _may_go_on(form: POMDP, cut: MixedObservability) -> bool:
    """Whether some way to play stays for ever among states that do: what is left when all others are taken away."""
    rows = np.repeat(np.arange(len(form.action)), np.diff(form.out))
    moves = csr_matrix((form.prob, (rows, form.next)), shape=(len(form.action), form.size))
    owner = np.concatenate([[0], np.repeat(np.arange(form.size), np.diff(form.row))])  # row 0 is the start: not asked
    stays = np.zeros(form.size, bool)
    stays[cut.state[1:]] = True
    while True:
        kept = moves @ stays.astype(np.float64) >= SURE
        kept[0] = False
        left = stays & (np.bincount(owner, kept, form.size) > 0)
        if (left == stays).all():
            return bool(stays.any())
        stays = left
