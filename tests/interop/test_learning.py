"""A learner in an environment comes to the certified best reply: so rewards, masks and discounts are right."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import fogbound as fb

pytest.importorskip("gymnasium", reason="needs fogbound[environments]")

from fogbound.interop.gymnasium import SeatEnv

EXAMPLE = Path(__file__).parents[2] / "examples" / "q_learning.py"


def example():
    spec = importlib.util.spec_from_file_location("q_learning", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def learned(game, player, episodes):
    """(what the learned agent earns exactly, the interval of its matches, the certified best reply)."""
    learner = example()
    opponents = "uniform" if len(fb.game(game).players) > 1 else None
    env = SeatEnv(game, player, against=opponents, observing="information-set")
    agent = fb.interop.agent(learner.greedy(learner.q_learning(env, episodes)), env)
    profile = [agent if i == player else "uniform" for i in range(len(env.game.players))]
    best = fb.solve(game, player=player, against=opponents)
    assert best.certified == "both"
    played = fb.match(game, profile, games=2000, plain=True).players[player].score_interval
    return fb.evaluate(game, profile).values[player], played, best


def test_a_short_game_is_learned():
    assert len([line for line in EXAMPLE.read_text().splitlines() if line.strip()]) <= 60
    earns, (low, high), best = learned("king-ace", 1, 1_500)
    assert earns == pytest.approx(best.value, abs=1e-9)
    assert low <= best.value <= high


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "player", "value"),
    [
        ("card-poker(ranks=8)", 0, 0.5),
        ("kuhn", 1, 5 / 12),
        ("horizon(tiger, 3)", 0, 2.3098),
        ("liars-dice(sides=2)", 0, 0.75),
    ],
)
def test_q_learning_finds_the_certified_best_reply(game, player, value):
    earns, (low, high), best = learned(game, player, 20_000)
    assert best.value == pytest.approx(value, abs=1e-9)
    assert earns == pytest.approx(best.value, abs=1e-9)  # exactly that reply, and not one that looks like it
    assert low <= best.value <= high


@pytest.mark.slow
def test_the_example_says_what_it_found(capsys):
    exec(compile(EXAMPLE.read_text(), str(EXAMPLE), "exec", dont_inherit=True), {"__name__": "__main__"})
    assert capsys.readouterr().out == "learned 0.500, exactly; the best reply earns 0.500, certified\n"
