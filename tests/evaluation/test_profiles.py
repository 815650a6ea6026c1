"""Whatever is asked about a profile may be asked about a solution, a dict by player, a list, or one policy."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound import evaluation, forms, policies
from fogbound.core.errors import FormError, PolicyError
from fogbound.evaluation.exploitability import BestResponse

POKER = fb.game("card-poker(ranks=3)")
ALONE = fb.game("horizon(game=tiger, steps=2)")  # one player, and a tree


@pytest.fixture(scope="module")
def nash():
    return fb.solve(POKER, "sequence-lp")


@pytest.fixture(scope="module")
def best():
    return fb.solve(ALONE, "belief-mdp")


def shapes(solution):
    """The same profile in every shape that has a place for all players."""
    profile = dict(solution.profile)
    listed = [profile[player] for player in sorted(profile)]
    return [solution, profile, listed, tuple(listed)]


def plain(answer):
    """An answer as numbers that can be compared."""
    if isinstance(answer, BestResponse):
        return [answer.value, *answer.behaviour.tolist()]
    if isinstance(answer, evaluation.Chain):
        return answer.values
    if isinstance(answer, evaluation.Exploitability):
        return [*answer.values, *answer.best]
    return np.concatenate([np.ravel(part) for part in answer]).tolist()


ASKED = {
    "value": evaluation.value,
    "chain": evaluation.chain,
    "behaviours": evaluation.behaviours,
    "expected": evaluation.expected,
    "exploitability": evaluation.exploitability,
    "best_response": lambda game, profile: evaluation.best_response(game, profile, 0),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_profile_may_have_any_shape(name, nash):
    answers = [plain(ASKED[name](POKER, profile)) for profile in shapes(nash)]
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.parametrize("name", ASKED)
def test_where_one_plays_one_policy_is_a_profile(name, best):
    answers = [plain(ASKED[name](ALONE, profile)) for profile in [*shapes(best), best.policy()]]
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.parametrize("name", ASKED)
def test_what_is_no_profile_is_refused(name):
    with pytest.raises(PolicyError, match="expected a profile"):
        ASKED[name](POKER, 3)


@pytest.mark.parametrize("name", ASKED)
def test_a_missing_player_is_named(name):
    with pytest.raises(FormError, match="player 1"):
        ASKED[name](POKER, policies.Uniform())


@pytest.mark.parametrize("player", [0, 1])
def test_a_reply_needs_the_others_only(player, nash):
    whole = evaluation.best_response(POKER, nash, player)
    others = {other: policy for other, policy in nash.profile.items() if other != player}
    listed = [None if other == player else nash.profile[other] for other in (0, 1)]
    for profile in (others, listed):
        assert plain(evaluation.best_response(POKER, profile, player)) == plain(whole)


@pytest.mark.parametrize("player", [0, 1])
def test_simulation_takes_a_policy_or_a_profile(player, nash):
    form = forms.pomdp(POKER, player, {1 - player: policies.Uniform()})
    given = [*shapes(nash), nash.policy(player), {player: nash.policy(player)}]
    answers = [evaluation.simulate(form, policy, 50, np.random.default_rng(0)) for policy in given]
    assert all(answer == answers[0] for answer in answers)
    with pytest.raises(PolicyError, match=f"expected player {player}"):
        evaluation.simulate(form, {1 - player: policies.Uniform()}, 50, np.random.default_rng(0))


@pytest.mark.parametrize("player", [0, 1])
def test_visits_take_a_policy_or_a_profile(player, nash):
    automata = [policies.controller(POKER, i, nash.policy(i)) for i in (0, 1)]
    by_player = dict(enumerate(automata))
    answers = [evaluation.visitation(POKER, profile, player).visits for profile in (by_player, automata)]
    form = forms.pomdp(POKER, player, {1 - player: automata[1 - player]})
    answers += [evaluation.visitation(form, profile, player).visits for profile in (automata[player], by_player)]
    assert all(answer == answers[0] for answer in answers)


def test_visits_take_a_solution():
    tiger = fb.game("tiger")
    solved = fb.solve(tiger, "sarsop", gap=1.0)
    assert evaluation.visitation(tiger, solved).visits == evaluation.visitation(tiger, solved.policy()).visits


def test_what_is_called_exploitability():
    """Who always shows heads loses a penny to who knows it: both can gain, and the mean is the literature's word."""
    pennies = evaluation.Exploitability(values=(1.0, -1.0), best=(1.0, 1.0))
    assert (pennies.regrets, pennies.nash_conv, pennies.exploitability) == ((0.0, 2.0), 2.0, 1.0)
    rounded = evaluation.Exploitability(values=(1.0, -1.0), best=(1.0 - 1e-16, -1.0))
    assert rounded.nash_conv == 0
