"""POMDP solvers by vectors: against each other, against dynamic programming over beliefs, against play."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogbound import evaluation, forms
from fogbound.core import FormError, SpecError
from fogbound.driver.protocol import Context, Until
from fogbound.evaluation.simulate import simulate
from fogbound.forms.mixed_observability import mixed_observability
from fogbound.forms.pomdp import ModelGame
from fogbound.games import make
from fogbound.policies import Mixture, Uniform
from fogbound.policies.mixture import fixed_others
from fogbound.solvers.markov.kernels import matrix_strategies
from fogbound.solvers.pomdp.belief_dp import BeliefDP
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP, qmdp_bound
from fogbound.solvers.pomdp.vectors.incremental_pruning import IncrementalPruning
from fogbound.solvers.pomdp.vectors.pbvi import BeliefPoints, PointBased
from fogbound.solvers.pomdp.vectors.pruning import _by_highs, _measured, lead, prune, rise
from fogbound.solvers.pomdp.vectors.qmdp import FIB, QMDP, RunningEstimate
from fogbound.solvers.pomdp.vectors.vector_sets import BlockDynamics, blind_policy_sets
from fogbound.testing import check_solver, random_games
from fogbound.transforms.horizon import Horizon
from tests import shared
from tests.run import solve

TIGER = 19.37137
MODELS = shared.MODELS / "pomdp"
POINT_BASED = [PointBased(backup=b, expansion=e, points=30) for b in ("all", "perseus") for e in ("random", "far")]


def never() -> bool:
    return False


def random_model(seed: int, discount: float, states: int = 3, actions: int = 2, observations: int = 2):
    """A POMDP as a file might hold it: dense, with nothing that ends."""
    rng = np.random.default_rng(seed)
    s, a, t, o = np.indices((states, actions, states, observations)).reshape(4, -1)
    moves = rng.dirichlet(np.ones(states), (states, actions))
    seen = rng.dirichlet(np.ones(observations), (actions, states))
    prob = moves[s, a, t] * seen[a, t, o]
    names = [[f"{kind}{k}" for k in range(n)] for kind, n in (("s", states), ("a", actions), ("o", observations))]
    start, reward = rng.dirichlet(np.ones(states)), rng.normal(size=(states, actions)).round(2)
    return forms.pomdp_from_arrays(f"random-{seed}", discount, *names, start, (s, a, t, o, prob), reward)


def uniform_others(game):
    return {player: Uniform() for player in range(1, len(game.players))}


def upper_bounds(form):
    mdp = UnderlyingMDP(mixed_observability(form))
    loose = qmdp_bound(mdp)
    return mdp.bound_at_start(loose), mdp.bound_at_start(mdp.fast_informed_bound(loose, never)[0])


# --- pruning ---------------------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 6), st.booleans())
def test_the_small_simplex_solves_matrix_games_as_highs_does(seed, rows, columns, rounded):
    pay = np.random.default_rng(seed).normal(size=(rows, columns))
    pay = pay.round() if rounded else pay
    belief, shares = matrix_strategies(pay.T)
    ours, theirs = (_measured(np.zeros(columns), -pay, *found) for found in ((shares, belief), _by_highs(pay)))
    assert ours.gain <= ours.most + 1e-12
    assert ours.most - ours.gain <= 1e-9
    assert ours.gain == pytest.approx(theirs.gain, abs=1e-8)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 5), st.sampled_from([0.0, 0.1]))
def test_pruning_keeps_the_maximum_and_nothing_else(seed, count, size, margin):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(count, size)).round(1)
    kept = prune(vectors, rng.dirichlet(np.ones(size), 3), margin, never)
    assert kept.loss <= 2 * margin + 1e-7
    beliefs = rng.dirichlet(np.full(size, 0.5), 2_000)
    whole, left = (beliefs @ vectors.T).max(axis=1), (beliefs @ vectors[kept.keep].T).max(axis=1)
    assert (left >= whole - kept.loss - 1e-12).all()
    for place, point in zip(kept.keep, kept.points):
        assert vectors[place] @ point >= (vectors @ point).max() - margin - 1e-9
    if margin == 0 and len(kept.keep) > 1:
        for k in range(len(kept.keep)):
            without = np.delete(vectors[kept.keep], k, axis=0)
            assert lead(vectors[kept.keep[k]], without, never).gain > -1e-9


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 8), st.integers(1, 4))
def test_rise_is_the_largest_difference_of_two_maxima(seed, many, few, size):
    rng = np.random.default_rng(seed)
    new, old = rng.normal(size=(many, size)), rng.normal(size=(few, size))
    beliefs = np.concatenate([np.eye(size), rng.dirichlet(np.full(size, 0.7), 20_000)])
    sampled = ((beliefs @ new.T).max(axis=1) - (beliefs @ old.T).max(axis=1)).max()
    assert sampled - 1e-12 <= rise(new, old, never) <= sampled + 0.2


# --- known values ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_tiger():
    form = forms.pomdp(make("tiger"))
    exact = check_solver(IncrementalPruning(), form, Until(gap=1e-3))
    assert exact.lower <= TIGER + 5e-6
    assert exact.upper >= TIGER - 5e-6
    assert exact.upper - exact.lower <= 1e-3
    beliefs = solve(BeliefDP(), forms.belief_mdp(form), Until(gap=1e-6))
    assert exact.lower <= beliefs.upper
    assert exact.upper >= beliefs.lower
    for solver in POINT_BASED:
        found = check_solver(solver, form)
        assert TIGER - 1e-4 <= found.lower <= TIGER + 5e-6
        assert found.upper >= TIGER
        assert found.stopped == "finished"
    loose, tight = upper_bounds(form)
    assert loose >= tight >= TIGER
    assert loose == pytest.approx(-1 + 0.95 * 200)  # listen once, then find the prize for ever


@pytest.mark.slow
def test_tiger_policies_earn_what_they_say():
    game = make("tiger")
    form = forms.pomdp(game)
    for solver in (IncrementalPruning(), PointBased(points=40)):
        found = solve(solver, form, Until(gap=1e-3))
        assert evaluation.value(game, found.profile)[0] >= found.lower - 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(("name", "gap"), [("1d", 1e-3), ("1d.noisy", 1e-3), ("tiger.aaai", 1e-3), ("4x3.95", 0.2)])
def test_models_that_others_solved(name, gap):
    path = MODELS / f"{name}.pomdp"
    if not path.exists():
        pytest.skip(f"{path} is absent: the models of other people are not part of this checkout")
    from fogbound.files.cassandra.reader import read_pomdp

    form = read_pomdp(path)
    known = next(m for m in json.loads((MODELS / "reference.json").read_text())["models"] if m["file"] == path.name)
    found = solve(IncrementalPruning(), form, Until(gap=gap))
    assert found.gap <= gap
    assert found.lower <= known["upper"] + 1e-5
    assert found.upper >= known["lower"] - 1e-5
    below = solve(PointBased(points=100), form, Until(iterations=40))
    assert below.lower <= found.upper
    assert below.upper >= found.lower


# --- agreement -------------------------------------------------------------------------------------------------


def assert_agreement(game, form):
    """Every solver's bounds around the value that dynamic programming over beliefs finds; policies worth as much."""
    value = solve(BeliefDP(), forms.belief_mdp(form), Until(gap=1e-9), certified=False).value
    exact = solve(IncrementalPruning(), form, Until(gap=1e-7), certified=False)
    assert exact.lower == pytest.approx(value, abs=1e-6)
    assert exact.upper == pytest.approx(value, abs=1e-6)
    assert evaluation.value(game, exact.profile)[form.player] >= exact.lower - 1e-7
    for solver in (PointBased(points=30), PointBased(points=10, backup="all", expansion="random")):
        found = solve(solver, form, certified=False)
        assert found.lower <= value + 1e-7
        assert found.upper >= value - 1e-7
        assert evaluation.value(game, found.profile)[form.player] >= found.lower - 1e-7
    loose, tight = upper_bounds(form)
    assert loose >= tight - 1e-9
    assert tight >= value - 1e-9
    for solver, bound in ((QMDP(games=20), loose), (FIB(games=20), tight)):
        found = solve(solver, form, certified=False)
        assert found.upper == pytest.approx(bound, abs=1e-7)
        assert evaluation.value(game, found.profile)[form.player] <= value + 1e-7
        assert found.details["games"] == 20


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(random_games(most_nodes=800))
def test_random_games_that_end(game):
    assert_agreement(game, forms.pomdp(game, 0, uniform_others(game)))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(12))
