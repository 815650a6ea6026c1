"""Which solver is chosen where nobody names one: games that are too large to be enumerated."""

from __future__ import annotations

import re

import pytest

import fogbound as fb
from fogbound.api import choose_solver


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "planner"), [("king-up", "is-mcts"), ("rock-sample(size=11, rocks=11)", "pomcp"), ("pocman", "pomcp")]
)
def test_what_cannot_be_enumerated_is_searched(spec, planner):
    chosen, why = choose_solver(fb.game(spec), against=False)
    assert chosen == planner
    assert "without a guarantee" in why


def test_small_games_with_compiled_rules_are_solved():
    assert choose_solver(fb.game("rock-sample"), against=False)[0] == "sarsop"


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("pursuit", "exact for pursuers"),
        ("patrolling", "exact for guard"),
        ("adversarial-tiger(discount=0.9)", "safe even against one who sees everything"),
    ],
)
def test_opponents_in_the_fog_who_may_go_on_are_for_pg_hsvi(spec, why):
    chosen, reason = choose_solver(fb.game(spec), against=False)
    assert chosen == "pg-hsvi"
    assert why in reason


def test_advice_in_an_error_is_valid_input():
    with pytest.raises(fb.core.FormError) as raised:
        choose_solver(fb.game("adversarial-tiger"), against=False)
    advice = re.search(r"such as (horizon\(.*\)), or use", str(raised.value))
    assert choose_solver(fb.game(advice[1]), against=False)[0] == "sequence-lp"


def test_rules_of_a_model_that_hides_its_state_are_not_enumerated(monkeypatch):
    model = fb.forms.pomdp(fb.game("tiger")).as_game()
    monkeypatch.setattr("fogbound.solvers.choosing._table", None)
    assert choose_solver(model, against=False)[0] == "sarsop"
