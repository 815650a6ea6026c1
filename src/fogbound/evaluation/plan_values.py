"""What the plans inside a policy are worth: a vector over states for everything that it may remember.

A finite policy is a set of plans, one for each memory, and each plan has a value in every state that play can be in
while the policy remembers just that. These are alpha vectors (Hansen 1998), so whatever looks ahead from a belief can
follow the best of them.

The value of a plan in its POMDP, exactly: a linear system over the pairs (node, state) that occur.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import FormError, LimitError, PolicyError
from fogbound.core.policy import AnyPolicy, thinks
from fogbound.evaluation.chain import values_and_steps
from fogbound.evaluation.visitation import ControllerChain
from fogbound.forms.arrays import Floats, Ints, KeyIndex, Longs, summed
from fogbound.forms.bayes_filter import Belief, belief_successors
from fogbound.forms.greatest_reward import least_total_reward
from fogbound.forms.linear_system import factorised
from fogbound.forms.pomdp import POMDP, WAIT
from fogbound.policies.alpha_entries import AlphaEntries
from fogbound.policies.alpha_vectors import AlphaVectors
from fogbound.policies.controller import LOST, Controller
from fogbound.policies.policy_graph import PolicyGraph

DIRECT, SETTLED = 5_000, 1e-15  # pairs up to which a discounted system is factorised; beyond, sweeps leave so little
MOST_PAIRS = 100_000  # of a memory and a state
MOST_SEARCHED = 2_000  # of them where each memory is a search
FAR = 100  # steps of the others that are looked through until the player is asked again


def plan_vectors(form: POMDP, policy: AnyPolicy, limit: int = MOST_PAIRS) -> tuple[AlphaEntries, list[Any]]:
    """The value of a policy's K plans, and [K] the memory that each goes on from.

    A plan has a value in the states that play can be in while the policy remembers that, and is not defined elsewhere.
    LimitError where the policy remembers too much.
    """
    walk = ControllerChain(form, policy, limit)
    memory, state = np.divmod(walk.pairs, form.size)
    values = _values(walk) if len(walk.pairs) else np.zeros(0)
    vectors = AlphaEntries.of_entries(form.size, memory, state, values, len(walk.player.memories))
    return vectors, [kept.value for kept in walk.player.memories]


def _values(walk: ControllerChain) -> Floats:
    """[P] the value of each pair: one linear system."""
    from scipy.sparse import csr_matrix

    form, size, on = walk.form, len(walk.pairs), walk.target >= 0
    if form.discount == 1.0:
        walk.require_end()
    owner = np.repeat(np.arange(form.size), np.diff(form.row))
    rows = KeyIndex(owner * (len(form.actions) + 1) + form.action[1:] + 1)
    action = walk.arrow // walk.observations % walk.actions
    state = (walk.pairs % form.size)[walk.source]
    paid = form.reward[1:][rows.find(state * (len(form.actions) + 1) + action)]
    reward = summed(walk.source, walk.weight * paid, size)
    moves = csr_matrix((walk.weight[on], (walk.source[on], walk.target[on])), shape=(size, size))
    if size <= DIRECT or form.discount == 1.0:
        return values_and_steps(form.spec, form.discount, moves, reward)[0]
    value = reward
    for _ in range(math.ceil(math.log(SETTLED) / math.log(form.discount)) if form.discount else 0):
        check()
        value = reward + form.discount * (moves @ value)
    return value


def as_vectors(form: POMDP, policy: Controller) -> AlphaVectors:
    """A controller as the value function that its nodes are: played greedily it earns as much, or more.

    PolicyError where a node draws its action, since a vector starts with one.
    """
    vectors, nodes = plan_vectors(form, policy)
    number = {action: k for k, action in enumerate(form.actions)}
    kept, actions = [], []
    for k, node in enumerate(nodes):
        choice = None if node == LOST else policy.choices[node]
        if choice is None:
            continue
        if len(choice.support()) > 1:
            raise PolicyError(f"{form.spec}: node {node} of the controller draws its action, and a vector cannot")
        kept.append(k)
        actions.append(number[choice.support()[0]])
    return AlphaVectors(form, vectors.taken(np.array(kept, np.int64)), np.array(actions, np.int64))


@dataclass(frozen=True, eq=False)
class PlanValues:
    """The worth of actions at a belief: what each earns, and the best plan of a policy after it.

    Parameters
    ----------
    form
        The POMDP.
    vectors
        The values of the plans.
    """

    form: POMDP = field(repr=False)
    vectors: AlphaEntries = field(repr=False)

    @classmethod
    def of(cls, form: POMDP, policy: AnyPolicy) -> PlanValues:
        """Those of a policy: its vectors, or what each of its memories is worth; of one that searches, if few."""
        if isinstance(policy, AlphaVectors):
            return cls(form, policy.entries)
        return cls(form, plan_vectors(form, policy, MOST_SEARCHED if thinks(policy) else MOST_PAIRS)[0])

    @cached_property
    def _least(self) -> Floats:
        return least_total_reward(self.form)

    def at(self, belief: Belief) -> dict[Hashable, float]:
        """By action, in a belief whose states all ask for a move: what it earns at least if the best plan follows."""
        form, first = self.form, int(belief.states[0])
        offered = form.action[form.row[first] : form.row[first + 1]].tolist()
        return {form.actions[action]: self._after(belief, action, FAR) for action in offered if action != WAIT}

    def _after(self, belief: Belief, action: int, far: int) -> float:
        form = self.form
        place = form.action[form.row[belief.states[0]] : form.row[belief.states[0] + 1]].tolist().index(action)
        paid = float(form.reward[form.row[belief.states] + place] @ belief.weights)
        later = belief_successors(form, belief, action).values()
        return paid + form.discount * sum(p * self._value(after, far) for after, p in later)

    def _value(self, belief: Belief, far: int) -> float:
        """What the best plan earns; where the others move first, what it earns after that."""
        form = self.form
        going = (form.row[belief.states + 1] > form.row[belief.states]) & (belief.weights > 0)
        if not going.any():
            return 0.0
        states, weights = belief.states[going], belief.weights[going]
        best = float(self.vectors.at(states, weights).max(initial=-np.inf))
        if np.isfinite(best):
            return best
        if far and form.action[form.row[states[0]]] == WAIT:
            return self._after(Belief(states, weights), WAIT, far - 1)  # where it is over nothing more is paid
        return float(self._least[states] @ weights)


MOST_PLAN_PAIRS = 200_000


@dataclass(frozen=True, eq=False)
class PolicyGraphValue:
    """A plan's value, and where it comes from."""

    total: float  # its value at the start
    pair: Ints  # [P, 2] node, state
    value: Floats  # [P] from there on
    steps: Floats  # [P] expected steps that remain, discounted
    visits: Floats  # [P] how often play comes there, discounted
    used: Ints  # [m] the arrows that play can follow, as rows of plan.arrow
    follows: Floats  # [m] how often they are followed, discounted