def test_random_models_with_a_horizon(seed):
    game = Horizon(ModelGame(random_model(seed, [1.0, 0.9][seed % 2])), 3)
    assert_agreement(game, forms.pomdp(game))


@pytest.mark.slow
@settings(max_examples=20, deadline=None, derandomize=True)
@given(random_games(loops=True), st.integers(0, 2**32 - 1))
def test_random_games_that_may_go_on(game, seed):
    form = forms.pomdp(game, 0, uniform_others(game))
    exact = solve(IncrementalPruning(most=1_000), form, Until(gap=1e-2, iterations=30), certified=False)
    found = solve(PointBased(points=30), form, Until(iterations=30), certified=False)
    loose, tight = upper_bounds(form)
    assert max(exact.lower, found.lower) <= min(exact.upper, found.upper, tight) + 1e-7
    assert loose >= tight - 1e-9
    for answer in (exact, found):
        played = simulate(form, answer.profile[0], 300, np.random.default_rng(seed), level=1 - 1e-7)
        assert played.interval[1] >= answer.lower - 1e-7


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 12))])
def test_random_models_without_end(seed):
    form = random_model(seed, [0.5, 0.8, 0.9][seed % 3])
    exact = solve(IncrementalPruning(), form, Until(gap=1e-3), certified=False)
    assert exact.gap <= 1e-3
    plain = solve(IncrementalPruning(slack=0.0), form, Until(iterations=5), certified=False)
    found = solve(PointBased(points=40), form, Until(iterations=60), certified=False)
    loose, tight = upper_bounds(form)
    assert max(exact.lower, plain.lower, found.lower) <= min(exact.upper, plain.upper, tight) + 1e-9  # floats
    assert found.lower >= exact.lower - 0.05
    assert loose >= tight
    for answer in (exact, found):
        played = simulate(form, answer.profile[0], 200, np.random.default_rng(seed), level=1 - 1e-7)
        assert played.interval[1] >= answer.lower


