"""Two players, zero sum: both iterations against each other, against linear programs and known values."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import fogbound as fb
from fogbound import forms
from fogbound.core.errors import FormError
from fogbound.driver.protocol import Context
from fogbound.solvers.linear_programs.sequence_lp import solve_matrix
from fogbound.solvers.markov import zero_sum
from fogbound.solvers.markov.kernels import stage_matrix_game
from fogbound.solvers.markov.zero_sum import ShapleyOperator
from tests.solvers.markov.made import markov_form, random_game, ring_game

SOCCER = 0.2184844404
BOTH = ["shapley", "hoffman-karp"]


def solved_by_kernel(payoff):
    m, n = payoff.shape
    x, y, table, labels = np.empty(m), np.empty(n), np.empty((m + 1, n + 1)), np.empty((2, m + n), np.int64)
    table[:m, :n] = payoff
    return stage_matrix_game(m, n, payoff.min(), np.ptp(payoff), table, labels, x, y), x, y


@pytest.mark.parametrize("seed", range(200))
def test_small_matrices_are_solved_as_linear_programs_solve_them(seed):
    rng = np.random.default_rng(seed)
    shape = rng.integers(1, 9, 2)
    payoff = rng.normal(size=shape) if seed % 2 else rng.integers(-2, 3, shape).astype(float)
    value, x, y = solved_by_kernel(payoff)
    assert min(x.min(), y.min()) >= 0
    assert x.sum() == pytest.approx(1)
    assert y.sum() == pytest.approx(1)
    assert (x @ payoff).min() == pytest.approx(value, abs=1e-12)
    assert (payoff @ y).max() == pytest.approx(value, abs=1e-12)
    if seed % 20 == 0:
        mine, _ = solve_matrix(payoff, Context(rng))
        assert (mine @ payoff).min() == pytest.approx(value, abs=1e-6)


def test_matrices_of_one_number_or_of_wild_scales():
    assert solved_by_kernel(np.full((3, 4), 7.0))[0] == 7.0
    payoff = np.array([[1e-9, -1e-9], [-1e-9, 1e-9]])
    assert solved_by_kernel(payoff)[0] == pytest.approx(0, abs=1e-22)
    value, x, _ = solved_by_kernel(np.array([[1e12, 0.0], [0.0, 1.0]]))
    assert value == pytest.approx(1.0, abs=1e-3)
    assert x[1] == pytest.approx(1.0)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("solver", BOTH)
@pytest.mark.parametrize("goal", ["ends", "resets"])
def test_soccer_is_worth_what_it_was_by_either_goal_rule(solver, goal):
    solution = fb.solve(f"soccer(goal={goal})", solver, gap=1e-9)
    assert solution.value == pytest.approx(SOCCER, abs=1e-9)
    assert solution.gap <= 1e-9
    assert solution.certified == "both"
    assert solution.lower <= 0.218484440618  # an exact certificate has both, found elsewhere
    assert solution.upper >= 0.218484440226


@pytest.mark.slow
def test_soccer_by_who_has_the_ball():
    assert fb.solve("soccer(ball=b)", "shapley", gap=1e-8).value == pytest.approx(-SOCCER, abs=1e-8)
    assert fb.solve("soccer(ball=coin)", "shapley", gap=1e-8).value == pytest.approx(0, abs=1e-8)
    assert fb.solve("soccer", "shapley", gap=1e-8, player="B").value == pytest.approx(-SOCCER, abs=1e-8)


@pytest.mark.parametrize("solver", BOTH)
def test_one_state_is_its_matrix_for_ever(solver):
    assert fb.solve("repeated(matrix=uneven)", solver, gap=1e-9).value == pytest.approx(7.5, abs=1e-9)
    for seed in range(5):
        payoff = np.random.default_rng(seed).normal(size=(1, 4, 3))
        form = markov_form(np.ones((1, 4, 3, 1)), payoff, 0.8)
        value = solved_by_kernel(payoff[0])[0]
        assert fb.solve(form, solver, gap=1e-9).value == pytest.approx(value / 0.2, abs=1e-8)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(6))
def test_a_finite_horizon_is_worth_what_its_tree_is(seed):
    game = fb.game(f"horizon(game=random-markov(seed={seed}, zero_sum=true, ragged=true, size=3, ends=0.1), steps=3)")
    tree = fb.solve(game, "sequence-lp").value
    for solver in (*BOTH, "markov-backward-induction", "markov-nash"):
        assert fb.solve(game, solver, gap=1e-9).value == pytest.approx(tree, abs=1e-6), solver


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(8))
def test_both_iterations_agree_and_bounds_hold_at_every_step(seed):
    form = ring_game(seed) if seed % 2 else random_game(seed, zero_sum=True, actions=4)
    answer = fb.solve(form, "hoffman-karp", gap=1e-10)
    slow = fb.solve(form, "shapley", gap=1e-4)
    for entry in (*answer.trace, *slow.trace):
        assert entry.lower <= answer.upper + 1e-9
        assert entry.upper >= answer.lower - 1e-9
    assert all(b.gap <= a.gap * (1 + 1e-9) for a, b in pairwise(slow.trace))
    assert slow.value == pytest.approx(answer.value, abs=1e-4)


def test_games_that_surely_end_need_no_discount():
    form = forms.markov(fb.game("random-markov(seed=3, zero_sum=true, ends=0.2, discount=1)"))
    one, two = (fb.solve(form, solver, gap=1e-9) for solver in BOTH)
    assert one.value == pytest.approx(two.value, abs=1e-8)
    assert one.certified == two.certified == "both"


def test_policy_iteration_alone_converges_where_newton_is_never_taken(monkeypatch):
    monkeypatch.setattr(zero_sum, "_damped", lambda *_: None)
    form = ring_game(1, states=12, discount=0.9)
    solution = fb.solve(form, "hoffman-karp", gap=1e-9)
    assert solution.details["newton"] == 0
    assert solution.details["policy_iteration"] > 0
    assert solution.value == pytest.approx(fb.solve(form, "shapley", gap=1e-9).value, abs=1e-8)


def test_the_bounds_of_a_sweep_are_the_formula():
    form = random_game(1, zero_sum=True, discount=0.9)
    operator, value = ShapleyOperator(form), np.random.default_rng(0).normal(size=4)
    after = operator(value)
    low, high = operator.bounds(value, after)
    moved = after - value
    assert np.allclose(low, after + 9 * moved.min())
    assert np.allclose(high, after + 9 * moved.max())


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("random-markov", "is not zero-sum"),
        ("random-markov(seats=3)", "has 3 players, expected 2; use markov-nash"),
        ("random-markov(seats=1)", "use value-iteration or policy-iteration"),
        ("random-markov(zero_sum=true, discount=1)", "average reward, which no solver here computes"),
        ("king-ace", "cannot tell state"),
    ],
)
@pytest.mark.parametrize("solver", BOTH)
def test_what_they_cannot_do_they_refuse(solver, game, said):
    with pytest.raises(FormError, match=said):
        fb.solve(game, solver)


def test_a_stopped_run_goes_on_to_the_same(tmp_path):
    game = "random-markov(zero_sum=true, discount=0.99)"
    whole = fb.solve(game, "shapley", iterations=40)
    fb.solve(game, "shapley", iterations=15, checkpoint=tmp_path / "run.npz")
    resumed = fb.solve(game, "shapley", iterations=40, resume=tmp_path / "run.npz")
    assert (resumed.lower, resumed.upper, resumed.iterations) == (whole.lower, whole.upper, 40)
