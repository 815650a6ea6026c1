"""Beliefs: Bayes' rule against a plain reference, particles against Bayes, simulation against exact value."""

from __future__ import annotations

import math
import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogbound import evaluation, forms
from fogbound.core import Dist, FormError, Observation, PolicyError, SpecError
from fogbound.evaluation.belief_words import track
from fogbound.evaluation.particle_filter import NO_BELIEF, ParticleFilter, Particles, systematic
from fogbound.evaluation.simulate import STEPS, simulate
from fogbound.forms.bayes_filter import (
    START,
    BayesFilter,
    Belief,
    belief_successors,
    condition,
    weighted_rows,
)
from fogbound.forms.pomdp import ModelGame
from fogbound.games import make
from fogbound.games.random_game import RandomGame
from fogbound.policies import AlphaVectors, Mixture, Uniform, controller
from fogbound.testing import random_games

NOTHING = Observation(None, None)
LEFT, RIGHT = Observation("growl-left", None), Observation("growl-right", None)


def generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def others(game):
    return {player: Uniform() for player in range(1, len(game.players))}


def lived(form, rng, steps=6):
    """A game of random moves as its player lives it: (history, the same by numbers)."""
    out = rng.choice(np.arange(form.out[0], form.out[1]), p=form.prob[form.out[0] : form.out[1]])
    history, numbers = [form.observations[form.obs[out]][0]], [(None, int(form.obs[out]))]
    for _ in range(steps):
        state = form.next[out]
        if form.row[state] == form.row[state + 1]:
            break
        row = int(rng.integers(form.row[state], form.row[state + 1]))
        span = np.arange(form.out[row], form.out[row + 1])
        out = rng.choice(span, p=form.prob[span] / form.prob[span].sum())
        action = int(form.action[row])
        seen = form.observations[form.obs[out]][0]
        history.append((None if action < 0 else form.actions[action], seen))
        numbers.append((action, int(form.obs[out])))
    return tuple(history), numbers


def reference_beliefs(form, history):
    """Weights of the states after a history, one outcome at a time: Bayes' rule as one would write it down."""
    rows, beliefs = [(0, 1.0)], []
    for number, step in enumerate(history):
        action, seen = (None, step) if number == 0 else step
        if number:
            rows = []
            for s, w in beliefs[-1].items():
                for r in range(form.row[s], form.row[s + 1]):
                    label = None if form.action[r] < 0 else form.actions[form.action[r]]
                    if label == action:
                        rows.append((r, w))
        after: dict[int, float] = {}
        for r, w in rows:
            for o in range(form.out[r], form.out[r + 1]):
                if form.observations[form.obs[o]][0] == seen and form.prob[o] * w > 0:
                    after[int(form.next[o])] = after.get(int(form.next[o]), 0.0) + w * form.prob[o]
        asked = sum(w for _, w in rows)
        beliefs.append({s: w / sum(after.values()) for s, w in after.items()})
        yield beliefs[-1], (sum(after.values()) / asked if asked else 0.0)


def assert_same(belief, weights):
    assert dict(zip(belief.states.tolist(), belief.weights.tolist())) == pytest.approx(weights, abs=1e-12)


# --- exact -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.one_of(random_games(), random_games(loops=True)), st.integers(0, 2**32 - 1))
def test_tracking_is_bayes_rule(game, seed):
    form, rng = forms.pomdp(game, 0, others(game)), generator(seed)
    for _ in range(5):
        history, _ = lived(form, rng)
        for step, (weights, p) in zip(track(form, history), reference_beliefs(form, history), strict=True):
            assert_same(step.belief, weights)
            assert step.probability == pytest.approx(p, abs=1e-12)


def dense(belief, size):
    """A belief over all `size` states."""
    return np.bincount(belief.states, belief.weights, size)


def updated(form, belief, action, observation):
    """Bayes' rule by numbers."""
    return condition(form, *weighted_rows(form, belief, action), np.array([observation]))