@dataclass(frozen=True, eq=False)
class Moves:
    """What may happen from some pairs: the place of the pair, the key of the pair that follows, by which arrow."""

    source: Longs
    target: Longs
    arrow: Longs
    prob: Floats


def policy_graph_value(plan: PolicyGraph, limit: int = MOST_PLAN_PAIRS) -> PolicyGraphValue:
    """Explore the pairs that occur from the start, then solve v = r + discount P v."""
    exploration = _Exploration(plan)
    keys, start = exploration.opening()
    layers, rows, moves = [keys], [], []
    seen = dict.fromkeys(keys.tolist())
    while len(keys):
        check()
        row = exploration.rows(keys)
        step = exploration.moves(keys, row)
        rows.append(row)
        moves.append(step)
        keys = np.array([k for k in np.unique(step.target).tolist() if k not in seen], np.int64)
        seen |= dict.fromkeys(keys.tolist())
        layers.append(keys)
        if len(seen) > limit:
            raise LimitError(f"{plan.pomdp.spec}: the plan meets more than {limit:,} pairs of a node and a state")
    if not rows:  # over as soon as it begins
        none = np.zeros(0)
        nothing = np.zeros((0, 2), np.int64)
        return PolicyGraphValue(float(plan.pomdp.reward[0]), nothing, none, none, none, nothing[:, 0], none)
    every = np.concatenate(layers)
    base = np.cumsum([0] + [len(k) for k in layers])
    source = np.concatenate([at + m.source for at, m in zip(base, moves)]) if moves else np.zeros(0, np.int64)
    joined = Moves(source, *(np.concatenate([getattr(m, name) for m in moves]) for name in ("target", "arrow", "prob")))
    return _solved(plan, every, start, np.concatenate(rows), joined)


