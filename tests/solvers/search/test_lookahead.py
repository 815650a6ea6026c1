"""Lookahead: bounds that hold at every belief, the same search in plain Python, certificates, and how it plays."""

from __future__ import annotations

import pickle
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fogbound as fb
from fogbound.core import FormError, Observation, PolicyError, SpecError
from fogbound.driver.protocol import Context, Until
from fogbound.forms.bayes_filter import Belief
from fogbound.forms.mixed_observability import mixed_observability
from fogbound.policies import Uniform
from fogbound.solvers.pomdp.hsvi.sarsop import SARSOP
from fogbound.solvers.search import lookahead
from fogbound.solvers.search.lookahead import Lookahead, LookaheadPolicy
from tests.pomdps import ending_value, first_beliefs, game_of, plain, random_flat, random_listed
from tests.run import solve
from tests.solvers.search.plain_lookahead import PlainLookahead, leaf_bounds

some = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
seeds = st.integers(0, 10**6)
SMALL = {
    "tiger": None,
    "tiger(discount=0.5)": None,
    "tag": None,
    "rock-sample": None,
    "rock-sample(size=3, rocks=2)": None,
    "crying-baby": {1: Uniform()},
    "horizon(game=tiger, steps=5)": None,
    "po-nim(n=3)": {1: Uniform()},
    "goofspiel(cards=3)": {1: Uniform()},
}
TIGER = ("listen", "open-left", "open-right")


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Kernels are compiled before any test has a time limit."""
    solve(Lookahead(nodes=10), fb.forms.pomdp(fb.game("tiger")))


@pytest.fixture
def tiger():
    return fb.forms.pomdp(fb.game("tiger"))


def arrays_of(solver, form, iterations):
    """What a run of a solver leaves behind."""
    context = Context(np.random.default_rng(0), most=iterations)
    for progress in solver.run(form, context):
        if progress.iteration >= iterations:
            break
    return context.arrays


SLOW = {"tag": pytest.mark.slow}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("spec", [pytest.param(spec, marks=SLOW.get(spec, ())) for spec in SMALL])
def test_the_certified_value_lies_between_the_bounds_at_the_start(spec):
    form = fb.forms.pomdp(fb.game(spec), 0, SMALL[spec])
    exact = solve(SARSOP(), form, Until(gap=1e-3, iterations=60))
    assert exact.certified == "both"
    for nodes in (1, 300):
        found = solve(Lookahead(nodes=nodes), form)
        assert found.certified == "both"
        assert found.lower <= exact.upper + 1e-9
        assert exact.lower <= found.upper + 1e-9


@some
@given(seeds, st.sampled_from([0.0, 0.5, 0.9]), st.integers(1, 60))
def test_the_compiled_search_does_what_the_plain_one_does(seed, discount, nodes):
    form = random_flat(seed, discount, states=4, actions=3, observations=2)
    (weights,) = first_beliefs(plain(form)).values()
    reference = PlainLookahead(form, *leaf_bounds(form, mixed_observability(form)), weights)
    reference.look(nodes)
    policy = LookaheadPolicy(form, nodes)
    search = policy._search
    search.plant(*policy.placed(Belief.of(list(weights), list(weights.values()))))
    search.advance(nodes, 10_000)
    if search.nodes < nodes:  # sweeps follow when nothing is urgent: the plain search has none
        assert search.interval[0] >= reference.root.lower - 1e-9
        assert search.interval[1] <= reference.root.upper + 1e-9
    else:
        assert search.interval == pytest.approx((reference.root.lower, reference.root.upper), rel=1e-9, abs=1e-9)
    assert search.nodes == len(reference.known)


@some
@given(seeds, st.integers(1, 200))
def test_bounds_hold_in_games_that_end(seed, nodes):
    game = random_listed(seed, forward=True)
    form = fb.forms.pomdp(game)
    value = ending_value(form)
    found = solve(Lookahead(nodes=nodes), form)
    slack = 1e-9 * max(1.0, abs(value))
    assert found.certified == "both"
    assert found.lower - slack <= value <= found.upper + slack


@some
@given(seeds, st.integers(0, 4))
def test_bounds_hold_at_every_move(seed, steps):
    """With SARSOP's bounds or without: both intervals hold the value, so they overlap, and more is known with them."""
    form = random_flat(seed, 0.9, states=3, actions=2, observations=2)
    rng, cold = np.random.default_rng(seed), LookaheadPolicy(form, 50)
    warm = LookaheadPolicy(form, 50, bounds=arrays_of(SARSOP(), form, 40))
    game, memory = game_of(form), cold.begin(Observation(None, None))
    state = game.start().sample(_random(rng)).state
    for _ in range(steps):
        action = game.actions(state, 0)[int(rng.integers(2))]
        outcome = game.step(state, (action,)).sample(_random(rng))
        memory = cold.update(memory, action, Observation(outcome.public, outcome.private[0]))
        state = outcome.state
    legal = tuple(form.actions)
    one, two = cold.look(memory, legal), warm.look(memory, legal)
    assert one is not None
    assert two is not None
    assert max(one.lower, two.lower) <= min(one.upper, two.upper) + 1e-9
    for looked in (one, two):
        assert max(low for low, _ in looked.actions.values()) <= looked.upper + 1e-9
        assert max(high for _, high in looked.actions.values()) >= looked.lower - 1e-9


def _random(rng):
    return Random(int(rng.integers(2**31)))


