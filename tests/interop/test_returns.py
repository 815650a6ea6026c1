"""What environments pay is what Fogbound evaluates, over every course of a game, discounts included."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.interop.course import Ledger
from tests.interop.relay import Relay, expected

pytest.importorskip("gymnasium", reason="needs fogbound[environments]")
pytest.importorskip("pettingzoo", reason="needs fogbound[environments]")

from fogbound.interop.gymnasium import SeatEnv
from fogbound.interop.pettingzoo import TogetherEnv, TurnsEnv

WAYS = ("observation", "history", "information-set")


def coin_choice(mask, coins):
    legal = np.flatnonzero(mask)
    return int(legal[0] if len(legal) == 1 else legal[int(coins.random() > 0.5)])


@pytest.mark.parametrize("discount", [0.5, 1.0])
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("observing", WAYS)
def test_one_seat_earns_what_is_evaluated(player, discount, observing):
    game = Relay(discount)
    env = SeatEnv(game, player, against="uniform", observing=observing)

    def play(coins):
        env.np_random = coins
        shown, info = env.reset()
        total, scale, over = 0.0, info["discount"], False
        while not over:
            shown, reward, ended, cut, info = env.step(coin_choice(shown["action_mask"], coins))
            total, scale, over = total + scale * reward, scale * info["discount"], ended or cut
        return total

    assert expected(play) == pytest.approx(fb.evaluate(game, "uniform").values[player], abs=1e-12)


@pytest.mark.parametrize("discount", [0.5, 1.0])
def test_seats_in_turn_earn_what_is_evaluated(discount):
    game = Relay(discount)
    env = TurnsEnv(game, observing="observation")

    def play(coins):
        env._seats.rng = coins
        env.reset()
        totals, scales = dict.fromkeys(env.agents, 0.0), dict.fromkeys(env.agents, 1.0)
        for agent in env.agent_iter():
            shown, reward, ended, cut, info = env.last()
            totals[agent] += scales[agent] * reward
            scales[agent] *= info["discount"]
            env.step(None if ended or cut else coin_choice(shown["action_mask"], coins))
        return np.array(list(totals.values()))

    assert expected(play) == pytest.approx(np.array(fb.evaluate(game, "uniform").values), abs=1e-12)


@pytest.mark.parametrize("discount", [0.5, 1.0])
def test_seats_together_earn_what_is_evaluated(discount):
    game = Relay(discount)
    env = TogetherEnv(game)

    def play(coins):
        env._seats.rng = coins
        shown, infos = env.reset()
        totals, scale = np.zeros(2), 1.0
        while env.agents:
            actions = {agent: coin_choice(seen["action_mask"], coins) for agent, seen in shown.items()}
            shown, rewards, _, _, infos = env.step(actions)
            totals += scale * np.array(list(rewards.values()))
            scale *= infos["one"]["discount"]
        return totals

    assert expected(play) == pytest.approx(np.array(fb.evaluate(game, "uniform").values), abs=1e-12)


def test_a_game_that_ends_before_the_seat_is_asked_is_one_wait():
    env = SeatEnv(Relay(), 0, against={"two": fb.interop.agent(lambda shown: 1, fb.interop.view(Relay(), 1))})
    shown, _ = env.reset(seed=1)
    assert shown["action_mask"].tolist() == [0, 0, 1]
    shown, reward, ended, _, _ = env.step(2)
    assert ended
    assert reward in (11.0, 8.0)  # what was paid at the start, and for the stop
    assert shown["action_mask"].all()


def test_what_follows_counts_from_the_last_decision():
    ledger = Ledger(0.5, told_at_first=False)
    ledger.begin(1.0)
    ledger.step(1.0)  # before the first decision, which counts from the start of the game
    ledger.decide()
    ledger.step(4.0)
    assert (ledger.collect(), ledger.factor) == (4.0, 0.25)
    ledger.decide()
    ledger.step(4.0)
    assert (ledger.collect(), ledger.factor) == (4.0, 0.5)


RANDOM = [f"random(seed={seed})" for seed in range(8)]
DISCOUNTED = ["pursuit", "patrolling", "intrusion", "horizon(crying-baby, 4)", "po-nim(n=2, discount=0.9)"]


@pytest.mark.slow
@pytest.mark.parametrize("game", [*RANDOM, *DISCOUNTED, "kuhn(seats=3)", "leduc", "horizon(tiger, 4)"])
def test_played_returns_agree_with_exact_values(game):
    """Uniform play from every seat: the mean is the value that is evaluated, within five standard errors."""
    form = fb.forms.table(fb.game(game))
    values = fb.evaluate(form, "uniform", seconds=0).values
    opponents = "uniform" if len(values) > 1 else None
    for player, value in enumerate(values):
        env = SeatEnv(form, player, against=opponents, observing="observation", most_steps=200)
        rng, returns = np.random.default_rng(player), []
        for episode in range(400):
            shown, info = env.reset(seed=7 if episode == 0 else None)
            total, scale, over = 0.0, info["discount"], False
            while not over:
                action = int(rng.choice(np.flatnonzero(shown["action_mask"])))
                shown, reward, ended, cut, info = env.step(action)
                total, scale, over = total + scale * reward, scale * info["discount"], ended or cut
            returns.append(total)
        error = np.std(returns) / len(returns) ** 0.5
        assert abs(np.mean(returns) - value) <= 5 * error + 0.02