# --- bounds on the way -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", [IncrementalPruning(), *POINT_BASED], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_at_every_step_and_only_tighten(solver, seed):
    form = random_model(seed, 0.9)
    best = solve(IncrementalPruning(), form, Until(gap=1e-6), certified=False)
    trace = solve(solver, form, Until(iterations=60), certified=False).trace
    assert all(moment.lower <= best.upper + 1e-9 for moment in trace)
    assert all(moment.upper >= best.lower - 1e-9 for moment in trace)
    assert all(b.lower >= a.lower - 1e-12 for a, b in pairwise(trace))
    assert all(b.upper <= a.upper + 1e-12 for a, b in pairwise(trace))
    if isinstance(solver, IncrementalPruning):
        assert all(b.gap <= 0.75 * a.gap for a, b in zip(trace[5:40], trace[10:]))  # 0.9 ** 5 is 0.59


def test_first_vectors_only_improve():
    """One step of thinking ahead of what blind policies earn is nowhere worse: the lower bound may start there."""
    form = random_model(3, 0.9)
    cut = mixed_observability(form)
    (sets, _), steps = blind_policy_sets(UnderlyingMDP(cut)), BlockDynamics(cut)
    for block in range(cut.size):
        for vector, choice in zip(sets.vectors[block], sets.choices[block]):
            followed = steps.reward(int(choice)).copy()
            for outcome in steps.outcomes(int(choice)):
                moved = steps.moves(int(choice), outcome) @ sets.vectors[steps.target(outcome)].T
                followed += moved.max(axis=1)  # at corners, where each state may follow its own best vector
            assert (followed >= vector - 1e-9).all()


# --- contracts -------------------------------------------------------------------------------------------------

SOLVERS = [
    IncrementalPruning(),
    PointBased(points=40),
    PointBased(points=40, backup="all", expansion="random"),
    QMDP(games=60),
    FIB(games=60),
]


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)
def test_contract_and_resumption(solver, tmp_path):
    form = forms.pomdp(make("tiger"))
    check_solver(solver, form, Until(gap=1e-2))
    whole = solve(solver, form, Until(gap=1e-4), seed=5)
    path = tmp_path / "half.npz"
    half = 30 if "games" in whole.details else 7
    assert solve(solver, form, Until(iterations=half), seed=5, checkpoint=path).iterations < whole.iterations
    again = solve(solver, form, Until(gap=1e-4), seed=5, resume=path, checkpoint=path)
    assert (again.value, again.lower, again.upper) == (whole.value, whole.lower, whole.upper)
    assert again.iterations == whole.iterations
    assert again.details == whole.details
    once_more = solve(solver, form, Until(gap=1e-4), seed=5, resume=path)
    assert once_more.upper - once_more.lower <= whole.upper - whole.lower


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)
def test_stopped_at_once_there_is_an_answer(solver):
    form = forms.pomdp(make("tiger"))
    context = Context(np.random.default_rng(0), stopping=lambda: True)
    first = next(iter(solver.run(form, context)))
    assert first.lower <= TIGER
    assert first.upper >= TIGER
    played = simulate(form, first.profile()[0], 200, np.random.default_rng(0), level=1 - 1e-7)
    assert played.interval[1] >= first.lower


