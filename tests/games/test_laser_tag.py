"""Laser tag: distances of the published program, the flight, the readings, the end, and what a robot gets that sees."""

from __future__ import annotations

from functools import cached_property
from math import sqrt

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.errors import SpecError
from fogbound.games.laser_tag.arena import DIRECTIONS, HIGH, OBSTACLES, WIDE
from fogbound.games.laser_tag.game import LaserTag

PRINTED = ["#...#......", ".#...#.....", ".........#.", ".....#...#.", "...........", "...........", "..#........"]


class Printed(LaserTag):
    """The arena that the DESPOT program prints for seed 7."""

    @cached_property
    def cells(self):
        rows = list(reversed(PRINTED))
        return tuple((x, y) for y in range(HIGH) for x in range(WIDE) if rows[y][x] == ".")


def distances(game, robot, opponent):
    straight = [game.clear(robot, opponent, way) + 1 for way in DIRECTIONS[:4]]
    return [*straight, *((game.clear(robot, opponent, way) + 1) * sqrt(2) for way in DIRECTIONS[4:])]


def test_distances_are_those_that_the_program_prints():
    north, south, east, west, *diagonal = distances(Printed(), (0, 1), (10, 6))
    assert (north, east, south, west) == (5, 11, 2, 1)
    assert sorted(np.round(diagonal, 5)) == [1.41421, 1.41421, 2.82843, 8.48528]
    north, south, east, west, *diagonal = distances(Printed(), (1, 1), (10, 6))
    assert (north, east, south, west) == (4, 10, 2, 2)
    assert sorted(np.round(diagonal, 5)) == [1.41421, 2.82843, 2.82843, 5.65685]


def test_the_opponent_flees():
    game = LaserTag()
    assert game.flight((5, 3), (8, 4)) == pytest.approx({(8, 4): 0.2, (9, 4): 0.4, (8, 5): 0.4})
    assert game.flight((5, 3), (5, 5)) == pytest.approx({(5, 5): 0.2, (6, 5): 0.2, (4, 5): 0.2, (5, 6): 0.4})
    for robot in game.cells[::7]:
        for opponent in game.cells[::5]:
            chances = game.flight(robot, opponent)
            assert sum(chances.values()) == pytest.approx(1)
            assert min(chances.values()) >= -1e-12


@pytest.mark.parametrize("layout", [0, 3])
def test_steps_readings_and_the_end(layout):
    game, rng = LaserTag(layout=layout), np.random.default_rng(0)
    assert len(game.cells) == WIDE * HIGH - OBSTACLES
    here = np.array([10.0, 10.0])
    _, seen, reward, done = game.step(here, "tag", rng)
    assert (reward, done, set(seen)) == (10.0, True, {-1.0})
    missed = game.step(np.array([3.0, 40.0]), "tag", rng)
    assert missed[2:] == (-10.0, False)
    assert missed[0][0] == 3
    state = game.initial(rng)
    for k in range(200):
        action = game.actions[k % 4]
        following, seen, reward, done = game.step(state, action, rng)
        assert (reward, done) == (-1.0, False)
        robot, opponent = (game.cells[int(cell)] for cell in following)
        assert opponent in game.flight(*(game.cells[int(cell)] for cell in state))
        if robot != opponent:
            assert (seen <= np.array(distances(game, robot, opponent))).all()
        assert game.observation_density(state, action, following, seen) > 0
        state = following


def test_readings_are_distributed_as_their_density_says():
    game, rng = LaserTag(), np.random.default_rng(1)
    ones, state = [], np.array([30.0, 60.0])
    for _ in range(4000):
        following, seen, _, _ = game.step(state, "tag", rng)
        if following[1] == 60:
            ones.append(seen[2])
    far = distances(game, game.cells[30], game.cells[60])[2]
    from fogbound.games.laser_tag.kernels import reading_chances

    assert reading_chances().sum(axis=1) == pytest.approx(np.ones(2 * WIDE))
    expected = reading_chances()[int(far) - 1]
    found = np.bincount(np.array(ones, int), minlength=len(expected)) / len(ones)
    assert np.abs(found - expected).max() < 0.06


def test_values_of_full_information():
    game = LaserTag()
    assert game.value(np.array([5.0, 5.0])) == pytest.approx(10)
    near, away = game.value(np.array([0.0, 1.0])), game.value(np.array([0.0, 60.0]))
    assert away < near < 10
    assert game.has_upper
    assert game.has_density
    assert not game.has_lower


def test_the_robot_may_know_where_it_begins():
    game, rng = LaserTag(located=True), np.random.default_rng(0)
    assert len({float(game.initial(rng)[0]) for _ in range(20)}) == 1
    assert len({float(LaserTag().initial(rng)[0]) for _ in range(20)}) > 5
    with pytest.raises(SpecError, match="layout is -1, expected 0 or more"):
        fb.game("laser-tag(layout=-1)")


def test_boards_and_pictures():
    game = LaserTag()
    assert game.board(np.array([0.0, 9.0])).text().count("#") == OBSTACLES + 1  # and the caption's
    assert game.board(np.array([0.0, 9.0]), 0) == game.board(np.array([30.0, 2.0]), 0)
    assert game.draw(np.array([0.0, 9.0]), 0) == game.draw(np.array([30.0, 2.0]), 0)
    assert "8 obstacles; the robot at (0, 0)" in game.draw(np.array([0.0, 9.0])).label
    assert "eight noisy laser ranges" in fb.rules(fb.game("laser-tag"))


def test_planners_play_it():
    found = fb.match("laser-tag", ["pomcpow(simulations=200, particles=500)"], games=1, seed=1, most_steps=5)
    assert found.players[0].score <= 10
