"""Markov perfect equilibria of general sums: certified regret, said failures, agreement where there is another way."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound import evaluation, forms
from fogbound.core.errors import FormError, LimitError, SpecError
from fogbound.solvers.markov.backward import Stage
from fogbound.solvers.markov.nash import LogitGame
from tests.solvers.markov.made import random_game


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(20))
def test_equilibria_of_random_games_are_certified_in_every_state(seed):
    rng = np.random.default_rng(seed)
    form = random_game(seed, *(int(rng.integers(a, b)) for a, b in ((2, 4), (2, 5), (2, 4))))
    solution = fb.solve(form, "markov-nash")
    assert solution.certified == "both"
    assert solution.certificate.regret <= 1e-8
    assert evaluation.markov_values(form, solution).regret <= 1e-8


def test_values_of_choices_are_differentiated_rightly():
    """The compiled slopes against finite differences, and the values against evaluation."""
    from fogbound.solvers.markov.kernels import values_of_choices

    form = random_game(3, players=3, states=2, actions=2)
    game = LogitGame(form)
    point = game.begin()
    choices, size = int(game.offset[-1]), len(point) - 1
    rng = np.random.default_rng(0)
    x, value = rng.random(choices), rng.normal(size=size - choices)
    q, slope, near, other = np.empty(choices), np.empty((choices, size)), np.empty(choices), np.empty((choices, size))
    values_of_choices(*game.model, x, value, q, slope)
    for k in range(size):
        step = np.zeros(size)
        step[k] = 1e-6
        values_of_choices(*game.model, x + step[:choices], value + step[choices:], near, other)
        assert np.allclose((near - q) / 1e-6, slope[:, k], atol=1e-5)
    values_of_choices(*game.model, np.exp(point[:choices]), point[choices:size], q, slope)
    means = [part.reshape(2, 2).mean(axis=1) for part in np.split(q, 3)]
    assert np.allclose(np.concatenate(means), point[choices:size])  # uniform play earns the mean of its choices


def test_the_logit_path_begins_uniform_and_is_kept_for_a_picture():
    solution = fb.solve("random-markov(seed=3)", "markov-nash")
    path = solution.details["path"]
    assert path[0][0] == 0
    assert path[0][1:] == pytest.approx([1 / 3] * 24, abs=1e-6)
    assert path[-1][0] is None  # the equilibrium itself, at the end of all rationality
    assert solution.details["attempts"] == 1


def test_a_path_that_is_lost_is_followed_again_and_failing_is_said(monkeypatch):
    from fogbound.solvers.markov import nash

    monkeypatch.setattr(nash, "FARTHEST", 0.5)
    solution = fb.solve("random-markov(seed=3)", "markov-nash(retries=2)", gap=1e-9)
    assert solution.stopped == "stalled"
    assert solution.details["attempts"] == 3
    assert "no equilibrium was found" in solution.details["failed"]
    assert solution.gap == solution.certificate.regret > 1e-3
    with pytest.raises(SpecError, match="retries is 9"):
        fb.solver("markov-nash(retries=9)")


def test_repeated_dilemmas():
    assert fb.solve("repeated(matrix=prisoners-dilemma)", "markov-nash").value == pytest.approx(10)
    assert fb.solve("repeated(matrix=matching-pennies)", "markov-nash").value == pytest.approx(0)
    forgiving = fb.solve("repeated(matrix=prisoners-dilemma, memory=true)", "markov-nash")
    assert forgiving.certificate.regret <= 1e-8


def test_the_nonlinear_program_says_when_its_minimum_is_no_equilibrium():
    outcomes = []
    for seed in range(8):
        solution = fb.solve(random_game(seed, states=3, actions=2), "stochastic-nlp", gap=1e-9)
        failed = "failed" in solution.details
        assert failed == (solution.details["minimum"] is None or solution.details["minimum"] > 1e-5)
        assert failed == (solution.stopped == "stalled")
        assert failed or solution.certificate.regret <= 1e-4
        outcomes.append(failed)
    assert any(outcomes)
    assert not all(outcomes)


def test_more_starts_of_the_nonlinear_program_help():
    failing = next(
        seed
        for seed in range(20)
        if fb.solve(random_game(seed, states=2, actions=2), "stochastic-nlp").stopped == "stalled"
    )
    form = random_game(failing, states=2, actions=2)
    assert fb.solve(form, "stochastic-nlp(starts=25)", gap=1e-9).certificate.regret <= 1e-4
    with pytest.raises(SpecError, match="starts is 0"):
        fb.solver("stochastic-nlp(starts=0)")


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_backward_induction_finds_equilibria_of_finite_horizons(seed, seats):
    game = fb.game(f"horizon(game=random-markov(seed={seed}, seats={seats}, size=3, ragged=true), steps=3)")
    solution = fb.solve(game, "markov-backward-induction")
    assert solution.certificate.regret <= 1e-9
    if seed == 0:
        assert evaluation.exploitability(game, solution).nash_conv <= 1e-8  # on the tree, where policies may remember


@pytest.mark.parametrize("seed", range(6))
def test_stage_games_of_any_size(seed):
    rng = np.random.default_rng(seed)
    for width in ((3, 3), (1, 4, 3), (2, 3, 2), (4,), (1, 1, 1)):
        payoff = rng.normal(size=(int(np.prod(width)), len(width)))
        mixed = Stage(width, payoff).equilibrium()
        shaped = payoff.reshape(*width, len(width))
        for i in range(len(width)):
            against = np.moveaxis(shaped[..., i], i, 0)
            for j in reversed([k for k in range(len(width)) if k != i]):
                against = against @ mixed[j]
            assert against.max() <= against @ mixed[i] + 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_correlated_equilibria_are_obeyed_and_earn_no_less(seed):
    game = fb.game(f"horizon(game=random-markov(seed={seed}, size=2), steps=2)")
    solution = fb.solve(game, "markov-correlated")
    assert solution.certificate.kind.name == "markov-correlated"
    assert solution.certificate.regret <= 1e-6
    assert fb.verify(solution)
    once = fb.game(f"horizon(game=random-markov(seed={seed}, size=2), steps=1)")  # over more steps the sum is greedy
    told, apart = (fb.solve(once, solver) for solver in ("markov-correlated", "markov-backward-induction"))
    assert sum(told.details["values"]) >= sum(apart.details["values"]) - 1e-6


def test_chicken_is_played_better_with_a_mediator():
    game = fb.game("horizon(game=repeated(matrix=chicken), steps=1)")
    solution = fb.solve(game, "markov-correlated")
    assert sum(solution.details["values"]) == pytest.approx(0.0, abs=1e-7)
    with pytest.raises(FormError, match="recommendations change no player"):
        fb.solve("horizon(game=repeated(matrix=uneven), steps=1)", "markov-correlated")
    with pytest.raises(FormError, match="can come again"):
        fb.solve("repeated(matrix=chicken)", "markov-correlated")


def test_fictitious_play_is_a_baseline_that_comes_close_in_zero_sum_games():
    solution = fb.solve("repeated(matrix=matching-pennies)", "markov-fictitious-play", iterations=2000)
    assert solution.gap < 0.6
    assert solution.lower <= 0 <= solution.upper
    assert "baseline" in solution.details["note"]


def test_one_player_is_a_decision_process():
    for seed in range(3):
        form = forms.markov(fb.game(f"random-markov(seed={seed}, seats=1, size=6)"))
        sweeps, rounds = (fb.solve(form, solver, gap=1e-9) for solver in ("value-iteration", "policy-iteration"))
        pomdp = fb.solve(f"random-markov(seed={seed}, seats=1, size=6)", "sarsop", gap=1e-6)
        assert sweeps.value == pytest.approx(rounds.value, abs=1e-8)
        assert pomdp.lower - 1e-6 <= rounds.value <= pomdp.upper + 1e-6
        assert sweeps.certified == rounds.certified == "both"
        assert sweeps.answer == "reply"
    with pytest.raises(FormError, match="has 2 players, expected 1; use markov-nash"):
        fb.solve("random-markov", "policy-iteration")


@pytest.mark.slow
def test_what_is_chosen_without_a_word():
    from fogbound.api import choose_solver

    def chosen(spec):
        return choose_solver(fb.game(spec), against=False)[0]

    assert chosen("soccer") == "shapley"
    assert chosen("random-markov(zero_sum=true, discount=0.99)") == "hoffman-karp"
    assert chosen("random-markov") == "markov-nash"
    assert chosen("random-markov(seats=1)") == "policy-iteration"
    assert chosen("tic-tac-toe") == "alpha-beta"
    assert chosen("rock-paper-scissors") == "sequence-lp"
    assert choose_solver(random_game(1), against=False)[0] == "markov-nash"
    with pytest.raises(FormError, match="average reward"):
        choose_solver(fb.game("random-markov(discount=1)"), against=False)


@pytest.mark.slow
def test_what_is_too_large_is_refused_before_anything_is_allocated():
    from fogbound.api import choose_solver

    with pytest.raises(LimitError, match="has 9,122 unknowns, over the 3,000 that it takes; use hoffman-karp"):
        fb.solve("soccer", "markov-nash")
    with pytest.raises(LimitError, match="over the 1,000"):
        fb.solve("soccer", "stochastic-nlp")
    assert choose_solver(fb.game("random-markov(size=400)"), against=False)[0] == "markov-fictitious-play"


def test_a_path_that_bends_far_out_is_followed():
    """Its numbers are 1e5 and more there, so that corrections cannot be as small as near the start."""
    solution = fb.solve(random_game(1130, players=3, states=6, actions=3), "markov-nash(retries=0)")
    assert solution.details["rationality"] > 5e4
    assert solution.certificate.regret <= 1e-8
