"""Relations that must hold between the answers to altered games, on random games (zero-sum, two players)."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fogbound import evaluation, forms
from fogbound.driver.protocol import Until
from fogbound.games import make
from fogbound.policies import Uniform
from fogbound.solvers import make as make_solver
from fogbound.testing import random_games
from fogbound.transforms.horizon import Horizon
from fogbound.transforms.restrict import Restrict
from tests import relations
from tests.run import solve

games = random_games(zero_sum=True, most_nodes=300)
some = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


def value(game, solver="sequence-lp"):
    """The equilibrium value, from a certified interval."""
    form = forms.normal(game) if solver == "matrix-lp" else forms.sequence(game)
    found = solve(make_solver(solver), form)
    assert found.certified == "both"
    assert found.gap < 1e-9
    return found.value


def same(one, other):
    return math.isclose(one, other, abs_tol=1e-9)


EQUAL = {
    "relabelled and reordered": relations.Reordered,
    "an action cloned": relations.Cloned,
    "a dominated action added": relations.Tempted,
    "a coin that means nothing": relations.Coin,
    "states doubled": relations.Doubled,
    "an impossible outcome listed": relations.Impossible,
}
UNDISCOUNTED = {"pay deferred to the end": relations.Deferred, "a forced move first": relations.Delayed}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", [*EQUAL, *UNDISCOUNTED])
@some
@given(game=games)
def test_the_value_stays(name, game):
    if name in UNDISCOUNTED:
        assume(game.discount == 1)
    altered = {**EQUAL, **UNDISCOUNTED}[name](game)
    assume(forms.tree(altered).size < 5_000)
    assert same(value(altered), value(game))


@pytest.mark.slow
@settings(some, max_examples=100)
@given(game=games, power=st.integers(-20, 20))
def test_scaling_by_a_power_of_two_is_exact_to_the_bit(game, power):
    """No absolute tolerance hides anywhere: traces are bit-equal after division."""
    factor = 2.0**power
    scaled = relations.Scaled(game, factor)
    one = solve(make_solver("sequence-lp"), forms.sequence(game))
    other = solve(make_solver("sequence-lp"), forms.sequence(scaled))
    for a, b in zip(one.trace, other.trace, strict=True):
        assert (a.value * factor, a.lower * factor, a.upper * factor) == (b.value, b.lower, b.upper)


@some
@given(game=games, power=st.integers(-8, 8))
def test_scaling_the_matrix_game(game, power):
    factor = 2.0**power
    assume(forms.normal(game).payoff.size < 5_000)
    one = solve(make_solver("matrix-lp"), forms.normal(game))
    other = solve(make_solver("matrix-lp"), forms.normal(relations.Scaled(game, factor)))
    assert [m.value * factor for m in one.trace] == [m.value for m in other.trace]


@some
@given(game=games, power=st.integers(-8, 8))
def test_scaling_a_best_reply(game, power):
    factor = 2.0**power
    one, other = (
        solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(g, 0, {1: Uniform()})), certified=False)
        for g in (game, relations.Scaled(game, factor))
    )
    assert [m.value * factor for m in one.trace] == [m.value for m in other.trace]


@some
@given(game=games)
def test_shift_and_swap(game):
    base = value(game)
    assert same(value(relations.Shifted(game, 0.75)), base + 0.75)
    assert same(value(relations.Swapped(game)), -base)


@some
@given(game=games)
def test_an_antisymmetric_game_is_worth_nothing(game):
    """A fair public coin decides who sits where."""
    assert abs(value(relations.Either(game, relations.Swapped(game), 0.5))) < 1e-9


@pytest.mark.slow
@some
@given(one=games, other=games, share=st.sampled_from([0.25, 0.5, 0.875]))
def test_public_chance_mixes_values(one, other, share):
    assume(one.discount == other.discount == 1)
    mixed = relations.Either(one, other, share)
    assert same(value(mixed), share * value(one) + (1 - share) * value(other))


@some
@given(game=games)
def test_seeing_more_never_hurts(game):
    assert value(relations.Informed(game)) >= value(game) - 1e-9


@some
@given(game=games)
def test_fewer_actions_never_help(game):
    def all_but_the_last(state, player, actions):
        return actions[:-1] if len(actions) > 1 else actions

    def only(who):
        return Restrict(game, lambda s, p, a: all_but_the_last(s, p, a) if p == who else a)

    base = value(game)
    assert value(only(0)) <= base + 1e-9
    assert value(only(1)) >= base - 1e-9


@some
@given(game=games)
def test_best_replies_beat_and_bound(game):
    form = forms.sequence(game)
    found = solve(make_solver("sequence-lp"), form)
    played = evaluation.behaviours(form, found.profile)
    uniform = [plex.uniform for plex in form.plexes]
    exploited = evaluation.exploitability(form, uniform)
    assert exploited.nash_conv >= -1e-12
    assert evaluation.best_response(form, played, 0).value <= found.upper + 1e-9
    assert evaluation.best_response(form, uniform, 0).value >= found.value - 1e-9


def test_horizon_converges_as_the_discount_says():
    """V_inf - V_h lies within discount^h (Rmax - Rmin) / (1 - discount)."""
    tiger = make("tiger(discount=0.75)")

    def best(game):
        return solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(game)), Until(gap=1e-9)).value

    limit = best(tiger)
    for steps in (1, 3, 6, 9):
        assert abs(limit - best(Horizon(tiger, steps))) <= 0.75**steps * 110 / 0.25 + 1e-9


@some
@given(game=games)
def test_one_players_tree_is_its_pomdp(game):
    """Fix player 1: the best reply on the tree is the POMDP's optimum."""
    form = forms.sequence(game)
    uniform = [plex.uniform for plex in form.plexes]
    found = solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(game, 0, {1: Uniform()})))
    assert same(found.value, evaluation.best_response(form, uniform, 0).value)
