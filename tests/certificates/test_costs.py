"""What a check is expected to cost, counted by hand on arrays whose lengths alone matter."""

from __future__ import annotations

import numpy as np
import pytest

from fogbound.certificates.certificate import Certificate
from fogbound.certificates.checking import seconds_to_check
from fogbound.certificates.kinds import KINDS


def arrays(**lengths):
    return {name: np.zeros(length) if isinstance(length, int) else np.array(length) for name, length in lengths.items()}


TREE = arrays(player=30, players=[3])
STATES = {**arrays(prob=7, reward=4), "width": np.zeros((5, 3))}
PROCESS = arrays(row=[0, 2, 3], action=3, prob=5, out=[0, 2, 4, 5], obs=[0, 0, 0, 1, 1])  # 2 states, 3 rows, 5 outcomes
WORK = {  # by kind: arrays of the form, those of the evidence, and how much the checker has to do
    "zero-sum-tree": (TREE, arrays(strategy=9), 30),
    "tree-profile": (TREE, arrays(strategy=9), 30),
    "restricted-tree": (TREE, arrays(strategy=9), 30),
    "zero-sum-memories": (arrays(ends=11), arrays(strategy=9), 20),
    "correlated": (TREE, arrays(plan=5), 30 * 5 * 4),
    "chain-profile": ({}, arrays(point=13), 13),
    "team": (
        arrays(prob=6),
        arrays(claim_joint=[0, 2, 3], claim_tree=[0, 4, 5], claim_moved=[0, 10, 11]),  # 2 and 1 joint memories
        2 * (5**2 + 2 * 5 * 4) + 1 * (3**2 + 2 * 3 * 1) + 20 * 6 + 300 * 2,
    ),
    "one-sided": (arrays(prob=6), arrays(node_part=3, follow_node=4, point_value=2), 6 + 8 * 3 + 1.5 * 4 + 25 * 2),
    "level-k": ({}, arrays(u1_0_fib=5, u1_1_fib=6, w0_point=7, w0_value=7, a0_point=9), 5 + 6 + 3 * 7),
    "zero-sum-markov": (STATES, {}, 2 * (7 + 4)),
    "markov-profile": (STATES, {}, 2 * 3 * (7 + 4)),
    "pomdp": (
        PROCESS,
        arrays(
            fib=3,
            pair=4,
            point_start=[0, 1, 2],
            point_state=[0, 1],
            witness_start=[0, 2, 3, 4],
            witness=[1, -2, -3, -1],
        ),
        (2 * 3 + 5)
        + (1.5 * 3 + 0.5 * 5 + 1.1 * 2 * 3 / 2)
        + 4 * 16
        + 2 * 4.0  # states of points
        + 1 * 0.02  # a state of a point, where the informed bound does for an action
        + 2 * 14.0  # actions with witnesses, and the outcomes of their rows
        + (2 + 1) * 2.1
        + 3 * 4.9  # witnesses
        + 3 * 0.08
        + 0 * 0.35
        + 2 * 0.04
        + 1 * 2 * 0.05
        + 1 * 0.15,
    ),
}


@pytest.mark.parametrize("kind", WORK)
def test_work_is_what_the_checker_does(kind):
    form, evidence, work = WORK[kind]
    certificate = Certificate(KINDS[kind], 0, form, evidence)
    assert KINDS[kind].work(certificate) == pytest.approx(work)
    assert seconds_to_check(certificate) == pytest.approx(work / KINDS[kind].rate)


def test_vectors_and_bounds_that_are_not_shown_cost_nothing():
    form = PROCESS
    assert KINDS["pomdp"].work(Certificate(KINDS["pomdp"], 0, form, {})) == 2 * 3 + 5
    shown = arrays(vector_state=2)
    assert KINDS["pomdp"].work(Certificate(KINDS["pomdp"], 0, form, shown)) == pytest.approx(11 + 2 * 16)
    below = arrays(node_part=1, follow_node=2)
    assert KINDS["one-sided"].work(Certificate(KINDS["one-sided"], 0, arrays(prob=1), below)) == 1 + 8 + 3
