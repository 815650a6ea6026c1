"""Uniform play and best replies to it by one sweep, against evaluation on the table and solving a POMDP."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fogbound as fb
from fogbound.core import FormError
from fogbound.evaluation.chain import value as exact_value
from fogbound.evaluation.uniform_play import UniformSweep
from fogbound.forms.state_graph import state_graph
from fogbound.policies.uniform import Uniform
from tests.forms.counter_rules import Counter, counter_rules

KING_UPS = [
    "king-up(seats=2, pieces=3, targets=1, height=2, width=2, rounds=1)",
    "king-up(seats=2, pieces=3, targets=2, height=3, width=2, rounds=1, ground=rest, rejections=2)",
]


def swept(game, compiled):
    """(uniform, replies), by player, from the start."""
    states = state_graph(compiled)
    found = UniformSweep(states).run()
    weights = [p for _, p in game.start()]
    return weights @ found.uniform[states.start], weights @ found.reply[states.start]


@pytest.mark.parametrize("game", [*map(fb.game, KING_UPS), Counter()], ids=str)
def test_values_are_those_of_the_table(game):
    compiled = counter_rules(game) if isinstance(game, Counter) else game.compiled_rules()
    uniform, replies = swept(game, compiled)
    assert uniform == pytest.approx(exact_value(fb.forms.table(game), [Uniform()] * 2), abs=1e-12)
    for player in range(2):
        solved = fb.solve(game, "belief-mdp", player=player, against="uniform")
        assert replies[player] == pytest.approx(solved.value, abs=1e-9)


def test_payoffs_of_another_deal():
    """What is paid may change and the states stay; every list is worth the same, since letters can be renamed."""
    game = fb.game(KING_UPS[1])
    compiled = game.compiled_rules()
    states = state_graph(compiled, [compiled.state_row(game.start().pairs[0][0].state)])
    sweep = UniformSweep(states)
    first = sweep.run()
    for outcome, _ in game.start():
        other = state_graph(compiled, [compiled.state_row(outcome.state)])
        np.testing.assert_array_equal(other.next, states.next)
        found = sweep.run(other.payoff)
        np.testing.assert_allclose(found.uniform[0], first.uniform[0], rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.reply[0], first.reply[0], rtol=0, atol=1e-12)


def test_a_game_that_can_go_on_for_ever_is_refused():
    states = state_graph(fb.game(KING_UPS[0]).compiled_rules())
    again = states.next.copy()
    again[0] = 0
    with pytest.raises(FormError, match="play can come back to"):
        UniformSweep(replace(states, next=again))
