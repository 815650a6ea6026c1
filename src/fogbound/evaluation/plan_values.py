"""What the plans inside a policy are worth: a vector over states for everything that it may remember.

A finite policy is a set of plans, one for each memory, and each plan has a value in every state that play can be in
while the policy remembers just that. These are alpha vectors (Hansen 1998), so whatever looks ahead from a belief can
follow the best of them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import LimitError, PolicyError
from fogbound.core.policy import AnyPolicy
from fogbound.evaluation.chain import values_and_steps
from fogbound.evaluation.visitation import ControllerChain, require_end
from fogbound.forms.arrays import Floats, KeyIndex, summed
from fogbound.forms.bayes_filter import Belief, belief_successors
from fogbound.forms.greatest_reward import least_total_reward
from fogbound.forms.pomdp import POMDP, WAIT
from fogbound.policies.alpha_vectors import AlphaVectors
from fogbound.policies.controller import LOST, Controller

DIRECT, SETTLED = 5_000, 1e-15  # pairs up to which a discounted system is factorised; beyond, sweeps leave so little
MOST_PAIRS = 100_000  # of a memory and a state
MOST_CELLS = 50_000_000
FAR = 100  # steps of the others that are looked through until the player is asked again


def plan_vectors(form: POMDP, policy: AnyPolicy) -> tuple[Floats, list[Any]]:
    """([K, S], [K]): the value of a policy's plans, and the memory that each goes on from.

    A plan has a value in the states that play can be in while the policy remembers that; elsewhere it is -inf.
    LimitError where the policy remembers too much.
    """
    walk = ControllerChain(form, policy, MOST_PAIRS)
    memory, state = np.divmod(walk.pairs, form.size)
    if len(walk.player.memories) * form.size > MOST_CELLS:
        raise LimitError(f"{form.spec}: {len(walk.player.memories):,} plans over {form.size:,} states are too many")
    vectors = np.full((len(walk.player.memories), form.size), -np.inf)
    if len(walk.pairs):
        vectors[memory, state] = _values(walk)
    return vectors, [kept.value for kept in walk.player.memories]


def _values(walk: ControllerChain) -> Floats:
    """[P] the value of each pair: one linear system."""
    from scipy.sparse import csr_matrix

    form, size, on = walk.form, len(walk.pairs), walk.target >= 0
    if form.discount == 1.0:
        require_end(walk)
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
    return AlphaVectors(form, vectors[kept], np.array(actions, np.int64))


@dataclass(frozen=True, eq=False)
class PlanValues:
    """The worth of actions at a belief: what each earns, and the best plan of a policy after it.

    Parameters
    ----------
    form
        The POMDP.
    vectors : [K, S]
        The values of the plans; -inf where one is not meant for.
    """

    form: POMDP = field(repr=False)
    vectors: Floats = field(repr=False)

    @classmethod
    def of(cls, form: POMDP, policy: AnyPolicy) -> PlanValues:
        """Those of a policy: its vectors, or what each of its memories is worth."""
        return cls(form, policy.vectors if isinstance(policy, AlphaVectors) else plan_vectors(form, policy)[0])

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
        best = float((self.vectors[:, states] @ weights).max(initial=-np.inf))
        if np.isfinite(best):
            return best
        if far and form.action[form.row[states[0]]] == WAIT:
            return self._after(Belief(states, weights), WAIT, far - 1)  # where it is over nothing more is paid
        return float(self._least[states] @ weights)