def completed(plan: PolicyGraph, limit: int = MOST_PLAN_PAIRS) -> PolicyGraph:
    """The plan with an arrow wherever play may go, also where a belief was too faint for whoever made the plan.

    A state that was left out of a belief may show what the rest never shows. Such an arrow leads to a node that follows
    the same observation elsewhere, which is offered the same actions; where there is none, to a new one that takes
    the first of them. Whatever it does counts for next to nothing, but a plan must say it to be evaluated exactly.
    """
    while True:
        missing = _missing_arrows(_Exploration(plan), limit)
        if not missing:
            return plan
        action, arrows = plan.action.tolist(), plan.arrow.tolist()
        entered = {z: target for _, z, target in reversed(arrows)} | dict(plan.begin.tolist())
        for (node, z), state in missing.items():
            if z not in entered:
                entered[z] = len(action)
                action.append(int(plan.pomdp.action[plan.pomdp.row[state]]))
            arrows.append([node, z, entered[z]])
        plan = PolicyGraph(plan.pomdp, np.array(action, np.int64), plan.begin, np.array(arrows, np.int64))


def _missing_arrows(exploration: _Exploration, limit: int) -> dict[tuple[int, int], int]:
    """(node, observation) without an arrow, each with a state in which it is seen; up to about `limit` pairs."""
    keys, _ = exploration.opening()
    seen, missing = set(keys.tolist()), dict[tuple[int, int], int]()
    while len(keys) and len(seen) <= limit:
        check()
        source, outcome, arrow = exploration.follow(keys, exploration.rows(keys))
        lost, form = arrow < 0, exploration.plan.pomdp
        nodes = keys[source[lost]] // exploration.states
        for node, o in zip(nodes.tolist(), outcome[lost].tolist()):
            missing.setdefault((node, int(form.obs[o])), int(form.next[o]))
        after = exploration.target(arrow[~lost], outcome[~lost])
        keys = np.array([k for k in np.unique(after).tolist() if k not in seen], np.int64)
        seen |= set(keys.tolist())
    return missing


def _solved(plan: PolicyGraph, every: Longs, opening: dict[int, float], rows: Longs, moves: Moves) -> PolicyGraphValue:
    from scipy.sparse import csr_matrix

    form, size = plan.pomdp, len(every)
    column = KeyIndex(every).find(moves.target)
    matrix = csr_matrix((form.discount * moves.prob, (moves.source, column)), shape=(size, size))
    start = np.array([opening.get(key, 0.0) for key in every.tolist()])
    ahead = np.stack([form.reward[rows], np.ones(size)], axis=1)
    try:
        factors = factorised(matrix)
        solved, visits = factors.solve(ahead), factors.solve(start, trans="T")
    except RuntimeError as error:
        raise FormError(f"{form.spec}: with this plan play ends too rarely to be evaluated") from error
    if not np.isfinite(solved).all() or (solved[:, 1] < 1 - 1e-6).any():
        raise FormError(f"{form.spec}: with this plan some play never ends, and with discount 1 it has no value")
    used, which = np.unique(moves.arrow, return_inverse=True)
    follows = np.bincount(which, weights=visits[moves.source] * moves.prob, minlength=len(used)).astype(np.float64)
    pairs = np.stack(np.divmod(every, form.size), axis=1)
    total = float(form.reward[0] + start @ solved[:, 0])
    return PolicyGraphValue(total, pairs, solved[:, 0], solved[:, 1], visits, used, follows)