@settings(max_examples=60, deadline=None)
@given(st.one_of(random_games(), random_games(loops=True)), st.integers(0, 2**32 - 1))
def test_numbers_and_labels_agree(game, seed):
    """By numbers an observation tells the menu too, so its belief is that of the sight, split."""
    form, rng = forms.pomdp(game, 0, others(game)), generator(seed)
    opening = np.array([START]), np.ones(1)
    _, numbers = lived(form, rng)
    belief, _ = condition(form, *opening, np.array([numbers[0][1]]))
    for action, z in numbers[1:]:
        after = belief_successors(form, belief, action)
        assert sum(p for _, p in after.values()) == pytest.approx(1)
        found, p = updated(form, belief, action, z)
        assert_same(found, dict(zip(after[z][0].states.tolist(), after[z][0].weights.tolist())))
        assert p == pytest.approx(after[z][1])
        belief = found


def test_tiger_by_hand():
    form = forms.pomdp(make("tiger"))
    left = [form.label(s) for s in range(2)].index("left")
    steps = track(form, (NOTHING, ("listen", LEFT), ("listen", LEFT), ("open-right", RIGHT)))
    assert [dense(step.belief, 2)[left] for step in steps] == pytest.approx([0.5, 0.85, 0.85**2 / 0.745, 0.5])
    assert [step.probability for step in steps] == pytest.approx([1, 0.5, 0.745, 0.5])
    assert track(form, ()) == ()


def test_the_impossible_is_a_result():
    form = forms.pomdp(make("tiger(resets=false)"))
    bayes, (belief, _) = BayesFilter(form), BayesFilter(form).begin(NOTHING)
    assert bayes.begin(LEFT) == (None, 0.0)
    assert bayes.begin(Observation("bark", None)) == (None, 0.0)
    for action, seen in (("listen", NOTHING), ("sing", LEFT), ("listen", Observation("bark", 1)), (None, LEFT)):
        assert bayes.update(belief, action, seen) == (None, 0.0)
    over, p = bayes.update(belief, "open-left", NOTHING)
    assert p == pytest.approx(1)
    assert bayes.asked(over) == bayes.asked(over, asked=False) == (None, 0.0)
    assert bayes.update(over, "listen", LEFT) == (None, 0.0)
    assert updated(form, belief, 0, len(form.observations)) == (None, 0.0)
    assert updated(form, belief, 99, 0) == (None, 0.0)
    assert [
        step.belief is None for step in track(form, (NOTHING, ("listen", Observation("bark", None)), ("listen", LEFT)))
    ] == [
        False,
        True,
        True,
    ]


def test_being_asked_is_news():
    """A belief over states that ask and states that do not: an own action leaves the first, waiting the rest."""
    for seed in range(200):
        game = RandomGame(seed=seed, seats=2, depth=4, signals=1)
        form = forms.pomdp(game, 0, others(game))
        bayes = BayesFilter(form)
        belief, _ = bayes.begin(form.observations[form.obs[0]][0])
        legal_sets = {int(form.next[o]): form.observations[form.obs[o]][1] for o in range(len(form.obs))}
        asks = np.array([legal_sets[int(s)] >= 0 for s in belief.states])
        if asks.any() and not asks.all():
            kept, p = bayes.asked(belief)
            assert kept.states.tolist() == belief.states[asks].tolist()
            assert kept.weights.sum() == pytest.approx(1)
            assert p == pytest.approx(belief.weights[asks].sum())
            rest, _ = bayes.asked(belief, asked=False)
            goes_on = form.row[belief.states + 1] > form.row[belief.states]
            assert rest.states.tolist() == belief.states[goes_on & ~asks].tolist()
            return
    pytest.fail("no game mixes the two")


# --- alpha vectors ----------------------------------------------------------------------------------------------


