"""SARSOP and HSVI: values by other ways, relations between altered models, odd models, interruption and resumption."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import fogbound as fb
from fogbound import evaluation, forms
from fogbound.certificates.checking import Checking
from fogbound.core import FogboundError, FormError
from fogbound.core.errors import Stopped
from fogbound.driver.protocol import Context, Until
from fogbound.driver.report import report
from fogbound.evaluation.simulate import simulate
from fogbound.games import make
from fogbound.games.random_game import RandomGame
from fogbound.policies import Uniform, uniform_mixture
from fogbound.solvers.pomdp.belief_dp import BeliefDP
from fogbound.solvers.pomdp.hsvi import solution as hsvi_solution
from fogbound.solvers.pomdp.hsvi.sarsop import HSVI, SARSOP
from fogbound.transforms.horizon import Horizon
from tests import relations
from tests.pomdps import (
    OVER,
    Listed,
    ending_value,
    game_of,
    horizon_interval,
    line_interval,
    random_dense,
    random_flat,
    random_listed,
)
from tests.run import solve

SOLVERS = [SARSOP(), HSVI()]
both = pytest.mark.parametrize("solver", SOLVERS, ids=["sarsop", "hsvi"])
some = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
seeds = st.integers(0, 10**6)
END = [(OVER, "done", 1.0)]


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Kernels are compiled before any test has a time limit."""
    solve(SARSOP(), forms.pomdp(make("tiger")), Until(gap=1e-3))


def check(solver, form, low, high, until=None, rounding=1e-9):
    """Solve; hold answer, trace, certificate and controller against a true interval."""
    found = solve(solver, form, until or Until(gap=1e-6, seconds=30))
    slack = rounding * max(abs(low), abs(high), abs(found.lower), 1e-300)
    assert found.certified == "both"
    assert found.lower <= high + slack
    assert found.upper >= low - slack
    for moment in found.trace:
        assert moment.lower <= high + slack
        assert moment.upper >= low - slack
    for one, other in itertools.pairwise(found.trace):
        assert one.lower <= other.lower
        assert one.upper >= other.upper
    own = found.trace[-1]
    if own.gap <= 1e-3:
        assert found.gap <= 1.1 * own.gap + slack
    assert evaluation.value(game_of(form), found.profile)[form.player] == pytest.approx(
        found.value, abs=slack, rel=1e-9
    )
    assert found.value == found.lower
    return found


# --- values by other ways --------------------------------------------------------------------------------------


@pytest.mark.slow
@both
@some
@given(seed=seeds, discount=st.sampled_from([1.0, 0.9, 0.5]))
def test_unequal_menus_that_end(solver, seed, discount):
    form = forms.pomdp(random_listed(seed, discount, faces=4, forward=True))
    exact = ending_value(form)
    found = check(solver, form, exact, exact, Until(seconds=30))
    assert found.gap <= 1e-6 * max(1.0, abs(exact))


@pytest.mark.slow
@both
@settings(some, max_examples=40)
@given(seed=seeds, seats=st.integers(1, 3), depth=st.integers(1, 4), discount=st.sampled_from([1.0, 0.9]))
def test_games_against_fixed_others(solver, seed, seats, depth, discount):
    """Waiting steps, simultaneous moves, mixtures; also against the tree's own best reply."""
    game = RandomGame(seed, seats=seats, depth=depth, discount=discount)
    other = uniform_mixture([Uniform(), Uniform()]) if seed % 2 else Uniform()
    form = forms.pomdp(game, seed % seats, {player: other for player in range(seats) if player != seed % seats})
    exact = ending_value(form)
    found = check(solver, form, exact, exact, Until(seconds=30))
    assert found.gap <= 1e-6 * max(1.0, abs(exact))
    tree = forms.sequence(game)
    reply = evaluation.best_response(tree, [plex.uniform for plex in tree.plexes], form.player).value
    assert found.value == pytest.approx(reply, abs=1e-6)


@cache
def on_a_line(seed, discount, observations, actions):
    """A model with two states and bounds on its value, found once for both solvers."""
    form = random_flat(seed, discount, states=2, observations=observations, actions=actions, shown=seed % 3 == 0)
    return form, line_interval(form)


