"""Which solvers suit a game, and the words that are true of an answer."""

import math

import pytest

from fogbound import api
from fogbound.api import kept, survey


def fits(found):
    return {fit.solver: fit for fit in found.fits}


def test_solvers_are_listed_with_the_reason_why_they_do_not_fit():
    found = survey(api.game("tiger"))
    assert found.chosen == "sarsop"
    assert fits(found)["sarsop"].fits
    assert not fits(found)["sequence-lp"].fits
    assert "tree" in fits(found)["sequence-lp"].why


def test_whose_opponents_must_be_given_is_said():
    assert "given" in fits(survey(api.game("card-poker(ranks=3)")))["belief-mdp"].why


def test_a_look_is_bounded_in_time():
    found = survey(api.game("scotland-yard"), seconds=0.001)
    assert found.chosen == ""
    assert "name a solver" in found.why
    assert all(fit.fits for fit in found.fits)  # nothing is refused that was not looked at


@pytest.mark.parametrize(
    ("answer", "lower", "upper", "said"),
    [
        ("value", 1.0, 2.0, "guarantees x 1 against anyone"),
        ("reply", 1.0, 2.0, "earns 1"),
        ("team", 1.0, 2.0, "no team earns more than 2"),
        ("equilibrium", 1.0, 2.0, "nobody gains more than 1"),
        ("value", 1.0, math.inf, "nothing is known yet"),
        ("value", -math.inf, 2.0, "no strategy yet"),
        ("value", -math.inf, math.inf, "an estimate"),
    ],
)
def test_what_is_kept_is_said_in_words_that_are_true_of_it(answer, lower, upper, said):
    sentence = kept(answer, "x", lower, upper, upper - lower)
    assert said in sentence
    assert answer == "value" or "guarantee" not in sentence


def test_the_provenance_is_told_as_soon_as_the_form_is_there():
    told = []
    api.solve("king-ace", "cfr(sampling=full)", iterations=3, begun=told.append)
    assert [one["answer"] for one in told] == ["value"]
