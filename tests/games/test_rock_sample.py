"""RockSample: the maps that others publish figures for."""

from __future__ import annotations

from random import Random

import pytest

import fogbound as fb
from fogbound.games.rock_sample.game import RockSample

MAPS = [(4, 4, (0, 2)), (7, 8, (0, 3)), (11, 11, (0, 5)), (15, 15, (0, 7))]


@pytest.mark.parametrize(("size", "rocks", "start"), MAPS)
def test_published_maps(size, rocks, start):
    game = fb.game(f"rock-sample(size={size}, rocks={rocks})")
    places, _ = game.site
    assert len(set(places)) == rocks
    assert all(0 <= x < size and 0 <= y < size for x, y in places)
    first = game.start()
    assert len(first) == 2**rocks
    assert {outcome.state[:2] for outcome, _ in first} == {start}


def test_a_seed_draws_another_map():
    published, drawn = RockSample(size=11, rocks=11), RockSample(size=11, rocks=11, seed=1)
    assert published.site[0][0] == (0, 3)
    assert published.site != drawn.site


def test_the_largest_map_can_be_played():
    """7,372,801 states: nothing is enumerated but the first outcomes, and those once."""
    game = RockSample(size=15, rocks=15)
    assert game.start() is game.start()
    rng = Random(0)
    state = game.start().sample(rng).state
    for action in ("check-0", "north", "check-14", "east"):
        state = game.step(state, (action,)).sample(rng).state
    assert state[:2] == (1, 8)
    paid = game.step(state, ("sample",)).sample(rng).rewards
    assert paid == ((10.0,) if state[2][2] else (-10.0,))