def test_alpha_vectors_remember_what_the_reference_believes():
    for seed in range(40):
        game = RandomGame(seed=seed, seats=2, depth=4, width=4, signals=2)
        form = forms.pomdp(game, 0, others(game))
        policy = AlphaVectors(form, np.zeros((1, form.size)), np.zeros(1, np.int32))
        history, _ = lived(form, generator(seed))
        memory, wanted = policy.begin(history[0]), [dict(w) for w, _ in reference_beliefs(form, history)]
        for step, weights in zip([None, *history[1:]], wanted, strict=True):
            memory = policy.update(memory, *step) if step else memory
            assert dict(memory) == pytest.approx(weights, abs=1e-11)
            assert hash(memory) == hash(tuple(memory))
        with pytest.raises(PolicyError, match="no action"):
            policy.update(memory, "no action", history[0])
        assert policy.update((), None, history[0]) == ()


def test_vectors_are_for_their_own_states():
    form = forms.pomdp(make("tiger"))
    left, right = ([form.label(s) for s in range(2)].index(side) for side in ("left", "right"))
    planes = np.full((3, 2), -np.inf)
    planes[0, left], planes[1, right], planes[2] = 5.0, 7.0, 1.0
    number = {name: form.actions.index(name) for name in form.actions}
    policy = AlphaVectors(form, planes, np.array([number["open-right"], number["open-left"], number["listen"]]))
    with np.errstate(all="raise"):
        assert policy.act(((left, 1.0),), form.legal_sets[0]) == Dist.sure("open-right")
        assert policy.act(((left, 0.0), (right, 1.0)), form.legal_sets[0]) == Dist.sure("open-left")
        assert policy.act(((left, 0.5), (right, 0.5)), form.legal_sets[0]) == Dist.sure("listen")
        assert policy.act(((left, 1.0),), ("listen", "open-left")) == Dist.sure("listen")
    assert policy.act((), ("listen", "open-left")) == Dist.uniform(("listen", "open-left"))
    with pytest.raises(PolicyError, match="no vector starts with one of"):
        AlphaVectors(form, planes[:1], np.array([0])).act(((left, 1.0),), ("open-left",))


def test_wide_beliefs_are_updated_fast():
    form = forms.pomdp(make("rock-sample(size=5, rocks=7)"))
    policy = AlphaVectors(form, np.zeros((1, form.size)), np.zeros(1, np.int32))
    memory, seconds = policy.begin(NOTHING), []
    assert len(memory) == 128
    for _ in range(5):
        started = time.perf_counter()
        assert len(policy.update(memory, "check-1", Observation("good", None))) == 128
        seconds.append(time.perf_counter() - started)
    assert min(seconds) < 0.1


# --- particles --------------------------------------------------------------------------------------------------


def cloud_after(filter_, history, rng) -> Particles:
    cloud = filter_.begin(history[0], rng)
    for action, seen in history[1:]:
        cloud = filter_.update(cloud, action, seen, rng)
    return cloud


def assert_counts(cloud, count):
    """So many particles: each has the same weight, and all of them are somewhere."""
    many = cloud.belief.weights * count
    assert many == pytest.approx(np.round(many), abs=1e-6)
    assert many.sum() == pytest.approx(count)
    assert many.min() > 0.5


def apart(form, cloud, exact) -> float:
    """Total variation."""
    return 0.5 * float(np.abs(dense(cloud.belief, form.size) - dense(exact, form.size)).sum())


def random_history():
    """Eight states, each of which may follow any other, two actions, three observations."""
    rng, size, wide, observations = generator(5), 8, 2, 3
    joint = rng.dirichlet(np.full(size * observations, 0.5), size * wide).reshape(size, wide, size, observations)
    columns = (*np.indices(joint.shape).reshape(4, -1), joint.ravel())
    names = [f"s{k}" for k in range(size)], ["stay", "go"], ["dark", "dim", "light"]
    form = forms.pomdp_from_arrays("random", 0.9, *names, np.full(size, 1 / size), columns, rng.random((size, wide)))
    history, _ = lived(form, rng, 5)
    return ModelGame(form), form, history, track(form, history)[-1].belief