@pytest.mark.slow
@both
@settings(some, max_examples=8)
@given(
    seed=seeds, discount=st.sampled_from([0.5, 0.9, 0.99]), observations=st.integers(1, 3), actions=st.integers(1, 3)
)
def test_two_states_against_a_grid(solver, seed, discount, observations, actions):
    form, bounds = on_a_line(seed, discount, observations, actions)
    found = check(solver, form, *bounds, Until(gap=1e-2, seconds=0.3 if discount == 0.99 else 60))
    assert discount == 0.99 or found.gap <= 1.1e-2


@pytest.mark.slow
@both
@settings(some, max_examples=10)
@given(seed=seeds, known=st.integers(1, 3))
def test_short_sight_against_enumerated_histories(solver, seed, known):
    form = random_flat(seed, 0.25, states=4, fill=0.5, known=known, shown=seed % 2 == 0)
    found = check(solver, form, *horizon_interval(form, 5))
    assert found.gap <= 1e-6


@pytest.mark.slow
@both
@settings(some, max_examples=15)
@given(seed=seeds, discount=st.sampled_from([0.5, 0.9]), loops=st.booleans())
def test_cycles_against_beliefs(solver, seed, discount, loops):
    if loops:
        game = RandomGame(seed, seats=2, depth=2, width=2, discount=discount, loops=True)
        form = forms.pomdp(game, 0, {1: Uniform()})
    else:
        form = forms.pomdp(random_listed(seed, discount, faces=2, width=2))
    try:
        exact = solve(BeliefDP(), forms.belief_mdp(form, 3_000), Until(gap=1e-10))
    except FogboundError:
        assume(False)
    check(solver, form, exact.lower, exact.upper)


@both
def test_play_earns_what_is_promised(solver):
    for form in (forms.pomdp(make("tiger")), random_flat(5, 0.9), forms.pomdp(random_listed(11))):
        found = solve(solver, form, Until(gap=1e-4, seconds=60))
        played = simulate(form, found.profile[form.player], 4_000, np.random.default_rng(0), level=0.9999)
        assert played.interval[0] <= found.upper
        assert played.interval[1] >= found.lower


# --- relations between altered models --------------------------------------------------------------------------


def interval(dense, solver=SARSOP(), gap=1e-4):  # noqa: B008
    found = solve(solver, dense.form(), Until(gap=gap, seconds=60))
    assert found.certified == "both"
    return found


def meets(one, other, factor=1.0, shift=0.0):
    """Whether other = factor x one + shift can be true."""
    return one.lower * factor + shift <= other.upper and other.lower <= one.upper * factor + shift


def permuted(d, rng):
    s, a, o = (rng.permutation(n) for n in (d.move.shape[0], d.move.shape[1], d.move.shape[3]))
    return replace(d, start=d.start[s], move=d.move[np.ix_(s, a, s, o)], pay=d.pay[np.ix_(s, a)])


def cloned(d, rng):
    return replace(d, move=np.concatenate([d.move, d.move[:, :1]], 1), pay=np.concatenate([d.pay, d.pay[:, :1]], 1))


def tempted(d, rng):
    """One more action: like the first, but it costs."""
    return replace(
        d, move=np.concatenate([d.move[:, :1], d.move], 1), pay=np.concatenate([d.pay[:, :1] - 0.5, d.pay], 1)
    )


def haunted(d, rng):
    """A state that nothing leads to, worth far more than the others."""
    states, actions, _, observations = d.move.shape
    move = np.zeros((states + 1, actions, states + 1, observations))
    move[:states, :, :states] = d.move
    move[states, :, states, 0] = 1.0
    return replace(d, start=np.append(d.start, 0.0), move=move, pay=np.vstack([d.pay, np.full(actions, 100.0)]))


def split(d, rng):
    """Each observation comes in two kinds, by a coin."""
    return replace(d, move=np.concatenate([0.25 * d.move, 0.75 * d.move], axis=3))


def doubled(d, rng):
    """Each state exists twice; which of the two follows is a coin's choice."""
    move = np.tile(np.concatenate([0.5 * d.move, 0.5 * d.move], axis=2), (2, 1, 1, 1))
    return replace(d, start=np.tile(d.start / 2, 2), move=move, pay=np.tile(d.pay, (2, 1)))


