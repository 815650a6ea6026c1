"""The packed judge of plans against the sum of fractions that it stands for."""

from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest

from fogbound.verify.pomdp import plan as plans
from fogbound.verify.pomdp.form import POMDP
from fogbound.verify.pomdp.plan import Plan, bits_of, largest_excess, members


def random_plan(seed: int, states: int = 7, nodes: int = 12, actions: int = 2, seen: int = 3) -> Plan:
    """Nodes with claims in all states, positive and negative, over a random process whose last state is over."""
    rng = np.random.default_rng(seed)
    row = [1 + actions * min(s, states - 1) for s in range(states + 1)]
    outcomes = [[(0, s, 1) for s in range(states - 1)]]
    for _ in range(row[-1] - 1):
        size = int(rng.integers(1, 5))
        outcomes.append(
            [(int(rng.integers(seen)), int(rng.integers(states)), int(rng.integers(1, 99))) for _ in range(size)]
        )
    total = [sum(weight for _, _, weight in own) for own in outcomes]
    labels = [tuple(range(actions))] * (states - 1) + [()]
    pomdp = POMDP(Fraction(7, 8), row, labels, outcomes, total, [0.0] * row[-1])
    large = [2 ** int(rng.integers(1, 61)) for _ in range(nodes)]
    value = [{s: int(rng.integers(-most, most)) for s in range(states - 1)} for most in large]
    follows = [{z: int(rng.integers(nodes)) for z in range(seen)} for _ in range(nodes)]
    return Plan(pomdp, "node", rng.integers(actions, size=nodes).tolist(), value, follows)


def by_fractions(plan: Plan, met: list[int], reward: list[int]) -> Fraction:
    """The largest claim less one step ahead, pair by pair."""
    pomdp, found = plan.pomdp, []
    for node, states in enumerate(met):
        for state in members(states):
            row = plan.row(node, state)
            later = sum(
                Fraction(weight * plan.value[plan.follows[node][seen]][after], pomdp.total[row])
                for seen, after, weight in pomdp.outcomes[row]
                if pomdp.runs(after)
            )
            found.append(plan.value[node][state] - reward[row] - pomdp.discount * later)
    return max(found)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("few", [1, 10**9])  # packed; one by one
def test_packed_claims_are_the_sum_of_fractions(seed, few):
    plan = random_plan(seed)
    met = plan.reached([(0, 0), (1, 3)])
    reward = np.random.default_rng(seed).integers(-9, 9, len(plan.pomdp.total)).tolist()
    with patch.object(plans, "FEW_NODES", few):
        assert largest_excess(plan, met, reward, plan.pomdp.discount) == by_fractions(plan, met, reward)


@pytest.mark.parametrize("most", [0, 1 << 16])  # observation by observation; side by side
def test_reached_pairs_are_those_of_a_search_pair_by_pair(most):
    plan = random_plan(7)
    met, fresh = {(0, 0)}, [(0, 0)]
    for node, state in fresh:  # grows while it is walked
        for seen, after, _ in plan.pomdp.outcomes[plan.row(node, state)]:
            pair = (plan.follows[node][seen], after)
            if plan.pomdp.runs(after) and pair not in met:
                met.add(pair)
                fresh.append(pair)
    with patch.object(plans, "MOST_BITS", most):
        reached = plan.reached([(0, 0)])
    assert reached == [bits_of(state for node, state in met if node == own) for own in range(len(plan.action))]
