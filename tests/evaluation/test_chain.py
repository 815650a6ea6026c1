"""Exact values of profiles where play may cycle, on games and on forms of them."""

import pytest

import fogbound as fb


def test_a_pomdp_against_others_is_evaluated_against_them():
    """Its policies know the game's words, not those of a game that is made of the POMDP alone."""
    game, others = fb.game("card-poker(ranks=3)"), {1: fb.policies.Uniform()}
    form = fb.forms.pomdp(game, 0, others)
    best = fb.solve(form, "sarsop").profile[0]
    assert fb.evaluation.value(form, {0: best}) == pytest.approx(fb.evaluation.value(game, {0: best, **others})[:1])
