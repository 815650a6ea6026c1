"""`fogbound dominance`: rounds, dominating mixtures, and the exact check of each step."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.evaluation.dominance import Elimination, Removed
from fogbound.solvers.matrix.dominance import confirm_steps, mixed_dominance


def told(capsys, *words):
    assert main(["dominance", *words]) == 0
    return capsys.readouterr().out


def test_king_ace_of_the_slides(capsys):
    text = told(capsys, "king-ace", "--weak")
    assert "first: rr by rk, better by 1/6 to 1/3" in text
    assert "left for first: rk" in text
    assert "left for second: cf" in text
    assert "confirmed exactly: 6 of 6 steps" in text


MIXED = "matrix-game(payoffs=[[[3, 0], [0, 1]], [[0, 0], [3, 1]], [[1, 1], [1, 0]]])"


def test_the_dominating_mixture_is_the_evidence(capsys):
    found = json.loads(told(capsys, MIXED, "--json"))
    assert found["removed"][0] == {
        "round": 1,
        "player": 0,
        "strategy": "3",
        "by": {"1": "1/2", "2": "1/2"},
        "advantage": ["1/2", "1/2"],
        "confirmed": True,
    }
    assert found["left"] == [["2"], ["2"]] or found["rounds"] >= 1
    assert json.loads(told(capsys, MIXED, "--pure", "--json"))["rounds"] == 0


@pytest.mark.parametrize("spec", ["card-poker(ranks=3)", "selten-horse", "matrix-game(matrix=mckelvey-mclennan)"])
@pytest.mark.parametrize("strict", [True, False])
def test_every_step_is_confirmed_exactly(spec, strict):
    form = fb.forms.normal(fb.game(spec))
    found = mixed_dominance(form, strict)
    assert all(step.holds(strict) for step in confirm_steps(form, found))


def test_a_false_step_is_not_confirmed():
    form = fb.forms.normal(fb.game("matrix-game(matrix=prisoners-dilemma)"))
    false = Elimination(True, ((Removed(0, 1, "d", "c", ((0, 1.0),)),),), ((0,), (0, 1)), form.payoff[:1])
    (step,) = confirm_steps(form, false)
    assert (step.least, step.most) == (Fraction(-2), Fraction(-1))
    assert not step.holds(strict=True)
    assert not step.holds(strict=False)


def test_too_large_is_one_line(capsys):
    assert main(["dominance", "leduc"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("game", "said", "legend"),
    [
        ("matrix-game(matrix=chicken)", "first: swerve; second: straight   pays -1, 1", ""),
        ("king-ace", "first: rk; second: cf   pays 0, 0", "letters: r raise, k check, c call, f fold"),
    ],
)
def test_equilibria_are_listed_in_words_or_with_a_legend(capsys, game, said, legend):
    assert main(["solve", game, "--with", "support-enumeration"]) == 0
    told = capsys.readouterr().out
    assert said in told
    assert legend in told
    assert ("letter by letter: A, K" in told) == bool(legend)


def test_what_is_too_large_is_refused_soon(capsys):
    assert main(["dominance", "king-up", "--limit", "200"]) == 2
    assert "over 200 states, so its strategies are too many" in capsys.readouterr().err
