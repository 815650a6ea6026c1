"""`fogbound show` of games that can only be sampled."""

import pytest

from fogbound.cli.main import main

THERMOSTAT = """
import fogbound as fb

class Thermostat(fb.Simulator):
    "A room that cools."

    actions = ["heat", "wait"]
    discount = 0.9

    def initial(self, rng):
        return 18.0

    def step(self, state, action, rng):
        state = state + (action == "heat") - 0.5
        return state, ("warm" if state > 18 else "cold"), 1.0, False
"""


@pytest.mark.parametrize("game", ["light-dark", "laser-tag"])
def test_a_simulator_shows_its_board_an_episode_and_its_solvers(game, capsys, tmp_path):
    assert main(["show", game, "--seed", "3"]) == 0
    out = capsys.readouterr().out
    assert "an episode with random actions (seed 3)\n" in out
    assert "pomcp, pomcpow, pft-dpw, despot only sample" in out
    assert main(["show", game, "--view", "board", "--seed", "3"]) == 0
    board = capsys.readouterr().out
    assert out.startswith(board)
    assert main(["show", game, "--seed", "3"]) == 0
    assert capsys.readouterr().out == out
    assert main(["show", game, "-o", str(tmp_path / "board.svg")]) == 0
    assert "<svg" in (tmp_path / "board.svg").read_text()


def test_a_persons_simulator_is_shown_as_text(capsys, tmp_path):
    (tmp_path / "thermostat.py").write_text(THERMOSTAT)
    path = f"{tmp_path / 'thermostat.py'}:Thermostat"
    assert main(["show", path]) == 0
    out = capsys.readouterr().out
    assert "A room that cools.\n18.0\nan episode with random actions (seed 0)\n" in out
    assert ": sees cold, is paid 1\n" in out
    assert main(["show", path, "--player", "agent", "-o", str(tmp_path / "one.svg")]) == 2
    assert "has no picture of a state as agent sees it; leave --player out" in capsys.readouterr().err


@pytest.mark.parametrize("view", ["tree", "matrix", "minimax", "belief"])
def test_other_views_are_refused_with_the_one_that_there_is(view, capsys):
    assert main(["show", "light-dark", "--view", view]) == 2
    assert "--view board shows how an episode begins" in capsys.readouterr().err


def test_a_seed_is_of_no_use_to_a_game_that_is_listed(capsys):
    assert main(["show", "tiger", "--seed", "1"]) == 2
    assert "--seed has no effect without --view belief" in capsys.readouterr().err
