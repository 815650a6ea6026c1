"""Policies of soccer on their field, and logit paths."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound import draw
from fogbound.core.errors import SpecError
from fogbound.policies import Uniform
from tests.draw.made import SVG, checked


@pytest.fixture(scope="module")
def soccer():
    return fb.solve("soccer", "shapley", gap=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("player", [0, 1])
def test_a_field_for_each_who_has_the_ball(soccer, player):
    picture = draw.field(soccer, game=fb.game("soccer"), player=player, title="to the last bit")
    root = checked(picture)
    words = [element.text for element in root.iter(f"{SVG}text")]
    assert "A has the ball" in words
    assert "B has the ball" in words
    hints = [element.text for element in root.iter(f"{SVG}title")]
    assert len(hints) == 2 * 19  # every square but the other's
    assert len(picture.text.splitlines()) == 10


@pytest.mark.slow
def test_arrows_are_as_long_as_moves_are_likely(soccer):
    even = draw.field([Uniform()] * 2, game=fb.game("soccer"))
    assert "north 0.20, south 0.20, east 0.20, west 0.20, stand 0.20" in even.svg
    lines = draw.field(soccer, game=fb.game("soccer")).text.splitlines()
    assert lines[2].split()[3] == "←"  # A begins on row 1, column 3 with the ball, and goes west
    assert lines[3].split()[1] == "B"


def test_what_is_no_field_is_refused(soccer):
    with pytest.raises(SpecError, match="soccer has one"):
        draw.field(soccer, game=fb.game("repeated"))
    with pytest.raises(SpecError, match=r"square \(4, 0\)"):
        draw.field(soccer, game=fb.game("soccer"), other=(4, 0))


@pytest.mark.parametrize("spec", ["random-markov(seed=3)", "random-markov(seed=3, seats=3, choices=2)", "repeated"])
def test_a_path_ends_in_the_equilibrium(spec):
    game = fb.game(spec)
    solution = fb.solve(game, "markov-nash")
    picture = draw.logit_path(solution, game=game, title="rising")
    root = checked(picture)
    form = fb.forms.markov(game)
    choosing = sum(len(form.actions(0, i)) for i in range(len(form.players)))
    assert len(list(root.iter(f"{SVG}circle"))) == choosing
    assert "rationality" in [element.text for element in root.iter(f"{SVG}text")]


def test_paths_of_other_answers_or_games_are_refused(soccer):
    with pytest.raises(SpecError, match="kept no logit path: solve with markov-nash"):
        draw.logit_path(soccer, game=fb.game("soccer"))
    solution = fb.solve("random-markov(seed=3)", "markov-nash")
    with pytest.raises(SpecError, match="the path has 24 choices, expected 4"):
        draw.logit_path(solution, game=fb.game("repeated"))
    with pytest.raises(SpecError, match="state 9, expected one from 0 to 3"):
        draw.logit_path(solution, game=fb.game("random-markov(seed=3)"), state=9)
