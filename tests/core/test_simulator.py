"""Rules, stepped by whoever plays or samples: one class asks them, and refuses what they may not say."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import pytest

from fogbound.arena import play
from fogbound.core import Dist, Game, GameError, Outcome
from fogbound.core.simulator import RuleSimulator
from fogbound.evaluation import ParticleFilter
from fogbound.games import make
from fogbound.policies import Uniform
from fogbound.solvers import make as make_solver
from fogbound.solvers.search.sampled import SampledGame
from tests.run import solve


@dataclass(frozen=True)
class Faulty(Game):
    """One move, whose outcomes are wrong in the way that `fault` names."""

    fault: str = ""
    players = ("you",)

    def start(self):
        return Dist.sure(Outcome("begin"))

    def actors(self, state):
        return (0,) if state == "begin" else ()

    def actions(self, state, player):
        return {"set": {"go"}, "none": ()}.get(self.fault, ["go"])

    def step(self, state, joint):
        wrong = {
            "sum": Dist.of({Outcome("one"): 0.6, Outcome("two"): 0.6}),
            "negative": Dist.of({Outcome("one"): 1.5, Outcome("two"): -0.5}),
            "short": Dist.of({Outcome("one"): 1 - 1e-6}),
            "rewards": Dist.sure(Outcome("one", (1.0, 2.0))),
            "infinite": Dist.sure(Outcome("one", (float("inf"),))),
            "private": Dist.sure(Outcome("one", private=("a", "b"))),
        }
        return wrong.get(self.fault, Dist.sure(Outcome("one")))


SAID = {
    "sum": "sum to 1.2, expected 1, at state 'begin' after",
    "negative": "probability -0.5",
    "short": "sum to 0.999999",
    "rewards": "rewards .* has 2 entries, expected (1|a tuple with one a player)",
    "infinite": "expected finite numbers",
    "private": "private .* has 2 entries, expected 1",
    "set": "actions at state 'begin' are a set",
    "none": "has no action",
}


def searches(game):
    solve(make_solver("mcts(simulations=20)"), SampledGame(game))


def filters(game):
    particles, rng = ParticleFilter(game, 10), np.random.default_rng(0)
    first = particles.begin(Outcome("begin").observation(0), rng)
    particles.update(first, "go", Outcome("one").observation(0), rng)


@pytest.mark.parametrize("fault", SAID)
def test_play_search_and_particles_refuse_the_same(fault):
    game = Faulty(fault)
    with pytest.raises(GameError, match=SAID[fault]):
        play(game, [Uniform()], np.random.default_rng(0))
    with pytest.raises(GameError, match=SAID[fault]):
        searches(game)
    if fault not in ("rewards", "infinite"):  # what is paid is nothing that particles ask for
        with pytest.raises(GameError, match=SAID[fault]):
            filters(game)


def test_sound_rules_pass():
    game = Faulty()
    assert play(game, [Uniform()], np.random.default_rng(0)).ended == "over"
    searches(game)
    filters(game)


@pytest.mark.parametrize("spec", ["leduc", "tag", "rock-sample", "goofspiel"])
def test_what_is_drawn_is_one_of_the_branches_and_takes_as_many_draws_as_the_author_lists(spec):
    rules, rng, same_seed = RuleSimulator(make(spec)), random.Random(3), random.Random(3)
    state = rules.opening().sample(rng).state
    assert rules.game.start().sample(same_seed).state == state
    for _ in range(30):
        actors = rules.actors(state)
        if not actors:
            break
        legal = rules.legal(state, actors)
        joint = [len(offered) // 2 for offered in legal]
        actions = tuple(offered[place] for offered, place in zip(legal, joint))
        outcome = rules.drawn(state, actions, rng)
        assert outcome == rules.game.step(state, actions).sample(same_seed)
        assert outcome in [event for _, event, p in rules.step(state, legal, joint) if p > 0]
        state = outcome.state
    assert rng.random() == same_seed.random()