ALIKE = [permuted, cloned, tempted, haunted, split, doubled]


@pytest.mark.one_in(5)
@both
@pytest.mark.parametrize("change", ALIKE)
def test_what_changes_nothing(solver, change):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        dense = random_dense(seed, 0.8, known=1 + seed % 2)
        one, other = interval(dense, solver), interval(change(dense, rng), solver)
        assert meets(one, other)
        assert other.gap <= 1e-3


@pytest.mark.slow
@both
@settings(some, max_examples=8)
@given(game=st.builds(RandomGame, seed=seeds, discount=st.sampled_from([1.0, 0.9]), zero_sum=st.just(True)))
def test_what_changes_nothing_in_games(solver, game):
    def value(altered):
        form = forms.pomdp(altered, 0, {1: Uniform()})
        return solve(solver, form, Until(seconds=60))

    base = value(game)
    for change in (relations.Reordered, relations.Cloned, relations.Tempted, relations.Doubled):
        assert meets(base, value(change(game)))
    assert value(relations.Informed(game)).upper >= base.lower
    if game.discount == 1:
        assert meets(base, value(relations.Deferred(game)))
        assert meets(base, value(relations.Delayed(game)))


@both
def test_shift_every_step(solver):
    for seed in range(6):
        dense = random_dense(seed, 0.8)
        assert meets(
            interval(dense, solver), interval(replace(dense, pay=dense.pay + 3.0), solver), shift=3.0 / (1 - 0.8)
        )


@both
@pytest.mark.parametrize("power", [-40, -3, 1, 40])
def test_scaling_by_a_power_of_two_is_exact_to_the_bit(solver, power):
    """No absolute tolerance hides in the search."""
    for seed in range(4):
        dense = random_dense(seed, 0.9, states=3, known=1 + seed % 2)
        larger = replace(dense, pay=dense.pay * 2.0**power)
        one, other = (solve(solver, d.form(), Until(iterations=150), certified=False) for d in (dense, larger))
        assert [(m.iteration, m.lower, m.upper) for m in other.trace] == [
            (m.iteration, m.lower * 2.0**power, m.upper * 2.0**power) for m in one.trace
        ]


@pytest.mark.one_in(4)
@both
@pytest.mark.parametrize("power", [-1, 7, -40])
def test_scaling_answers_is_exact_to_the_bit(solver, power):
    """Nor in the evaluation of the plan, nor in the proof."""
    for seed in range(6):
        dense = random_dense(seed, 0.9, states=4, actions=3)
        larger = replace(dense, pay=dense.pay * 2.0**power)
        one, other = (solve(solver, d.form(), Until(iterations=60)) for d in (dense, larger))
        assert (other.value, other.upper) == pytest.approx(
            (one.value * 2.0**power, one.upper * 2.0**power), rel=1e-14, abs=0
        )


@both
def test_fewer_actions_never_help(solver):
    for seed in range(6):
        dense = random_dense(seed, 0.8, actions=3)
        fewer = replace(dense, move=dense.move[:, 1:], pay=dense.pay[:, 1:])
        assert interval(fewer, solver).lower <= interval(dense, solver).upper


@both
def test_the_value_is_convex_in_the_start(solver):
    for seed in range(6):
        rng, dense = np.random.default_rng(seed), random_dense(seed, 0.8)
        one, two = rng.dirichlet(np.ones(3), 2)
        ends = [interval(replace(dense, start=start), solver) for start in (one, two)]
        for share in (0.25, 0.5):
            mixed = interval(replace(dense, start=share * one + (1 - share) * two), solver)
            assert mixed.lower <= share * ends[0].upper + (1 - share) * ends[1].upper + 1e-12


@both
def test_horizons_close_in_on_the_value(solver):
    tiger = make("tiger(discount=0.75)")
    limit = solve(solver, forms.pomdp(tiger), Until(gap=1e-6))
    for steps in (1, 3, 6):
        cut = solve(solver, forms.pomdp(Horizon(tiger, steps)))
        assert cut.gap <= 1e-9
        assert abs(limit.value - cut.value) <= 0.75**steps * 110 / 0.25 + 1e-5


