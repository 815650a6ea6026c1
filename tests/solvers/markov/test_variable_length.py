"""Markov games whose length depends on what is done: equilibria by an independent evaluation, and known alterations.

Rewards were once shifted by their mean: neutral only if the number of remaining steps does not depend on actions.
"""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound import forms
from fogbound.core import Dist, Game, Outcome
from fogbound.solvers.markov.nash import LogitGame
from tests.attack.related import lengths
from tests.solvers.markov.made import markov_form, random_game
from tests.variable_length import EndsPaid, PaidForEver, PaidPerStep, Shaped, VariableLength, signs

MARKOV = [name for name, family in lengths.FAMILIES.items() if family.regret is lengths.markov_regret]


class StopOrGo(Game):
    """Player 0 stops for 0.9, or goes on for 0 and is paid 1 in the next step; player 1 names a number, for nothing."""

    players = ("walker", "witness")
    discount = 0.95

    def start(self):
        return Dist.sure(Outcome("crossing"))

    def actors(self, state):
        return {"crossing": (0, 1), "path": (1,)}.get(state, ())

    def actions(self, state, player):
        return ("stop", "go") if player == 0 else ("odd", "even")

    def step(self, state, joint):
        if state == "path":
            return Dist.sure(Outcome("over", (1.0, float(joint == ("odd",)))))
        return Dist.sure(Outcome("over", (0.9, 0.0)) if joint[0] == "stop" else Outcome("path"))


@pytest.mark.parametrize("solver", ["markov-nash", "stochastic-nlp"])
def test_going_on_is_worth_more_than_stopping(solver):
    solution = fb.solve(StopOrGo(), solver)
    assert solution.value == pytest.approx(0.95, abs=1e-6)
    assert lengths.markov_regret(StopOrGo(), solution) <= 1e-6


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("name", MARKOV)
def test_what_is_called_an_equilibrium_is_one_by_the_rules(name, seed):
    family = lengths.FAMILIES[name]
    family.solved(family.drawn(seed))


@pytest.mark.parametrize("seed", range(24))
def test_the_logit_path_finds_an_equilibrium_of_games_of_variable_length(seed):
    """Of the same 24 games it once found an equilibrium in 7."""
    game = VariableLength(seed, sees=("all",) * (2 + seed % 2), discount=(1.0, 0.9)[seed // 2 % 2])
    solution = fb.solve(game, "markov-nash", certify=False)
    assert lengths.markov_regret(game, solution) <= 1e-6


@pytest.mark.parametrize("seed", range(12))
def test_the_model_of_the_logit_path_stays_whatever_changes_no_strategy(seed):
    """Scaled, shaped, paid at the end or for ever: the same numbers but for rounding."""
    game = VariableLength(seed, discount=(1.0, 0.75)[seed % 2])
    reward, scale = _normalised(game)
    for altered, factor, _ in lengths.alterations(game):
        other, wide = _normalised(altered)
        assert other == pytest.approx(reward, abs=1e-12)
        assert wide == pytest.approx(factor * scale)
    other, _ = _normalised(PaidPerStep(game, 1.75))
    assert np.abs(other - reward).max() > 1e-3  # another game


@pytest.mark.parametrize(
    ("solver", "shape"),
    [
        ("markov-nash", {}),
        ("hoffman-karp", {"pays": "zero"}),
        ("markov-backward-induction", {"loops": False}),
        ("policy-iteration", {"sees": ("all",)}),
    ],
)
@pytest.mark.parametrize("discount", [1.0, 0.75])
def test_certificates_of_games_of_variable_length_hold(solver, shape, discount):
    game = VariableLength(2, discount=discount, **shape)
    solution = fb.solve(game, solver)
    assert solution.certified == "both"
    assert solution.gap <= 1e-6
    assert fb.verify(solution, game)


def _normalised(game):
    made = LogitGame(forms.markov(game))
    return made.model[5], made.scale


def test_large_constant_rewards_cost_no_digits():
    """A constant per step is neutral where play never ends."""
    form = random_game(4)
    near, far = (markov_form(*_arrays(form, by)) for by in (0.0, 1e6))
    one, other = (fb.solve(each, "markov-nash") for each in (near, far))
    assert other.value - one.value == pytest.approx(1e6 / 0.05, rel=1e-9)
    assert other.details["steps"] == pytest.approx(one.details["steps"], abs=3)


def _arrays(form, by):
    shape = (form.size, *form.width[0])
    move = form.moves.toarray().reshape(*shape, form.size)
    return move, form.reward.T.reshape(-1, *shape) + by, form.discount


@pytest.mark.parametrize("reward", [0.0, 1.0, 1e6])
def test_a_game_in_which_nothing_matters_is_solved(reward):
    form = markov_form(np.ones((1, 2, 2, 1)), np.full((2, 1, 2, 2), reward), 0.9)
    assert fb.solve(form, "markov-nash").details["values"] == pytest.approx([10 * reward] * 2)


@pytest.mark.parametrize("discount", [1.0, 0.75])
def test_alterations_shift_the_value_of_every_profile_as_they_say(discount):
    """The relations themselves, on uniform play."""
    game = VariableLength(5, discount=discount)
    plain, shaped = _uniform(game), Shaped(game, 3)
    assert _uniform(shaped) == pytest.approx(plain + shaped.expected)
    paid = EndsPaid(game, 2.0) if discount == 1 else PaidForEver(game, 2.0)
    assert _uniform(paid) == pytest.approx(plain + np.array(signs(game)) * 2.0 / (1 if discount == 1 else 0.25))


def _uniform(game):
    return np.array(fb.evaluation.markov_values(game, [fb.policies.Uniform()] * 2).values)
