"""Strategies of one-sided games: each keeps what the bounds say against the best answer to it, and can be played."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fogbound import files, forms
from fogbound.arena import match
from fogbound.arena.episode import Episode
from fogbound.core import FogboundError, FormError, LimitError, Observation, PolicyError
from fogbound.forms.one_sided.form import WAIT
from fogbound.games import make
from fogbound.policies import Uniform
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.heuristic_search import TrialSearch
from fogbound.solvers.one_sided.play import fully_informed
from fogbound.solvers.one_sided.play.partially_informed import PromiseProgram
from fogbound.solvers.one_sided.play.profile import fully_informed_policy, partially_informed_policy, profile
from fogbound.solvers.one_sided.shaping import shaped_game
from fogbound.testing import random_games
from tests import shared
from tests.forms.test_one_sided import Shown
from tests.solvers.one_sided.best_response import best_response_bounds, guarantee

PEG03 = shared.MODELS / "osposg" / "peg03.osposg"
few = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
EXACT = 1e-6


def solved(form, gap=0.5, most=60):
    bounds = OneSidedBounds(form)
    for _ in range(most):
        lower, upper = bounds.interval()
        if upper - lower <= gap:
            break
        TrialSearch(bounds).explore(gap)
    return bounds


@pytest.fixture(scope="module")
def pursuit():
    game = make("pursuit(columns=3)")
    return game, solved(forms.one_sided(game))


@pytest.fixture(scope="module")
def town():
    game = make("scotland-yard(map=12)")
    return game, solved(forms.one_sided(game), gap=15)


def broken_promises(known, partition, promised):
    """By how much the stage of a promise falls short of it in a possible state, from the form's own numbers."""
    form, found = known.form, PromiseProgram(known, partition, promised).solve()
    scaled = shaped_game(form)
    scale, least = scaled.scale, scaled.least
    base, worst = form.reply_start[form.state_start[partition]], -np.inf
    for local, value in enumerate(promised):
        if value < 0:
            continue
        state = int(form.state_start[partition]) + local
        for row in range(form.reply_start[state], form.reply_start[state + 1]):
            paid = 0.0
            for slot, share in found.shares.items():
                paid += share * form.reward[form.reward_start[slot] + row - base]
                for b in form.successors_of(slot):
                    for e in range(form.transition_start[b], form.transition_start[b + 1]):
                        if form.source[e] == row:
                            after = found.after[b][form.to[e] - form.state_start[form.target[b]]]
                            assert after >= 0  # what may follow is possible
                            paid += share * form.discount * form.prob[e] * (least[form.to[e]] + scale * after)
            worst = max(worst, least[state] + scale * value - paid)
    return worst


@pytest.mark.slow
def test_the_blind_player_keeps_its_word_against_the_best_answer(pursuit):
    _, bounds = pursuit
    lower, upper = bounds.interval()
    low, high = guarantee(bounds, partially_informed_policy(bounds), steps=10)
    assert lower - EXACT <= high <= upper + EXACT
    assert lower - 2 < low <= high  # what is left of it after ten steps is less than 2


def test_longer_looks_only_narrow_the_interval(pursuit):
    _, bounds = pursuit
    policy = partially_informed_policy(bounds)
    looks = [guarantee(bounds, policy, steps) for steps in range(2, 8)]
    assert all(now[0] >= before[0] - EXACT and now[1] <= before[1] + EXACT for before, now in pairwise(looks))


@pytest.mark.slow
def test_playing_at_random_is_worth_what_the_first_vector_says(pursuit):
    _, bounds = pursuit
    short = OneSidedBounds(replace(bounds.form, discount=0.5))
    low, high = guarantee(short, Uniform(), steps=10, limit=1_000)  # memory is nothing: all is followed for ever
    assert low == pytest.approx(short.interval()[0], abs=1e-3)
    assert high == pytest.approx(short.interval()[0], abs=1e-3)


def test_every_promise_that_comes_up_is_kept(pursuit):
    _, bounds = pursuit
    policy = partially_informed_policy(bounds)
    guarantee(bounds, policy, steps=7)
    assert len(policy.stages) > 30
    assert max(broken_promises(policy.known, *pledge) for pledge in policy.stages) < EXACT


def test_following_another_belief_s_best_vector_breaks_it(pursuit):
    """The check above can fail: a promise above the bound cannot be kept."""
    _, bounds = pursuit
    policy = partially_informed_policy(bounds)
    partition, promised = policy.begin(next(iter(bounds.form.opening.values())))[0]
    more = tuple(value + 0.01 if value >= 0 else value for value in promised)
    with pytest.raises(FogboundError):
        PromiseProgram(policy.known, partition, more).solve()


