"""Every solver of Markov games keeps the contract of solvers, on forms that keep theirs."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound import forms
from fogbound.driver.protocol import Until
from fogbound.solvers import make
from fogbound.testing import check_form, check_solver

CASES = {
    "shapley": "random-markov(seed=1, zero_sum=true, ragged=true, ends=0.1)",
    "hoffman-karp": "random-markov(seed=1, zero_sum=true, ragged=true, ends=0.1)",
    "markov-nash": "random-markov(seed=2, seats=3, choices=2, ragged=true)",
    "stochastic-nlp(starts=3)": "random-markov(seed=3, size=2, choices=2)",
    "markov-fictitious-play": "random-markov(seed=3)",
    "markov-backward-induction": "horizon(game=random-markov(seed=4, ragged=true), steps=2)",
    "value-iteration": "random-markov(seed=5, seats=1)",
    "policy-iteration": "random-markov(seed=5, seats=1, ragged=true, ends=0.3, discount=1)",
}


@pytest.mark.parametrize("solver", CASES)
def test_a_solver_reports_what_its_policies_earn_and_the_same_again(solver):
    form = forms.markov(fb.game(CASES[solver]))
    check_form(form)
    solution = check_solver(make(solver), form, Until(gap=1e-6, iterations=300))
    assert set(solution.profile) == set(range(len(form.players)))
