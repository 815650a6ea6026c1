"""Document 001, claim by claim: the verdicts, and the equilibrium that one of them needs."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound import evaluation, forms
from fogbound.core.errors import FogboundError
from fogbound.solvers import make as solver
from fogbound.solvers.linear_programs.optimal_strategies import fullest_equilibrium
from fogbound_papers.claim import Claim
from fogbound_papers.d001 import document as d001
from tests.run import solve


@pytest.fixture(scope="module")
def poker():
    return forms.sequence(fb.game("card-poker(ranks=8)"))


@pytest.mark.slow
def test_every_verdict():
    verdicts = {claim.statement: claim for claim in d001.claims()}
    kinds = {statement: claim.verdict for statement, claim in verdicts.items()}
    assert {statement for statement, kind in kinds.items() if kind == "refuted"} == {
        "equation (7) gives the reward of a belief step"
    }
    assert {statement for statement, kind in kinds.items() if kind == "not stated"} == {
        "belief MDP and game tree give one best reply",
        "what replies to an estimated opponent earn",
    }
    assert {statement for statement, kind in kinds.items() if kind == "cannot be checked"} == {
        "computing an equilibrium is difficult in general",
        "Texas Hold'em has 10^18 nodes",
        "smaller states, larger poker, general POSGs",
        "the policies are quite similar",
    }
    assert verdicts["a Nash policy does not exploit weaknesses"].ours == "+0.1830 and +0.5000"
    assert verdicts["the sequence form is polynomial in the nodes"].ours == "34, 66, 130"
    assert verdicts["they differ only where the reply is indifferent"].ours == "12 of 12"
    sure = verdicts["and nowhere else is Nash sure: so in one equilibrium"]
    assert (sure.ours, sure.verdict) == ("0 more sets", "reproduced")
    assert "not printed" in sure.evidence


def test_an_equilibrium_that_plays_whatever_any_equilibrium_plays(poker):
    nash = solve(solver("sequence-lp"), poker)
    full = fullest_equilibrium(poker, (nash.lower, -nash.upper))
    assert evaluation.exploitability(poker, full).exploitability < 1e-12
    for player, plex in enumerate(poker.plexes):
        mine = plex.weights(full[player].behaviour)
        first = plex.weights(evaluation.behaviour(poker, player, nash.profile[player]))
        assert (mine[first > 1e-9] > 1e-9).all()
        best = evaluation.best_response(poker, [full[i].behaviour for i in (0, 1)], player)
        assert best.value == pytest.approx(nash.value if player == 0 else -nash.value, abs=1e-12)


def test_a_matrix_with_one_equilibrium_has_that_one():
    """Rock paper scissors, a win of 1 shared by a tie: all three alike."""
    form = forms.sequence(fb.game("rock-paper-scissors"))
    full = fullest_equilibrium(form, (0.5, 0.5))
    for player in (0, 1):
        np.testing.assert_allclose(full[player].behaviour[1:], 1 / 3, atol=1e-9)


@pytest.mark.parametrize(("where", "published"), [("–", "equal"), ("§ 1", "–")])
def test_what_nobody_published_gets_no_verdict(where, published):
    assert Claim("a", where, published, "b", "not stated").verdict == "not stated"
    for verdict in ("reproduced", "refuted", "not reproduced", "cannot be checked"):
        with pytest.raises(FogboundError, match="nothing was published"):
            Claim("a", where, published, "b", verdict)


def test_what_was_published_gets_one():
    with pytest.raises(FogboundError, match="something was published"):
        Claim("a", "§ 1", "equal", "b", "not stated")
