"""Advice in errors can be followed as it stands, on the command line and in Python; a thing alone is singular."""

from __future__ import annotations

import re

import pytest

import fogbound as fb
from fogbound.cli.console import make_parser, typed
from fogbound.cli.main import main
from fogbound.core.errors import FogboundError, cut_short, many

SHORT = re.compile(r"horizon\(.*?, 4\)(?=,|$)")


@pytest.mark.parametrize(
    ("spec", "solver"),
    [
        ("tiger", "cfr"),
        ("repeated(matrix=chicken)", "markov-backward-induction"),
        ("tiger(discount=1)", "sarsop"),
        ("tiger(discount=1)", "belief-mdp"),
        ("tiger(discount=1)", "belief-search"),
        ("multi-tiger(discount=1)", "team-search"),
    ],
)
def test_a_game_is_cut_as_advised(spec, solver):
    """What never ends is cut by the very spec that the error names."""
    with pytest.raises(FogboundError) as refused:
        fb.solve(spec, solver)
    (advised,) = SHORT.findall(str(refused.value))
    assert advised == cut_short(str(fb.game(spec)))
    assert fb.solve(advised, solver, iterations=1, certify=False).stopped


def test_the_limit_is_raised_as_advised(capsys):
    """The command line speaks of its flag where it has one, and of Python where it has none; Python of its keyword."""
    with pytest.raises(FogboundError, match="raise limit= to 9,451, "):
        fb.solve("leduc", "sequence-lp", limit=1_000)
    assert main(["solve", "leduc", "--with", "sequence-lp", "--limit", "1000"]) == 2
    assert "raise --limit to 9,451, " in capsys.readouterr().err
    assert main(["solve", "leduc", "--with", "sequence-lp", "--limit", "9451"]) == 0


@pytest.mark.slow
def test_check_lets_a_tree_grow_as_advised(capsys):
    assert main(["check", "leduc", "--limit", "9000"]) == 0
    assert "raise --limit to 9,451, " in capsys.readouterr().out
    assert main(["check", "leduc", "--limit", "9451"]) == 0
    assert "raise" not in capsys.readouterr().out


def test_opponents_are_given_as_advised(capsys, tmp_path):
    with pytest.raises(FogboundError, match=r"give against=POLICY for second \(player 1\)$"):
        fb.solve("leduc", "sarsop")
    assert main(["solve", "leduc", "--with", "sarsop"]) == 2
    assert "give --against POLICY for second (player 1)\n" in capsys.readouterr().err
    assert main(["match", "king-ace", "belief-mdp", "uniform"]) == 2
    assert "(fogbound solve --against …, or fb.solve(…, against=…))" in capsys.readouterr().err
    assert main(["convert", "king-ace", str(tmp_path / "x.pomdp")]) == 2
    assert "expected --against with 1 policy, found 0" in capsys.readouterr().err


def test_what_evaluate_does_not_know_it_advises_in_its_own_words(capsys, monkeypatch):
    monkeypatch.setattr("fogbound.arena.evaluation.MOST_STATES", 10)
    assert main(["evaluate", "leduc", "uniform"]) == 0
    out = capsys.readouterr().out
    assert "can be estimated by episodes" in out
    assert "limit=" not in out


def test_values_of_specs_are_left_alone():
    parser = make_parser("solve", "")
    parser.add_argument("--steps")
    parser.parse_args([])
    said = "take horizon(game=tiger, steps=3), correlated(extensive=true) or limit=N"
    assert typed(said) == said
    assert typed("raise steps= or limit=") == "raise --steps or limit= (in Python)"


def test_numbers_beyond_reading_are_short(capsys):
    assert main(["solve", "leduc", "--with", "correlated"]) == 2
    assert len(capsys.readouterr().err) < 400


@pytest.mark.parametrize(
    ("count", "thing", "words"),
    [
        (1, "step", "1 step"),
        (2000, "history", "2,000 histories"),
        (0, "play", "0 plays"),
        ("1", "strategy", "1 strategy"),
        ("1 x 1", "action", "1 x 1 actions"),
    ],
)
def test_so_many(count, thing, words):
    assert many(count, thing) == words


@pytest.mark.parametrize(
    "words",
    [
        ("check", "bandit(arms=1, levels=2, pulls=1)"),
        ("show", "bandit(arms=1, levels=2, pulls=1)"),
        ("solve", "bandit(arms=1, levels=2, pulls=1)"),
        ("dominance", "bandit(arms=1, levels=2, pulls=1)"),
        ("solve", "horizon(tiger, 1)", "--with", "belief-mdp"),
        ("solve", "horizon(tiger, 1)", "--with", "sequence-lp"),
        ("solve", "horizon(tiger, 1)", "--with", "lemke-howson"),
        ("solve", "horizon(tiger, 1)", "--with", "restricted-nash"),
        ("solve", "horizon(tiger, 1)", "--with", "team-search"),
        ("check", "horizon(soccer, 1)"),
        ("solve", "horizon(soccer, 1)", "--with", "pg-hsvi"),
        ("convert", "bandit(arms=1, levels=2, pulls=1)", "x.dpomdp"),
        ("convert", "horizon(soccer, 1)", "x.osposg"),
    ],
)
def test_one_of_a_thing_is_singular(capsys, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    main(list(words))
    said = "".join(capsys.readouterr())
    assert not re.findall(r"(?<![\d.,+x] )(?<![\d.,])\b1 [a-z-]+(?: [a-z]+)??s\b", said)
