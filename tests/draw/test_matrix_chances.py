"""Tables of payoffs say what rows are, and how likely each is in an equilibrium."""

from __future__ import annotations

from fogbound.cli.main import main
from fogbound.draw import matrix
from fogbound.games import make
from fogbound.policies import Uniform
from tests.draw.made import checked, solved, words_in


def test_rows_are_called_by_their_actions():
    said = words_in(checked(matrix(make("rock-paper-scissors"))))
    assert said.count("rock") == said.count("paper") == said.count("scissors") == 2
    assert {"rr", "rk", "kr", "kk"} <= set(words_in(checked(matrix(make("king-ace")))))  # two sets: a letter each


def test_an_equilibrium_stands_at_the_margins():
    picture = matrix(make("rock-paper-scissors"), profile=solved("rock-paper-scissors"))
    assert words_in(checked(picture)).count("1/3") == 6
    rows = [line.split() for line in picture.text.splitlines() if line.startswith(("rock ", "paper ", "scissors "))]
    assert [row[-1] for row in rows] == ["1/3"] * 3


def test_chances_of_strategies_with_several_choices_multiply():
    drawn = matrix(make("king-ace"), profile={0: Uniform(), 1: Uniform()})
    assert words_in(checked(drawn)).count("1/4") == 8


def test_the_command_shows_them(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["solve", "rock-paper-scissors", "-o", "nash.npz"]) == 0
    capsys.readouterr()
    assert main(["show", "nash.npz", "--view", "matrix"]) == 0
    assert capsys.readouterr().out.count("1/3") == 6
