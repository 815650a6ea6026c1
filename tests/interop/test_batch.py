"""Games in a batch are the games of the plain rules, draw for draw, and what was trained there is evaluated exactly."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.errors import FormError, LimitError, PolicyError, SpecError
from fogbound.games import GAMES
from fogbound.interop.batch import GameBatch
from fogbound.interop.course import Course
from tests.interop.streams import Stream

SMALL = 2_000  # states
NAMES = list(GAMES)
WITH_RULES = [name for name in NAMES if type(fb.game(name)).compiled_rules is not fb.Game.compiled_rules]
COUNT, STEPS = 3, 40


class Followed:
    """One game of a batch, played once more by plain rules from the same draws and actions."""

    def __init__(self, source, views, seed, most):
        self.course, self.views, self.random, self.most = Course(source), views, Stream(seed), most
        self.begin()

    def begin(self):
        self.course.begin(self.random)
        self.chosen = []
        self.memories = [view.begin(self.course.seen(i)) for i, view in enumerate(self.views)]
        self.due = np.array(self.course.rewards, float)

    @property
    def player(self):
        return self.course.actors[len(self.chosen)]

    def shown(self):
        view = self.views[self.player]
        return view.shown(self.memories[self.player], self.course.legal_of(self.player))

    def step(self, number):
        course, view = self.course, self.views[self.player]
        self.chosen.append(course.legal_of(self.player).index(view.actions[number]))
        if len(self.chosen) < len(course.actors):
            return np.zeros(len(self.views)), False
        did = {i: legal[place] for i, legal, place in zip(course.actors, course.legal, self.chosen)}
        course.step(self.chosen, self.random)
        self.chosen = []
        rewards = self.due + course.rewards
        self.due = np.zeros(len(self.views))
        for i, view in enumerate(self.views):
            self.memories[i] = view.update(self.memories[i], did.get(i), course.seen(i))
        over = course.over or course.time >= self.most
        if over:
            self.begin()
        return rewards, over


def assert_follows(batch, source, steps=STEPS, seed=5):
    """Play a batch at random, and every game of it by the plain rules."""
    batch.reset(seed)
    rng, views = np.random.default_rng(0), list(batch.views.values())
    plain = [Followed(source, views, seed + i, batch.most_steps) for i in range(batch.count)]
    for _ in range(steps):
        for i, game in enumerate(plain):
            assert batch.player[i] == game.player
            assert batch.state(i) == game.course.label
            shown, view = game.shown(), views[game.player]
            seen = np.atleast_1d(shown["observation"])
            assert np.atleast_1d(batch.observations[i])[: len(seen)].tolist() == seen.tolist()
            assert not np.atleast_1d(batch.observations[i])[len(seen) :].any()
            assert batch.mask[i, : view.size].tolist() == shown["action_mask"].tolist()
            assert not batch.mask[i, view.size :].any()
        actions = [int(rng.choice(np.flatnonzero(mask))) for mask in batch.mask]
        _, rewards, done, _ = batch.step(actions)
        for i, game in enumerate(plain):
            paid, over = game.step(actions[i])
            assert rewards[i].tolist() == paid.tolist()
            assert done[i] == over


@pytest.mark.one_in(4)
@pytest.mark.parametrize("observing", ["observation", "history", "information-set"])
@pytest.mark.parametrize("name", NAMES)
def test_every_game_is_played_as_its_plain_rules_say(name, observing):
    game = fb.game(name)
    there_may_be_none = LimitError if observing == "observation" else (LimitError, FormError)
    try:
        batch = GameBatch(game, COUNT, observing=observing, most_steps=12, limit=SMALL)
    except there_may_be_none:
        return
    assert_follows(batch, batch._model.form)


@pytest.mark.parametrize("name", ["leduc", "kuhn", "tiger", "liars-dice(sides=2)", "rock-paper-scissors"])
def test_the_rules_themselves_say_the_same_as_the_table(name):
    """Where no two outcomes of a step are equal, the author's own methods can be followed draw for draw."""
    assert_follows(GameBatch(name, COUNT, observing="observation", most_steps=12), fb.game(name))


def all_actions(game):
    """Every action of a game, by compiled rules: the words for its codes."""
    compiled, found = game.compiled_rules(), []
    for code in range(300):
        try:
            action = compiled.action(code)
            assert compiled.action_code(action) == code
        except (AssertionError, IndexError, KeyError, ValueError):
            continue
        found.append(action)
    return found