def rock_history():
    game = make("rock-sample(size=3, rocks=3)")
    form = forms.pomdp(game)
    good, bad = Observation("good", None), Observation("bad", None)
    history = (NOTHING, ("check-0", good), ("check-1", bad), ("north", NOTHING), ("check-2", good), ("check-0", bad))
    return game, form, history, track(form, history)[-1].belief


def tiger_history():
    game = make("tiger")
    form = forms.pomdp(game)
    history = (NOTHING, ("listen", LEFT), ("listen", RIGHT), ("listen", LEFT))
    return game, form, history, track(form, history)[-1].belief


@pytest.mark.one_in(3)
@pytest.mark.parametrize("made", [tiger_history, random_history])
@pytest.mark.parametrize("share", [0.0, 0.1])
def test_particles_converge_as_one_over_the_root(made, share):
    _, form, history, exact = made()
    means = []
    for count in (50, 5_000):
        filter_ = ParticleFilter(form, count, share)
        clouds = [cloud_after(filter_, history, generator(seed)) for seed in range(20)]
        for cloud in clouds:
            assert_counts(cloud, count)
        means.append(float(np.mean([apart(form, cloud, exact) for cloud in clouds])))
        assert means[-1] < 2.5 * math.sqrt(len(exact.states) / count)
    assert 4 < means[0] / means[1] < 25  # ten, were the samples endless


def test_particles_in_a_game_need_no_form():
    game, form, history, exact = rock_history()
    filter_ = ParticleFilter(game, 5_000)
    cloud = cloud_after(filter_, history, generator(1))
    shares = {filter_.label(s): w for s, w in zip(cloud.belief.states.tolist(), cloud.belief.weights.tolist())}
    wanted = {form.label(s): w for s, w in zip(exact.states.tolist(), exact.weights.tolist())}
    assert set(shares) <= set(wanted)
    assert 0.5 * sum(abs(shares.get(s, 0.0) - w) for s, w in wanted.items()) < 0.06
    assert cloud.exact is None
    assert cloud.deprived == 0
    assert cloud_after(filter_, (*history, ("no move", NOTHING)), generator(1)).deprived == 1
    with pytest.raises(FormError, match="2 players, expected 1"):
        ParticleFilter(make("card-poker(ranks=3)"))


def test_particles_repeat_for_a_seed():
    for made in (tiger_history, random_history, rock_history):
        game, form, history, _ = made()
        for source in (game, form):
            one, two, other = (
                cloud_after(ParticleFilter(source, 200), history, generator(s)).belief for s in (3, 3, 4)
            )
            assert (one.states == two.states).all()
            assert (one.weights == two.weights).all()
            assert one.weights.tolist() != other.weights.tolist()


def rare(p: float = 1e-9):
    """Two states that never change; only the first may ring, and rarely."""
    ways, observations = [(0, "quiet", 1 - p), (0, "ring", p), (1, "quiet", 1.0)], ["quiet", "ring"]
    columns = (
        np.array([s for s, _, _ in ways]),
        np.zeros(3, int),
        np.array([s for s, _, _ in ways]),
        np.array([observations.index(o) for _, o, _ in ways]),
        np.array([w for _, _, w in ways]),
    )
    return forms.pomdp_from_arrays(
        "rare", 0.9, ["a", "b"], ["wait"], observations, np.array([0.5, 0.5]), columns, np.zeros((2, 1))
    )


RING, QUIET = Observation(None, "ring"), Observation(None, "quiet")


def test_deprived_particles_fall_back_and_say_so():
    form = rare()
    for small, words in ((10, "exact belief"), (0, "all that they could lead to")):
        filter_ = ParticleFilter(form, 50, small=small)
        cloud = cloud_after(filter_, (NOTHING, ("wait", QUIET), ("wait", RING)), generator(0))
        assert cloud.deprived == 1
        assert words in cloud.reason
        assert cloud.belief.states.tolist() == [0]
        after = filter_.update(cloud, "wait", QUIET, generator(0))
        assert (after.deprived, after.reason) == (1, cloud.reason)


