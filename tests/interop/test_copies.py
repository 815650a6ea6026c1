"""Environments are copied, sent to other processes and wrapped: what learners do to them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="needs fogbound[environments]")
pytest.importorskip("pettingzoo", reason="needs fogbound[environments]")

import gymnasium
from gymnasium.wrappers import FlattenObservation
from pettingzoo.utils import parallel_to_aec, wrappers

from fogbound.interop.gymnasium import SeatEnv
from fogbound.interop.pettingzoo import TogetherEnv, TurnsEnv


def sent(env):
    return pickle.loads(pickle.dumps(env))  # noqa: S301  our own bytes


@pytest.mark.parametrize("duplicate", [copy.deepcopy, sent])
def test_a_copy_goes_on_as_the_original_does(duplicate):
    env = SeatEnv("leduc", against="uniform")
    env.reset(seed=3)
    env.step(0)
    other = duplicate(env)
    for _ in range(3):
        assert other.action_masks().tolist() == env.action_masks().tolist()
        if env._done:
            break
        action = int(np.flatnonzero(env.action_masks())[-1])
        one, two = env.step(action), other.step(action)
        assert one[1:] == two[1:]
        assert one[0]["observation"].tolist() == two[0]["observation"].tolist()
    env.reset(seed=3)
    env.step(0)
    third, time = duplicate(env), env._course.time
    env.reset(seed=4)
    assert third._course.time == time > env._course.time  # what became of the original does not touch it


def test_seats_are_copied_too():
    turns = TurnsEnv("kuhn", observing="information-set")
    turns.reset(seed=0)
    other = copy.deepcopy(turns)
    turns.step(0)
    assert other.agent_selection != turns.agent_selection
    assert other.views["player-1"] is turns.views["player-1"]


def test_vectors_of_environments():
    made = gymnasium.vector.SyncVectorEnv([lambda: SeatEnv("kuhn", against="uniform", observing="information-set")] * 3)
    shown, info = made.reset(seed=0)
    assert shown["action_mask"].tolist() == [[1, 1, 0, 0]] * 3
    assert info["discount"].tolist() == [1.0] * 3


def test_wrappers():
    flat = FlattenObservation(SeatEnv("kuhn", against="uniform"))
    assert flat.reset(seed=0)[0] in flat.observation_space
    one_by_one = parallel_to_aec(TogetherEnv("rock-paper-scissors"))
    one_by_one.reset(seed=0)
    assert one_by_one.last()[0]["action_mask"].tolist() == [1, 1, 1]
    strict = wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(TurnsEnv("kuhn")))
    strict.reset(seed=0)
    strict.step(0)
    assert strict.agent_selection == "player-2"