@pytest.mark.parametrize("name", WITH_RULES)
def test_compiled_rules_of_games_that_are_not_enumerated(name):
    game = fb.game(name)
    batch = GameBatch(game, COUNT, observing="observation", actions=all_actions(game), most_steps=25)
    assert batch._model.form is None
    assert_follows(batch, game)


def test_all_games_with_compiled_rules_are_tried():
    assert set(WITH_RULES) >= {"king-up", "phantom-tic-tac-toe", "pocman", "rock-sample"}


def test_a_game_does_not_depend_on_how_many_are_played_beside_it():
    few, many = (GameBatch("leduc", count, observing="information-set", seed=3) for count in (2, 7))
    alone = GameBatch("leduc", 1, observing="information-set", seed=4)
    for _ in range(30):
        assert few.observations.tolist() == many.observations[:2].tolist()
        assert alone.observations.tolist() == many.observations[1:2].tolist()
        actions = many.mask.argmax(axis=1)
        few.step(actions[:2])
        alone.step(actions[1:2])
        many.step(actions)
    again = GameBatch("leduc", 7, observing="information-set", seed=3)
    assert again.observations.tolist() == many.reset(3)[0].tolist()


def test_returns_are_those_that_are_evaluated():
    """Uniform play: the mean of many games is within five standard errors of the exact value, discount included."""
    game = fb.game("horizon(adversarial-tiger, 2)")
    batch, rng, returns = GameBatch(game, 500, observing="observation", seed=0), np.random.default_rng(0), []
    for _ in range(60):
        _, _, done, _ = batch.step((rng.random(batch.mask.shape) * batch.mask).argmax(axis=1))
        returns += batch.returns[done].tolist()
    exact = fb.evaluate(game, "uniform", "uniform").values
    assert len(returns) > 5000
    error = np.std(returns, axis=0) / np.sqrt(len(returns))
    assert (np.abs(np.mean(returns, axis=0) - exact) < 5 * error + 1e-12).all()


def test_what_was_trained_is_evaluated_exactly():
    pytest.importorskip("gymnasium")
    batch = GameBatch("leduc", 8, observing="information-set", seed=0)
    tables = []
    for view in batch.views.values():
        sets = view.space["observation"].n
        table = np.full((sets, view.size), 1.0 / view.size)
        tables.append(fb.interop.agent(table, batch, view.name, masked=True))
    found = fb.evaluate("leduc", tables)
    exact = fb.evaluate("leduc", "uniform", "uniform")
    assert found.values == pytest.approx(exact.values, abs=1e-12)
    assert found.nash_conv == pytest.approx(exact.nash_conv, abs=1e-12)
    with pytest.raises(SpecError, match=r"expected \d probabilities along the last axis"):
        fb.interop.agent(np.ones((4, 9)), batch, 0)
    with pytest.raises(PolicyError, match="has no entry for observation"):
        fb.evaluate("leduc", fb.interop.agent(np.zeros(2, int), batch, 0), "uniform")


def test_what_cannot_be_is_refused():
    batch = GameBatch("kuhn", 2, observing="information-set", seed=0)
    with pytest.raises(PolicyError, match=r"game 1: kuhn.*: player-1 does 'fold', which is not legal now"):
        batch.step([0, 2])
    with pytest.raises(PolicyError, match="expected a whole number from 0 to 3"):
        batch.step([0, 9])
    with pytest.raises(PolicyError, match="expected 2 whole numbers"):
        batch.step([0.5, 1])
    with pytest.raises(SpecError, match="count is 0, expected how many games"):
        GameBatch("kuhn", 0)
    with pytest.raises(SpecError, match="observing is 'belief', expected observation, history, information-set"):
        GameBatch("kuhn", 2, observing="belief")
    with pytest.raises(SpecError, match="actions= is for games with compiled rules of their own"):
        GameBatch("kuhn", 2, observing="observation", actions=["bet"])
    with pytest.raises(SpecError, match="cannot be: observation"):
        GameBatch("rock-sample", 2, actions=["north"])
    with pytest.raises(SpecError, match=r"actions= has no .*, which .* may do now"):
        GameBatch("rock-sample", 2, observing="observation", actions=["north"])
    with pytest.raises(SpecError, match="3 seeds are given, expected 2"):
        batch.reset([1, 2, 3])
