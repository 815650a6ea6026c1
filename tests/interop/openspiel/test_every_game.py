"""How many of OpenSpiel's registered games load by name and play a random game to the end: at least 103."""

from __future__ import annotations

import pytest

from tests.interop.openspiel.registered import GIVEN, count, names, play

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("pyspiel")]

PARTS = 8  # so that several processes can share them
REFUSED = {  # as docs/openspiel.md says, with the reasons
    *GIVEN,
    *("efg_game", "nfg_game", "repeated_poker"),
    *("mfg_crowd_modelling", "mfg_crowd_modelling_2d", "mfg_dynamic_routing", "mfg_garnet"),
    *("bridge_uncontested_bidding", "negotiation", "stones_and_gems", "tarok"),
    "crossword",
}


@pytest.mark.filterwarnings("ignore::UserWarning")  # some say what their clock tells
@pytest.mark.parametrize("part", range(PARTS))
def test_every_game_plays_or_is_refused_for_a_known_reason(part):
    mine = names()[part::PARTS]
    plays, fails = count(mine)
    assert set(fails) == REFUSED & set(mine), fails
    assert set(plays) | set(fails) == set(mine)


def test_they_are_at_least_103():
    assert len(set(names()) - REFUSED) >= 103


@pytest.mark.parametrize("name", GIVEN)
def test_those_that_need_parameters_play_with_them(name):
    _, paid, returns = play(GIVEN[name])
    assert paid == pytest.approx(returns, abs=1e-9)
