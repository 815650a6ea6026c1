"""Markov games on the command line: solved, chosen, shown, verified, refused in one line."""

from __future__ import annotations

import json

import pytest

from fogbound.cli.main import main


def printed(capsys, *words):
    assert main(list(words)) == 0
    return capsys.readouterr().out


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("markov") / "small.npz"
    assert main(["solve", "random-markov(zero_sum=true)", "--with", "shapley", "--gap", "1e-9", "-o", str(path)]) == 0
    return str(path)


def test_a_solution_is_shown_and_verified(small, capsys):
    assert "controller with" in printed(capsys, "show", small)
    assert "guaranteed" in printed(capsys, "show", small, "--view", "bounds")
    verified = printed(capsys, "verify", "random-markov(zero_sum=true)", small)
    assert "the value of the game for player-0 lies in" in verified
    assert "in exact arithmetic" in verified


def test_the_checker_alone_confirms_an_exported_form(small, tmp_path, capsys):
    from fogbound.verify.__main__ import main as alone

    form = tmp_path / "form.npz"
    printed(capsys, "verify", "random-markov(zero_sum=true)", small, "--export", str(form))
    assert alone([str(form), small]) == 0
    assert "zero-sum-markov: player 0: certified interval" in capsys.readouterr().out


def test_a_general_sum_says_its_regret(tmp_path, capsys):
    path = str(tmp_path / "nash.npz")
    said = printed(capsys, "solve", "random-markov(seed=3)", "-o", path)
    assert "nobody gains more than" in said
    assert "No player gains more than" in printed(capsys, "verify", "random-markov(seed=3)", path)
    told = json.loads(printed(capsys, "solve", "random-markov(seed=3)", "--with", "markov-nash", "--json"))
    assert told["form"] == "markov"
    assert told["gap"] < 1e-8
    assert "rationality" in printed(capsys, "show", path, "--view", "path")
    printed(capsys, "show", path, "--view", "path", "-o", str(tmp_path / "path.svg"))
    assert (tmp_path / "path.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["solve", "random-markov(discount=1)"], "average reward"),
        (["solve", "king-ace", "--with", "shapley"], "cannot tell state"),
        (["solve", "random-markov", "--with", "shapley"], "not zero-sum"),
        (["solve", "soccer(goal=never)"], "expected ends or resets"),
        (["solve", "repeated(matrix=go)"], "expected one of prisoners-dilemma"),
        (["solve", "random-markov(size=0)"], "size is 0"),
    ],
)
def test_mistakes_are_one_line(words, said, capsys):
    assert main(words) == 2
    err = capsys.readouterr().err
    assert said in err
    assert len(err.strip().splitlines()[-1]) < 600


def test_views_that_do_not_fit_are_refused(small, capsys):
    assert main(["show", small, "--view", "field"]) == 2
    assert "soccer has one" in capsys.readouterr().err
    assert main(["show", small, "--view", "path"]) == 2
    assert "kept no logit path" in capsys.readouterr().err