def test_more_beliefs_never_loosen_the_bounds():
    form = fb.forms.pomdp(fb.game("rock-sample"))
    told = [solve(Lookahead(nodes=nodes), form, certified=False) for nodes in (1, 10, 100, 1_000)]
    lowers, uppers = [s.lower for s in told], [s.upper for s in told]
    assert lowers == sorted(lowers)
    assert uppers == sorted(uppers, reverse=True)


def test_where_few_beliefs_matter_the_value_is_found(tiger):
    found = solve(Lookahead(), tiger)
    assert found.certified == "both"
    assert found.gap < 1e-4
    assert found.value == pytest.approx(19.3713684, abs=1e-4)


def test_trials_of_sarsop_narrow_the_bounds():
    form = fb.forms.pomdp(fb.game("rock-sample"))
    cold, warm = (solve(Lookahead(nodes=100, trials=trials), form) for trials in (0, 40))
    assert cold.certified == warm.certified == "both"
    assert warm.gap < cold.gap


def test_what_is_played_is_a_function_of_the_belief(tiger):
    one, two = LookaheadPolicy(tiger, 50), LookaheadPolicy(tiger, 50)
    start = one.begin(Observation(None, None))
    heard = one.update(start, "listen", Observation(None, "growl-left"))
    assert one.look(start, TIGER) == two.look(start, TIGER)
    later = one.look(heard, TIGER)
    assert later == LookaheadPolicy(tiger, 50).look(heard, TIGER) == one.look(heard, TIGER)
    assert one.look(start, TIGER) == two.look(start, TIGER)
    again = pickle.loads(pickle.dumps(one))  # noqa: S301
    assert again.act(heard, TIGER) == one.act(heard, TIGER)
    assert hash(heard) == hash(
        two.update(two.begin(Observation(None, None)), "listen", Observation(None, "growl-left"))
    )


def test_it_plays_well():
    form = fb.forms.pomdp(fb.game("rock-sample"))
    played = fb.evaluation.simulate(form, LookaheadPolicy(form, 300), 300, np.random.default_rng(0))
    assert played.mean + 4 * played.error > 18.04  # SARSOP's certified value


def test_a_belief_that_only_the_start_holds(tiger):
    """In Tag the robot does not know where it is until its first step; from there on it does."""
    form = fb.forms.pomdp(fb.game("tag"))
    policy = LookaheadPolicy(form, 5)
    start = policy.begin(Observation(None, None))
    _, weights = policy.placed(policy.asked(start))
    assert len(weights) == 841
    assert weights == pytest.approx(np.full(841, 1 / 841))
    moved = policy.update(start, "east", Observation("cell-3", None))
    assert len(policy.placed(policy.asked(moved))[1]) < 30
    assert policy.look(start, form.legal_sets[0]).lower < policy.look(start, form.legal_sets[0]).upper


def test_time_is_kept(monkeypatch, tiger):
    """However many beliefs are allowed, the clock ends the search; and there is always an answer."""

    class Late:
        def elapsed(self):
            return 1e9

    monkeypatch.setattr(lookahead, "Clock", Late)
    form = fb.forms.pomdp(fb.game("rock-sample"))
    policy = LookaheadPolicy(form, 100_000, milliseconds=1)
    looked = policy.look(policy.begin(Observation(None, None)), form.legal_sets[0])
    assert looked.nodes < 500
    assert not looked.settled
    assert looked.action in form.legal_sets[0]


def test_what_the_model_holds_impossible_is_played_at_random():
    form = fb.forms.pomdp(fb.game("rock-sample"))
    policy = LookaheadPolicy(form, 10)
    start = policy.begin(Observation(None, None))
    odd = policy.update(start, "east", Observation("good", None))
    assert odd == ()
    assert policy.act(odd, form.legal_sets[0]) == fb.Dist.uniform(form.legal_sets[0])
    assert policy.look(odd, form.legal_sets[0]) is None


def test_other_legal_actions_than_the_model_s_are_refused(tiger):
    policy = LookaheadPolicy(tiger, 10)
    with pytest.raises(PolicyError, match="asked to choose from"):
        policy.act(policy.begin(Observation(None, None)), ("listen", "open-left"))


def test_a_small_model_is_better_solved(monkeypatch, tiger):
    assert "sarsop" in solve(Lookahead(nodes=5), tiger).details["hint"]
    closed = fb.forms.pomdp(fb.game("goofspiel(cards=2)"), 0, {1: Uniform()})
    assert "hint" not in solve(Lookahead(nodes=5), closed).details
    monkeypatch.setattr(lookahead, "FEW_STATES", 2)
    assert "hint" not in solve(Lookahead(nodes=5), tiger).details


@pytest.mark.parametrize("wrong", ["nodes=0", "milliseconds=-1", "milliseconds=inf", "trials=-1"])
def test_parameters_that_cannot_be(wrong):
    with pytest.raises(SpecError, match="lookahead"):
        fb.solvers.make(f"lookahead({wrong})")


def test_play_that_need_not_end_is_refused():
    with pytest.raises(FormError, match="lookahead"):
        solve(Lookahead(), fb.forms.pomdp(fb.game("tiger(discount=1.0)")))


def test_saved_and_verified(tmp_path):
    path = tmp_path / "rocks.npz"
    fb.save(fb.solve("rock-sample", "lookahead(nodes=200)"), path)
    checked = fb.verify(path, "rock-sample")
    assert checked.lower < checked.upper


def test_as_a_policy_it_searches():
    """A match is between those who search; what is saved is the plan that was certified."""
    assert isinstance(fb.policy("lookahead(nodes=5, milliseconds=5)", "tiger"), LookaheadPolicy)
    assert not isinstance(fb.solve("tiger", "lookahead(nodes=5)").policy(), LookaheadPolicy)
