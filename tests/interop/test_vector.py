"""One seat in many games at once is `SeatEnv` in each of them, draw for draw, however games begin anew."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.errors import FormError, PolicyError, SpecError
from tests.interop.relay import Relay
from tests.interop.streams import Stream

pytest.importorskip("gymnasium", reason="needs fogbound[environments]")

import gymnasium
from gymnasium.vector import AutoresetMode

from fogbound.interop.gymnasium import SeatEnv, vector_env

COUNT = 4


class Streamed(SeatEnv):
    """A seat whose chance is that of a game in a batch."""

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.stream = Stream(seed)
        return super().reset(seed=seed, options=options)

    @property
    def _rng(self):
        return self.stream


def same(one, other):
    """Whether two infos, or what is shown, are equal, arrays and nested dicts included."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray) and one.dtype == object:
        return all(same(a, b) for a, b in zip(one, other, strict=True))
    if one is None or isinstance(one, str):
        return one == other
    return np.array_equal(np.asarray(one), np.asarray(other))


def assert_alike(game, player, against, mode, steps=40, illegal=False, **how):
    plain = gymnasium.vector.SyncVectorEnv(
        [lambda: Streamed(game, player, against, **how) for _ in range(COUNT)], autoreset_mode=mode
    )
    fast = vector_env(game, COUNT, player, against, autoreset_mode=mode, **how)
    assert fast.single_observation_space == plain.single_observation_space
    assert fast.single_action_space == plain.single_action_space
    assert fast.metadata["autoreset_mode"] == mode
    rng, ends = np.random.default_rng(0), 0
    one, other = plain.reset(seed=7), fast.reset(seed=7)
    assert same(one[0], other[0])
    assert same(one[1], other[1])
    for _ in range(steps):
        mask = np.ones_like(one[0]["action_mask"]) if illegal else one[0]["action_mask"]
        actions = np.array([rng.choice(np.flatnonzero(row)) for row in mask])
        one, other = plain.step(actions), fast.step(actions)
        assert same(dict(enumerate(one)), dict(enumerate(other)))
        assert other[0] in fast.observation_space
        over = one[2] | one[3]
        ends += int(over.sum())
        if mode == AutoresetMode.DISABLED and over.any():
            one, other = (each.reset(options={"reset_mask": over.copy()}) for each in (plain, fast))
            assert same(dict(enumerate(one)), dict(enumerate(other)))
    assert ends


def given(game):
    return None if len(fb.game(game).players) == 1 else "uniform"


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=str)
@pytest.mark.parametrize(
    "game", ["kuhn", "leduc", "tiger", "rock-paper-scissors", "liars-dice(sides=2)", "crying-baby", "adversarial-tiger"]
)
def test_every_game_of_a_batch_is_that_of_one_seat(game, mode):
    for player in range(len(fb.game(game).players)):
        assert_alike(game, player, given(game), mode, observing="observation", most_steps=6)


@pytest.mark.parametrize("observing", ["history", "information-set"])
@pytest.mark.parametrize("game", ["kuhn(seats=3)", "leduc", "goofspiel(cards=3)"])
def test_whatever_is_shown(game, observing):
    assert_alike(game, 1, "uniform", AutoresetMode.NEXT_STEP, observing=observing)


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=str)
@pytest.mark.parametrize("player", [0, 1])
def test_pay_between_decisions_and_games_that_end_unasked(player, mode):
    assert_alike(Relay(), player, "uniform", mode, observing="observation")
    assert_alike(Relay(), player, "uniform", mode, observing="observation", forfeit=-7.0, illegal=True)


@pytest.mark.parametrize("against", ["cfr-plus(iterations=20)", "sequence-lp"])
def test_opponents_that_were_solved(against):
    """Probabilities are tabulated by information set; those of pure and of mixed moves are drawn alike."""
    assert_alike("kuhn", 0, against, AutoresetMode.SAME_STEP, observing="information-set", steps=80)


def test_a_mixture_of_opponents_plays_as_its_members_do():
    """By the strategy of equal realisation weights (Kuhn 1953): what is earned against both is the same."""
    solved = [fb.policy(name, "kuhn", 1) for name in ("uniform", "sequence-lp")]
    mixed = fb.policies.uniform_mixture(solved)
    env, rng, paid, games = vector_env("kuhn", 500, against=mixed, observing="information-set"), None, [], 0
    rng = np.random.default_rng(0)
    shown, _ = env.reset(seed=0)
    for _ in range(60):
        mask = shown["action_mask"]
        shown, rewards, ended, _, _ = env.step((rng.random(mask.shape) * mask).argmax(axis=1))
        paid += rewards[ended].tolist()
        games += int(ended.sum())
    exact = fb.evaluate("kuhn", "uniform", mixed).values[0]
    assert games > 5000
    assert abs(np.mean(paid) - exact) < 5 * np.std(paid) / np.sqrt(games)


def test_gymnasium_makes_it_by_name():
    made = gymnasium.make_vec(
        "fogbound/Seat-v0", num_envs=3, vectorization_mode="vector_entry_point", game="kuhn", against="uniform"
    )
    shown, _ = made.reset(seed=0)
    assert shown["action_mask"].shape == (3, 4)
    agent = fb.interop.agent(lambda shown: int(shown["action_mask"].argmax()), made)
    assert fb.evaluate("kuhn", agent, "uniform").values[0] == -0.5


def test_what_cannot_be_is_refused():
    env = vector_env("kuhn", 2, against="uniform", observing="information-set", autoreset_mode="Disabled")
    with pytest.raises(PolicyError, match=r"reset\(\) first"):
        env.step([0, 0])
    env.reset(seed=0)
    with pytest.raises(PolicyError, match=r"game 1: .*player-1 does 'fold', which is not legal now.*forfeit="):
        env.step([0, 2])
    with pytest.raises(PolicyError, match="expected a whole number from 0 to 3"):
        env.step([0, 4])
    with pytest.raises(SpecError, match="option 'speed' is not known"):
        env.reset(options={"speed": 1})
    with pytest.raises(SpecError, match="expected 2 booleans"):
        env.reset(options={"reset_mask": [True, False]})
    with pytest.raises(SpecError, match="autoreset_mode is 'soon', expected one of Gymnasium's"):
        vector_env("kuhn", 2, against="uniform", autoreset_mode="soon")
    with pytest.raises(SpecError, match="it must be said how player-2 plays"):
        vector_env("kuhn", 2)
    with pytest.raises(FormError, match="a batch plays others than 'uniform' by their information sets"):
        vector_env("repeated", 2, against=fb.policies.Controller({}, {}, ()), observing="observation", most_steps=6)