def test_one_particle_in_the_wrong_place():
    form = rare(0.5)
    filter_ = ParticleFilter(form, 1, small=0)
    wrong = Particles(Belief.of([1]))
    cloud = filter_.update(wrong, "wait", RING, generator(0))
    assert (cloud.deprived, cloud.belief.states.tolist()) == (1, [0])
    assert "what the start could lead to" in cloud.reason
    lent = filter_.update(wrong, "wait", RING, generator(0), exact=Belief.of([0]))
    assert "exact belief" in lent.reason


@pytest.mark.parametrize("count", [1, 3, 400])
def test_impossible_sights_never_raise(count):
    game, form, _, _ = tiger_history()
    for source in (game, form):
        filter_, rng = ParticleFilter(source, count), generator(0)
        cloud = filter_.begin(Observation("bark", None), rng)
        assert cloud.deprived == 1
        assert "start" in cloud.reason
        for number, (action, seen) in enumerate(
            (("listen", Observation("bark", None)), ("sing", LEFT), (None, LEFT)), 2
        ):
            cloud = filter_.update(cloud, action, seen, rng)
            assert cloud.deprived == number
            assert "back to the start" in cloud.reason
            assert_counts(cloud, count)
        assert filter_.update(cloud, "listen", LEFT, rng).deprived in (4, 5)


@pytest.mark.parametrize("made", [tiger_history, random_history, rock_history])
def test_what_fits_is_weighed_exactly(made):
    """With room for everything that may follow nothing is drawn, and the particles are Bayes' rule."""
    game, form, history, exact = made()
    for source in (game, form):
        filter_ = ParticleFilter(source, 100, share=0.0, exhaustive=4.0)
        cloud = cloud_after(filter_, history, None)  # no generator: whoever draws would fail
        shares = {filter_.label(s): w for s, w in zip(cloud.belief.states.tolist(), cloud.belief.weights.tolist())}
        assert shares == pytest.approx({form.label(s): w for s, w in zip(exact.states.tolist(), exact.weights)})


def test_few_survivors_are_joined_by_some_that_try_everything():
    filter_ = ParticleFilter(rare(), 50, share=0.0, small=0, scarce=0.1)
    cloud = cloud_after(filter_, (NOTHING, ("wait", QUIET), ("wait", RING)), generator(0))
    assert (cloud.revived, cloud.deprived, cloud.belief.states.tolist()) == (1, 0, [0])


def test_fallbacks_are_tried_in_turn_and_none_leaves_nothing():
    filter_, rng = ParticleFilter(rare(0.5), 10, small=0), generator(0)
    wrong = Particles(Belief.of([1]))
    turns = [("one", lambda: None), ("two", lambda: Belief.of([0])), ("three", lambda: Belief.of([1]))]
    lent = filter_.update(wrong, "wait", RING, rng, fallbacks=turns)
    assert (lent.reason, lent.belief.states.tolist()) == ("two", [0])
    lost = filter_.update(wrong, "wait", RING, rng, fallbacks=())
    assert (lost.belief, lost.deprived, lost.reason) == (None, 1, NO_BELIEF)
    found = filter_.update(lost, "wait", RING, rng)  # from nothing only the start can help
    assert (found.deprived, found.belief.states.tolist()) == (2, [0])


def test_systematic_resampling_draws_each_as_often_as_it_weighs():
    rng = generator(0)
    weights = rng.dirichlet(np.full(20, 0.3))
    drawn = np.array([systematic(weights, 50, rng) for _ in range(2_000)])
    assert (drawn.sum(axis=1) == 50).all()
    assert (np.abs(drawn - 50 * weights) < 1 + 1e-9).all()  # what plain resampling would not promise
    assert drawn.mean(axis=0) == pytest.approx(50 * weights, abs=0.05)


def test_particles_are_asked_for_sensibly():
    form = forms.pomdp(make("tiger"))
    for count, share in ((0, 0.1), (5, -0.1), (5, 1.1)):
        with pytest.raises(SpecError, match="particles: count"):
            ParticleFilter(form, count, share)


