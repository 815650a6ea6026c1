"""Document 003: its displays against what is computed, and the one that is refuted."""

from __future__ import annotations

import numpy as np
import pytest

from fogbound_papers.d003 import markov_games, partial_observability
from fogbound_papers.d003.document import _expectimax, _exponential


@pytest.fixture(scope="module")
def plans():
    return {claim.statement: claim for claim in partial_observability.claims(None)}


def test_the_nash_condition_holds_at_an_equilibrium(plans):
    assert plans["no plan does better at the belief over the others' plans and states"].verdict == "reproduced"


def test_the_dominance_program_is_refuted_by_the_broadcast_channel(plans):
    claim = plans["plans for which the program finds a margin may be forgotten"]
    assert (claim.verdict, claim.ours) == ("refuted", "1 instead of 2")


def test_as_printed_the_program_forgets_what_is_best_elsewhere():
    kept = partial_observability.as_printed(np.array([[4.0, 0.0], [0.0, 1.0]]))
    assert len(kept) == 1


def test_one_state_is_worth_what_the_slides_game_says():
    import fogbound as fb

    assert abs(fb.solve(markov_games.one_state(), "shapley", gap=1e-9).value - 7.5) < 1e-9


def test_the_other_displays_hold():
    assert _expectimax().verdict == "reproduced"
    assert _exponential().verdict == "reproduced"
