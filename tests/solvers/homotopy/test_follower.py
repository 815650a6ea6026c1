"""The follower of paths on curves that are known, and the logit equations against differences."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound import forms
from fogbound.solvers.homotopy.follower import (
    Factors,
    Position,
    advanced,
    between,
    curve,
    logit_derivatives,
    logit_residual,
    path_start,
)
from fogbound.solvers.markov.nash import LogitGame
from fogbound.solvers.quantal.choices import agent_form
from fogbound.solvers.quantal.solver import logit_equations, principal_branch, residual


def circle(point):
    """x² + (l - 1)² = 1: from (0, 0) the unknown l cannot grow for ever."""
    x, l = point  # noqa: E741
    return np.array([x * x + (l - 1) ** 2 - 1]), lambda: np.array([[2 * x, 2 * (l - 1)]])


def test_turning_points_are_passed_and_what_lies_between_is_on_the_curve():
    here = Position(np.array([0.0, 0.0]), np.array([1.0, 0.0]), 0.1)
    seen = []
    for _ in range(40):
        after = advanced(circle, here, 0.3)
        assert abs(circle(after.point)[0][0]) < 1e-8
        middle = between(here, after, np.array([0.0, 0.25, 0.5, 1.0]))
        assert middle[[0, -1]] == pytest.approx(np.array([here.point, after.point]))
        assert max(abs(circle(one)[0][0]) for one in middle) < 5e-3
        seen.append(after.point)
        here = after
    assert min(seen, key=lambda one: one[0])[0] < -0.9  # twice around: through the largest l and back to the least
    assert max(one[1] for one in seen) > 1.95


def test_a_path_that_ends_is_said_to_be_lost():
    """x = sqrt(1 - l) has no l above 1, and the other root is cut off."""

    def half(point):
        x, l = point  # noqa: E741
        return np.array([x * x + l - 1 if x > 0 else 1.0]), lambda: np.array([[2 * x, 1.0]])

    here = path_start(np.array([1.0, 0.0]))
    for _ in range(500):
        after = advanced(half, here, 0.3)
        if after is None:
            break
        here = after
    assert after is None
    assert here.point[1] > 0.99


def test_factors_solve_as_lapack_does_and_tell_what_is_singular():
    rng = np.random.default_rng(1)
    matrix, right = rng.normal(size=(30, 30)), rng.normal(size=30)
    assert Factors.of(matrix.copy()).solve(right.copy()) == pytest.approx(np.linalg.solve(matrix, right))
    assert Factors.of(np.zeros((2, 2))) is None


@pytest.mark.parametrize("spec", ["random-markov(seed=3, ragged=true, ends=0.3)", "random-markov(seats=3, choices=2)"])
def test_the_equations_of_a_markov_game_are_differentiated_rightly(spec):
    game = LogitGame(forms.markov(fb.game(spec)))
    _differentiated(game.equations, game.begin())


def test_the_equations_of_a_tree_are_differentiated_rightly():
    game = agent_form(forms.sequence(fb.game("myerson-poker")))
    _differentiated(logit_equations(game), np.append(np.log(game.uniform), 1.0))


def _differentiated(equations, start):
    point = start + np.random.default_rng(0).normal(size=len(start)) * 0.3
    derivatives = equations(point)[1]()
    for k, step in enumerate(np.eye(len(point)) * 1e-6):
        measured = (equations(point + step)[0] - equations(point - step)[0]) / 2e-6
        assert measured == pytest.approx(derivatives[:, k], abs=1e-6)


def test_curves_for_pictures_are_dense_and_lie_on_the_path():
    game = agent_form(forms.sequence(fb.game("selten-horse")))
    choices, before = len(game.place), None
    for here in principal_branch(game):
        if here.point[-1] > 30:
            break
        if before is not None:
            points = curve(before, here, choices)
            chances = np.vstack([np.exp(before.point[:choices]), points[:, 1:]])
            assert np.abs(np.diff(chances, axis=0)).max() < 0.06
            for row in points:
                assert residual(game, np.append(np.log(row[1:]), row[0])) < 5e-3
        before = here


def test_uniform_play_is_the_logit_response_of_no_rationality():
    head = np.array([0, 0, 2, 2, 2])
    b = np.log([1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 3])
    assert logit_residual(b, 0.0, head, np.arange(5.0)) == pytest.approx(np.zeros(5))


def test_the_compiled_equations_are_those_of_the_logit_rule():
    game = LogitGame(forms.markov(fb.game("random-markov(seed=3, ragged=true)")))
    point = game.begin() + np.random.default_rng(2).normal(size=game.unknowns + 1) * 0.2
    point[-1] = 1.7
    left, derivatives = game.equations(point)
    many, x = game.choices, np.exp(point[: game.choices])
    q, slope = game._worth(x, point[many:-1])
    slope[:, :many] *= x
    head = game.owner[0]
    assert left[:many] == pytest.approx(logit_residual(point[:many], 1.7, head, q), abs=1e-12)
    plain = logit_derivatives(point[:many], 1.7, head, q, slope)
    assert derivatives()[:many] == pytest.approx(plain, abs=1e-12)
