"""DESPOT: its regularised value against brute force over the scenarios, its bounds, exact values, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.errors import FormError, SpecError
from fogbound.solvers import make
from fogbound.solvers.search.belief import ParticleBelief
from fogbound.solvers.search.despot import DespotSearch
from fogbound.solvers.search.generative import RuleModel, best_blind_action
from fogbound.solvers.search.scenarios import StreamDraws
from tests.simulators.models import Corridor, Drift, SampledTiger

EXACT = "tiger(resets=false)"


class BoundedTiger(SampledTiger):
    """With what a player gets who sees the tiger."""

    def upper(self, state):
        return 10.0


def brute_force(search, scenarios, states, depth):
    """nu(b) by enumeration of everything that policies can do in the scenarios; discounted to the root."""
    model, way = search.model, search.way
    scale = model.discount**depth / way.scenarios
    default = 0.0
    for scenario, state in zip(scenarios, states):
        here, weight = state, scale
        for at in range(depth, way.depth):
            here, _, reward, done = model.step(here, search.action, search.draws.at(scenario, at))
            default += weight * reward
            weight *= model.discount
            if done:
                break
    if depth == way.depth:
        return default
    best = default
    for action in model.legal(states[0]):
        total, groups = -way.regularisation, {}
        for scenario, state in zip(scenarios, states):
            following, seen, reward, done = model.step(state, action, search.draws.at(scenario, depth))
            total += scale * reward
            if not done:
                groups.setdefault(seen, []).append((scenario, following))
        for group in groups.values():
            total += brute_force(search, *map(list, zip(*group)), depth + 1)
        best = max(best, total)
    return best


@pytest.mark.parametrize("regularisation", [0.0, 0.01, 0.5, 3.0])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_regularised_value_is_that_of_brute_force(regularisation, seed):
    model = fb.game(BoundedTiger()).checked
    way = make(f"despot(scenarios=6, depth=4, regularisation={regularisation}, xi=0.5)")
    root = ParticleBelief(["left", "right"], np.array([0.5, 0.5]))
    search = DespotSearch(model, way, "listen", root, seed)
    exact = brute_force(search, search.root.scenarios, search.root.states, 0)
    for _ in range(40):
        search.run(5)
        assert search.root.lower <= exact + 1e-9
        assert exact <= max(search.root.mu, search.root.lower) + 1e-9
    assert search.root.lower == pytest.approx(exact)
    assert search.gap == pytest.approx(0)


def test_scenarios_are_common_random_numbers():
    draws, again = StreamDraws(3, 4, 7), StreamDraws(3, 4, 7)
    first = draws.at(1, 2).normal()
    assert draws.at(2, 2).normal() != first
    assert draws.at(1, 2).normal() == first == again.at(1, 2).normal()


def test_blind_values_are_exact():
    model = RuleModel(fb.game("tiger"))
    assert model.blind_action == "listen"
    assert model.lower("left") == pytest.approx(-20, abs=1e-3)
    assert best_blind_action(fb.game(SampledTiger()).checked, 50) == "listen"
    rocks = RuleModel(fb.game("rock-sample"))
    assert rocks.blind_action == "east"
    assert rocks.lower((0, 2, (0, 0, 0, 0))) == pytest.approx(10 * 0.95**3)


@pytest.mark.slow
@pytest.mark.parametrize("game", [EXACT, BoundedTiger()], ids=["rules", "simulator"])
def test_tiger_agrees_with_sarsop(game):
    exact = fb.solve(EXACT, "sarsop").value
    found = fb.solve(game, "despot(games=40, scenarios=50, simulations=30, depth=20)", seed=1)
    low, high = found.details["interval"]
    assert low - 1.5 <= exact <= high + 1.5
    assert found.lower == -np.inf


def test_three_steps_whose_best_is_known():
    assert fb.solve(Corridor(), "despot(games=2, scenarios=3, depth=5)").value == pytest.approx(8.1)


def test_seeds_decide():
    spec = "despot(games=3, scenarios=5, simulations=5, depth=10)"
    one, again, *others = (fb.solve(BoundedTiger(), spec, seed=seed).value for seed in (3, 3, 5, 6, 7, 8))
    assert one == again
    assert {one} != {*others}


def test_it_stops_where_its_bounds_meet():
    planner = fb.policy("despot(simulations=1000, scenarios=4, depth=3)", Corridor())
    search = planner.search(planner.begin(fb.Observation(None, None)), ("left", "right"))
    assert search.run(1000) < 20
    assert search.gap <= 0


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("despot(scenarios=0)", "scenarios is 0, expected 1 or more"),
        ("despot(xi=1)", "xi is 1.0, expected a number from 0 to below 1"),
        ("despot(regularisation=-1)", "regularisation is -1.0, expected a number of 0 or more"),
    ],
)
def test_parameters(spec, words):
    with pytest.raises(SpecError, match=words):
        make(spec)


def test_no_bound_is_refused_by_name():
    with pytest.raises(FormError, match="despot needs an upper bound of values, and Drift has none"):
        fb.solve(Drift(), "despot")