# --- simulation -------------------------------------------------------------------------------------------------


def listener(game):
    """Listen until one side is two growls ahead, then open the other door."""

    class Two:
        def begin(self, observation):
            return 0

        def update(self, memory, action, observation):
            return 0 if action != "listen" else memory + (1 if observation == LEFT else -1)

        def act(self, memory, actions):
            return Dist.sure("open-right" if memory == 2 else "open-left" if memory == -2 else "listen")

    return controller(game, 0, Two()).minimal()


def within(found, exact, errors=4.5):
    low, high = found.interval[0] - found.sampled[0], found.interval[1] - found.sampled[1]
    slack = errors * found.error + 1e-9 * max(1.0, abs(exact))
    return found.mean + low - slack <= exact <= found.mean + high + slack


def test_tiger_earns_what_it_is_worth():
    game = make("tiger")
    form, policy = forms.pomdp(game), listener(game)
    exact = evaluation.value(game, {0: policy})[0]
    started = time.perf_counter()
    found = simulate(form, policy, 10_000, generator(0))
    assert time.perf_counter() - started < 60
    assert within(found, exact)
    assert found.cut == found.games == 10_000
    assert found.interval[0] < found.sampled[0] < found.mean < found.sampled[1] < found.interval[1]
    assert found.interval[1] - found.interval[0] - (found.sampled[1] - found.sampled[0]) < 2e-4 * 110
    assert found == simulate(form, policy, 10_000, generator(0))
    assert found != simulate(form, policy, 10_000, generator(1))


@pytest.mark.slow
def test_intervals_hold_as_often_as_they_say():
    game = make("tiger(resets=false)")
    form, policy = forms.pomdp(game), listener(game)
    exact = evaluation.value(game, {0: policy})[0]
    for level, least, most in ((0.95, 0.9, 0.985), (0.5, 0.4, 0.6)):
        found = [simulate(form, policy, 400, generator(seed), level=level) for seed in range(300)]
        assert least < np.mean([e.interval[0] <= exact <= e.interval[1] for e in found]) < most


@settings(max_examples=40, deadline=None)
@given(st.one_of(random_games(), random_games(loops=True)), st.integers(0, 2**32 - 1))
def test_random_games_earn_what_they_are_worth(game, seed):
    form = forms.pomdp(game, 0, others(game))
    exact = evaluation.value(game, {player: Uniform() for player in range(len(game.players))})[0]
    found = simulate(form, Uniform(), 2_000, generator(seed))
    assert within(found, exact, 6)
    assert found.cut == 0 or game.discount < 1


def plainly(form, policy, rng, steps):
    """One game, one step at a time: the reference for the games that run side by side."""
    paid, scale = float(form.reward[0]), 1.0
    out = rng.choice(np.arange(form.out[0], form.out[1]), p=form.prob[form.out[0] : form.out[1]])
    memory = policy.begin(form.observations[form.obs[out]][0])
    for _ in range(steps):
        state, legal = form.next[out], form.observations[form.obs[out]][1]
        if legal == -2:
            break
        action = policy.act(memory, form.legal_sets[legal]).sample(rng) if legal >= 0 else None
        place = form.legal_sets[legal].index(action) if legal >= 0 else 0
        row = int(form.row[state]) + place
        assert action == (form.actions[form.action[row]] if legal >= 0 else None)
        paid, scale = paid + scale * form.reward[row], scale * form.discount
        span = np.arange(form.out[row], form.out[row + 1])
        out = rng.choice(span, p=form.prob[span] / form.prob[span].sum())
        memory = policy.update(memory, action, form.observations[form.obs[out]][0])
    return paid