@pytest.mark.slow
@pytest.mark.skipif(not PEG03.exists(), reason="needs the published file")
def test_a_game_from_a_file_is_played_by_both():
    form = files.read_one_sided(PEG03)
    bounds = solved(form, gap=0.5)
    lower, upper = bounds.interval()
    players = profile(bounds)
    low, high = guarantee(bounds, players[form.player], steps=8)
    assert low <= high
    assert lower - EXACT <= high <= upper + EXACT
    low, high = best_response_bounds(bounds, players[1 - form.player], steps=2)
    assert low <= upper + EXACT <= high + EXACT
    found = match(forms.OneSidedGame(form), [players[0], players[1]], games=100, seed=5).players[form.player]
    assert found.score_interval[0] <= upper
    assert found.score_interval[1] >= lower


@pytest.mark.slow
@few
@given(random_games(zero_sum=True, loops=True), st.integers(0, 1))
def test_both_keep_the_bounds_in_random_games(game, blind):
    _check_random(game, blind, 4)


@few
@given(random_games(zero_sum=True), st.integers(0, 1))
def test_both_keep_the_bounds_in_random_games_that_end(game, blind):
    low, high, found, other = _check_random(game, blind, 5)
    assert low == pytest.approx(high, abs=EXACT)  # all of it was looked at
    assert found == pytest.approx(other, abs=EXACT)


def _check_random(game, blind, steps):
    game = Shown(game, blind)
    try:
        form = forms.one_sided(game, blind)
    except FormError:
        assume(False)
    bounds = solved(form, gap=0.05, most=20)
    lower, upper = bounds.interval()
    try:
        low, high = guarantee(bounds, partially_informed_policy(bounds), steps, limit=300)
        found, other = best_response_bounds(bounds, fully_informed_policy(bounds), steps, limit=1_000)
    except LimitError:
        assume(False)
    assert low - EXACT <= high
    assert high >= lower - EXACT
    assert low <= upper + EXACT
    assert found <= upper + EXACT
    assert other >= lower - EXACT
    return low, high, found, other


@pytest.mark.parametrize("seed", range(8))
def test_short_games_leave_nothing_open(seed):
    """With a discount of a half, nine steps leave nearly nothing: the interval itself lies in the bounds."""
    game = Shown(make(f"random(seed={seed}, seats=2, zero_sum=true, loops=true, discount=0.5, depth=2, width=2)"), 0)
    bounds = solved(forms.one_sided(game, 0), gap=0.01)
    lower, upper = bounds.interval()
    low, high = guarantee(bounds, partially_informed_policy(bounds), 9, limit=5_000)
    assert lower - 0.1 <= low <= high <= upper + EXACT


def test_a_match_between_them_lies_between_the_bounds(pursuit):
    game, bounds = pursuit
    lower, upper = bounds.interval()
    players = profile(bounds)
    found = match(game, [players[0], players[1]], games=400, seed=3).players[0]
    assert found.score_interval[0] <= upper
    assert found.score_interval[1] >= lower


@pytest.mark.slow
@pytest.mark.parametrize("where", ["pursuit", "town"])
@pytest.mark.parametrize("player", [0, 1])
def test_either_side_can_be_played_against_anybody(where, player, request):
    game, bounds = request.getfixturevalue(where)
    lower, upper = bounds.interval()
    policies = [Uniform(), Uniform()]
    policies[player] = profile(bounds)[player]
    returns = []
    for number in range(60):
        table = Episode(game, policies, np.random.default_rng(number))
        assert sum(1 for _ in table.steps(300)) > 1
        returns.append(table.played().returns[0])
    spread = 3 * np.std(returns) / np.sqrt(len(returns))
    assert np.mean(returns) >= lower - spread if player == 0 else np.mean(returns) <= upper + spread


def test_the_same_history_is_remembered_as_the_same(pursuit):
    _, bounds = pursuit
    one, other = partially_informed_policy(bounds), partially_informed_policy(bounds)
    observation = Observation("evader c3", None)
    mine, theirs = one.begin(observation), other.begin(observation)
    guarantee(bounds, other, steps=4)  # it has been asked about much else before
    for _ in range(4):
        assert mine == theirs
        assert hash(mine) == hash(theirs)
        legal = [bounds.form.actions[0][k] for k in bounds.form.action_label[bounds.form.actions_of(mine[0][0])][:1]]
        assert one.act(mine, legal) == other.act(theirs, legal)
        action = one.act(mine, legal).support()[0]
        mine, theirs = (
            one.update(mine, action, Observation(None, None)),
            other.update(theirs, action, Observation(None, None)),
        )