@pytest.mark.slow
def test_both_solvers_agree():
    for seed in range(15):
        dense = random_dense(seed, 0.8, states=4, fill=0.6, known=1 + seed % 2, shown=seed % 2 == 0)
        assert meets(interval(dense, SARSOP(), 1e-2), interval(dense, HSVI(), 1e-2))


def same_play(one, other):
    mine, yours = (found.profile[found.player] for found in (one, other))
    return (mine.first, mine.arrows, mine.choices) == (yours.first, yours.arrows, yours.choices)


@both
def test_the_same_seed_gives_the_same_bits(solver):
    form = random_flat(2, 0.95)
    one, other = (solve(solver, form, Until(iterations=200), seed=3) for _ in range(2))
    assert [(m.lower, m.upper) for m in one.trace] == [(m.lower, m.upper) for m in other.trace]
    assert (one.lower, one.upper, one.details) == (other.lower, other.upper, other.details)
    assert same_play(one, other)


# --- stopping and going on -------------------------------------------------------------------------------------


def resumed(solver, form, cut, whole, path):
    solve(solver, form, Until(iterations=cut), checkpoint=path, every=0)
    return solve(solver, form, whole, resume=path)


@both
def test_a_resumed_run_ends_like_an_uninterrupted_one(solver, tmp_path):
    for form in (random_flat(3, 0.95), forms.pomdp(random_listed(4, 0.9))):
        until = Until(iterations=150)
        whole = solve(solver, form, until)
        for cut in {m.iteration for m in whole.trace[:4]}:
            again = resumed(solver, form, cut, until, tmp_path / "c.npz")
            assert (again.value, again.lower, again.upper) == (whole.value, whole.lower, whole.upper)
            assert again.details == whole.details
            assert same_play(again, whole)


@both
def test_a_resumed_trace_is_the_uninterrupted_one(solver, tmp_path):
    form, until = random_flat(3, 0.95), Until(iterations=150)
    whole = solve(solver, form, until)
    again = resumed(solver, form, whole.trace[1].iteration, until, tmp_path / "c.npz")
    assert [(m.iteration, m.lower, m.upper) for m in again.trace] == [
        (m.iteration, m.lower, m.upper) for m in whole.trace
    ]


@both
def test_a_resumed_run_finishes_when_an_uninterrupted_one_does(solver, tmp_path):
    form = forms.pomdp(make("tiger"))
    whole = solve(solver, form)
    again = resumed(solver, form, whole.trace[-2].iteration, Until(), tmp_path / "c.npz")
    assert (again.iterations, again.trace[-1].lower, again.trace[-1].upper) == (
        whole.iterations,
        whole.trace[-1].lower,
        whole.trace[-1].upper,
    )


@pytest.mark.one_in(6)
@both
@pytest.mark.parametrize("moments", [1, 2, 4])
def test_an_interrupted_run_leaves_a_true_answer(solver, moments):
    for seed in range(4):
        form = random_flat(seed, 0.9, states=2)
        low, high = line_interval(form)
        asked = itertools.count(2)
        context = Context(np.random.default_rng(0), stopping=lambda: next(asked) >= moments)  # noqa: B023
        progress = list(itertools.islice(solver.run(form, context), moments))[-1]
        settled = report(progress, form, progress.profile(), 0, Checking())
        assert settled.certificate.checked
        assert settled.lower <= high + 1e-9
        assert settled.upper >= low - 1e-9
        assert settled.gap >= 0


# --- odd models ------------------------------------------------------------------------------------------------


def stopping(chance, discount=1.0):
    """Guess which of two slowly changing states holds; every step may be the last."""
    rules = {}
    for state, other, pays in (("A", "B", (1.0, -1.0)), ("B", "A", (-1.0, 1.0))):

        def outcomes(right, here=state, there=other):
            on = 1 - chance
            odds = [(here, 0.9, right), (here, 0.9, 1 - right), (there, 0.1, right), (there, 0.1, 1 - right)]
            observations = [here, there, there, here]
            return [(s, z, on * p * q) for (s, p, q), z in zip(odds, observations)] + [(OVER, "done", chance)]

        rules[state] = {"a": (pays[0], outcomes(0.8)), "b": (pays[1], outcomes(0.8)), "look": (-0.1, outcomes(0.95))}
    return Listed((("A", "x", 0.5), ("B", "x", 0.5)), rules, discount)


