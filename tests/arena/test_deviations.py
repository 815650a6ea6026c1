"""What replies gain, by duplicate deals, beside exact gains."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound.arena import deviations
from fogbound.core.errors import SpecError
from fogbound.evaluation import LocalBestResponse
from fogbound.policies import Uniform


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["card-poker(ranks=3)", "leduc"])
def test_the_interval_lies_around_the_exact_gain_and_below_the_exploitability(spec):
    game, profile = fb.game(spec), [Uniform(), Uniform()]
    found = fb.local_best_response(game, "uniform", deals=600, seed=1)
    exact = fb.evaluation.exploitability(game, profile)
    for gain in found.gains:
        others = {1 - gain.player: Uniform()}
        reply = LocalBestResponse(game, gain.player, others)
        true = fb.evaluation.expected(game, {**others, gain.player: reply})[gain.player] - exact.values[gain.player]
        assert gain.interval[0] < true < gain.interval[1]  # with this seed, as with 95 of 100
    assert 0 < found.interval[0] < exact.exploitability  # a lower estimate, as it says


def test_a_planner_is_exploited_where_there_is_no_tree():
    found = fb.local_best_response("liars-dice(dice=2, sides=3)", "is-mcts(simulations=30)", deals=40)
    assert found.deals == 40
    assert found.interval[0] > 0.1


def test_only_those_who_are_named_reply():
    found = fb.local_best_response("kuhn(seats=3)", "uniform", players=["player-3", 0], deals=5)
    assert [gain.player for gain in found.gains] == [0, 2]


def test_the_result_does_not_depend_on_the_workers():
    asked = {"deals": 6, "seed": 3}
    one = fb.local_best_response("leduc", "is-mcts(simulations=20)", **asked)
    assert fb.local_best_response("leduc", "is-mcts(simulations=20)", workers=2, **asked) == one


def test_deals_already_played_are_kept_when_it_is_interrupted():
    def watch(done):
        if done == 3:
            raise KeyboardInterrupt

    found = fb.local_best_response("leduc", "uniform", deals=50, watch=watch)
    assert (found.deals, found.stopped) == (3, "interrupted")


def test_too_few_deals_are_refused():
    game = fb.game("king-ace")
    with pytest.raises(SpecError, match="deals is 1, expected at least 2"):
        fb.local_best_response(game, "uniform", deals=1)
    with pytest.raises(SpecError, match="nobody replies"):
        deviations(game, [Uniform(), Uniform()], {})
