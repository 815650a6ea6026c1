"""One seat as a Gymnasium environment: seeds, illegal actions, cuts, mixtures of opponents, pictures."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.errors import PolicyError, SpecError
from tests.interop.relay import Relay

pytest.importorskip("gymnasium", reason="needs fogbound[environments]")

import gymnasium

from fogbound.interop.gymnasium import SeatEnv


def played(env, seed, episodes=3):
    """All that is shown and paid, when the first or the last legal action is taken in turn."""
    told, shown = [], env.reset(seed=seed)[0]
    for episode in range(episodes):
        over = False
        while not over:
            legal = np.flatnonzero(shown["action_mask"])
            shown, reward, ended, cut, info = env.step(legal[-(episode % 2)])
            told.append((np.asarray(shown["observation"]).tolist(), reward, info))
            over = ended or cut
        shown = env.reset()[0]
    return told


def test_the_same_seed_is_the_same_world():
    one, other = (SeatEnv("leduc", against="uniform") for _ in range(2))
    assert played(one, 5) == played(other, 5) == played(one, 5)
    assert played(one, 5) != played(one, 6)


def test_an_illegal_action_is_an_error_and_nothing_happens():
    env = SeatEnv("kuhn", against="uniform", observing="information-set")
    env.reset(seed=0)
    with pytest.raises(PolicyError, match=r"player-1 does 'fold', which is not legal now; .*; forfeit= makes it"):
        env.step(2)
    with pytest.raises(PolicyError, match="expected a whole number from 0 to 3"):
        env.step(9)
    with pytest.raises(PolicyError, match="expected a whole number"):
        env.step("bet")
    assert env.action_masks().tolist() == [True, True, False, False]
    env.step(np.int32(1))


def test_or_it_ends_the_game_at_the_price_that_was_said():
    env = SeatEnv("kuhn", against="uniform", forfeit=-7.0)
    env.reset(seed=0)
    shown, reward, ended, cut, info = env.step(2)
    assert (reward, ended, cut) == (-7.0, True, False)
    assert "which is not legal now" in info["illegal"]
    assert shown["action_mask"].all()  # whatever is done now is ignored by those who go on
    with pytest.raises(PolicyError, match=r"reset\(\) first"):
        env.step(0)


MODES = [None, *gymnasium.vector.AutoresetMode]


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("game", ["kuhn", "tic-tac-toe", "rock-paper-scissors", "tiger", "leduc"])
def test_vector_environments_always_have_a_legal_action(game, mode):
    """Masks alone choose the actions, in each of Gymnasium's ways to begin again."""
    how = {} if mode is None else {"autoreset_mode": mode}
    against = None if game == "tiger" else "uniform"
    made = [lambda: SeatEnv(game, against=against, observing="observation", most_steps=4) for _ in range(3)]
    several = gymnasium.vector.SyncVectorEnv(made, **how)
    rng, ends = np.random.default_rng(0), 0
    shown, _ = several.reset(seed=0)
    for _ in range(40):
        actions = [rng.choice(np.flatnonzero(mask)) for mask in shown["action_mask"]]  # raises where there is none
        shown, _, ended, cut, _ = several.step(np.array(actions))
        ends += int((ended | cut).sum())
        if mode == gymnasium.vector.AutoresetMode.DISABLED and (ended | cut).any():
            shown, _ = several.reset(options={"reset_mask": ended | cut})
    assert ends > 10


def test_what_is_paid_before_an_illegal_action_is_not_lost():
    env = SeatEnv(Relay(), 1, against="uniform", forfeit=-7.0)
    env.reset(seed=0)
    assert env.step(2)[1] in (-8.0, -5.0)


def test_a_game_without_an_end_is_cut():
    env = SeatEnv("tiger", observing="observation", most_steps=3)
    env.reset(seed=0)
    told = [env.step(0) for _ in range(3)]
    assert [(ended, cut) for _, _, ended, cut, _ in told] == [(False, False), (False, False), (False, True)]
    assert [info["discount"] for *_, info in told] == [0.95] * 3


def test_an_opponent_that_is_a_mixture_is_drawn_once_a_game():
    always = [_Always(0), _Always(1)]
    env = SeatEnv("repeated", against=fb.policies.uniform_mixture(always), observing="observation", most_steps=6)
    kinds = set()
    for seed in range(8):
        env.reset(seed=seed)
        seen = {tuple(env.step(0)[0]["observation"].tolist()) for _ in range(6)}
        assert len(seen) == 1
        kinds |= seen
    assert len(kinds) == 2


class _Always:
    def __init__(self, place):
        self.place = place

    def begin(self, observation):
        return None

    def update(self, memory, action, observation):
        return None

    def act(self, memory, actions):
        return fb.Dist.sure(actions[self.place])


def test_pictures_are_what_the_player_sees():
    rng = np.random.default_rng(0)
    frames = {}
    for mode in ("ansi", "svg", "rgb_array"):
        env = SeatEnv("kuhn", 0, against="uniform", render_mode=mode)
        shown, _ = env.reset(seed=3)
        frames[mode] = env.render()
        assert env._course.label is not None
        env.step(int(rng.choice(np.flatnonzero(shown["action_mask"]))))
    assert isinstance(frames["ansi"], str)
    assert frames["svg"].startswith("<svg")
    assert "var(" not in frames["svg"]
    height, width, colours = frames["rgb_array"].shape
    assert (frames["rgb_array"].dtype, colours) == (np.uint8, 3)
    assert min(height, width) > 50
    assert len(np.unique(frames["rgb_array"])) > 5
    assert SeatEnv("kuhn", against="uniform").render() is None
    with pytest.raises(SpecError, match="render_mode is 'human', expected ansi, rgb_array, svg or None"):
        SeatEnv("kuhn", against="uniform", render_mode="human")


def test_pictures_do_not_tell_what_is_hidden():
    """The same card, whatever the other holds: one picture."""
    env = SeatEnv("kuhn", 0, against="uniform", observing="information-set", render_mode="svg")
    pictures, hidden = {}, set()
    for seed in range(30):
        shown, _ = env.reset(seed=seed)
        pictures.setdefault(int(shown["observation"]), set()).add(env.render())
        hidden.add(env._course.label)
    assert len(hidden) > len(pictures)
    assert all(len(drawn) == 1 for drawn in pictures.values())


def test_others_must_be_named():
    with pytest.raises(SpecError, match="it must be said how player-2 plays, such as 'uniform'"):
        SeatEnv("kuhn")
    assert SeatEnv(
        "kuhn(seats=3)", 1, against={0: "uniform", "player-3": "uniform"}, observing="observation"
    ).others.keys() == {0, 2}


def test_gymnasium_makes_it_by_name_and_wraps_it():
    env = gymnasium.make("fogbound/Seat-v0", game="kuhn", against="uniform", observing="information-set")
    env.reset(seed=1)
    agent = fb.interop.agent(lambda shown: int(shown["action_mask"].argmax()), env)
    assert agent.view is env.unwrapped.view
    assert fb.evaluate("kuhn", agent, "uniform").values[0] == -0.5
