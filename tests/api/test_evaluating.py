"""`evaluate`: exact where that can be, bounded or said where not, and estimated where it is asked for."""

from __future__ import annotations

import json

import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.errors import SpecError

POKER = "card-poker(ranks=3)"


def test_the_package_is_still_a_package():
    assert fb.evaluation.exploitability(POKER and fb.game(POKER), [fb.policies.Uniform()] * 2).nash_conv > 0
    assert fb.evaluate(POKER, "uniform").exact


def test_an_equilibrium_has_no_regret_and_uniform_play_has():
    nash, uniform = fb.solve(POKER, "sequence-lp"), fb.policies.Uniform()
    safe = fb.evaluate(POKER, nash)
    assert safe.values == pytest.approx((-1 / 18, 1 / 18))
    assert safe.nash_conv == pytest.approx((0, 0), abs=1e-9)
    found = fb.evaluate(POKER, uniform, uniform)
    direct = fb.evaluation.exploitability(fb.game(POKER), [uniform] * 2)
    assert found.values == direct.values
    assert found.exploitability == pytest.approx((direct.exploitability,) * 2)


@pytest.mark.parametrize("seed", range(6))
def test_forms_agree_on_best_replies(seed):
    """What is exact on the sequence form lies between the bounds that the POMDP gives."""
    from fogbound.arena.evaluation import Evaluation, _bounded

    game = fb.game(f"random(seed={seed}, depth=3, seats=2)")
    profile = dict(enumerate([fb.policies.Uniform()] * 2))
    exact = fb.evaluate(game, profile)
    begun = Evaluation(str(game), game.players, fb.evaluation.value(game, profile))
    bounds = _bounded(begun, game, profile, 5.0, 0)
    assert exact.exact
    assert begun.values == pytest.approx(exact.values)
    for (known, _), (low, high) in zip(exact.regrets, bounds.regrets):
        assert low - 1e-9 <= known <= high + 1e-9


@pytest.mark.one_in(3)
@pytest.mark.parametrize("game", ["rock-paper-scissors", "soccer", "random-markov(seed=1)", "goofspiel(cards=3)"])
def test_matrices_markov_games_and_trees_are_exact(game):
    found = fb.evaluate(game, "uniform")
    assert found.exact
    assert all(low >= 0 for low, _ in found.regrets)


def test_a_pomdp_has_exact_values_and_bounds_on_the_best_reply(tmp_path):
    answer = fb.solve("tiger", "sarsop", gap=1e-4)
    for found in (fb.evaluate("tiger", answer), fb.evaluate("tiger", "uniform", seconds=3)):
        low, high = found.best[0]
        assert low <= 19.3714 <= high + 1e-3
    assert fb.evaluate("tiger", answer).values[0] == pytest.approx(answer.lower)
    assert fb.evaluate("tiger", "uniform", seconds=0).best == (None,)


def test_a_one_sided_game_is_evaluated():
    found = fb.evaluate("pursuit(columns=3)", "uniform", seconds=2)
    assert found.values is not None
    assert sum(found.values) == pytest.approx(0, abs=1e-6)
    assert all(regret is not None for regret in found.regrets)


def test_what_is_not_known_is_said():
    searching = fb.evaluate("tiger", "pomcp(simulations=3)")
    assert searching.values is None
    assert "only play can tell" in searching.how
    assert searching.nash_conv is None


def test_what_searches_is_asked_at_every_decision_of_the_tree():
    found = fb.evaluate(POKER, "is-mcts(simulations=30)", "uniform")
    assert found.values[0] == pytest.approx(-found.values[1])
    assert "exact" in found.how


def test_episodes_are_statistics():
    found = fb.evaluate(POKER, "uniform", episodes=20_000, seed=3)
    low, high = found.played.players[0].score_interval
    assert low - 0.02 <= 0.125 <= high + 0.02
    assert found.values is None
    assert found.played.players == fb.evaluate(POKER, "uniform", episodes=20_000, seed=3).played.players
    with pytest.raises(SpecError, match="episodes is 0"):
        fb.evaluate(POKER, "uniform", episodes=0)


def test_on_the_command_line(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fb.solve(POKER, "sequence-lp").save("nash.npz")
    assert main(["evaluate", POKER, "nash.npz"]) == 0
    out = capsys.readouterr().out
    assert "NashConv 0, exploitability 0" in out
    assert "exact, on the sequence form" in out
    assert main(["evaluate", POKER, "uniform", "nash.npz", "--json"]) == 0
    held = json.loads(capsys.readouterr().out)
    assert held["exact"] is True
    assert held["regrets"][1][0] >= 0
    assert main(["evaluate", "tiger", "uniform", "--episodes", "500"]) == 0
    assert "statistics and no bounds" in capsys.readouterr().out
    assert main(["evaluate", POKER, "nonsense"]) == 2
    assert "unknown policy" in capsys.readouterr().err
    assert main(["evaluate", POKER, "uniform", "uniform", "uniform"]) == 2
    assert "has 2 players" in capsys.readouterr().err


def test_one_policy_may_stand_for_all_others(capsys):
    words = ["solve", "kuhn(seats=3)", "--with", "belief-mdp", "--json", "--against"]
    assert main([*words, "uniform"]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert main([*words, "uniform", "--against", "uniform"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == alone["value"]
    assert fb.solve("kuhn(seats=3)", "belief-mdp", against=["uniform"]).value == alone["value"]
    assert main([*words, "uniform", "--against", "uniform", "--against", "uniform"]) == 2
    assert "expected one for each of the 2 others, or one for all" in capsys.readouterr().err
