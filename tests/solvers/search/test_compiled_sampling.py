"""Searches on compiled simulators: against known values, the same model in Python, and what they must refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fogbound as fb
from fogbound.compiled.draws import standard_normal, uniform
from fogbound.compiled.rules import rule
from fogbound.compiled.sampled_rules import SampledRules
from fogbound.core.errors import GameError
from fogbound.core.game import Observation
from fogbound.games.light_dark.game import LightDark
from fogbound.simulators.arrays import ArraySimulator
from fogbound.solvers import make
from fogbound.solvers.search import row_search
from fogbound.solvers.search.belief import ParticleBelief, StepEvidence
from fogbound.solvers.search.kernels import widening
from fogbound.solvers.search.sampled_belief import RowTracker, SampledTracker

PLANNERS = ["pomcpow", "pft-dpw", "pomcp"]


class TigerRules:
    """The tiger problem whose doors end it; the state is the side of the tiger, 0 or 1."""

    @rule
    def initial(rules, random, state):
        state[0] = 1.0 if uniform(random) < 0.5 else 0.0
        return 0

    @rule
    def step(rules, state, action, random, rewards, seen):
        seen[0] = state[0] if uniform(random) < rules.numbers[0] else 1.0 - state[0]
        rewards[0] = -1.0
        if action > 0:
            rewards[0] = -100.0 if state[0] == action - 1 else 10.0
            return 1
        return 0

    @rule
    def observation_density(rules, before, action, state, seen):
        return rules.numbers[0] if seen[0] == state[0] else 1.0 - rules.numbers[0]

    @rule
    def value(rules, state):
        return 0.0


class CompiledTiger(ArraySimulator):
    actions = ("listen", "left", "right")
    discount = 0.95

    def compiled_rules(self):
        return SampledRules.of(self, vars(TigerRules), width=1, seen=1, numbers=[0.85])


class CorridorRules:
    """Three steps: `left` pays 1 at once, `right` 0, 0 and then 10."""

    @rule
    def initial(rules, random, state):
        state[0] = 0.0
        return 0

    @rule
    def step(rules, state, action, random, rewards, seen):
        seen[0] = state[0]
        rewards[0] = 1.0
        if action == 0:
            return 1
        state[0] += 1.0
        rewards[0] = 10.0 if state[0] == 3.0 else 0.0
        return 1 if state[0] == 3.0 else 0


class CompiledCorridor(ArraySimulator):
    actions = ("left", "right")
    discount = 0.9

    def compiled_rules(self):
        return SampledRules.of(self, vars(CorridorRules), width=1, seen=1)


class NoisyRules:
    """A point in the plane, two numbers of state and of observation."""

    @rule
    def initial(rules, random, state):
        state[0] = standard_normal(random)
        state[1] = standard_normal(random)
        return 0

    @rule
    def step(rules, state, action, random, rewards, seen):
        for axis in range(2):
            state[axis] = state[axis] * (0.5 if action == 0 else 1.0) + 0.1 * standard_normal(random)
            seen[axis] = state[axis] + standard_normal(random)
        rewards[0] = -abs(state[0]) - abs(state[1])
        return 0

    @rule
    def observation_density(rules, before, action, state, seen):
        x, y = seen[0] - state[0], seen[1] - state[1]
        return np.exp(-0.5 * (x * x + y * y))


class CompiledDrift(ArraySimulator):
    actions = ("push", "rest")
    discount = 0.9

    def compiled_rules(self):
        return SampledRules.of(self, vars(NoisyRules), width=2, seen=2)


def searched(model, spec, simulations):
    planner = fb.policy(spec, fb.game(model))
    search = planner.search(planner.begin(Observation(None, None)), model.actions)
    search.run(simulations)
    return search


def test_a_corridor_whose_best_is_known():
    assert fb.solve(CompiledCorridor(), "pomcp(games=2, simulations=300)").value == pytest.approx(8.1)


@pytest.mark.parametrize("planner", ["pomcpow", "pomcp"])
def test_the_tiger_is_listened_to_twice(planner):
    search = searched(CompiledTiger(), f"{planner}(exploration=1)", 20_000)
    listen, left, right = search.decision(CompiledTiger.actions).means
    assert -2 < listen < 5  # 3.77 is optimal; means have explored
    assert max(left, right) < -35


@pytest.mark.parametrize("planner", PLANNERS)
def test_a_search_that_grows_is_the_same_search(planner, monkeypatch):
    if planner == "pomcp":
        model = CompiledTiger()
    else:
        model = CompiledDrift()
    small = searched(model, planner, 3000)
    monkeypatch.setattr(row_search, "FIRST_NODES", 1 << 14)
    large = searched(model, planner, 3000)
    one, two = (search.decision(model.actions) for search in (small, large))
    assert (one.visits == two.visits).all()
    assert one.means == pytest.approx(two.means, nan_ok=True)
    assert small.steps == large.steps >= 3000
    assert small.nodes == large.nodes


@pytest.mark.parametrize("planner", PLANNERS)
def test_seeds_decide_and_actions_may_open_one_by_one(planner):
    spec = f"{planner}(simulations=50, games=2, depth=5, particles=50)"
    values = [fb.solve(CompiledDrift(), spec, seed=seed).value for seed in (1, 1, 2)]
    assert values[0] == values[1] != values[2]
    if planner != "pomcp":
        widened = searched(CompiledTiger(), f"{planner}(k_action=1, alpha_action=0.3)", 500)
        assert widened.decision(CompiledTiger.actions).visits.sum() == 500


def test_memory_that_is_full_ends_a_search(monkeypatch):
    monkeypatch.setattr(row_search, "MEGABYTES", 1)
    search = searched(CompiledDrift(), "pomcpow", 100_000)
    assert 500 < search.done < 100_000


def test_particles_are_drawn_by_weight():
    search = searched(CompiledDrift(), "pomcpow", 10)
    tree, walk = search.tree, search.walk
    node, weights = int(widening.add_history(tree, 0)), np.arange(100) % 7
    for k, weight in enumerate(weights):
        walk.state[:] = k, -k
        walk.rewards[0] = 2.0 * k
        widening.append_particle(tree, walk, node, float(weight))
    drawn = np.zeros(100)
    for _ in range(20_000):
        reward = widening.draw_particle(tree, walk, node)
        assert reward == 2 * walk.state[0] == -2 * walk.state[1]
        drawn[int(walk.state[0])] += 1
    assert not drawn[weights == 0].any()
    assert np.abs(drawn / drawn.sum() - weights / weights.sum()).max() < 0.006


def test_beliefs_follow_the_model_in_python():
    plain, compiled = fb.game(LightDark()), LightDark().compiled_rules()
    tracker = RowTracker(plain.checked, compiled, 3, 4000)
    policy = fb.policy("pomcpow(particles=4000)", plain)
    memory = policy.begin(Observation(None, None))
    first = tracker.belief(memory)
    assert first.states.mean() == pytest.approx(0, abs=1)
    assert set(np.unique(first.states)) <= {*range(-30, 31)}
    rng = np.random.default_rng(0)
    after = tracker.update(first, StepEvidence(10, 9.5, rng))
    exact = {}
    for start in range(-30, 31):
        there = start + 10.0
        exact[there] = plain.simulator.observation_density(start, 10, there, 9.5)
    mean = sum(there * p for there, p in exact.items()) / sum(exact.values())
    assert float(after.weights @ after.states[:, 0]) == pytest.approx(mean, abs=0.5)


def test_particles_step_and_weigh_as_in_python():
    """The compiled step of the update beside the plain one: moves of light-dark are certain, so all must agree."""
    plain, compiled, rng = fb.game(LightDark()), LightDark().compiled_rules(), np.random.default_rng(0)
    before = ParticleBelief(np.arange(-30.0, 31.0)[:, None], rng.dirichlet(np.ones(61)))
    listed = ParticleBelief(before.states[:, 0].tolist(), before.weights)
    for action, seen in ((10, 9.5), (-1, 3.0), (1, 12.25)):
        rows = RowTracker(plain.checked, compiled, 0, 61).propagate(before, StepEvidence(action, seen, rng))
        steps = SampledTracker(plain.checked, 0, 61).propagate(listed, StepEvidence(action, seen, rng))
        assert rows.states[:, 0].tolist() == steps.states
        np.testing.assert_allclose(rows.weights, steps.weights, rtol=1e-12)


@pytest.mark.parametrize("solver", ["pomcp", "pomcpow", "pft-dpw"])
def test_an_answer_says_that_a_hook_takes_the_search_to_python(solver):
    spec = f"{solver}(simulations=1, games=1, depth=1, particles=5"
    assert "search" not in fb.solve(LightDark(), f"{spec})").details
    hooked = make(f"{spec})")
    told = fb.solve(LightDark(), replace(hooked, value=nothing)).details["search"]
    assert told == "hooks are Python (value=nothing): the model is stepped in Python too, without its compiled rules"


def nothing(state, player):
    return 0.0


def test_light_dark_says_the_same_twice():
    model, rng = LightDark(), np.random.default_rng(0)
    rows = type(
        "Rows", (ArraySimulator,), {"compiled_rules": lambda _: model.compiled_rules(), "actions": model.actions}
    )()
    for state in (-31.2, 0.4, 9.0, 55.0):
        assert rows.value(state) == pytest.approx(model.value(state))
        for action in model.actions:
            there, seen, reward, done = rows.step(state, action, rng)
            again = model.step(state, action, rng)
            assert (there, reward, done) == (again[0], again[2], again[3])
            density = model.observation_density(state, action, there, seen)
            assert rows.observation_density(state, action, there, seen) == pytest.approx(density)
    noise = [rows.step(20.0, 1, rng)[1] - 21.0 for _ in range(4000)]
    assert np.mean(noise) == pytest.approx(0, abs=0.6)
    assert np.std(noise) == pytest.approx(11.0, rel=0.05)


class NoNumber(CompiledCorridor):
    def compiled_rules(self):
        class Broken(CorridorRules):
            @rule
            def step(rules, state, action, random, rewards, seen):
                rewards[0] = np.nan
                seen[0] = 0.0
                return 0

        functions = {**vars(CorridorRules), **vars(Broken)}
        return SampledRules.of(self, functions, width=1, seen=1)


class Impossible(CompiledTiger):
    def compiled_rules(self):
        class Broken:
            @rule
            def observation_density(rules, before, action, state, seen):
                return 0.0

        return SampledRules.of(self, {**vars(TigerRules), **vars(Broken)}, width=1, seen=1, numbers=[0.85])


def test_broken_functions_are_refused_in_one_line():
    with pytest.raises(GameError, match="step wrote a reward that is no finite number after"):
        searched(NoNumber(), "pomcp", 10)
    with pytest.raises(GameError, match="observation_density is 0 for what step showed after"):
        searched(Impossible(), "pomcpow", 10)
    with pytest.raises(GameError, match="no @rule step, expected initial, step"):
        SampledRules.of(CompiledTiger(), {"initial": None}, width=1, seen=1)
    with pytest.raises(GameError, match="expected 1 or more of each"):
        SampledRules.of(CompiledTiger(), vars(TigerRules), width=0, seen=1)
    with pytest.raises(GameError, match="@rule leap: compiled rules have no such function"):

        @rule
        def leap(rules):
            return 0


def test_no_density_is_refused_by_name():
    from fogbound.core.errors import FormError

    with pytest.raises(FormError, match="CompiledCorridor has no observation_density"):
        fb.solve(CompiledCorridor(), "pomcpow(games=1)")
