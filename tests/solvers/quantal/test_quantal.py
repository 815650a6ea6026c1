"""Quantal responses against published figures, the equation itself solved in another way, and Markov games."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import fogbound as fb
from fogbound import forms
from fogbound.core.errors import LimitError, SpecError
from fogbound.solvers.quantal.choices import agent_form, normal_form


def last(solution):
    return np.array(solution.details["path"][-1][1:])


@pytest.mark.parametrize("rationality", [0.3, 0.7, 1.5])
def test_the_symmetric_point_of_the_stag_hunt(rationality):
    """One equation in one unknown: stag is worth 4p, hare 3."""
    found = fb.solve("matrix-game(matrix=stag-hunt)", f"quantal-response(rationality={rationality})")
    p = brentq(lambda p: p - 1 / (1 + np.exp(-rationality * (4 * p - 3))), 0.0, 0.5)
    assert last(found) == pytest.approx([p, 1 - p, p, 1 - p], abs=2e-6)
    assert found.details["residual"] < 1e-12
    assert found.details["rationality"] == pytest.approx(rationality)


def test_the_limit_need_not_be_perfect():
    """McKelvey and Palfrey 1995, figure 1 with A = B = 5: not (down, right), the only perfect equilibrium."""
    found = fb.solve("matrix-game(matrix=mckelvey-palfrey)", "quantal-response")
    assert last(found) == pytest.approx([0.5, 0, 0.5] * 2, abs=1e-4)
    assert found.gap < 1e-9


def test_myersons_poker_in_agent_form():
    """Myerson 1991, section 2.1: the path ends at the only equilibrium."""
    found = fb.solve("myerson-poker", "quantal-response")
    assert last(found) == pytest.approx([1, 0, 1 / 3, 2 / 3, 2 / 3, 1 / 3], abs=1e-6)
    assert found.certified == "both"


def test_seltens_horse_ends_at_the_perfect_equilibrium():
    """Selten 1975: across, across, and left at most a quarter of the time."""
    found = fb.solve("selten-horse", "quantal-response")
    assert found.details["values"] == pytest.approx([1, 1, 1], abs=1e-6)
    assert last(found)[-2] <= 0.25


def test_turning_points_are_passed():
    """The dilemma of the stag hunt with a better stag: the path still ends at an equilibrium, whichever."""
    found = fb.solve("matrix-game(payoffs=[[[9, 9], [0, 8]], [[8, 0], [7, 7]]])", "quantal-response")
    assert found.gap < 1e-9


@pytest.mark.parametrize("matrix", ["chicken", "stag-hunt", "mckelvey-mclennan", "aumann"])
def test_the_markov_engine_goes_the_same_way(matrix):
    """`markov-nash` follows the same path of a game of one step, from equations of its own."""
    game = fb.game(f"matrix-game(matrix={matrix})")
    mine, theirs = fb.solve(game, "quantal-response"), fb.solve(game, "markov-nash")
    assert mine.details["values"] == pytest.approx(theirs.details["values"], abs=1e-6)
    assert mine.gap < 1e-9


@pytest.mark.parametrize("spec", ["king-ace", "myerson-poker", "selten-horse", "random(seed=4, seats=3, depth=2)"])
@pytest.mark.parametrize("agent", [True, False])
def test_worth_and_derivatives(spec, agent):
    """The worth of choices against best replies to fixed play, and derivatives against differences."""
    form = forms.sequence(fb.game(spec))
    game = agent_form(form) if agent else normal_form(forms.normal(form))
    rng = np.random.default_rng(3)
    b = np.concatenate([np.log(rng.dirichlet(np.ones(k))) for k in np.bincount(game.place)])
    worth, slope = game.values(b)
    for k in rng.choice(len(b), min(len(b), 6), replace=False):
        nudged = b + 1e-6 * (np.arange(len(b)) == k)
        assert (game.values(nudged)[0] - worth) / 1e-6 == pytest.approx(slope[:, k], abs=1e-4)
    values = np.array(fb.evaluation.expected(form, game.played(np.exp(b))))
    if not agent:  # a player's value is the average worth of its strategies, shifted and scaled
        x = np.exp(b)
        mean = [(x * worth)[game.owner == i].sum() for i in range(len(values))]
        payoff = game.matrix.payoff.reshape(-1, len(values))
        assert mean == pytest.approx((values - payoff.mean(axis=0)) / game.scale, abs=1e-9)


def test_agent_and_normal_form_are_one_where_everybody_moves_once():
    one = fb.solve("matrix-game(matrix=chicken)", "quantal-response(rationality=0.5)")
    two = fb.solve("matrix-game(matrix=chicken)", "quantal-response(rationality=0.5, agent=false)")
    assert last(one) == pytest.approx(last(two), abs=1e-6)


def test_three_player_kuhn_is_followed_far():
    found = fb.solve("kuhn(seats=3)", "quantal-response(rationality=200)")
    assert found.details["residual"] < 1e-9
    assert found.gap < 0.02


def test_its_path_is_drawn_saved_and_shown(tmp_path):
    game = fb.game("myerson-poker")
    fb.solve(game, "quantal-response").save(tmp_path / "path.npz")
    drawn = fb.draw.logit_path(fb.load(tmp_path / "path.npz"), game=game)
    assert "first: black: raise 0.33" in drawn.text
    assert fb.verify(tmp_path / "path.npz")
    assert "information set 2" in fb.draw.logit_path(fb.load(tmp_path / "path.npz"), game=game, state=2).text
    with pytest.raises(SpecError, match="from 0 to 2"):
        fb.draw.logit_path(fb.load(tmp_path / "path.npz"), game=game, state=3)


def test_refusals():
    with pytest.raises(SpecError, match="expected 0 or more"):
        fb.solver("quantal-response(rationality=-1)")
    with pytest.raises(LimitError, match="2,184 choices"):
        fb.solve("leduc", "quantal-response")