@pytest.mark.one_in(3)
@both
@pytest.mark.parametrize("chance", [0.5, 0.25])
def test_a_coin_that_ends_play_is_a_discount(solver, chance):
    """Without a discount and without a bound on the steps: solved, and worth what the discounted model is."""
    coin, discounted = forms.pomdp(stopping(chance)), forms.pomdp(stopping(0.0, 1 - chance))
    low, high = line_interval(discounted)
    found = check(solver, coin, low, high, Until(gap=1e-3, seconds=30))
    assert found.gap <= 1e-3
    check(solver, discounted, low, high, Until(gap=1e-3, seconds=30))


@both
def test_a_coin_that_ends_play_costs_no_more_than_a_discount(solver):
    """The two models are one; so a trial must not be a hundred times as long."""
    lengths = []
    for how in ((0.0, 0.9), (0.1, 1.0)):
        details = solve(solver, forms.pomdp(stopping(*how)), Until(iterations=20), certified=False).details
        lengths.append(details["backups"] / details["trials"])
    assert lengths[1] <= 10 * lengths[0]


@both
def test_play_that_ends_rarely(solver):
    game = stopping(1e-4)
    found = solve(solver, forms.pomdp(game), Until(seconds=1.0))
    assert found.certified == "both"
    assert evaluation.value(game, found.profile)[0] == pytest.approx(found.value, rel=1e-6)


@both
def test_play_that_need_not_end_is_refused_by_name(solver):
    endless = {"A": {"stay": (1.0, [("A", "a", 1.0)]), "go": (0.0, [("B", "b", 1.0)])}, "B": {"end": (2.0, END)}}
    with pytest.raises(FormError, match=r"need not end.*'A'"):
        solve(solver, forms.pomdp(Listed((("B", "b", 0.5), ("A", "a", 0.5)), endless)))
    with pytest.raises(FormError, match="need not end"):
        solve(solver, random_flat(0, 1.0))


@pytest.mark.slow
@both
def test_a_discount_next_to_one(solver):
    """Bounds hold, and the answer is what its policy is worth, though 100,000 steps matter."""
    form = random_flat(3, 0.99999, states=2)
    found = solve(solver, form, Until(seconds=0.3))
    low, high = line_interval(random_flat(3, 0.999, states=2))
    assert found.certified == "both"
    assert found.lower <= found.upper
    assert found.lower <= high * 100 + 1e5 * 0.05  # about the same mean pay a step
    assert found.upper >= low * 100 - 1e5 * 0.05
    assert evaluation.value(game_of(form), found.profile)[0] == pytest.approx(found.value, rel=1e-9)


@pytest.mark.one_in(6)
@both
@pytest.mark.parametrize(
    ("scale", "constant"), [(0.0, 0.0), (0.0, 3.0), (0.0, -3.0), (1e9, 0.0), (1e-9, 0.0), (1e-9, 1e9)]
)
def test_pay_of_every_size(solver, scale, constant):
    for seed in range(3):
        dense = random_dense(seed, 0.9, states=2)
        form = replace(dense, pay=dense.pay * scale + constant).form()
        low, high = line_interval(form)
        size = max(abs(low), abs(high))
        found = solve(solver, form, Until(gap=1e-4 * size, seconds=60))
        assert found.certified == "both"
        assert found.lower <= high + 1e-12 * size
        assert found.upper >= low - 1e-12 * size
        assert found.gap <= 1.1e-4 * size


@both
@pytest.mark.parametrize(("states", "actions", "observations"), [(1, 1, 1), (1, 3, 2), (3, 1, 2), (3, 2, 1), (2, 2, 1)])
def test_models_with_one_of_something(solver, states, actions, observations):
    form = random_flat(1, 0.25, states=states, actions=actions, observations=observations)
    found = check(solver, form, *horizon_interval(form, 6))
    assert found.gap <= 1e-6


