"""A person's own simulator: played, solved, evaluated; wrong returns are refused in a line; so is what needs more."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.errors import FogboundError, FormError, GameError, LimitError
from fogbound.simulators.checked import ArrayObservation, CheckedSimulator
from fogbound.solvers import SOLVERS
from tests.simulators.models import Corridor, Drift, SampledTiger

SAMPLE = [name for name in SOLVERS if SOLVERS.load(name).simulators]
OWN = """
import fogbound as fb

class Coin(fb.Simulator):
    actions = ["heads", "tails"]

    def initial(self, rng):
        return "heads" if rng.random() < 0.9 else "tails"

    def step(self, state, action, rng):
        return state, None, float(action == state), True
"""


def test_it_is_a_game():
    game = fb.game(SampledTiger())
    assert game.players == ("agent",)
    assert game.discount == 0.95
    assert str(game) == "SampledTiger(accuracy=0.85, discount=0.95)"
    assert fb.match(game, "uniform", games=20, seed=1) == fb.match(game, "uniform", games=20, seed=1)
    assert fb.evaluate(game, "uniform", episodes=20).played.games == 20
    assert "can be estimated by episodes" in fb.evaluate(game, "uniform").how
    assert fb.play_out(game, "uniform").ended == "over"
    assert pickle.loads(pickle.dumps(game)).simulator == game.simulator  # noqa: S301


def test_arrays_are_states_and_observations():
    game = fb.game(Drift())
    assert fb.play_out(game, "uniform", most_steps=5).steps == 5
    checked = CheckedSimulator(Drift())
    seen = checked.remembered(np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert seen == ArrayObservation(((1.0, 2.0), (3.0, 4.0)))
    assert np.array_equal(checked.observed(seen), [[1.0, 2.0], [3.0, 4.0]])
    found = fb.solve(Drift(), "pomcpow(simulations=10, games=2, depth=5, particles=20)")
    assert found.details["games"] == 2


def test_a_class_in_a_file(tmp_path, capsys):
    (tmp_path / "coin.py").write_text(OWN)
    spec = f"{tmp_path / 'coin.py'}:Coin"
    found = fb.solve(spec, "pomcp(simulations=50, games=30)")
    assert found.value > 0.7
    assert found.certified == "none"
    from fogbound.cli.main import main

    assert main(["solve", spec, "--with", "pomcp(simulations=20, games=5)"]) == 0
    assert "no bounds are known" in capsys.readouterr().out
    assert main(["play", spec]) == 2
    assert "let a planner play it" in capsys.readouterr().err


def test_no_density_is_refused_by_name(tmp_path):
    (tmp_path / "coin.py").write_text(OWN)
    for name in ("pomcpow", "pft-dpw"):
        with pytest.raises(FormError, match=f"{name} weighs particles.*no observation_density"):
            fb.solve(f"{tmp_path / 'coin.py'}:Coin", name)


@pytest.mark.parametrize("solver", ["sarsop", "lookahead", "is-mcts", "mcts", "cfr", "value-iteration"])
def test_what_needs_more_than_samples_is_refused_by_name(solver):
    with pytest.raises(FormError, match=rf"{solver} needs a .* form, and SampledTiger.* is a simulator.*use .*pomcpow"):
        fb.solve(SampledTiger(), solver)


@pytest.mark.parametrize(
    "ask",
    [
        lambda game: fb.convert(game, "x.pomdp"),
        lambda game: fb.forms.table(game),
        lambda game: fb.dominance(game),
        lambda game: fb.subgame(game, []),
    ],
)
def test_nothing_is_enumerated(ask):
    with pytest.raises(FogboundError, match="is a simulator, whose outcomes are drawn and cannot be listed"):
        ask(fb.game(SampledTiger()))


def test_check_plays():
    found = fb.check(SampledTiger())
    assert [finding.mark for finding in found.contract] == ["ok", "skipped"]
    assert {form.form for form in found.forms if form.exists} == {"sampled", "modelled"}


def test_a_solver_is_chosen():
    from fogbound.api import choose_solver

    assert choose_solver(fb.game(SampledTiger()), against=False)[0] == "pomcpow"


BROKEN = {
    "step returned 3, expected (next state": {"step": lambda *_: 3},
    "the reward nan, expected a finite number": {"step": lambda *_: (0, 0, float("nan"), False)},
    "the reward 'much', expected a finite number": {"step": lambda *_: (0, 0, "much", False)},
    "step returned 2 as done": {"step": lambda *_: (0, 0, 1.0, 2)},
    "the observation [1], a list, expected": {"step": lambda *_: (0, [1], 1.0, False)},
    "step raised ZeroDivisionError": {"step": lambda *_: 1 / 0},
    "initial raised KeyError": {"initial": lambda *_: {}[1]},
    "actions are [], expected a list": {"actions": []},
    "actions are 'ab', expected a list": {"actions": "ab"},
    "which hold one action twice": {"actions": ["a", "a"]},
    "the action [1] cannot be hashed": {"actions": [[1]]},
    "discount is 2": {"discount": 2},
    "players is (), expected one name": {"players": ()},
    "observation_density returned -1.0, expected 0 or more": {"observation_density": lambda *_: -1.0},
    "observation_density returned 'x', expected a finite": {"observation_density": lambda *_: "x"},
    "observation_density is 0 for": {"observation_density": lambda *_: 0.0},
    "value returned inf": {"value": lambda *_: float("inf")},
}


@pytest.mark.parametrize("words", BROKEN)
def test_wrong_returns_are_refused_in_one_line(words):
    made = type("Broken", (Corridor,), BROKEN[words])
    with pytest.raises(GameError) as refused:
        fb.solve(made(), "pomcpow(simulations=20, games=1, particles=10)")
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith("Broken")


def test_light_dark_is_a_game():
    game = fb.game("light-dark(whole=false)")
    assert "robot on a line" in fb.rules(game)
    model = game.simulator
    assert model.value(0.0) == 100
    assert model.value(10.0) == pytest.approx(0.95 * 100 - 1)
    assert model.step(0.5, 0, np.random.default_rng(0))[2:] == (100.0, True)
    assert model.step(1.0, 0, np.random.default_rng(0))[2:] == (-100.0, True)
    assert "R" in model.board(3.0).text()
    assert model.board(3.0, 0).text() == model.board(-20.0, 0).text()
    assert fb.games()["light-dark"].parameters["light"] == 10


def test_only_a_limit_says_why():
    with pytest.raises(LimitError, match="light-dark"):
        fb.game("light-dark").start().pairs  # noqa: B018


@pytest.mark.parametrize("ask", ["value", "upper", "lower"])
def test_a_method_that_is_not_written_is_named(ask):
    with pytest.raises(FormError, match=f"has no {ask}: write the method, or ask has_{ask} before"):
        getattr(Corridor() if ask != "upper" else SampledTiger(), ask)(0)
