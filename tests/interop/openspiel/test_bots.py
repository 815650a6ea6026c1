"""OpenSpiel's bots wherever a policy is named: on the command line, in tournaments, in several processes."""

from __future__ import annotations

import json
import sys

import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.errors import PolicyError, SpecError

HIDDEN = "openspiel-bot(ismcts(simulations=20))"


@pytest.fixture
def printed(capsys):
    def run(*words):
        assert main([*words, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


@pytest.mark.usefixtures("pyspiel")
def test_a_search_of_openspiels_beats_chance(printed):
    found = printed("match", "openspiel:tic_tac_toe", "openspiel-bot(mcts(simulations=50))", "uniform", "--games", "8")
    assert found["players"][0]["wins"] > 0.7


@pytest.mark.usefixtures("pyspiel")
def test_what_draws_uniformly_there_does_so_here(printed):
    found = printed("evaluate", "openspiel:kuhn_poker", "openspiel-bot:uniform_random", "openspiel-bot:uniform_random")
    assert found["values"] == pytest.approx(fb.evaluate("openspiel:kuhn_poker", "uniform", "uniform").values)


@pytest.mark.usefixtures("pyspiel")
def test_the_same_games_whoever_plays_them(tmp_path, capsys):
    """A bot is made anew for every decision, so that what it played before tells nothing: also in a journal."""
    words = ["tournament", "openspiel:kuhn_poker", HIDDEN, "uniform", "--sampled", "--games", "6", "--seed", "3"]
    said = []
    for workers in ("1", "2"):
        path = tmp_path / workers
        assert main([*words, "--workers", workers, "--resume", str(path)]) == 0
        said.append((capsys.readouterr().out, path.read_bytes()))
    assert said[0] == said[1]
    assert main([*words[:-1], "4", "--resume", str(tmp_path / "other")]) == 0
    assert (tmp_path / "other").read_bytes() != said[0][1]


@pytest.mark.usefixtures("pyspiel")
@pytest.mark.parametrize(
    ("game", "bot", "line"),
    [
        ("openspiel:kuhn_poker", "openspiel-bot", "openspiel-bot needs the parameter 'load'"),
        ("openspiel:kuhn_poker", "openspiel-bot:mtcs", "OpenSpiel has no bot 'mtcs'; did you mean 'mcts'"),
        ("openspiel:kuhn_poker", "openspiel-bot:mcts", "would see what is hidden here: take ismcts"),
        ("openspiel:matrix_rps", HIDDEN, "takes turns, and here players move at once"),
        ("openspiel:kuhn_poker", "openspiel-bot(ismcts(worlds=3))", "ismcts has no parameter 'worlds'"),
        ("openspiel:kuhn_poker", "openspiel-bot(ismcts(simulations=0))", "simulations is 0, expected at least 1"),
        ("openspiel:kuhn_poker", "openspiel-bot(ismcts(exploration=0))", "exploration is 0"),
        ("openspiel:kuhn_poker", "openspiel-bot:uniform_restricted_actions", "OpenSpiel refuses the bot"),
        ("kuhn", HIDDEN, "not a game of OpenSpiel's"),
    ],
)
def test_who_cannot_sit_there_is_refused_in_a_line(game, bot, line, capsys):
    assert main(["match", game, bot, "uniform"]) == 2
    assert line in capsys.readouterr().err.strip().splitlines()[-1]


@pytest.mark.usefixtures("pyspiel")
def test_a_search_that_openspiel_cannot_make_there_is_an_error_of_the_policy():
    with pytest.warns(UserWarning, match="clock"), pytest.raises(PolicyError, match="ResampleFromInfostate"):
        fb.match("openspiel:phantom_ttt", HIDDEN, "uniform", games=1)


def test_without_the_extra_one_line_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(SpecError, match=r"pip install 'fogbound\[openspiel\]'"):
        fb.policy(HIDDEN, "kuhn")


def test_a_form_is_no_table_to_sit_at():
    with pytest.raises(SpecError, match="can be solved, not played"):
        fb.policy(HIDDEN, fb.forms.tree(fb.game("kuhn")))
