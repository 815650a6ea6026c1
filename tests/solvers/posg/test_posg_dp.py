"""Dynamic programming over plans: the same values as the linear program, and the slides' dominance test shown wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fogbound as fb
from fogbound import forms
from fogbound.core.errors import FormError, LimitError
from fogbound.solvers.posg.posg_dp import dynamic_programming, undominated_plans, witness
from fogbound.transforms.horizon import Horizon
from tests.forms.test_memories import Signals
from tests.forms.test_table_from_arrays import table_of


@pytest.mark.parametrize("steps", [1, 2])
def test_a_zero_sum_game_is_worth_what_the_linear_program_says(steps):
    game = Horizon(Signals(), steps)
    by_plans, by_program = fb.solve(game, "posg-dp", gap=1e-9), fb.solve(game, "sequence-lp", gap=1e-9)
    assert math.isclose(by_plans.value, by_program.value, abs_tol=1e-9)
    assert by_plans.certified == "both"


@pytest.mark.one_in(5)
@pytest.mark.parametrize("seed", range(12))
def test_random_models(seed):
    """Two players, private noisy observations: zero-sum, general-sum and a team."""
    for kind in ("zero-sum", "team", "general"):
        game = Horizon(random_model(seed, kind), 2)
        found = fb.solve(game, "posg-dp", gap=1e-9, certify=False)
        if kind == "zero-sum":
            assert math.isclose(found.value, fb.solve(game, "sequence-lp", gap=1e-9).value, abs_tol=1e-9)
        elif kind == "team":
            payoff = forms.normal(game).payoff[..., 0]
            assert math.isclose(found.value, float(payoff.max()), abs_tol=1e-9)
        assert found.gap < 1e-8  # nobody gains by another plan


def random_model(seed, kind, states=2, actions=2, observations=2):
    """T, O and R at random."""
    rng = np.random.default_rng(seed)
    joint, shown = actions**2, observations**2
    labels = forms.ModelLabels(("one", "two"), "xyzuvw"[:states], ("ab",) * 2, ("01",) * 2)
    transition = rng.dirichlet(np.ones(states), (states, joint))
    observation = rng.dirichlet(np.ones(shown), (joint, states))
    reward = rng.integers(-5, 6, (states, joint, 2)).astype(float)
    if kind != "general":
        reward[..., 1] = reward[..., 0] * (-1 if kind == "zero-sum" else 1)
    start = rng.dirichlet(np.ones(states))
    return table_of(f"model-{seed}", 1.0, labels, start, transition, observation, reward).as_game()


def test_every_plan_that_goes_is_dominated_and_every_one_that_stays_is_not():
    rng = np.random.default_rng(5)
    values = rng.integers(0, 6, (14, 5)).astype(float)
    kept = undominated_plans(values).tolist()
    for plan in range(len(values)):
        others = [k for k in kept if k != plan]
        margin, belief = witness(values, plan, others)
        assert (margin > 1e-9) == (plan in kept)
        if plan in kept:
            assert (values[plan] @ belief >= values[others] @ belief + margin - 1e-9).all()


def test_the_slides_difference_would_forget_the_best_plan():
    """One belief at which every other plan is better does not make a plan useless: it may be best at the real one."""
    values = np.array([[4.0, 0.0], [0.0, 1.0]])  # two plans, two situations; only the first one is likely
    belief = np.array([0.9, 0.1])
    assert (values @ belief).argmax() == 0
    slides, _ = witness(-values, 0, [1])  # the difference the wrong way round
    assert slides > 0  # "dominated", it says: and the plan that is best at the belief would go
    assert undominated_plans(values).tolist() == [0, 1]


def test_plans_of_a_step_are_listed_and_counted():
    kept = dynamic_programming(forms.table(Horizon(Signals(), 2)), most=100)
    assert kept.counts[0]["listed"] == [2, 2]
    assert kept.worth.shape[-1] == 2


def test_too_many_plans_are_refused():
    with pytest.raises(LimitError, match="posg-dp: .* Raise most="):
        fb.solve(Horizon(Signals(), 3), "posg-dp(most=20)", gap=1e-9)


def test_actions_that_differ_within_a_step_are_refused():
    with pytest.raises(FormError, match="posg-dp: .* other actions in state"):
        fb.solve(fb.game("tic-tac-toe"), "posg-dp", gap=1e-9)


def test_three_with_different_rewards_are_refused():
    with pytest.raises(FormError, match="two players or a team"):
        fb.solve(fb.game("random(seed=8, seats=3)"), "posg-dp")
