"""SARSOP where the discount is near 1: cycles against enumeration, both bounds against values found otherwise."""

from itertools import product

import numpy as np
import pytest
from benchmarks.maintenance import maintenance

import fogbound as fb
from fogbound.forms.mixed_observability import mixed_observability
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import derive
from fogbound.solvers.pomdp.hsvi.cyclic_start import CyclicPolicies, cyclic_policies
from fogbound.solvers.pomdp.hsvi.near_one import refine, refines
from fogbound.solvers.pomdp.hsvi.point_mdp import BlockSteps, PointMDP
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch
from fogbound.solvers.pomdp.informed_bound import exact_informed_bound
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP, qmdp_bound
from tests.pomdps import random_dense
from tests.solvers.pomdp.test_average_reward import random_model, text


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


def near(tmp_path, seed: int, discount: float, seen: bool = False):
    """A random model, and its path."""
    model = random_model(seed, states=3, actions=2, observations=3 if seen else 2, seen=seen)
    path = tmp_path / "near.pomdp"
    path.write_text(text(*model).replace("discount: 0.5", f"discount: {discount!r}"))
    return model, str(path)


def controller_value(T, Z, R, discount, taken, after) -> float:
    """What a deterministic controller earns from state 0 and its first node."""
    states, seen, nodes = T.shape[1], Z.shape[2], len(taken)
    P, r = np.zeros((nodes * states, nodes * states)), np.zeros(nodes * states)
    for n, a in enumerate(taken):
        own = slice(n * states, (n + 1) * states)
        r[own] = R[a]
        for z in range(seen):
            m = after[n * seen + z]
            P[own, m * states : (m + 1) * states] += T[a] * Z[a][:, z]
    return float(np.linalg.solve(np.eye(len(r)) - discount * P, r)[0])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("discount", [0.9999, 0.99999])
@pytest.mark.parametrize("seed", range(3))
def test_certified_bounds_lie_around_the_best_small_controller(tmp_path, seed, discount):
    (T, Z, R), path = near(tmp_path, seed, discount)
    found = fb.solve(path, "sarsop", iterations=8, certify=True)
    every = product(product(range(2), repeat=2), product(range(2), repeat=4))
    best = max(controller_value(T, Z, R, discount, *controller) for controller in every)
    slack = 1e-9 / (1 - discount)
    assert found.certificate.checked
    assert found.upper >= best - slack
    assert found.lower >= best - 0.01 / (1 - discount)
    assert found.gap < 0.1 / (1 - discount)


@pytest.mark.parametrize("discount", [0.9999, 0.99999])
def test_certified_bounds_meet_at_the_value_where_the_state_is_seen(tmp_path, discount):
    (T, _, R), path = near(tmp_path, 3, discount, seen=True)
    found = fb.solve(path, "sarsop", iterations=8, certify=True)
    choices = [np.array(c) for c in product(range(2), repeat=3)]
    here = np.arange(3)
    values = [np.linalg.solve(np.eye(3) - discount * T[c, here], R[c, here]) for c in choices]
    best = max(float(value[0]) for value in values)
    assert found.certificate.checked
    assert found.lower <= best + 1e-6
    assert found.upper >= best - 1e-6
    assert found.gap < 1e-4


def test_policy_iteration_finds_the_fast_informed_bound_of_sweeps():
    model = UnderlyingMDP(mixed_observability(random_dense(1, 0.9).form()))
    swept, converged = model.fast_informed_bound(qmdp_bound(model), still=1e-14)
    assert converged
    np.testing.assert_allclose(exact_informed_bound(model, qmdp_bound(model)), swept, rtol=1e-9, atol=1e-9)


def test_points_lower_the_bound_and_stay_above_the_value():
    form = random_dense(2, 0.95).form()
    model = UnderlyingMDP(mixed_observability(form))
    steps = BlockSteps(model)
    process = PointMDP(steps, steps.corners(), model.optimal_values(model.blocks.reward))
    found = fb.solve(form, "sarsop", gap=1e-4)
    last = np.inf
    for _ in range(8):
        chosen = process.solve()
        assert found.lower - 1e-9 <= process.value[0] <= last + 1e-9
        last = float(process.value[0])
        process.expand(chosen, 1e-3)
    assert last < model.optimal_values(model.blocks.reward)[0] - 1e-3


@pytest.mark.slow
def test_refinements_never_loosen_a_bound(model):
    search = HeuristicSearch(model.blocks, {})
    lower, upper = search.bounds()
    for _ in range(3):
        assert refines(search)
        refine(search)
        assert lower <= search.bounds()[0] <= search.bounds()[1] <= upper
        lower, upper = search.bounds()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_machine_is_certified_and_earns_more_than_its_best_cycle(tmp_path, seed):
    path = tmp_path / "machine.pomdp"
    path.write_text(maintenance(seed))
    model = UnderlyingMDP(mixed_observability(derive(fb.game(str(path)), POMDP)))
    found = fb.solve(str(path), "sarsop", iterations=25, certify=True)
    cycle = cyclic_policies(model)
    assert found.certificate.checked
    assert found.lower >= cycle.total
    assert found.gap < 6_000
