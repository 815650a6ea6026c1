"""Values that are published or known exactly, in one table with where they come from."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from fogbound import evaluation, forms
from fogbound.driver.protocol import Until
from fogbound.games import known_values, make
from fogbound.policies import Uniform
from fogbound.solvers import make as make_solver
from fogbound.transforms.horizon import Horizon
from tests.run import solve

KNOWN_VALUES = known_values()
EQUILIBRIA = [known for known in KNOWN_VALUES if not known.solver]


@pytest.mark.parametrize("known", EQUILIBRIA, ids=[known.game for known in EQUILIBRIA])
def test_equilibrium(known):
    found = solve(make_solver("sequence-lp"), forms.sequence(make(known.game)))
    assert abs(found.value - known.value) < known.tolerance, known.source
    assert found.gap < 1e-9
    assert found.certified == "both"


def test_both_types_have_the_same_breakfast():
    """Cho and Kreps 1987: all equilibria pool, on beer (2.9, 0.9) or on quiche (2.1, 0.9); beer is the known value."""
    found = solve(make_solver("support-enumeration"), forms.normal(make("beer-quiche")))
    for one in found.details["list"]:
        ((breakfast, p),) = one["strategies"][0].items()
        assert (breakfast, p) in (("bb", 1.0), ("qq", 1.0))
        assert one["payoffs"] == pytest.approx([2.9 if breakfast == "bb" else 2.1, 0.9])
    assert found.details["complete"]
    known = next(known for known in KNOWN_VALUES if known.game == "beer-quiche")
    chosen = solve(make_solver(known.solver), forms.normal(make(known.game)))
    assert abs(chosen.value - known.value) < known.tolerance, known.source
    assert chosen.certified == "both"


@pytest.mark.one_in(3)
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
    assert np.allclose(evaluation.value(game, {0: Uniform(), 1: Uniform()}), (1 / 8, -1 / 8))


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
    known = next(known for known in KNOWN_VALUES if known.game == "tiger")
    found = solve(make_solver(known.solver), forms.belief_mdp(forms.pomdp(make("tiger"))), Until(gap=1e-6))
    assert known.value - known.tolerance <= found.lower <= found.upper <= known.value + known.tolerance
    assert found.certified == "lower"


def test_po_nim_level_one():
    """Rosello, figure 1: against a random opponent on (2, 2); 1_1 = 5 and 1_2 = 29/4, reached as horizons grow."""
    for player, value in ((0, 5.0), (1, 7.25)):
        game = Horizon(make("po-nim(n=2)"), 14)
        found = solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(game, player, {1 - player: Uniform()})))
        assert abs(found.value - value) < 0.02
        assert found.value == pytest.approx(evaluation.value(game, found.profile)[player], abs=1e-9)


MARKOV = [known for known in KNOWN_VALUES if known.solver == "shapley"]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("solver", ["shapley", "hoffman-karp"])
@pytest.mark.parametrize("known", MARKOV, ids=[known.game for known in MARKOV])
def test_markov_game(known, solver):
    found = solve(make_solver(solver), forms.markov(make(known.game)), Until(gap=1e-9))
    assert abs(found.value - known.value) < known.tolerance, known.source
    assert found.certified == "both"