def test_later_exploration_changes_no_policy(pursuit):
    _, bounds = pursuit
    own = OneSidedBounds(bounds.form)
    TrialSearch(own).explore(5.0)
    policy = partially_informed_policy(own)
    memory = policy.begin(Observation("evader c3", None))
    TrialSearch(own).explore(0.5)
    assert policy.begin(Observation("evader c3", None)) == memory


def test_a_seat_that_does_not_see_enough_is_not_played():
    game = next(g for seed in range(50) if (g := _two_sided(seed)) is not None)
    bounds = solved(forms.one_sided(game), gap=0.5, most=5)
    assert bounds.form.relaxed
    assert list(profile(bounds)) == [0]
    with pytest.raises(FormError, match="also informed of"):
        fully_informed_policy(bounds)


def _two_sided(seed):
    game = make(f"random(seed={seed}, seats=2, zero_sum=true, loops=true, discount=0.5)")
    try:
        return game if forms.one_sided(game).relaxed else None
    except FogboundError:
        return None


def test_what_the_game_never_shows_is_refused_or_over(pursuit):
    _, bounds = pursuit
    players = profile(bounds)
    for player in (0, 1):
        memory = players[player].begin(Observation("nonsense", None))
        assert memory == () == players[player].update(memory, None, Observation(None, None))
        with pytest.raises(PolicyError, match="nothing explains"):
            players[player].act(memory, ["x"])


def test_a_side_goes_on_after_a_move_that_it_would_not_make(pursuit):
    """Somebody may take over in the middle of a game: the policy then does the best that it knows."""
    game, bounds = pursuit
    form = bounds.form
    policy = partially_informed_policy(bounds)
    memory = policy.begin(Observation("evader c3", None))
    own = policy.act(memory, ()).support()
    partition = memory[0][0]
    strange = [form.actions[0][k] for k in form.action_label[form.actions_of(partition)] if k != WAIT]
    action = next(word for word in strange if word not in own)
    after = policy.update(memory, action, Observation(None, None))
    assert len(after) == 1
    assert policy.act(after, ()).fault() is None
    watching = profile(bounds)[1]
    place = watching.begin(Observation("evader c3", None))
    for flight in game.actions((game.start().pairs[0][0].state), 1):
        joint = (game.actions(game.start().pairs[0][0].state, 0)[0], flight)
        outcome = game.step(game.start().pairs[0][0].state, joint).pairs[0][0]
        reached = watching.update(place, flight, outcome.observation(1))
        if game.actors(outcome.state):
            legal = game.actions(outcome.state, 1)
            assert set(watching.act(reached, legal).support()) <= set(legal)


def test_a_stage_that_kernels_leave_unsolved_is_solved_by_a_program(pursuit, monkeypatch):
    _, bounds = pursuit
    policy = fully_informed_policy(bounds)
    memory = policy.begin(Observation("evader c3", None))
    quick = policy._mixture(memory[0])
    monkeypatch.setattr(fully_informed, "SHORT", -np.inf)  # whatever a kernel finds is not enough
    slow = fully_informed_policy(bounds)
    assert slow._mixture(memory[0]).sum() == pytest.approx(quick.sum())
    found, _ = best_response_bounds(bounds, slow, steps=2)
    assert found <= bounds.interval()[1] + EXACT


def test_too_many_memories_are_refused(pursuit):
    _, bounds = pursuit
    with pytest.raises(LimitError, match="fewer steps"):
        guarantee(bounds, partially_informed_policy(bounds), steps=10, limit=20)
    with pytest.raises(LimitError, match="fewer steps ahead"):
        best_response_bounds(bounds, fully_informed_policy(bounds), steps=3, limit=20)


@pytest.mark.slow
def test_what_some_actions_guarantee_is_kept_with_all_of_them(pursuit):
    _, bounds = pursuit
    form = bounds.form
    mask = np.ones(len(form.action_label), bool)
    mask[form.action_start[:-1]] = False  # never the first action of a partition
    mask[form.action_start[:-1]] |= np.diff(form.action_start) == 1
    some = OneSidedBounds(form, mask)
    TrialSearch(some).explore(5.0)
    low, high = guarantee(bounds, partially_informed_policy(some), steps=10)
    assert high >= some.interval()[0] - EXACT
    assert low <= high
    assert not len(profile(some)[1].stored().arrays["point_value"])  # points found with some actions say nothing


def test_replacing_the_discount_is_seen(pursuit):
    _, bounds = pursuit
    short = solved(replace(bounds.form, discount=0.5), gap=0.05)
    lower, upper = short.interval()
    low, high = guarantee(short, partially_informed_policy(short), steps=7)
    assert lower - 0.2 <= low <= high <= upper + EXACT
