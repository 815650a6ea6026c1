"""What SARSOP begins from where the discount is near 1: cycles against enumeration and one linear system."""

from itertools import product

import numpy as np
import pytest
from benchmarks.maintenance import maintenance

import fogbound as fb
from fogbound.forms.mixed_observability import mixed_observability
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import derive
from fogbound.solvers.pomdp.hsvi.cyclic_start import CyclicPolicies, cyclic_policies
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("maintenance") / "machine.pomdp"
    path.write_text(maintenance(0, levels=20))
    return UnderlyingMDP(mixed_observability(derive(fb.game(str(path)), POMDP)))


def joint_value(model: UnderlyingMDP, cycle: tuple[int, ...]) -> float:
    """What a cycle earns from the start, as one system over all pairs of a step and a state."""
    size, steps = len(model.blocks.state), len(cycle)
    matrix, reward = np.eye(size * steps), np.zeros(size * steps)
    for k, place in enumerate(cycle):
        rows, after = model.choose(np.full(size, place)), (k + 1) % steps * size
        matrix[k * size : (k + 1) * size, after : after + size] -= model.moves[rows].toarray()
        reward[k * size : (k + 1) * size] = model.blocks.reward[rows]
    value = np.linalg.solve(matrix, reward)
    return float(value.reshape(steps, size)[:, 0].max())


def test_cycles_are_worth_what_one_large_system_says(model):
    policies = CyclicPolicies(model)
    for cycle in [(0,), (1, 0), (2, 0, 0, 0), (0, 1, 2, 3, 0)]:
        found = policies.evaluated(cycle).total
        assert found == pytest.approx(joint_value(model, cycle), rel=1e-8)


def test_the_best_cycle_is_no_worse_than_enumeration(model):
    short = [cycle for steps in (1, 2, 3) for cycle in product(range(4), repeat=steps)]
    short += [(a, *[b] * many) for a in range(4) for b in range(4) for many in range(1, 10)]
    found = cyclic_policies(model)
    best = max(joint_value(model, cycle) for cycle in short)
    assert found is not None
    assert found.total >= best - 1e-8 * abs(best)