class _Exploration:
    """Where a plan leads, a whole frontier of pairs at a time; a pair's key is node x states + state."""

    def __init__(self, plan: PolicyGraph) -> None:
        self.plan, form = plan, plan.pomdp
        self.states, self.labels, self.observations = form.size, len(form.actions) + 1, len(form.observations)
        owner = np.repeat(np.arange(form.size), np.diff(form.row))
        self.by_row = KeyIndex(owner * self.labels + form.action[1:] + 1)
        self.by_arrow = KeyIndex(plan.arrow[:, 0] * self.observations + plan.arrow[:, 1])
        self.live = np.diff(form.row) > 0

    def opening(self) -> tuple[Longs, dict[int, float]]:
        """The keys of the pairs in which play may start, and how likely each is."""
        form, begin = self.plan.pomdp, dict(self.plan.begin.tolist())
        chances: dict[int, float] = {}
        for o in range(form.out[0], form.out[1]):
            z, s, p = int(form.obs[o]), int(form.next[o]), float(form.prob[o])
            if self.live[s] and p > 0:
                if z not in begin:
                    raise PolicyError(f"{form.spec}: the plan has no first node after {self._observed(z)}")
                key = begin[z] * self.states + s
                chances[key] = chances.get(key, 0.0) + p
        return np.array(sorted(chances), np.int64), chances

    def rows(self, keys: Longs) -> Longs:
        """The row of each pair's state in which its node's action is taken."""
        form, (node, state) = self.plan.pomdp, np.divmod(keys, self.states)
        row = self.by_row.find(state * self.labels + self.plan.action[node] + 1)
        if (row < 0).any():
            wrong = int(np.argmin(row))
            action = int(self.plan.action[node[wrong]])
            word = "waits" if action < 0 else f"plays {form.actions[action]!r}"
            raise PolicyError(f"{form.spec}: a node {word} in {form.label(int(state[wrong]))!r}, where it cannot")
        return row + 1

    def moves(self, keys: Longs, row: Longs) -> Moves:
        """Everything that may happen next and does not end the play."""
        form = self.plan.pomdp
        source, outcome, arrow = self.follow(keys, row)
        if (arrow < 0).any():
            z = int(form.obs[outcome[int(np.argmin(arrow))]])
            raise PolicyError(f"{form.spec}: a node has no arrow for {self._observed(z)}")
        return Moves(source, self.target(arrow, outcome), arrow, form.prob[outcome])

    def follow(self, keys: Longs, row: Longs) -> tuple[Longs, Longs, Longs]:
        """The pairs that go on, the outcomes with which they do, and the arrow that is followed; -1: there is none."""
        form = self.plan.pomdp
        count = (form.out[row + 1] - form.out[row]).astype(np.int64)
        source = np.repeat(np.arange(len(keys)), count)
        outcome = np.arange(len(source)) - np.repeat(np.cumsum(count) - count, count) + form.out[row][source]
        keep = self.live[form.next[outcome]] & (form.prob[outcome] > 0)
        source, outcome = source[keep], outcome[keep]
        arrow = self.by_arrow.find(keys[source] // self.states * self.observations + form.obs[outcome])
        return source, outcome, arrow

    def target(self, arrow: Longs, outcome: Longs) -> Longs:
        """The key of the pair that follows."""
        keys: Longs = self.plan.arrow[arrow, 2].astype(np.int64) * self.states + self.plan.pomdp.next[outcome]
        return keys

    def _observed(self, z: int) -> str:
        return repr(str(self.plan.pomdp.observations[z][0]))