@pytest.mark.slow
def test_side_by_side_is_like_one_by_one():
    for seed in range(4):
        game = RandomGame(seed=seed, seats=2, depth=4, width=3, signals=2, discount=0.9)
        form = forms.pomdp(game, 0, others(game))
        vectors = generator(seed).normal(size=(6, form.size))
        policy = AlphaVectors(form, vectors, np.arange(6, dtype=np.int32) % len(form.actions))
        playable = {form.actions[a] for a in policy.actions}
        if not all(playable & set(legal) for legal in form.legal_sets):
            continue
        rng = generator(seed)
        one = np.array([plainly(form, policy, rng, STEPS) for _ in range(800)])
        many = simulate(form, policy, 800, generator(seed))
        assert abs(one.mean() - many.mean) <= 4.5 * math.hypot(one.std() / math.sqrt(800), many.error) + 1e-12


def endless(pay: float, discount: float):
    columns = (np.zeros(1, int), np.zeros(1, int), np.zeros(1, int), np.zeros(1, int), np.ones(1))
    return forms.pomdp_from_arrays(
        "endless", discount, ["on"], ["go"], ["·"], np.ones(1), columns, np.full((1, 1), pay)
    )


def test_what_is_cut_is_counted_and_bounded():
    found = simulate(endless(1.0, 1.0), Uniform(), 10, generator(0), steps=7)
    assert (found.mean, found.error, found.cut, found.steps) == (7.0, 0.0, 10, 7.0)
    assert found.sampled == (7.0, 7.0)
    assert found.interval == (7.0, math.inf)
    assert simulate(endless(-1.0, 1.0), Uniform(), 10, generator(0), steps=7).interval == (-math.inf, -7.0)
    assert simulate(endless(0.0, 1.0), Uniform(), 10, generator(0), steps=7).interval == (0.0, 0.0)
    for steps in (0, 1, 5, 10_000):
        found = simulate(endless(1.0, 0.5), Uniform(), 2, generator(0), steps=steps)
        assert found.interval[0] <= 2.0 <= found.interval[1] * (1 + 1e-12)
        assert found.mean == pytest.approx(2 - 2 * 0.5 ** min(steps, 15))
    assert simulate(endless(3.0, 0.0), Uniform(), 2, generator(0)).mean == 3.0
    coarse, fine = (simulate(endless(1.0, 0.9), Uniform(), 2, generator(0), tolerance=t) for t in (0.1, 1e-6))
    assert coarse.steps < fine.steps
    assert coarse.interval[0] <= 10 <= coarse.interval[1]


def test_a_mixture_is_drawn_for_each_game():
    game = make("tiger(resets=false, discount=1.0)")
    form = forms.pomdp(game)
    left, right = (_Always(f"open-{side}") for side in ("left", "right"))
    mixed = Mixture((left, right), (0.25, 0.75))
    found = simulate(form, mixed, 4_000, generator(0))
    assert within(found, evaluation.value(game, {0: mixed})[0])
    assert (found.cut, found.steps) == (0, 1.0)


class _Always:
    def __init__(self, action):
        self.action = action

    def begin(self, observation):
        return None

    def update(self, memory, action, observation):
        return None

    def act(self, memory, actions):
        return Dist.sure(self.action)


def test_bad_questions_and_bad_policies_are_refused():
    form = forms.pomdp(make("tiger"))
    for wrong in ({"games": 0}, {"steps": -1}, {"level": 1.0}, {"tolerance": 0.0}):
        asked = {"games": 5, **wrong}
        with pytest.raises(SpecError, match="simulate: games"):
            simulate(form, Uniform(), rng=generator(0), **asked)
    with pytest.raises(PolicyError, match="expected one of"):
        simulate(form, _Always("sing"), 5, generator(0))
    assert simulate(form, Uniform(), 1, generator(0)).error == math.inf


def test_wider_levels_are_wider():
    form = forms.pomdp(make("tiger"))
    found = [simulate(form, Uniform(), 500, generator(0), level=level) for level in (0.5, 0.9, 0.99)]
    assert all(a.sampled[1] - a.sampled[0] < b.sampled[1] - b.sampled[0] for a, b in pairwise(found))
    half = (found[1].sampled[1] - found[1].sampled[0]) / 2
    assert half == pytest.approx(1.6448536269514722 * found[1].error)
