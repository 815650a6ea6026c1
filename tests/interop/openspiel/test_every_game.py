"""How many of OpenSpiel's registered games load and play a random game to the end: at least 103."""

from __future__ import annotations

import pytest

from tests.interop.openspiel.registered import GIVEN, count, play

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("pyspiel")]


def test_at_least_103_play():
    plays, fails = count()
    assert len(plays) >= 103, fails
    assert set(fails).isdisjoint(plays)


@pytest.mark.parametrize("name", GIVEN)
def test_those_that_need_parameters_play_with_them(name):
    _, paid, returns = play(GIVEN[name])
    assert paid == pytest.approx(returns, abs=1e-9)
