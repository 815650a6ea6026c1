"""Document 003: its displays against what is computed, and the one that is refuted."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound import forms
from fogbound_papers.d003 import document, markov_games
from fogbound_papers.d003.document import PrintedSearch, _expectimax, _exponential


@pytest.fixture(scope="module")
def plans():
    return {claim.statement: claim for claim in (markov_games._nash_condition(), markov_games._dominance())}


def test_the_nash_condition_holds_at_an_equilibrium(plans):
    assert plans["no plan does better at the belief over the others' plans and states"].verdict == "reproduced"


def test_the_dominance_program_is_refuted_by_the_broadcast_channel(plans):
    claim = plans["plans for which the program finds a margin may be forgotten"]
    assert (claim.verdict, claim.ours) == ("refuted", "1 instead of 2")


def test_as_printed_the_program_forgets_what_is_best_elsewhere():
    kept = markov_games.as_printed(np.array([[4.0, 0.0], [0.0, 1.0]]))
    assert len(kept) == 1


def test_one_state_is_worth_what_the_slides_game_says():
    assert abs(fb.solve(markov_games.one_state(), "shapley", gap=1e-9).value - 7.5) < 1e-9


@pytest.mark.slow
def test_the_other_displays_hold():
    assert _expectimax().verdict == "reproduced"
    assert _exponential().verdict == "reproduced"


def test_pseudo_code_as_printed_is_right():
    plain, pruned = (PrintedSearch(forms.tree(fb.game("slide-tree")), prune) for prune in (False, True))
    assert plain.decision() == pruned.decision() == (0, 3.0)
    assert (plain.leaves, pruned.leaves) == (9, 7)
    assert {claim.verdict for claim in document._printed_searches()} == {"reproduced"}


def test_what_the_first_slides_call_the_games():
    claim = document._turn_taking()
    assert claim.published == claim.ours
    assert {claim.verdict for claim in document._extensive_form()} == {"reproduced"}
