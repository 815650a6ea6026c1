"""The checkers of Gymnasium and PettingZoo, on every game of Fogbound, and why each of their warnings is right.

King Up alone is too large to be enumerated; it is held by an encoder of its own.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.errors import FormError
from fogbound.games import GAMES

pytest.importorskip("gymnasium", reason="needs fogbound[environments]")
pytest.importorskip("pettingzoo", reason="needs fogbound[environments]")

import gymnasium
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import fogbound.interop.gymnasium
from fogbound.interop.pettingzoo import TogetherEnv, TurnsEnv

SMALL = ["kuhn", "tiger", "rock-paper-scissors", "king-ace"]
TOO_LARGE = ["king-up", "phantom-tic-tac-toe", "pocman"]
EXPLAINED = {
    "Observation space for each agent probably should be": "it is a Dict, since a mask goes with it",
    "Observation is not a NumPy array": "the same: it is a dict of arrays",
    "We recommend agents to be named": "agents have the names of the game's players",
    "Observation numpy array is all zeros": "0 stands for nothing seen, which is what there is to see",
    "Observation is a single number": "there is nothing else to see in such a game",
    "Agents have different observation space sizes": "players see different things",
    "Observations are different shapes": "the same",
    "Action mask is a single number": "a player with one action",
    "Action mask numpy array is all zeros": "nobody has a legal action when it is over",
}


def check_all(game, cycles, **options):
    options = {"observing": "observation", "forfeit": -1.0, **options}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        api_test(TurnsEnv(game, **options), num_cycles=cycles)
        seed_test(lambda: TurnsEnv(game, **options), num_cycles=cycles)
        parallel_api_test(TogetherEnv(game, **options), num_cycles=cycles)
        parallel_seed_test(lambda: TogetherEnv(game, **options), num_cycles=cycles)
    unexplained = {str(one.message) for one in said if not str(one.message).startswith(tuple(EXPLAINED))}
    assert not unexplained
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        players = fb.game(game).players
        against = "uniform" if len(players) > 1 else None
        for player in range(len(players)):
            made = gymnasium.make(
                "fogbound/Seat-v0", game=game, player=player, against=against, disable_env_checker=True, **options
            )
            check_env(made.unwrapped)


@pytest.mark.parametrize("name", SMALL)
def test_small_games(name, capsys):
    check_all(name, 20)


@dataclass(frozen=True)
class Turns(fb.Game):
    """Who moves in which step is a parameter; every step pays the players whose action is odd."""

    turns: tuple[tuple[int, ...], ...] = ((0,),)
    players: tuple[str, ...] = ("one", "two")

    def start(self):
        return fb.Dist.sure(fb.Outcome(0))

    def actors(self, state):
        return self.turns[state] if state < len(self.turns) else ()

    def actions(self, state, player):
        return (player, player + 1)

    def step(self, state, joint):
        did = dict(zip(self.actors(state), joint))
        paid = tuple(float(did.get(i, 0) % 2) for i in range(len(self.players)))
        return fb.Dist.sure(fb.Outcome(state + 1, paid, public=state))


THREE = ("one", "two", "three")
SHAPES = {
    "the second never moves": Turns(),
    "the first never moves": Turns(((1,),)),
    "the middle never moves": Turns(((0, 2), (2,)), THREE),
    "only one of three moves": Turns(((1,), (1,)), THREE),
    "all move at once": Turns(((0, 1, 2), (0, 1, 2)), THREE),
    "at once, then in turn": Turns(((0, 1), (1,), (0,))),
    "the same player twice": Turns(((0,), (0,), (1,))),
    "alone": Turns(((0,), (0,)), ("one",)),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("observing", ["observation", "history", "information-set"])
def test_every_order_of_moves(shape, observing, capsys):
    check_all(SHAPES[shape], 5, observing=observing)


@pytest.mark.parametrize("make", [TurnsEnv, TogetherEnv])
@pytest.mark.parametrize("enumerated", [True, False])
def test_a_game_over_at_its_start_is_refused(make, enumerated):
    given = {} if enumerated else {"observing": lambda player: Rounds(), "actions": (0, 1)}
    with pytest.raises(FormError, match="over at its start"):
        make(Turns(()), **given).reset(seed=0)


@pytest.mark.parametrize("observing", ["history", "information-set"])
def test_other_ways_to_observe(observing, capsys):
    check_all("kuhn", 20, observing=observing)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in GAMES if name not in TOO_LARGE])
def test_every_game(name, capsys):
    check_all(fb.forms.table(fb.game(name)), 100)  # enumerated once for all of them


@pytest.mark.slow
def test_beliefs(capsys):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        api_test(TurnsEnv("leduc", observing="belief", others="uniform"), num_cycles=20)
        parallel_api_test(TogetherEnv("leduc", observing="belief", others="uniform"), num_cycles=20)
    assert not {str(one.message) for one in said if not str(one.message).startswith(tuple(EXPLAINED))}
    for name in ("tiger", "leduc"):
        check_env(
            gymnasium.make(
                "fogbound/Seat-v0",
                game=name,
                against="uniform" if len(fb.game(name).players) > 1 else None,
                observing="belief",
                forfeit=-1.0,
                disable_env_checker=True,
            ).unwrapped
        )


class Rounds:
    """King Up by how many steps were played and whether something was seen of the last: a learner's first sketch."""

    def begin(self, observation):
        return (0, False)

    def update(self, memory, action, observation):
        return (min(memory[0] + 1, 99), observation.public is not None)

    def encode(self, memory, asked):
        return np.array([memory[0], int(memory[1]), int(asked)], np.int64)

    def space(self):
        return gymnasium.spaces.MultiDiscrete([100, 2, 2])


def test_a_game_too_large_to_be_enumerated_is_held_by_an_encoder_of_ones_own(capsys):
    rules, met = fb.game("king-up"), {}
    for seed in range(20):  # all actions there are: pieces, and votes
        rng = np.random.default_rng(seed)
        state = rules.start().sample(rng).state
        while rules.actors(state):
            legal = [tuple(rules.actions(state, i)) for i in rules.actors(state)]
            met |= dict.fromkeys(action for offered in legal for action in offered)
            joint = tuple(offered[int(rng.random() * len(offered))] for offered in legal)
            state = rules.step(state, joint).sample(rng).state
    check_all("king-up", 20, observing=lambda player: Rounds(), actions=tuple(met))
