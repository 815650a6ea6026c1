"""The solver `pomcp`: compiled rules beside RockSample's rules, POMDPs, and what is earned beside what is certified."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import pytest

import fogbound as fb
from fogbound import forms
from fogbound.cli.main import main
from fogbound.core.errors import FormError, LimitError, SpecError
from fogbound.core.game import Observation
from fogbound.forms.compiled_rules import pomdp_rules, table_rules
from fogbound.forms.table import enumerate_table
from fogbound.solvers.pomdp.initial_bounds import model_of, qmdp_bound
from fogbound.solvers.search import simulator
from fogbound.solvers.search.planner import opening
from fogbound.solvers.search.pomcp import POMCP
from fogbound.solvers.search.rules_search import RulesSimulator
from fogbound.solvers.search.tree_search import SearchWay, TreeSearch

ROCKS = ["rock-sample", "rock-sample(size=3, rocks=2)", "rock-sample(size=5, rocks=3, seed=4, half_distance=1)"]
LARGE = ["rock-sample(size=7, rocks=8)", "rock-sample(size=11, rocks=11)", "rock-sample(size=15, rocks=15)"]
COMPILED = SearchWay("ucb", "alone", 1.0)


@pytest.fixture(scope="module", params=[*ROCKS, *LARGE])
def rocks(request):
    return fb.game(request.param)


@pytest.mark.slow
def test_a_rover_lives_the_same_in_both(rocks):
    """Random plays: legal actions, probabilities, and for every outcome the state, what is paid and what is seen."""
    compiled, rng = rocks.compiled_rules(), random.Random(5)
    opened = rocks.start()
    for k in [0, 1, compiled.beginnings - 1, rng.randrange(compiled.beginnings)]:
        row, seen = np.zeros(2, np.int64), np.zeros(1, np.int64)
        assert compiled.begin(compiled.rules, k, row, seen) == pytest.approx(opened.pairs[k][1], abs=1e-15)
        assert compiled.state(row) == opened.pairs[k][0].state
        state = opened.pairs[k][0].state
        for _ in range(40):
            assert (compiled.actors(compiled.rules, row, np.zeros(1, np.int64)) > 0) == bool(rocks.actors(state))
            if not rocks.actors(state):
                break
            state, row = _same_step(rocks, compiled, state, row, rng)
        assert compiled.state_row(state) == row.tolist()


def _same_step(rocks, compiled, state, row, rng):
    legal = np.zeros(compiled.most_actions, np.int64)
    size = compiled.legal(compiled.rules, row, 0, legal)
    assert [compiled.action(code) for code in legal[:size]] == list(rocks.actions(state, 0))
    place = rng.choice([0, 1, 2, 3, *range(size)])
    joint, places, weights = np.array([legal[place]]), np.array([place]), np.zeros(2)
    outcomes = [(outcome, p) for outcome, p in rocks.step(state, (compiled.action(legal[place]),)) if p > 0]
    assert compiled.chances(compiled.rules, row, joint, places, weights) == len(outcomes)
    met = []
    for k, (outcome, p) in enumerate(outcomes):
        then, rewards, seen = row.copy(), np.zeros(1), np.zeros(1, np.int64)
        compiled.follow(compiled.rules, then, joint, places, k, rewards, seen)
        assert weights[k] == pytest.approx(p, abs=1e-15)
        assert compiled.state(then) == outcome.state
        assert rewards.tolist() == list(outcome.rewards or (0.0,))
        assert seen[0] == compiled.observation_code(0, Observation(outcome.public, None))
        met.append((outcome.state, then))
    return rng.choice(met)


@pytest.mark.parametrize("spec", ROCKS)
def test_known_rocks_are_worth_what_the_decision_process_says(spec):
    """The closed form over subsets, beside policy iteration on the form."""
    game = fb.game(spec)
    compiled, form = game.compiled_rules(), forms.pomdp(game)
    steps = model_of(form, "test")
    exact, out = steps.by_rows(qmdp_bound(steps)), np.zeros(compiled.most_actions)
    met = {int(s) for s in steps.blocks.state if s >= 0 and form.row[s + 1] > form.row[s]}
    assert len(met) > 30
    for state in met:
        size = compiled.worths(compiled.rules, np.array(compiled.state_row(form.label(state))), 0, out)
        assert out[:size] == pytest.approx(exact[form.row[state] : form.row[state + 1]], abs=1e-8)


def test_compiled_rules_and_table_are_searched_alike():
    game = fb.game("rock-sample")
    visits = []
    for compiled in (
        game.compiled_rules().without_worths(),
        table_rules(enumerate_table(game)),
        pomdp_rules(forms.pomdp(game)),
    ):
        search = TreeSearch(compiled, COMPILED, opening(compiled), 0, 7)
        search.run(2_000)
        visits.append(search.decision([compiled.action_code(action) for action in game.legal]).visits.tolist())
    assert visits[0] == visits[1] == visits[2]


def test_a_search_that_is_begun_again_is_a_new_one():
    found = simulator.modelled_simulator(fb.game("tag"), 0, {})
    root = opening(found.compiled)
    fresh, again = (TreeSearch(found.compiled, COMPILED, root, 0, seed) for seed in (3, 4))
    again.run(3_000)
    again.restart(root, 3)
    for search in (fresh, again):
        search.run(500)
    codes = list(range(5))
    assert fresh.decision(codes).visits.tolist() == again.decision(codes).visits.tolist()
    assert fresh.decision(codes).values == pytest.approx(again.decision(codes).values)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "others"), [("tiger", None), ("po-nim(n=2)", "uniform"), ("king-ace", "uniform")])
def test_what_is_earned_is_what_is_certified(game, others):
    """Within the statistical interval, widened to four standard errors, around the value of a best reply."""
    exact = fb.solve(game, "belief-search", against=others, gap=0.01).value
    found = fb.solve(game, "pomcp(simulations=300, games=20)", against=others, seed=1)
    low, high = found.details["interval"]
    assert low - (high - low) / 2 <= exact <= high + (high - low) / 2
    assert (found.lower, found.upper) == (-np.inf, np.inf)


@pytest.mark.slow
def test_leaves_of_the_form_earn_more_than_rollouts():
    game = fb.game("rock-sample(size=7, rocks=8)")
    earned = {}
    for leaf in ("informed", "rollout"):
        planner = POMCP(500, value=leaf).policy(game, 0)
        assert planner.simulator.leaf == leaf
        games = planner.episodes()
        earned[leaf] = np.mean([games.play(str(number)).gained for number in range(12)])
    assert earned["informed"] > earned["rollout"] + 2


@pytest.mark.slow
def test_same_seed_same_games(tmp_path):
    solver = "pomcp(simulations=50, games=6)"
    whole, again = (fb.solve("tag", solver, seed=2) for _ in range(2))
    assert whole.value == again.value
    fb.solve("tag", solver, seed=2, iterations=3, checkpoint=tmp_path / "run.npz")
    resumed = fb.solve("tag", solver, seed=2, resume=tmp_path / "run.npz")
    assert resumed.value == whole.value
    assert resumed.details["games"] == 6


@pytest.mark.slow
def test_says_when_solving_is_better():
    found = fb.solve("tiger", "pomcp(simulations=20, games=2)")
    assert "some seconds of sarsop" in found.details["instead"]
    large = fb.solve("rock-sample(size=11, rocks=11)", "pomcp(simulations=20, games=2)")
    assert "instead" not in large.details
    assert large.details["leaf"] == "informed"


def test_others_who_cannot_be_enumerated_are_sampled(monkeypatch):
    def too_large(*_):
        raise LimitError("too large")

    monkeypatch.setattr(simulator, "derive", too_large)
    solver = fb.solver("pomcp(simulations=100, games=3)")
    game = fb.game("po-nim(n=2)")
    level = fb.policy("level-k(level=1)", game, 1)
    assert isinstance(solver.policy(game, 0, 0, {1: level}).simulator, RulesSimulator)
    for others in (level, None):
        found = fb.solve(game, solver, against=others)
        assert "plain Python" in found.details["search"]
        assert found.details["leaf"] == "rollout"
        assert np.isfinite(found.value)
    with pytest.raises(LimitError, match="too large"):
        fb.solve(game, "pomcp(value=informed)", against=level)


def test_refusals():
    with pytest.raises(SpecError, match="simulations is 0"):
        fb.solver("pomcp(simulations=0)")
    with pytest.raises(SpecError, match="value=guess: unknown policy 'guess'"):
        fb.solve("tiger", "pomcp(value=guess)")
    with pytest.raises(SpecError, match="games is 0"):
        fb.solver("pomcp(games=0)")
    with pytest.raises(FormError, match="nothing is discounted"):
        fb.solve("tiger(discount=1)", "pomcp(value=informed)")


def test_command_line(capsys):
    spec = "pomcp(simulations=50, games=4)"
    assert main(["solve", "po-nim(n=2)", "--with", spec, "--against", "level-k(level=1)", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["details"]["games"] == 4
    assert told["form"] == "modelled"
    assert main(["solve", "po-nim(n=2)", "--with", spec, "--json"]) == 0  # the others move at random
    assert main(["match", "po-nim(n=2)", "pomcp(simulations=50)", "uniform", "--games", "4"]) == 0
    capsys.readouterr()
    assert main(["solve", "tiger", "--with", "pomcp(value=guess)"]) == 2
    assert "pomcp: value=guess: unknown policy 'guess'" in capsys.readouterr().err


def test_a_deadline_is_kept_within_a_game(tmp_path):
    """A first game that has not begun is no sample: the player is not evaluated, and the run can go on."""
    solver, path = "pomcp(simulations=50, games=3)", tmp_path / "run.npz"
    found = fb.solve("rock-sample", solver, seconds=1e-6, checkpoint=path)
    assert (found.stopped, math.isnan(found.value)) == ("seconds", True)
    assert "its first game was truncated after" in found.details["shown"]
    whole = fb.solve("rock-sample", solver)
    assert fb.solve("rock-sample", solver, resume=path).value == whole.value
