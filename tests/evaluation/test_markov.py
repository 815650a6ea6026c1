"""Profiles of Markov games, evaluated at every state: against the chain, against POMDPs, and when they remember."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound import evaluation, forms, policies
from fogbound.core.errors import FormError
from fogbound.evaluation.markov import best_reply, guaranteed, optimal, steps_ahead
from fogbound.policies import Controller, MarkovPolicy

GAMES = [
    "random-markov(seed=1)",
    "random-markov(seed=2, seats=3, choices=2)",
    "random-markov(seed=3, ragged=true, ends=0.2, discount=1)",
    "random-markov(seed=4, ring=true, size=150, choices=2)",
]


def drawn(form, seed):
    rng = np.random.default_rng(seed)
    played = []
    for first in form.first:
        weights = rng.exponential(size=first[-1])
        begins = first[:-1][form.live]
        played.append(weights / np.repeat(np.add.reduceat(weights, begins), np.diff(first)[form.live]))
    return played


@pytest.mark.parametrize("spec", GAMES)
def test_values_are_those_of_the_chain_of_policies(spec):
    form = forms.markov(fb.game(spec))
    played = drawn(form, 5)
    profile = [MarkovPolicy(form, i, x) for i, x in enumerate(played)]
    measured = evaluation.markov_values(form, played)
    assert measured.values == pytest.approx(evaluation.value(fb.game(spec), profile), abs=1e-9)
    assert (measured.best >= measured.value - 1e-9).all()
    assert measured.regret > 0


@pytest.mark.parametrize("spec", GAMES[:2])
def test_best_replies_are_what_a_solver_of_pomdps_finds(spec):
    form = forms.markov(fb.game(spec))
    profile = {i: MarkovPolicy(form, i, x) for i, x in enumerate(drawn(form, 6))}
    measured = evaluation.markov_values(form, profile)
    others = {i: policy for i, policy in profile.items() if i}
    reply = fb.solve(fb.game(spec), "sarsop", against=others, gap=1e-4)
    assert reply.lower - 1e-6 <= measured.best_values[0] <= reply.upper + 1e-6


def test_dense_and_sparse_systems_agree(monkeypatch):
    form = forms.markov(fb.game("random-markov(seed=4, size=20)"))
    played = drawn(form, 7)
    dense = evaluation.markov_values(form, played)
    again = forms.markov(fb.game("random-markov(seed=4, size=20)"))
    again.__dict__["dense"] = None
    monkeypatch.setattr("fogbound.evaluation.markov.MOST_DENSE", 0)
    sparse = evaluation.markov_values(again, played)
    assert np.allclose(dense.value, sparse.value)
    assert np.allclose(dense.best, sparse.best)


def test_what_a_policy_guarantees_is_minus_what_the_other_wins():
    form = forms.markov(fb.game("random-markov(seed=5, zero_sum=true)"))
    played = drawn(form, 8)
    assert np.allclose(guaranteed(form, played, 0), -best_reply(form, played, 1)[0])


def test_policies_are_read_from_controllers_and_back():
    form = forms.markov(fb.game("random-markov(seed=6, ragged=true)"))
    for player, played in enumerate(drawn(form, 9)):
        controller = MarkovPolicy(form, player, played).controller()
        assert isinstance(controller, Controller)
        assert np.array_equal(evaluation.markov_behaviour(form, player, controller), played)
    assert np.allclose(evaluation.markov_behaviour(form, 0, policies.Uniform()), form.uniform[0])


def test_a_policy_that_remembers_more_than_the_state_is_refused():
    class Alternates:
        def begin(self, observation):
            return 0

        def update(self, memory, action, observation):
            return 1 - memory

        def act(self, memory, actions):
            return fb.Dist.sure(actions[memory])

    with pytest.raises(FormError, match=r"no Markov policy: in state \(\) it depends on what happened before"):
        evaluation.markov_values(fb.game("repeated"), [Alternates(), policies.Uniform()])
    mixed = policies.uniform_mixture([policies.Uniform(), Alternates()])
    with pytest.raises(FormError, match="plays a mixture"):
        evaluation.markov_behaviour(forms.markov(fb.game("repeated")), 0, mixed)


def test_an_average_reward_is_refused_by_name():
    with pytest.raises(FormError, match="average reward"):
        evaluation.markov_values(fb.game("random-markov(discount=1)"), [policies.Uniform()] * 2)


def test_policy_iteration_finds_the_longest_play():
    form = forms.markov(fb.game("random-markov(seed=1, ends=0.25, discount=1)"))
    assert np.allclose(steps_ahead(form)[form.live], 4.0)  # every step ends with the same probability


def test_nothing_to_decide():
    value, chosen = optimal(np.zeros(3, np.int64), np.zeros((0, 2)), np.zeros(0), 0.9)
    assert value.tolist() == [0.0, 0.0]
    assert not len(chosen)
