"""What `verify` would refute is known before a file is written, without a second exact check."""

from __future__ import annotations

from dataclasses import replace

import pytest

import fogbound as fb
from fogbound.certificates.verification import unconfirmed
from fogbound.core.errors import FileError
from fogbound.files.lookup import LOOKUP
from fogbound.policies import Uniform

SOLVED = {  # the form that is solved is the certificate's, is made of it, or has one player of the game
    "tree": ("card-poker(ranks=2)", "sequence-lp", {}),
    "markov": ("random-markov(seed=2, zero_sum=true, discount=0.5, size=3)", "shapley", {"iterations": 50}),
    "reply": ("card-poker(ranks=2)", "belief-mdp", {"against": "uniform"}),
}


@pytest.fixture(params=SOLVED, scope="module")
def solved(request):
    spec, solver, options = SOLVED[request.param]
    game = fb.game(spec)
    return game, fb.solve(game, solver, **options)


def judged(solved, **changes):
    game, solution = solved
    return unconfirmed(replace(solution, **changes), game, game, LOOKUP)


def test_an_honest_answer_is_confirmed(solved):
    assert judged(solved) is None


def test_a_false_value_is_found(solved):
    _, solution = solved
    assert "value" in judged(solved, value=solution.value + 1)


def test_other_policies_are_found(solved):
    _, solution = solved
    assert judged(solved, profile=dict.fromkeys(solution.profile, Uniform())) is not None


def test_a_certificate_that_was_not_checked_has_nothing_to_confirm(solved):
    _, solution = solved
    unchecked = replace(solution.certificate, report=None)
    assert judged(solved, certificate=unchecked, value=solution.value + 1) is None


def test_a_policy_of_a_player_whom_the_game_lacks_is_refused(solved):
    _, solution = solved
    with pytest.raises(FileError, match="7"):
        judged(solved, profile={**solution.profile, 7: Uniform()})
