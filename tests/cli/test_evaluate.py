"""`fogbound evaluate --local`: lower estimates where there is no tree."""

from __future__ import annotations

import json

import pytest

from fogbound.cli.main import main


@pytest.fixture
def run(capsys):
    def call(*words):
        code = main(["evaluate", *words])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_a_lower_estimate_without_a_tree(run):
    words = ("liars-dice(dice=2, sides=3)", "is-mcts(simulations=20)", "--local", "--deals", "20")
    code, out, _ = run(*words)
    assert code == 0
    assert "at least" in out
    assert "an estimate from samples, no bound" in out
    code, out, _ = run(*words, "--json")
    found = json.loads(out)
    assert (found["exact"], found["deals"], found["stopped"]) == (False, 20, "deals")
    assert found["interval"][0] < found["exploited"] < found["interval"][1]
    assert {"policy", "player", "value", "gain", "interval"} == set(found["players"][0])


def test_the_rule_of_the_rest_is_a_choice_of_actions(run):
    plain, called = (
        json.loads(run("leduc", "uniform", "--local", "--deals", "20", "--json", *more)[1])
        for more in ((), ("--prefer", "check", "--prefer", "call"))
    )
    assert plain["players"][0]["value"] == called["players"][0]["value"]  # the same deals
    assert plain["exploited"] != called["exploited"]
