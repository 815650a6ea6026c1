"""Agents: a policy that remembers for a control loop, refuses what cannot be, and says what it believes."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.errors import PolicyError, SpecError
from fogbound.core.game import Observation
from fogbound.policies import Uniform


@pytest.fixture(scope="module")
def tiger():
    return fb.solve("tiger", "sarsop", gap=1e-3)


def lived(world, agent, policy, seed, steps=30):
    """A run of an agent beside the policy that it plays, followed by hand."""
    rng = np.random.default_rng(seed)
    outcome, memory, done = world.start().sample(rng), None, None
    agent.reset()
    for step in range(steps):
        seen = outcome.observation(0)
        memory = policy.begin(seen) if step == 0 else policy.update(memory, done, seen)
        (done,) = policy.act(memory, world.actions(outcome.state, 0)).support()
        assert agent.act(seen) == done
        assert agent.actions == tuple(world.actions(outcome.state, 0))
        outcome = world.step(outcome.state, (done,)).sample(rng)
        if not world.actors(outcome.state):
            return


@pytest.mark.parametrize("solver", ["sarsop", "sarsop(policy=vectors)", "belief-search"])
@pytest.mark.parametrize("game", ["rock-sample(size=2, rocks=1)", "horizon(game=tiger, steps=4)"])
def test_an_agent_plays_as_its_policy_does(game, solver):
    answer = fb.solve(game, solver)
    agent = answer.agent()
    for seed in range(5):
        lived(fb.game(game), agent, answer.policy(), seed)


def test_observations_may_be_told_plainly(tiger):
    agent = tiger.agent()
    assert agent.act() == agent.act(Observation("growl-left", None)) == "listen"
    assert agent.belief == pytest.approx({"left": 0.85, "right": 0.15})
    assert agent.act("growl-left") == "open-right"
    assert agent.belief["left"] == pytest.approx(0.85**2 / (0.85**2 + 0.15**2))


def test_what_is_no_observation_is_refused_and_changes_nothing(tiger):
    agent = tiger.agent()
    agent.act()
    with pytest.raises(PolicyError, match="'meow' is none of this game's, which are nothing, 'growl-left'"):
        agent.act("meow")
    with pytest.raises(PolicyError, match="'jump' is none of this game's"):
        agent.act("growl-left", did="jump")
    assert agent.act("growl-left") == "listen"
    assert agent.belief == pytest.approx({"left": 0.85, "right": 0.15})


def test_what_cannot_be_seen_now_is_refused():
    agent = fb.agent("uniform", "rock-sample(size=2, rocks=1)")
    model = fb.forms.pomdp(fb.game("rock-sample(size=2, rocks=1)"))
    seen = {observation for observation, _ in model.observations}
    refusals = []
    for observation in seen:
        agent.reset()
        agent.act()
        try:
            agent.observe(observation)
        except PolicyError as error:
            refusals.append(str(error))
    assert 0 < len(refusals) < len(seen)
    assert all("can never be seen after" in refusal for refusal in refusals)


def test_nothing_is_believed_before_anything_is_seen(tiger):
    agent = tiger.agent()
    for question in ("belief", "values"):
        with pytest.raises(PolicyError, match="nothing was seen yet"):
            getattr(agent, question)
    with pytest.raises(PolicyError, match="before the first observation"):
        agent.act(did="listen")
    agent.act()
    agent.reset()
    with pytest.raises(PolicyError, match="nothing was seen yet"):
        agent.belief  # noqa: B018


def test_another_action_than_it_said_may_have_been_done(tiger):
    agent = tiger.agent()
    agent.act()
    agent.act("growl-left")
    agent.act("growl-left", did="open-left")  # the tiger is behind either door again, and growls
    assert agent.belief == pytest.approx({"left": 0.5, "right": 0.5})


@pytest.mark.parametrize("solver", ["sarsop", "sarsop(policy=vectors)"])
def test_values_are_what_actions_earn(solver):
    answer = fb.solve("tiger", solver, gap=1e-3)
    agent = answer.agent()
    best = agent.act()
    values = agent.values
    assert list(values) == ["listen", "open-left", "open-right"]
    assert answer.lower - 1e-9 <= values[best] <= answer.upper + 1e-9
    assert values["open-left"] == pytest.approx(-45 + 0.95 * answer.value, abs=2e-2)  # and the tiger is moved
    assert max(values, key=values.get) == best


@pytest.mark.parametrize("seed", range(6))
def test_values_bound_the_best_reply_from_below(seed):
    """Against given others, with turns in which one waits: no action is worth more than the optimum, the best is it."""
    game = fb.game(f"random(seed={seed}, depth=3)")
    others = {i: Uniform() for i in range(1, len(game.players))}
    answer = fb.solve(game, "belief-mdp", against="uniform") if others else fb.solve(game, "belief-mdp")
    agent = answer.agent()
    rng = np.random.default_rng(seed)
    outcome = game.start().sample(rng)
    if 0 not in game.actors(outcome.state):
        agent.observe(outcome.observation(0))
        with pytest.raises(PolicyError, match="no move is asked for now"):
            agent.values  # noqa: B018
        return
    done = agent.act(outcome.observation(0))
    values = agent.values
    assert max(values.values()) == pytest.approx(values[done], abs=1e-9)
    assert sum(agent.belief.values()) == pytest.approx(1)


def test_one_of_several_players_waits_for_its_turn(tmp_path):
    poker = fb.game("card-poker(ranks=3)")
    nash = fb.solve(poker, "sequence-lp").save(tmp_path / "nash.npz")
    for answer in (nash, fb.load(tmp_path / "nash.npz")):
        dealer = answer.agent("dealer")
        with pytest.raises(PolicyError, match="not asked to move then: tell it with observe"):
            dealer.act(3)
        dealer.observe(3)
        assert dealer.act("check") == "bet"
        assert dealer.actions == ("check", "bet")
        assert sum(dealer.belief.values()) == pytest.approx(1)
        assert dealer.values["bet"] > dealer.values["check"]
        dealer.reset()
        with pytest.raises(PolicyError, match="can never be seen at first"):
            dealer.observe("bet")


def test_others_may_do_what_they_never_do():
    poker = fb.game("card-poker(ranks=3)")
    always = fb.solve(poker, "belief-mdp", player="dealer", against="uniform")
    unsuspecting = always.agent("dealer")
    unsuspecting.observe(1)
    unsuspecting.act("bet")
    assert sum(unsuspecting.belief.values()) == pytest.approx(1)
    passive = fb.policies.controller(poker, 0, _Passive())
    surprised = fb.agent(always, poker, "dealer", others={0: passive})
    surprised.observe(1)
    assert surprised.act("bet") in surprised.actions
    assert surprised.belief == {}


class _Passive:
    def begin(self, observation):
        return None

    def update(self, memory, action, observation):
        return None

    def act(self, memory, actions):
        return fb.Dist.sure("check" if "check" in actions else actions[0])


def test_without_the_others_there_is_play_and_no_belief():
    agent = fb.agent("uniform", "king-ace", 0, seed=3)
    card = next(seen for seen in fb.forms.table(fb.game("king-ace")).observations[0])
    assert agent.act(card) in agent.actions
    with pytest.raises(PolicyError, match="rests on how the others play"):
        agent.belief  # noqa: B018


def test_a_game_must_be_named():
    with pytest.raises(SpecError, match="which game the agent plays must be said"):
        fb.agent("uniform")


@pytest.mark.slow
def test_in_a_game_too_large_to_enumerate_the_legal_actions_are_told():
    game = fb.game("king-up")
    agent = fb.agent("uniform", game, 0)
    outcome = game.start().sample(np.random.default_rng(0))
    seen = outcome.observation(0)
    with pytest.raises(PolicyError, match=r"too large to know the legal actions of: act\(observation, actions\)"):
        agent.act(seen)
    legal = game.actions(outcome.state, game.actors(outcome.state)[0])
    assert agent.act(seen, legal) in legal
