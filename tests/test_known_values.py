"""Values that are published or known exactly, in one table with where they come from."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from fogbound import evaluate, forms
from fogbound.driver.solve import Until, solve
from fogbound.games import make
from fogbound.policies import Uniform
from fogbound.solvers import make as make_solver
from fogbound.transforms.horizon import Horizon

EQUILIBRIA = [  # game, value to player 0, tolerance, source
    ("rock-paper-scissors", 0.5, 1e-12, "symmetric, payoffs 1, 1/2, 0"),
    ("rock-paper-scissors(biased=true)", 0.5, 1e-12, "symmetric; mixed .4 .4 .2"),
    ("king-ace", 0.0, 1e-12, "slides on dynamic games, 4x4 table: saddle point at 0"),
    ("card-poker(ranks=3)", -1 / 18, 1e-12, "Kuhn 1950"),
    ("card-poker(ranks=4)", -1 / 24, 1e-12, "exact rational LP"),
    ("card-poker(ranks=5)", -1 / 15, 1e-12, "exact rational LP"),
    ("card-poker(ranks=8)", -1 / 16, 1e-12, "Oliehoek, Spaan and Vlassis 2005, section 5: 0.0625 to the dealer"),
    ("myerson-poker", 1 / 3, 1e-12, "Myerson 1991, section 2.1"),
    ("leduc", -0.0856064241, 1e-8, "OpenSpiel and others"),
    ("goofspiel(cards=4)", 0.0, 1e-9, "symmetric"),
    ("nim(heaps=[1, 2, 3])", -1.0, 1e-12, "Bouton 1901: nim-sum 0"),
    ("nim(heaps=[2, 1], misere=true)", 1.0, 1e-12, "Bouton 1901: leave one"),
]


@pytest.mark.parametrize(("spec", "value", "tolerance", "source"), EQUILIBRIA)
def test_equilibrium(spec, value, tolerance, source):
    found = solve(make_solver("sequence-lp"), forms.sequence(make(spec)))
    assert abs(found.value - value) < tolerance, source
    assert found.gap < 1e-9
    assert found.certified == "both"


@pytest.mark.parametrize("ranks", range(3, 27))
def test_card_poker_from_both_sides(ranks):
    """The LP of player 0 and the LP of player 1 (players swapped) agree."""
    from tests.relations import Swapped

    game = make(f"card-poker(ranks={ranks})")
    found = solve(make_solver("sequence-lp"), forms.sequence(game), certified=False)
    other = solve(make_solver("sequence-lp"), forms.sequence(Swapped(game)), certified=False)
    assert abs(found.value + other.value) < 1e-9
    assert found.gap < 1e-9
    assert other.gap < 1e-9


def test_king_ace_is_the_slides_table():
    """Rows and columns by what is done with the ace, then with the king; payoffs to the first player."""
    table = {
        "rr": (0, Fraction(-1, 6), 1, Fraction(7, 6)),
        "kr": (Fraction(-1, 3), Fraction(-1, 6), Fraction(5, 6), Fraction(2, 3)),
        "rk": (Fraction(1, 3), 0, Fraction(1, 6), Fraction(1, 2)),
        "kk": (0, 0, 0, 0),
    }
    columns = ("cc", "cf", "ff", "fc")
    letters = {"raise": "r", "check": "k", "call": "c", "fold": "f"}
    form = forms.normal(make("king-ace"))

    def label(strategy):
        by_card = {history[0].private: letters[action] for history, action in strategy.items()}
        return by_card["A"] + by_card["K"]

    rows = {label(s): j for j, s in enumerate(form.strategies[0])}
    places = {label(s): j for j, s in enumerate(form.strategies[1])}
    assert set(rows) == set(table)
    assert set(places) == set(columns)
    for row, entries in table.items():
        for column, entry in zip(columns, entries):
            found = Fraction(form.payoff[rows[row], places[column], 0]).limit_denominator(1000)
            assert found == entry
            assert math.isclose(form.payoff[rows[row], places[column], 0], entry, abs_tol=1e-15)


def test_best_replies_in_8_card_poker():
    """Oliehoek et al. 2005, section 5: a best reply to a Nash opponent earns the value of the game."""
    game = make("card-poker(ranks=8)")
    nash = solve(make_solver("sequence-lp"), forms.sequence(game)).profile
    cases = [
        (0, nash[1], -1 / 16),
        (1, nash[0], 1 / 16),
        (0, Uniform(), 1 / 2),
        (1, Uniform(), 19 / 56),
    ]
    for player, opponent, value in cases:
        found = solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(game, player, {1 - player: opponent})))
        assert abs(found.value - value) < 1e-9
        assert found.certified == "both"
    assert np.allclose(evaluate.value(game, {0: Uniform(), 1: Uniform()}), (1 / 8, -1 / 8))


def test_pinned_dealer_strategy():
    """In every equilibrium of 8-card poker the dealer plays these with certainty or these odds."""
    form = forms.sequence(make("card-poker(ranks=8)"))
    found = solve(make_solver("sequence-lp"), form)
    dealer = {(h[0].private, h[-1][1].public): dict(d) for h, d in found.profile[1].rows()}
    after_check = {1: 1, 2: 1 / 6, 3: 0, 4: 0, 5: 1 / 2, 6: 1, 7: 1, 8: 1}
    for rank, bets in after_check.items():
        assert abs(dealer[rank, "check"].get("bet", 0.0) - bets) < 1e-9
    for rank, calls in {1: 0, 2: 0, 6: 1, 7: 1, 8: 1}.items():
        assert abs(dealer[rank, "bet"].get("call", 0.0) - calls) < 1e-9


def test_tiger():
    """Cassandra, Kaelbling and Littman 1994; bounds of APPL's SARSOP: 19.3711 to 19.3721."""
    found = solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(make("tiger"))), Until(gap=1e-6))
    assert 19.3711 <= found.lower <= found.upper <= 19.3721
    assert found.certified == "lower"


def test_po_nim_level_one():
    """Rosello, figure 1: against a random opponent on (2, 2); 1_1 = 5 and 1_2 = 29/4, reached as horizons grow."""
    for player, value in ((0, 5.0), (1, 7.25)):
        game = Horizon(make("po-nim(n=2)"), 14)
        found = solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(game, player, {1 - player: Uniform()})))
        assert abs(found.value - value) < 0.02
        assert found.value == pytest.approx(evaluate.value(game, found.profile)[player], abs=1e-9)


MARKOV = [  # game, value to player 0, source
    ("repeated(matrix=uneven)", 7.5, "one state [[3, 0], [0, 1]]: 3/4 of a unit, ten times"),
    ("repeated(matrix=matching-pennies)", 0.0, "symmetric"),
    ("soccer", 0.2184844404, "exact certificate [.218484440226, .218484440618], found elsewhere"),
    ("soccer(goal=resets)", 0.2184844404, "what follows a goal is worth 0"),
    ("soccer(ball=coin)", 0.0, "symmetric"),
]


@pytest.mark.parametrize("solver", ["shapley", "hoffman-karp"])
@pytest.mark.parametrize(("spec", "value", "source"), MARKOV)
def test_markov_game(spec, value, source, solver):
    found = solve(make_solver(solver), forms.markov(make(spec)), Until(gap=1e-9))
    assert abs(found.value - value) < 1e-9, source
    assert found.certified == "both"
