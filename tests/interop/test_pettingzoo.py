"""All seats as PettingZoo environments: who is asked when, who waits, illegal actions, agents by seat."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.core import Dist, Game, Outcome
from fogbound.core.errors import FormError, PolicyError, SpecError
from tests.interop.relay import Relay

pytest.importorskip("gymnasium", reason="needs fogbound[environments]")
pytest.importorskip("pettingzoo", reason="needs fogbound[environments]")

from fogbound.interop.pettingzoo import TogetherEnv, TurnsEnv, env, parallel_env


def test_the_names_that_users_look_for():
    assert (env, parallel_env) == (TurnsEnv, TogetherEnv)


def test_who_moves_at_once_moves_one_after_the_other_and_sees_nothing():
    turns = env("rock-paper-scissors", observing="information-set")
    turns.reset(seed=0)
    first, second = turns.agents
    assert turns.agent_selection == first
    turns.step(2)
    assert turns.agent_selection == second
    shown = turns.observe(second)["observation"]
    assert not turns.observe(first)["action_mask"].any()  # it has moved
    turns.reset(seed=0)
    turns.step(0)
    assert turns.observe(second)["observation"] == shown
    turns.step(1)
    rules = turns.game
    outcome = rules.step(rules.start().pairs[0][0].state, ("rock", "paper")).pairs[0][0]
    assert tuple(turns.rewards.values()) == outcome.rewards


def test_pay_at_the_start_comes_with_the_first_step():
    turns = env(Relay(), observing="observation")
    turns.reset(seed=0)
    assert turns.last()[1] == 0.0
    assert set(turns.rewards.values()) == {0.0}
    turns.step(turns.views["two"].number("stop"))
    assert turns.rewards["one"] in (11.0, 8.0)
    together = parallel_env(Relay(), observing="observation")
    together.reset(seed=0)
    wait = len(together.views["one"].actions)
    assert together.step({"one": wait, "two": together.views["two"].number("stop")})[1]["one"] in (11.0, 8.0)


def test_an_error_takes_nothing_away():
    turns = env(Relay(), observing="observation")
    turns.reset(seed=0)
    turns.step(turns.views["two"].number("go"))
    paid = turns.last()[1]
    assert paid != 0
    with pytest.raises(PolicyError, match="expected a whole number"):
        turns.step(99)
    assert turns.last()[1] == paid


def test_waiting_is_an_action_only_of_those_who_are_idle():
    assert not any(view.waits for view in parallel_env("rock-paper-scissors").views.values())
    assert all(view.waits for view in parallel_env("kuhn").views.values())
    assert not any(view.waits for view in env("kuhn").views.values())


def test_an_illegal_action_is_an_error_and_nothing_happens():
    turns = env("kuhn")
    turns.reset(seed=0)
    with pytest.raises(PolicyError, match="'fold', which is not legal now"):
        turns.step(turns.views["player-1"].number("fold"))
    turns.step(0)
    together = parallel_env("kuhn")
    together.reset(seed=0)
    with pytest.raises(PolicyError, match="player-2 does 'check', which is not legal now; it may wait"):
        together.step({"player-1": 0, "player-2": 0})
    with pytest.raises(PolicyError, match="player-1 waits, which is not legal now"):
        together.step({"player-1": 4, "player-2": 4})
    with pytest.raises(PolicyError, match="no action is given for player-2"):
        together.step({"player-1": 0})
    together.step({"player-1": 0, "player-2": 4})


def test_or_it_ends_the_game_for_all_at_the_price_that_was_said():
    turns = env("kuhn", forfeit=-7.0)
    turns.reset(seed=0)
    turns.step(turns.views["player-1"].number("fold"))
    assert turns.terminations == {"player-1": True, "player-2": True}
    assert turns.rewards == {"player-1": -7.0, "player-2": 0.0}
    assert "not legal" in turns.infos["player-1"]["illegal"]
    assert "illegal" not in turns.infos["player-2"]
    together = parallel_env("kuhn", forfeit=-7.0)
    together.reset(seed=0)
    _, rewards, ended, _, infos = together.step({"player-1": 0, "player-2": 1})
    assert rewards == {"player-1": 0.0, "player-2": -7.0}
    assert all(ended.values())
    assert "illegal" in infos["player-2"]
    assert together.agents == []
    with pytest.raises(PolicyError, match=r"reset\(\) first"):
        together.step({})


def test_after_the_end_it_is_over():
    turns = env("rock-paper-scissors")
    with pytest.raises(PolicyError, match=r"reset\(\) first"):
        turns.step(0)
    turns.reset(seed=0)
    for action in (0, 0, None, None):
        turns.step(action)
    assert turns.agents == []


def test_games_without_an_end_are_cut():
    turns = env("multi-tiger", observing="observation", most_steps=2)
    turns.reset(seed=0)
    for _ in range(4):
        assert not any(turns.truncations.values())
        turns.step(0)
    assert all(turns.truncations.values())
    assert not any(turns.terminations.values())
    together = parallel_env("multi-tiger", observing="observation", most_steps=1)
    together.reset(seed=0)
    _, _, ended, cut, _ = together.step(dict.fromkeys(together.agents, 0))
    assert (set(ended.values()), set(cut.values()), together.agents) == ({False}, {True}, [])


def test_beliefs_rest_on_how_the_others_are_said_to_play():
    with pytest.raises(SpecError, match="it must be said how"):
        env("kuhn", observing="belief")
    turns = env("kuhn", observing="belief", others="uniform")
    turns.reset(seed=0)
    assert turns.last()[0]["observation"].sum() == pytest.approx(1.0)


def test_a_game_that_may_be_over_at_its_start_is_refused():
    class Maybe(Game):
        players = ("one",)

        def start(self):
            return Dist.uniform([Outcome("over"), Outcome("on")])

        def actors(self, state):
            return (0,) if state == "on" else ()

        def actions(self, state, player):
            return ("end",)

        def step(self, state, joint):
            return Dist.sure(Outcome("over", (1.0,)))

    with pytest.raises(FormError, match="may be over at its start, before anybody moves"):
        env(Maybe())


def test_masks_can_be_asked_for():
    turns, together = env("kuhn"), parallel_env("kuhn")
    turns.reset(seed=0)
    together.reset(seed=0)
    assert turns.action_masks().tolist() == [True, True, False, False]
    assert {name: mask.tolist() for name, mask in together.action_masks().items()} == {
        "player-1": [True, True, False, False, False],
        "player-2": [False, False, False, False, True],
    }


@pytest.mark.parametrize("make", [env, parallel_env])
def test_every_seats_agent_is_a_policy(make):
    made = make("kuhn", observing="history")
    pair = [
        fb.interop.agent(lambda shown: int(shown["action_mask"].argmax()), made, name) for name in made.possible_agents
    ]
    assert fb.match("kuhn", pair, games=20).games == 20
    assert fb.interop.agent(np.argmax, made, 1).view.name == "player-2"
    with pytest.raises(SpecError, match="expected one of the environment's: player-1, player-2"):
        fb.interop.agent(np.argmax, made)


def test_pictures_show_everything():
    turns = env("kuhn", render_mode="svg")
    turns.reset(seed=0)
    assert turns.render() == turns.game.draw(turns._seats.course.label).plain()
    turns.close()
