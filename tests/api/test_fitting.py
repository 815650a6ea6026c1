"""Which solvers suit a game, and the words that are true of an answer."""

import math

import pytest

import fogbound as fb
from fogbound import api
from fogbound.api import kept, survey
from fogbound.core.errors import SpecError


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
    found = survey(api.game("scotland-yard"), seconds=1e-9)
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


@pytest.mark.parametrize("spec", ["po-nim", "king-ace", "rock-paper-scissors"])
def test_perfect_information_is_needed_by_those_who_need_it(spec):
    fits = {fit.solver: fit for fit in survey(fb.game(spec), 60).fits}
    for solver in ("minimax", "alpha-beta", "backward-induction", "expectimax"):
        assert not fits[solver].fits
        assert "perfect information is needed" in fits[solver].why


def test_where_nothing_is_hidden_they_fit():
    fits = {fit.solver: fit.fits for fit in survey(fb.game("slide-tree"), 60).fits}
    assert fits["minimax"]
    assert fits["alpha-beta"]


@pytest.mark.parametrize(
    ("spec", "wrong", "named", "unnamed"),
    [
        ("matrix-game(matrix=chicken)", "nash", "lemke-howson, support-enumeration", "markov"),
        ("king-ace", "nash", "sequence-lp, lemke-howson", "markov"),
        ("selten-horse", "Nash", "support-enumeration", "lemke-howson"),
        ("random-markov(size=2, choices=2)", "nash", "markov-nash", "shapley"),
        ("tiger", "sarop", "did you mean 'sarsop'", "cfr"),
    ],
)
def test_solvers_that_do_not_exist_are_answered_with_some_that_suit_the_game(spec, wrong, named, unnamed, monkeypatch):
    from fogbound.solvers import fitting

    monkeypatch.setattr(fitting, "MOMENT", 60.0)
    with pytest.raises(SpecError, match="unknown solver") as refused:
        fb.solve(spec, wrong)
    assert named in str(refused.value)
    assert unnamed not in str(refused.value)


def test_rules_are_those_of_the_class_unless_the_module_tells_them(tmp_path):
    for name, about in {"one": "Experiments.", "two": "Cups and peas.\n\nThe pea is hidden, and guessed.\n"}.items():
        (tmp_path / f"{name}.py").write_text(
            f'"""{about}"""\n'
            "from dataclasses import dataclass\n"
            "import fogbound as fb\n"
            "@dataclass(frozen=True)\n"
            "class Cups(fb.Game):\n"
            '    """Guess a cup: a hit pays 1."""\n'
            '    players = ("me",)\n'
            "    def start(self): return fb.Dist.sure(fb.Outcome(0))\n"
            "    def actors(self, state): return (0,) if state == 0 else ()\n"
            "    def actions(self, state, player): return ('left', 'right')\n"
            "    def step(self, state, joint): return fb.Dist.sure(fb.Outcome(1, (1.0,)))\n"
            "@dataclass(frozen=True)\n"
            "class Bare(Cups):\n"
            "    cups: int = 2\n"
        )
    assert fb.rules(f"{tmp_path}/one.py:Cups") == "Guess a cup: a hit pays 1."
    assert fb.rules(f"{tmp_path}/one.py:Bare") == "Experiments."
    assert fb.rules(f"{tmp_path}/two.py:Cups").startswith("Cups and peas.\n\nThe pea")
    assert fb.rules(f"{tmp_path}/two.py:Cups").endswith("\n\nGuess a cup: a hit pays 1.")
