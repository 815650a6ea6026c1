"""States with what fixed players remember: rules and arrays give the same model, and nobody is asked twice."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import fogbound as fb
from fogbound import forms
from fogbound.core.simulator import RuleSimulator
from fogbound.forms.induced import InducedGame, _breadth_first
from fogbound.forms.table_simulator import TableSimulator
from fogbound.games import make
from fogbound.games.random_game import RandomGame
from fogbound.policies import Mixture, Uniform, controller

GAMES = [RandomGame(seed=seed, depth=3, width=3, signals=2) for seed in range(4)] + [
    make("po-nim(n=2)"),
    make("king-ace"),
]
named = pytest.mark.parametrize("game", GAMES, ids=str)


def branches(simulator, found, player=0):
    """Outcomes in the author's words, with their probabilities."""
    weights = Counter()
    for state, event, p in found:
        seen = simulator.observation_label(player, simulator.observed(event, player))
        weights[simulator.state_label(state), seen, tuple(simulator.paid(event))] += p
    return weights


@pytest.mark.parametrize(
    "game", [*GAMES, RandomGame(seed=9, seats=3), RandomGame(seed=9, seats=3, loops=True)], ids=str
)
def test_every_joint_move_of_rules_and_arrays_leads_to_the_same(game):
    table = forms.table(game)
    rules, arrays = RuleSimulator(game), TableSimulator(table)
    assert branches(rules, rules.start()) == pytest.approx(branches(arrays, arrays.start()))
    for number, state in enumerate(table.states):
        assert rules.actors(state) == arrays.actors(number)
        legal, numbered = rules.legal(state, rules.actors(state)), arrays.legal(number, arrays.actors(number))
        assert [*legal] == [arrays.legal_labels(offered) for offered in numbered]
        for joint in product(*(range(len(offered)) for offered in legal)) if legal else ():
            one = branches(rules, rules.step(state, legal, joint))
            assert one == pytest.approx(branches(arrays, arrays.step(number, numbered, joint)))


def explored(simulator, fixed):
    """Every point in words, with what may follow each move there."""
    game = InducedGame(simulator, fixed)

    def words(point):
        return simulator.state_label(point.state), *((memory.type, memory.value) for memory in point.memories)

    def weights(arrivals):
        found = Counter()
        for point, event, p in arrivals:
            found[words(point), simulator.observation_label(0, simulator.observed(event, 0))] += p
        return found

    model = {"start": weights(game.start())}
    for point in game.points:  # grows while it is walked
        moves = len(simulator.actions(point.legal)) if point.place >= 0 else 1
        for place in range(moves) if point.actors else ():
            model[words(point), place] = weights(game.after(point, place))
    return model


@named
@pytest.mark.parametrize("everybody", [False, True])
def test_rules_and_arrays_induce_one_model(game, everybody):
    table = forms.table(game)
    others = {1: Mixture.of([(Uniform(), 0.25), (controller(table, 1, Uniform()), 0.75)])}
    fixed = {0: Uniform(), **others} if everybody else others
    one, two = explored(RuleSimulator(game), fixed), explored(TableSimulator(table), fixed)
    assert one.keys() == two.keys()
    for key, found in one.items():
        assert found == pytest.approx(two[key])
        assert sum(found.values()) == pytest.approx(1)


class Counting:
    """Uniform play that counts what it is asked."""

    def __init__(self):
        self.asked = Counter()

    def begin(self, observation):
        self.asked["begin", observation] += 1
        return (observation,)

    def update(self, memory, action, observation):
        self.asked["update", memory, action, observation] += 1
        return (*memory, observation)

    def act(self, memory, actions):
        self.asked["act", memory, actions] += 1
        return Uniform().act(None, actions)


@pytest.mark.parametrize("over", [RuleSimulator, lambda game: TableSimulator(forms.table(game))])
def test_a_fixed_player_is_asked_once_and_again_after_forgetting(over):
    policy = Counting()
    game = InducedGame(over(make("po-nim(n=2)")), {1: policy})
    held = next(point for point, _, _ in game.start() if point.actors)
    for _ in range(2):
        for point in game.points:
            list(game.after(point, 0))
    assert max(policy.asked.values()) == 1
    before = [(after.state, p) for after, _, p in game.after(held, 0)]
    game.forget()
    assert not game.points
    assert [(after.state, p) for after, _, p in game.after(held, 0)] == before
    assert max(policy.asked.values()) == 2


@pytest.mark.parametrize(
    "game",
    [
        make("tiger"),
        make("rock-sample(4,4)"),
        fb.game("horizon(tiger, 3)"),
        *(RandomGame(seed, seats=1) for seed in range(6)),
        *(RandomGame(seed, seats=1, discount=0.5, loops=True) for seed in range(6)),
    ],
    ids=str,
)
def test_a_game_of_one_is_its_table(game, monkeypatch):
    """No walk is needed where nobody else remembers anything; what it would give is the same to the byte."""
    table = forms.table(game)
    assert _breadth_first(table)
    short = forms.pomdp(table)
    monkeypatch.setattr(sys.modules["fogbound.forms.induced"], "_breadth_first", lambda _: False)
    walked = forms.pomdp(table)
    assert short.observations == walked.observations
    for name in ("row", "action", "out", "next", "obs", "prob", "reward"):
        one, other = getattr(short, name), getattr(walked, name)
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()
    assert short.product.point.tolist() == walked.product.point.tolist()
    assert short.product.seen.tolist() == walked.product.seen.tolist()


def test_a_table_in_another_order_is_walked():
    """Where numbers are not those of a walk, points have numbers of their own."""
    table = forms.table(make("tiger"))
    swap = np.arange(table.size)[::-1]
    assert not _breadth_first(replace(table, next=swap[table.next].astype(table.next.dtype)))
