"""DESPOT on compiled rules: its regularised value against brute force over the same scenarios, bounds, and play."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.game import Observation
from fogbound.solvers.search import compiled_despot
from fogbound.solvers.search.compiled_despot import blind_values
from fogbound.solvers.search.kernels import despot as kernels

EXACT = "tiger(resets=false)"


def searched(game, spec, seed=0):
    planner = fb.policy(spec, fb.game(game), seed=seed)
    first = next(outcome for outcome, p in fb.game(game).start().pairs)
    legal = fb.game(game).actions(first.state, 0)
    return planner.search(planner.begin(Observation(None, None)), legal), legal


def brute_force(search, scenarios, states, depth):
    """nu(b) by enumeration of everything that policies can do in the scenarios; discounted to the root."""
    compiled, walk = search.found.compiled, search.walk
    scale = compiled.discount**depth / search.way.scenarios
    best = scale * walk.blind[:, [state[0] for state in states]].sum(axis=1).max()
    if depth == search.way.depth:
        return best
    legal = np.zeros(compiled.most_actions, np.int64)
    for place, code in enumerate(legal[: compiled.legal(compiled.rules, np.array(states[0]), 0, legal)].tolist()):
        total, groups = -search.way.regularisation, {}
        for scenario, state in zip(scenarios, states):
            walk.row[:] = state
            number = walk.draws[scenario, depth]
            kernels.step_scenario(
                compiled.chances, compiled.follow, compiled.rules, search.tree, walk, code, place, number
            )
            total += scale * walk.rewards[0]
            if compiled.actors(compiled.rules, walk.row, walk.actors):
                groups.setdefault(int(walk.seen[0]), []).append((scenario, walk.row.copy()))
        total += sum(brute_force(search, *zip(*group), depth + 1) for group in groups.values())
        best = max(best, total)
    return best


@pytest.mark.parametrize("regularisation", [0.0, 0.01, 0.5, 3.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_regularised_value_is_that_of_brute_force(regularisation, seed):
    spec = f"despot(scenarios=6, depth=4, regularisation={regularisation}, xi=0.5)"
    search, _ = searched(EXACT, spec, seed)
    exact = brute_force(search, range(6), search.tree.state[:6].tolist(), 0)
    for _ in range(40):
        search.run(5)
        lower, mu = search.tree.bounds[0, [kernels.LOWER, kernels.MU]]
        assert lower <= exact + 1e-9
        assert exact <= max(mu, lower) + 1e-9
    assert lower == pytest.approx(exact)
    assert search.gap == pytest.approx(0)


def test_blind_values():
    form = fb.forms.pomdp(fb.game("tiger"))
    values = blind_values(form)
    listen = form.actions.index("listen")
    assert values[listen] == pytest.approx(np.full(form.size, -20.0), abs=1e-3)
    open_door = values[form.actions.index("open-left")]
    assert open_door.max() == pytest.approx(10 - 45 * 0.95 / 0.05, abs=1e-2)


def test_the_default_policy_of_own_rules_goes_east():
    search, legal = searched("rock-sample(7,8)", "despot(scenarios=40)")
    assert legal[search.walk.choices[kernels.ACTION]] == "east"
    assert search.tree.bounds[0, kernels.DEFAULT] == pytest.approx(10 * 0.95**6)
    before = search.gap
    search.run(20)
    assert search.gap < before
    assert search.steps > 20 * 40
    assert search.nodes > 20


def test_a_tree_that_grows_is_the_same_tree(monkeypatch):
    found = []
    for room in (1 << 9, 1 << 16):
        monkeypatch.setattr(compiled_despot, "FIRST_PARTICLES", room)
        search, legal = searched("rock-sample", "despot(scenarios=30)", seed=3)
        search.run(60)
        found.append(search.decision([search.found.compiled.action_code(action) for action in legal]).means)
    assert found[0] == pytest.approx(found[1])


def test_full_memory_ends_a_search(monkeypatch):
    monkeypatch.setattr(compiled_despot, "MEGABYTES", 1)
    monkeypatch.setattr(compiled_despot, "FIRST_PARTICLES", 1 << 12)
    search, _ = searched("rock-sample(7,8)", "despot(scenarios=100)")
    assert search.run(100_000) < 100_000


def test_seeds_decide():
    spec = "despot(games=3, scenarios=5, simulations=5, depth=10)"
    one, again, other = (fb.solve(EXACT, spec, seed=seed).value for seed in (3, 3, 4))
    assert one == again != other


@pytest.mark.slow
def test_rock_sample_agrees_with_sarsop():
    exact = fb.solve("rock-sample", "sarsop").value
    found = fb.solve("rock-sample", "despot(games=60, scenarios=200, simulations=60)", seed=1)
    low, high = found.details["interval"]
    assert low - 2 <= exact <= high + 2