def test_play_that_is_over_at_once():
    game = Horizon(make("tiger"), 0)
    form = forms.pomdp(game)
    for solver in SOLVERS:
        found = check_solver(solver, form)
        assert found.value == found.upper == 0


def test_the_others_come_back_in_the_profile():
    game = make("king-ace")
    mixed = Mixture((Uniform(), Uniform()), (0.25, 0.75))
    form = forms.pomdp(game, 0, {1: mixed})
    found = solve(IncrementalPruning(), form)
    assert set(found.profile) == {0, 1}
    assert [*fixed_others(form)[1].kinds()] == [*mixed.kinds()]
    assert evaluation.value(game, found.profile)[0] == pytest.approx(found.lower, abs=1e-7)
    assert fixed_others(random_model(0, 0.5)) == {}


def test_at_its_limit_the_best_answer_so_far_is_left(tmp_path):
    form = random_model(1, 0.95, states=4, actions=3, observations=4)
    path = tmp_path / "limit.npz"
    found = solve(IncrementalPruning(most=50, slack=0.0), form, checkpoint=path)
    assert re.match(r"one more step needs a set of [\d,]+ vectors, more than most=50: .*pbvi", found.details["limit"])
    assert found.stopped == "finished"
    assert found.certified == "both"
    assert found.iterations > 1
    best = solve(PointBased(points=60), form, Until(iterations=40), certified=False)
    assert found.lower <= best.upper
    assert found.upper >= best.lower
    again = solve(IncrementalPruning(most=50, slack=0.0), form, resume=path)
    assert (again.lower, again.upper, again.details["limit"]) == (found.lower, found.upper, found.details["limit"])
    assert "limit" not in solve(IncrementalPruning(), form, Until(iterations=2)).details


def test_play_that_never_ends_needs_a_discount():
    form = random_model(0, 1.0)
    for solver in SOLVERS:
        with pytest.raises(FormError, match=f"{solver.name}: in random-0 play can go on for ever"):
            solve(solver, form)


@pytest.mark.parametrize(
    "build",
    [
        lambda: IncrementalPruning(most=0),
        lambda: IncrementalPruning(slack=1.0),
        lambda: PointBased(points=0),
        lambda: PointBased(backup="some"),  # type: ignore[arg-type]
        lambda: PointBased(expansion="near"),  # type: ignore[arg-type]
        lambda: QMDP(games=1),
        lambda: FIB(games=0),
    ],
)
def test_parameters_that_mean_nothing(build):
    with pytest.raises(SpecError, match="expected"):
        build()


def test_points_can_be_met_and_are_kept_once():
    form = forms.pomdp(make("tiger"))
    steps = BlockDynamics(mixed_observability(form))
    for grow in (BeliefPoints.sample, BeliefPoints.expand):
        points, rng = BeliefPoints.start(steps), np.random.default_rng(0)
        for _ in range(4):
            grow(points, 12, rng)
        assert 5 <= points.count <= 12
        odds = [np.log(belief[0] / belief[1]) / np.log(0.85 / 0.15) for belief in points.beliefs[1]]
        assert np.abs(np.array(odds) - np.round(odds)).max() < 1e-6  # so many more growls from one side
        assert len({round(odd) for odd in odds}) == len(odds)
        arrays: dict = {}
        points.store(arrays)
        assert np.array_equal(BeliefPoints.stored(arrays, steps).matrix(1), points.matrix(1))


def test_rounds_of_games_add_up():
    form, policy = random_model(2, 0.9), Uniform()
    rounds = [simulate(form, policy, n, np.random.default_rng(n)) for n in (2, 30, 50)]
    tally = RunningEstimate()
    for estimate in rounds:
        tally = tally.plus(estimate)
    paid = [(e.games, e.mean, e.error) for e in rounds]
    mean = sum(n * m for n, m, _ in paid) / 82
    squares = sum(e**2 * n * (n - 1) + n * (m - mean) ** 2 for n, m, e in paid)
    assert tally.games == 82
    assert tally.mean == pytest.approx(mean)
    assert tally.squares == pytest.approx(squares)
    assert RunningEstimate.of(tally.array()) == tally
    assert tally.interval()[0] < mean < tally.interval()[1]
