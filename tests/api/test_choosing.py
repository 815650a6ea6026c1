"""Which solver is chosen where nobody names one: games that are too large to be enumerated."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound.api import choose


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "planner"), [("king-up", "is-mcts"), ("rock-sample(size=11, rocks=11)", "pomcp")])
def test_what_cannot_be_enumerated_is_searched(spec, planner):
    chosen, why = choose(fb.game(spec), against=False)
    assert chosen == planner
    assert "without a guarantee" in why


def test_small_games_with_a_twin_are_solved():
    assert choose(fb.game("rock-sample"), against=False)[0] == "sarsop"