@pytest.mark.slow
@both
def test_a_start_that_already_shows_something(solver):
    """Knowing more at the start is worth something; each first observation has its own node."""
    dense = random_dense(4, 0.5, states=4, fill=0.6)
    shown = replace(dense, first=(("even", "odd"), np.arange(4) % 2))
    blind, sighted = interval(dense, solver, 1e-6), interval(shown, solver, 1e-6)
    assert sighted.upper >= blind.lower
    check(solver, shown.form(), *horizon_interval(shown.form(), 4))
    assert len(sighted.profile[0].first) == 2


@both
def test_a_step_that_pays_at_once(solver):
    """What is paid before the first step belongs to the value."""
    game = Listed((("A", "x", 1.0),), {"A": {"a": (1.0, END)}})
    form = forms.pomdp(game)
    form.reward[0] = 7.0
    assert solve(solver, form).value == 8.0


@both
def test_play_that_is_over_at_once(solver):
    found = solve(solver, forms.pomdp(Listed(((OVER, "x", 1.0),), {})))
    assert (found.value, found.upper) == (0.0, 0.0)


@pytest.mark.filterwarnings("ignore:.*checker refuses")
@both
def test_no_future(solver):
    form = random_flat(3, 0.0)
    found = solve(solver, form)
    assert found.value == pytest.approx(float((form.prob[:3] @ form.reward[1:].reshape(3, 2)).max()))
    assert found.certified == "both"


@pytest.mark.filterwarnings("ignore:.*checker refuses")
@both
def test_first_sights_that_overlap(solver):
    form = forms.pomdp(RandomGame(21, seats=1, depth=2, discount=0.9, signals=1))
    exact = ending_value(form)
    check(solver, form, exact, exact)


def hidden_prize(chance=1e-11, prize=1e13):
    """A state too unlikely to be tracked, whose prize is yet worth more than anything else."""
    return Listed(
        (("S", "x", 1.0),),
        {
            "S": {"stay": (50.0, END), "go": (0.0, [("N", "n", 1 - chance), ("R", "n", chance)])},
            "N": {"on": (0.0, [("M", "m", 1.0)]), "quit": (-1e14, END)},
            "R": {"on": (0.0, [("Q", "m", 1.0)]), "quit": (-1e14, END)},
            "M": {"c": (0.0, END), "d": (0.0, END), "e": (0.0, END)},
            "Q": {"c": (0.0, END), "d": (0.0, END), "e": (prize, END)},
        },
    )


@both
def test_what_is_all_but_impossible_never_spoils_the_proof(solver):
    found = solve(solver, forms.pomdp(hidden_prize()))
    assert found.certified == "both"
    assert found.lower <= 100 <= found.upper + 1e-12


@both
def test_what_is_all_but_impossible_counts(solver):
    found = solve(solver, forms.pomdp(hidden_prize()), Until(gap=1e-6))
    assert all(moment.upper >= 100 - 1e-6 for moment in found.trace)
    assert found.gap <= 1e-6


def test_parameters_are_checked():
    for make_it in (lambda: SARSOP(target=0.0), lambda: SARSOP(zeta=1.0), lambda: HSVI(zeta=1.5)):
        with pytest.raises(FogboundError, match="expected a share between 0 and 1"):
            make_it()


@pytest.mark.parametrize("certify", [False, True])
def test_what_is_reported_is_what_the_controller_earns_also_without_evidence(certify, monkeypatch):
    """A search knows less of its vectors than the plan that they make: it is evaluated when it is extracted."""

    def late(_search, _budget=0.0):
        raise Stopped("seconds")

    monkeypatch.setattr(hsvi_solution, "point_evidence", late)
    game, more = "tiger", []
    for trials in (5, 10, 15, 20, 30):
        found = fb.solve(game, "sarsop", iterations=trials, certify=certify)
        earned = fb.evaluation.value(fb.game(game), found.policy())[0]
        assert found.lower == found.value == pytest.approx(earned, abs=1e-9)
        assert found.gap == found.upper - found.lower
        more.append(found.lower - found.trace[-1].lower)
    assert max(more) > 1e-6
