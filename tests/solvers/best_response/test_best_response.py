"""Fictitious play and the double oracle against linear programs, and where the literature says what happens."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound import forms
from fogbound.driver.protocol import Until


@pytest.mark.parametrize("spec", ["king-ace", "myerson-poker", "card-poker(ranks=4)", "goofspiel(cards=3)"])
def test_the_double_oracle_finds_the_value_with_few_strategies(spec):
    exact, found = fb.solve(spec, "sequence-lp"), fb.solve(spec, "double-oracle")
    assert found.value == pytest.approx(exact.value, abs=1e-9)
    assert found.gap < 1e-9
    assert found.certified == "both"
    assert sum(found.details["strategies"]) <= sum(plex.sequences for plex in forms.sequence(fb.game(spec)).plexes)


@pytest.mark.parametrize("matrix", ["battle-of-the-sexes", "aumann", "shapley", "mckelvey-mclennan"])
def test_the_double_oracle_of_a_general_sum(matrix):
    found = fb.solve(f"matrix-game(matrix={matrix})", "double-oracle")
    assert found.gap < 1e-9


def test_the_double_oracle_needs_no_matrix():
    """2 x 10^9 strategies and more: only best replies are ever asked for."""
    found = fb.solve("card-poker(ranks=13)", "double-oracle")
    assert found.value == pytest.approx(fb.solve("card-poker(ranks=13)", "sequence-lp").value, abs=1e-9)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("spec", ["rock-paper-scissors(biased=true)", "myerson-poker", "king-ace"])
@pytest.mark.parametrize("turns", ["", "(alternating=true)"])
def test_fictitious_play_tends_to_the_value(spec, turns):
    """Robinson 1951; on trees averaged over realisation weights (Heinrich, Lanctot and Silver 2015)."""
    found = fb.solve(spec, f"fictitious-play{turns}", iterations=3000)
    assert found.gap < 0.03
    assert found.lower - 1e-9 <= fb.solve(spec, "sequence-lp").value <= found.upper + 1e-9


def test_fictitious_play_circles_in_shapleys_game():
    """Shapley 1964: no convergence; the double oracle finds the equilibrium, a third of each."""
    found = fb.solve("matrix-game(matrix=shapley)", "fictitious-play(alternating=true)", iterations=5000)
    assert found.gap > 0.1
    assert fb.solve("matrix-game(matrix=shapley)", "double-oracle").value == pytest.approx(1 / 3)


def test_fictitious_play_is_browns_on_a_matrix():
    """Round by round by hand: replies to uniform play, then to the averages."""
    found = fb.solve("matrix-game(matrix=uneven)", "fictitious-play", iterations=2)
    payoff = forms.normal(fb.game("matrix-game(matrix=uneven)")).payoff
    x, y = payoff[..., 0].mean(axis=1).argmax(), payoff[..., 1].mean(axis=0).argmax()
    second = payoff[:, y, 0].argmax(), payoff[x, :, 1].argmax()
    form = forms.sequence(fb.game("matrix-game(matrix=uneven)"))
    for i, (one, two) in enumerate([(x, second[0]), (y, second[1])]):
        expected = [0.0, 0.0]
        expected[one] += 0.5
        expected[two] += 0.5
        assert fb.evaluation.behaviours(form, found)[i][1:].tolist() == pytest.approx(expected)


@pytest.mark.parametrize("solver", ["fictitious-play", "double-oracle"])
def test_contract(solver):
    fb.testing.check_solver(fb.solver(solver), forms.sequence(fb.game("king-ace")), Until(iterations=50))


def test_one_player_is_given_its_best_strategy():
    alone = fb.solve("horizon(game=tiger, steps=2)", "double-oracle")
    assert alone.value == pytest.approx(fb.solve("horizon(game=tiger, steps=2)", "belief-mdp").value, abs=1e-12)
    assert alone.certified == "both"
